"""Models fitted again and again, to parts of the rows: what `stability`, `select_interactions` and `assess` share."""

from rsens._refits._clusters import read_clusters as read_clusters
from rsens._refits._fit import FAILURES as FAILURES
from rsens._refits._fit import Fit as Fit
from rsens._refits._fit import check_refit as check_refit
from rsens._refits._fit import one_thread as one_thread
from rsens._refits._fit import reason_of as reason_of
from rsens._refits._fit import with_seed as with_seed
from rsens._refits._levels import read_for_estimator as read_for_estimator
from rsens._refits._levels import rows_with_levels as rows_with_levels
from rsens._refits._levels import with_levels as with_levels
from rsens._refits._rows import are_labels as are_labels
from rsens._refits._rows import as_rows as as_rows
from rsens._refits._rows import check_one_per_row as check_one_per_row
from rsens._refits._rows import read_targets as read_targets
from rsens._refits._rows import take_rows as take_rows
from rsens._refits._searches import mean_kernel as mean_kernel
from rsens._refits._searches import with_likelihood_of as with_likelihood_of
from rsens._refits._searches import without_restarts as without_restarts
from rsens._refits._splits import Splits as Splits
from rsens._refits._splits import folds as folds
from rsens._refits._splits import given_splits as given_splits
