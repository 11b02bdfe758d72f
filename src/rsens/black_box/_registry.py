"""The list of black-box methods, by name and order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rsens._typing import Array
from rsens.black_box._apc import apc
from rsens.black_box._budget import Budget
from rsens.black_box._h import h_statistic
from rsens.black_box._partial_dependence import pd, pd_pairs
from rsens.black_box._pfi import pfi
from rsens.black_box._predictor import Predictor
from rsens.black_box._shap import shap, shap_pairs
from rsens.black_box._var import var
from rsens.measures import ComparedMethod


@dataclass(frozen=True)
class Method(ComparedMethod):
    """One way to score columns (order 1) or pairs of columns (order 2) from predictions alone.

    `value(predictor, budget, rng)` gives one number per column (D,), or a symmetric (D, D) with a zero diagonal. A
    column of the predictor can be a group (`Predictor.grouped`): numbers of joint values, which have no order.
    """

    value: Callable[[Predictor, Budget, np.random.Generator], Array]


BLACK_BOX: dict[tuple[str, int], Method] = {
    (method.name, method.order): method
    for method in (
        Method("apc", 1, "mean change per unit, from row to row", apc, place=4, scaled=True, groups=True),
        Method("shap", 1, "share of the prediction", shap, place=5, needs_extra="compare", groups=True),
        Method("pd", 1, "spread of the average prediction", pd, place=6, groups=True),
        Method("pfi", 1, "loss if the column is shuffled", pfi, place=7, needs_y=True, groups=True),
        Method("var", 1, "variance given all others", var, place=8, groups=True),
        Method(
            "shap",
            2,
            "share of the prediction that is interaction",
            shap_pairs,
            place=4,
            needs_extra="compare",
            groups=True,
        ),
        Method("pd", 2, "change of one average effect with the other variable", pd_pairs, place=5, groups=True),
        # It asks about all pairs of rows.
        Method("h", 2, "share of the joint effect that is interaction", h_statistic, place=6, cheap=False, groups=True),
    )
}
