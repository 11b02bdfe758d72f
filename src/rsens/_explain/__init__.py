"""`explain`, the call that most people make, and `Explanation`, its result."""

from rsens._explain._context import Arguments, Context, check_pair_columns, read
from rsens._explain._difference import Difference
from rsens._explain._document import directions, effects, has_test, in_points, pairs, subgroups, variables
from rsens._explain._explain import explain, explanations
from rsens._explain._explanation import Explanation
from rsens._explain._interaction_marks import CollinearityWarning
from rsens._explain._refit_intervals import LEAST_FOLDS, ValuesOfRefits, most_folds, rounds_for, with_refits
from rsens._explain._row_explanation import LocalRow, RowExplanation, adds_up, local_rows, value_of
from rsens._explain._subgroups import Division
from rsens._explain._tables import FORM, NotComputedError
from rsens._explain._values import Values
