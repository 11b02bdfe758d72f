"""`explain`, the call that most people make, and `Explanation`, its result."""

from rsens._explain._cells import directions as directions
from rsens._explain._cells import part_columns as part_columns
from rsens._explain._cells import shares as shares
from rsens._explain._cells import stars as stars
from rsens._explain._explain import explain as explain
from rsens._explain._explanation import FORM as FORM
from rsens._explain._explanation import Explanation as Explanation
from rsens._explain._explanation import NotComputedError as NotComputedError
from rsens._explain._legend import directions_legend as directions_legend
from rsens._explain._legend import has_test as has_test
from rsens._explain._legend import intervals_legend as intervals_legend
from rsens._explain._legend import pairs_legend as pairs_legend
from rsens._explain._legend import variables_legend as variables_legend
from rsens._explain._refit_intervals import LEAST_FOLDS as LEAST_FOLDS
from rsens._explain._refit_intervals import ValuesOfRefits as ValuesOfRefits
from rsens._explain._refit_intervals import most_folds as most_folds
from rsens._explain._refit_intervals import rounds_for as rounds_for
from rsens._explain._refit_intervals import with_refits as with_refits
from rsens._explain._values import Values as Values
