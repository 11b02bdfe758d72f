"""Methods that only ask for predictions: what R-sens is compared with."""

from rsens.black_box._budget import BUDGETS as BUDGETS
from rsens.black_box._budget import Budget as Budget
from rsens.black_box._budget import budget_of as budget_of
from rsens.black_box._grouped import grouped as grouped
from rsens.black_box._grouped import reordered as reordered
from rsens.black_box._grouped import reordered_terms as reordered_terms
from rsens.black_box._predictor import NO_TARGETS as NO_TARGETS
from rsens.black_box._predictor import Predictor as Predictor
from rsens.black_box._registry import BLACK_BOX as BLACK_BOX
from rsens.black_box._registry import Method as Method


def __dir__() -> list[str]:
    """The names that are exported, without the files they come from."""
    return sorted(name for name in globals() if not name.startswith("_"))
