"""Models fitted again to parts of the rows; models and scikit-learn are imported late, as all workers import this."""

from rsens._refits._fit import (
    FAILURES,
    LOOKS,
    Failed,
    Fit,
    Splits,
    check_refit,
    folds,
    given_splits,
    quiet,
    reason_of,
    refit_folds,
    rounds_of_folds,
    stratified,
    succeeded,
    with_seed,
)
from rsens._refits._pieces import Kept, run_pieces, workers
from rsens._refits._rows import (
    TightClustersWarning,
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
    tight_clusters,
    tight_clusters_text,
    warn_of_tight_clusters,
    with_levels,
)
