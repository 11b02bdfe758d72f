"""`compare`: the same model and rows through many methods, side by side."""

from rsens._compare._compare import answer, compare, ranks_table, term_cells
from rsens._compare._comparison import (
    NOUNS,
    Comparison,
    ComparisonSettings,
    MethodResult,
    check_terms,
    find_methods,
    known,
    legend_of,
    method_values,
    run,
    term_labels,
)
