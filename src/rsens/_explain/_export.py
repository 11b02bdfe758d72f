"""The same numbers as objects of shap and shapiq, for their plots."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from rsens._errors import MissingExtraError
from rsens._explain._query import Setup
from rsens._explain._values import Values
from rsens._typing import Array
from rsens.adapters import read_for
from rsens.measures import Terms


def to_shap(setup: Setup, local: Array, model: Any, X: Any) -> Any:
    """`shap.Explanation` of local values (n, T); X, which colours its plots by value or level code, may be None."""
    try:
        import shap
    except ImportError:
        raise MissingExtraError("shap", "compare") from None
    return shap.Explanation(
        values=local,
        base_values=np.zeros(len(local)),
        data=None if X is None else Terms(setup.terms, setup.members).of_columns(read_for(model, X)[1].values, np.nan),
        feature_names=list(setup.terms),
    )


def to_interaction_values(found: Values) -> Any:
    """`shapiq.InteractionValues` of the averages: (d,) for terms and (d, e) for pairs.

    shapiq wants the name of an index it knows, and it does not know ours. "Moebius" comes closest: its values are
    discrete derivatives, first and mixed second, while R-sens and R-sens₂ measure continuous ones; and shapiq does not
    add them up as shares of anything.
    """
    try:
        from shapiq import InteractionValues
    except ImportError:
        raise MissingExtraError("shapiq", "compare") from None
    t = len(found.main)
    values: dict[tuple[int, ...], float] = {(d,): float(value) for d, value in enumerate(found.main)}
    if found.pairs is not None:
        upper = zip(*np.triu_indices(t, 1), strict=True)
        values |= {(int(d), int(e)): float(value) for (d, e), value in zip(upper, found.pairs, strict=True)}
    return InteractionValues(
        values=values,
        index="Moebius",
        min_order=1,
        max_order=1 if found.pairs is None else 2,
        n_players=t,
        estimated=False,
        baseline_value=0.0,
    )


class Exports:
    """The methods of an `Explanation` that give its numbers to other libraries."""

    _setup: Setup
    _values: Values
    local_main: pd.DataFrame
    _model: Any
    _X: Any

    def to_shap(self) -> Any:
        """The local values as `shap.Explanation`, for shap's bar, beeswarm and scatter plots.

        R-sens has no sign and does not add up to the prediction, so plots that add up (waterfall, force) mean nothing.
        """
        return to_shap(self._setup, self.local_main.to_numpy(copy=True), self._model, self._X)

    def to_interaction_values(self) -> Any:
        """`main` and `pairs` as `shapiq.InteractionValues`, keyed by tuples of positions: (0,), (0, 1)."""
        return to_interaction_values(self._values)
