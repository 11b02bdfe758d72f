"""`explain`, the call that most people make, and `Explanation`, its result."""

from rsens._explain._explain import explain as explain
from rsens._explain._explanation import FORM as FORM
from rsens._explain._explanation import Explanation as Explanation
from rsens._explain._explanation import NotComputedError as NotComputedError
from rsens._explain._refit_intervals import LEAST_FOLDS as LEAST_FOLDS
from rsens._explain._refit_intervals import ValuesOfRefits as ValuesOfRefits
from rsens._explain._refit_intervals import most_folds as most_folds
from rsens._explain._refit_intervals import rounds_for as rounds_for
from rsens._explain._refit_intervals import with_refits as with_refits
from rsens._explain._values import Values as Values
