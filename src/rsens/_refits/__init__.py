"""Models fitted again and again, to parts of the rows: what the calls that refit share.

Models and scikit-learn are imported where they are used: every process that works on pieces imports this, whatever the
pieces are.
"""

from rsens._refits._cross_validation import LOOKS as LOOKS
from rsens._refits._cross_validation import Failed as Failed
from rsens._refits._cross_validation import Splits as Splits
from rsens._refits._cross_validation import folds as folds
from rsens._refits._cross_validation import given_splits as given_splits
from rsens._refits._cross_validation import refit_folds as refit_folds
from rsens._refits._cross_validation import rounds_of_folds as rounds_of_folds
from rsens._refits._cross_validation import stratified as stratified
from rsens._refits._cross_validation import succeeded as succeeded
from rsens._refits._fit import FAILURES as FAILURES
from rsens._refits._fit import Fit as Fit
from rsens._refits._fit import check_refit as check_refit
from rsens._refits._fit import quiet as quiet
from rsens._refits._fit import reason_of as reason_of
from rsens._refits._fit import with_seed as with_seed
from rsens._refits._pieces import Kept as Kept
from rsens._refits._pieces import run_pieces as run_pieces
from rsens._refits._pieces import workers as workers
from rsens._refits._rows import are_labels as are_labels
from rsens._refits._rows import as_rows as as_rows
from rsens._refits._rows import check_one_per_row as check_one_per_row
from rsens._refits._rows import numbers_of as numbers_of
from rsens._refits._rows import one_target as one_target
from rsens._refits._rows import read_clusters as read_clusters
from rsens._refits._rows import read_for_estimator as read_for_estimator
from rsens._refits._rows import read_targets as read_targets
from rsens._refits._rows import rows_with_levels as rows_with_levels
from rsens._refits._rows import take_rows as take_rows
from rsens._refits._rows import with_levels as with_levels
from rsens._refits._tight_clusters import TightClusters as TightClusters
from rsens._refits._tight_clusters import TightClustersWarning as TightClustersWarning
from rsens._refits._tight_clusters import tight_clusters as tight_clusters
from rsens._refits._tight_clusters import tight_clusters_text as tight_clusters_text
from rsens._refits._tight_clusters import warn_of_tight_clusters as warn_of_tight_clusters
