"""Methods that only ask for predictions: what R-sens is compared with."""

from rsens.black_box._budget import BUDGETS, Budget, budget_of
from rsens.black_box._grouped import grouped, reordered, reordered_terms
from rsens.black_box._predictor import NO_TARGETS, Predictor
from rsens.black_box._registry import BLACK_BOX, Method


def __dir__() -> list[str]:
    """The names that are exported, without the files they come from."""
    return sorted(name for name in globals() if not name.startswith("_"))
