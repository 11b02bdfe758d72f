"""Models fitted again to parts of the rows; models and scikit-learn are imported late, as all workers import this."""

from rsens._refits._fit import FAILURES, Fit, check_refit, quietly, reason_of, with_seed
from rsens._refits._folds import (
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
from rsens._refits._pieces import Kept, run_pieces
from rsens._refits._rows import (
    are_labels,
    as_rows,
    check_one_per_row,
    one_target,
    read_clusters,
    read_for_estimator,
    read_targets,
    rows_with_levels,
    take_rows,
    with_levels,
)
from rsens._refits._tight_clusters import tight_clusters, warn_of_tight_clusters
