"""Methods that only ask for predictions: what R-sens is compared with."""

from rsens.black_box._budget import BUDGETS as BUDGETS
from rsens.black_box._budget import Budget as Budget
from rsens.black_box._budget import budget_of as budget_of
from rsens.black_box._predictor import Predictor as Predictor
from rsens.black_box._registry import BLACK_BOX as BLACK_BOX
from rsens.black_box._registry import Method as Method
