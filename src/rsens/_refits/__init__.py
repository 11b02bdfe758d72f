"""Models fitted again to parts of the rows; models and scikit-learn are imported late, as all workers import this."""

from rsens._refits._cross_validation import (
    LOOKS,
    Failed,
    Splits,
    folds,
    given_splits,
    refit_folds,
    rounds_of_folds,
    stratified,
    succeeded,
)
from rsens._refits._fit import FAILURES, Fit, check_refit, quiet, reason_of, with_seed
from rsens._refits._pieces import Kept, run_pieces, workers
from rsens._refits._rows import (
    are_labels,
    as_rows,
    check_one_per_row,
    numbers_of,
    one_target,
    read_clusters,
    read_for_estimator,
    read_targets,
    rows_with_levels,
    take_rows,
    with_levels,
)
from rsens._refits._tight_clusters import (
    TightClusters,
    TightClustersWarning,
    tight_clusters,
    tight_clusters_text,
    warn_of_tight_clusters,
)
