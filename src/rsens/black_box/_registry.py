"""The list of black-box methods, by name and order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rsens._typing import Array
from rsens.black_box._apc import apc
from rsens.black_box._asked import Asked
from rsens.black_box._budget import Budget
from rsens.black_box._h import h_statistic
from rsens.black_box._pair_partial_dependence import pd_pairs
from rsens.black_box._partial_dependence import pd
from rsens.black_box._pfi import pfi
from rsens.black_box._shap import shap
from rsens.black_box._shap_pairs import shap_pairs
from rsens.black_box._var import var


@dataclass(frozen=True)
class Method:
    """One way to score columns (order 1) or pairs of columns (order 2) from predictions alone.

    `value(asked, budget, rng)` gives one number per column (D,), or a symmetric (D, D) with a zero diagonal.
    """

    name: str
    order: int
    value: Callable[[Asked, Budget, np.random.Generator], Array]
    #: Whether predictions are compared with the targets y.
    needs_y: bool = False
    #: The extra whose packages it needs, except under budget "paper".
    needs_extra: str | None = None
    #: Whether the value is per unit of x, and must be multiplied by the unit in which a column is counted.
    scaled: bool = False


BLACK_BOX: dict[tuple[str, int], Method] = {
    (method.name, method.order): method
    for method in (
        Method("apc", 1, apc, scaled=True),
        Method("shap", 1, shap, needs_extra="compare"),
        Method("pd", 1, pd),
        Method("pfi", 1, pfi, needs_y=True),
        Method("var", 1, var),
        Method("shap", 2, shap_pairs, needs_extra="compare"),
        Method("pd", 2, pd_pairs),
        Method("h", 2, h_statistic),
    )
}
