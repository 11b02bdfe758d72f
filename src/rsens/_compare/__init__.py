"""`compare`: the same model and rows through many methods, side by side."""

from rsens._compare._compare import ComparisonFrame as ComparisonFrame
from rsens._compare._compare import compare as compare
from rsens._compare._comparison import Comparison as Comparison
from rsens._compare._comparison import ComparisonSettings as ComparisonSettings
from rsens._compare._comparison import MethodResult as MethodResult
from rsens._compare._comparison import all_methods as all_methods
from rsens._compare._comparison import check_terms as check_terms
from rsens._compare._comparison import known as known
from rsens._compare._comparison import legend as legend
from rsens._compare._comparison import method_values as method_values
from rsens._compare._comparison import resolved as resolved
from rsens._compare._comparison import run as run
from rsens._compare._comparison import term_labels as term_labels
