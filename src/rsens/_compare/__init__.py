"""`compare`: the same model and rows through many methods, side by side."""

from rsens._compare._compare import ComparisonFrame, compare
from rsens._compare._comparison import (
    Comparison,
    ComparisonSettings,
    MethodResult,
    all_methods,
    check_terms,
    known,
    legend,
    method_values,
    resolved,
    run,
    term_labels,
)
