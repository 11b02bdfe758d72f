"""Whether second derivatives can see interactions: in a piecewise linear model, such as a ReLU network, they are 0.

λ = g(z) with z piecewise linear has ∂²λ = c ∂λ ∂λᵀ at every row, c = 0 without a link g. If that holds and λ is smooth,
∂λ changes only along itself, so its direction is the same everywhere: a linear model, or one with a linear predictor.
If the direction differs between rows, the model bends at kinks, and second derivatives at rows do not see them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rsens._errors import warn
from rsens._table import Table, column_scale
from rsens._text import quoted
from rsens._typing import Array
from rsens.derivatives._derivatives import Derivatives

#: Second derivatives that count as 0, relative to the slope per unit of a column.
NOTHING = 1e-6
#: Differences in float64 are wrong by a share of the value itself, and may meet a kink now and then.
NOTHING_BY_DIFFERENCES, KINKS_BY_DIFFERENCES = 1e-6, 0.05
#: The angle, or relative change, between slopes that counts as a difference.
TURN = 1e-4


class Bends:
    """Counts of the rows seen so far, by parameter: all rows, rows with a bend; and whether the slope turns."""

    def __init__(self, table: Table, by_differences: bool) -> None:
        scale = column_scale(table.values)
        self._units = np.where(scale > 0.0, scale, 1.0)
        self._levels = () if table.coding is None else table.coding.categorical
        self._values = table.values
        self._by_differences = by_differences
        self._seen = 0
        self._curved: Any = 0  # rows, by parameter
        self._bent: Any = 0
        self._turns: Any = False  # by parameter
        self._changes: Any = False
        self._reference: dict[bytes, Array] = {}
        self._names: tuple[str, ...] = ()

    def add(self, rows: slice, record: Derivatives) -> None:
        """Look at the records of some more rows."""
        assert record.second is not None
        first = record.first * self._units
        second = record.second * self._units[:, None] * self._units  # in turn: a product of two units may not fit
        self._names = record.distribution.parameter_names
        self._seen += len(first)
        with np.errstate(all="ignore"):
            length2 = np.sum(first**2, axis=2)
            c = np.einsum("nmd,nmde,nme->nm", first, second, first) / length2**2
            along = np.where(np.isfinite(c), c, 0.0)[..., None, None] * first[..., :, None] * first[..., None, :]
            nothing = NOTHING * np.sqrt(np.maximum(length2, length2.mean(axis=0)))
            if self._by_differences:
                nothing = nothing + NOTHING_BY_DIFFERENCES * np.abs(record.distribution.parameters)
            self._curved = self._curved + np.sum(np.abs(second).max(axis=(2, 3)) > nothing, axis=0)
            self._bent = self._bent + np.sum(np.abs(second - along).max(axis=(2, 3)) > nothing, axis=0)
            self._compare(rows, first, length2)

    def _compare(self, rows: slice, first: Array, length2: Array) -> None:
        """Slopes with the first one among rows of the same levels: between levels they may differ in a linear model."""
        levels = self._values[rows][:, list(self._levels)]
        kinds, place = np.unique(levels, axis=0, return_inverse=True)
        largest = length2.max(axis=0)
        for k, kind in enumerate(kinds):
            here = place.reshape(-1) == k
            start = self._reference.setdefault(kind.tobytes(), first[here][0])
            inner = np.einsum("nmd,md->nm", first[here], start)
            size2, start2 = length2[here], np.sum(start**2, axis=1)
            visible = (size2 > NOTHING * largest) & (start2 > NOTHING * largest)
            self._turns = self._turns | (visible & (size2 * start2 - inner**2 > TURN * size2 * start2)).any(axis=0)
            difference2 = np.sum((first[here] - start) ** 2, axis=2)
            self._changes = self._changes | (difference2 > TURN * np.maximum(largest, start2)).any(axis=0)

    def warn(self) -> None:
        """Warn, once, of the parameters whose second derivatives are 0, or only a link's, between kinks."""
        allowed = (KINKS_BY_DIFFERENCES if self._by_differences else 0.0) * self._seen
        flat = (self._curved <= allowed) & self._changes
        by_link = ~flat & (self._bent <= allowed) & self._turns
        if not (flat | by_link).any():
            return
        named = quoted(name for name, found in zip(self._names, flat | by_link, strict=True) if found)
        what = "are 0" if flat.any() else "come from a link function alone (a logit, a log)"
        value = "R-sens₂ = 0" if flat.any() else "R-sens₂"
        warn(
            f"second derivatives of {named} {what} at every row, although the slopes differ between rows: the model "
            f"is piecewise linear, like a ReLU network, and bends between the rows. There {value} shows no "
            "interactions. Use a smooth activation (softplus, tanh, SiLU), or differences over a step that spans the "
            "bends: from_function(fn, step=0.3)."
        )
