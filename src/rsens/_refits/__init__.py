"""Models fitted again and again, to parts of the rows: what `stability`, `select_interactions` and `assess` share."""

from rsens._refits._continued import mean_kernel as mean_kernel
from rsens._refits._continued import once as once
from rsens._refits._continued import with_likelihood_of as with_likelihood_of
from rsens._refits._continued import with_more_columns as with_more_columns
from rsens._refits._fit import FAILURES as FAILURES
from rsens._refits._fit import Fit as Fit
from rsens._refits._fit import check_refit as check_refit
from rsens._refits._fit import seeded as seeded
from rsens._refits._rows import are_labels as are_labels
from rsens._refits._rows import read_targets as read_targets
from rsens._refits._rows import sliceable as sliceable
from rsens._refits._rows import taken as taken
from rsens._refits._splits import Rows as Rows
from rsens._refits._splits import Splits as Splits
from rsens._refits._splits import folds as folds
from rsens._refits._splits import given_splits as given_splits
