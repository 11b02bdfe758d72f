"""Contrasts: what replaces a derivative in a categorical column.

A level has no neighbourhood, so nothing can be differentiated there; instead, the model is evaluated at the same rows
with the column switched to each of its other levels. For second order, the derivatives in the other columns are taken
there too, and the model is evaluated with every pair of categorical columns switched at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rsens._coding import Coding, Levels
from rsens._errors import InputError
from rsens._table import Table
from rsens._typing import Array
from rsens.derivatives._output import check_fixed
from rsens.distributions import Distribution

if TYPE_CHECKING:
    from rsens.derivatives._derivatives import Derivatives
    from rsens.derivatives._model import Model


@dataclass(frozen=True, eq=False)
class Contrast:
    """The predictions at n rows with one categorical column switched to each of the L levels that occur.

    `weights` (n, L) are the frequencies of the levels with 0 at the row's own level, divided by their sum: rows add up
    to 1, or are all 0 if there is no other level. Two fields are filled for order 2 only: `first` holds ∂λ (n, M, D) at
    each level; `pairs` holds, for each later categorical column, the predictions with both columns switched,
    [level][level of that column].
    """

    column: int
    name: str
    weights: Array
    levels: tuple[Distribution, ...]
    first: tuple[Array, ...] = ()
    pairs: Mapping[int, tuple[tuple[Distribution, ...], ...]] | None = None


def contrasts_at(model: Model, table: Table, rows: slice, here: Derivatives, order: int) -> tuple[Contrast, ...]:
    """The contrasts of every categorical column at some rows of a table; `here` is their record without contrasts."""
    assert table.coding is not None
    coding = table.coding

    switch = table.recoded if model.takes_codes and table.coding is model.coding else table.switched

    def predict(switched: dict[int, int]) -> Distribution:
        there = model.predict_distribution(switch(rows.start, rows.stop, switched)).checked(len(here))
        _check_same(here.distribution, there, table.names[next(iter(switched))])
        return there

    contrasts = []
    for k, column in enumerate(coding.columns):
        d, used = column.position, levels_in_use(column)
        weights = weights_of(column, table.values[rows, d])
        if order == 1:
            levels = tuple(predict({d: level}) for level in used)
            contrasts.append(Contrast(d, column.name, weights, levels))
            continue
        records = [model.derivatives(switch(rows.start, rows.stop, {d: level}), 1) for level in used]
        for record in records:
            _check_same(here.distribution, record.distribution, column.name)
        pairs = {
            later.position: tuple(
                tuple(predict({d: level, later.position: other}) for other in levels_in_use(later)) for level in used
            )
            for later in coding.columns[k + 1 :]
        }
        levels, first = tuple(r.distribution for r in records), tuple(r.first for r in records)
        contrasts.append(Contrast(d, column.name, weights, levels, first, pairs))
    return tuple(contrasts)


def levels_in_use(column: Levels) -> list[int]:
    """The codes of the levels that occur."""
    return [int(level) for level in np.flatnonzero(column.frequencies)]


def weights_of(column: Levels, codes: Array) -> Array:
    """Weights (n, L) of the levels that occur, for rows with these codes; see `Contrast`."""
    used = np.array(levels_in_use(column), dtype=np.intp)
    weights = np.where(codes[:, None] == used, 0.0, column.frequencies[used])
    total = weights.sum(axis=1, keepdims=True)
    return weights / np.where(total > 0.0, total, 1.0)


def contrast_bytes(coding: Coding, order: int, parameters: int = 4) -> int:
    """Bytes per row for all contrasts, and as much again for making one of them."""
    counts = [len(levels_in_use(column)) for column in coding.columns]
    each = 1 + (len(coding.names) if order == 2 else 0)
    pairs = (sum(counts) ** 2 - sum(count**2 for count in counts)) // 2 if order == 2 else 0
    return 2 * 8 * parameters * (each * sum(counts) + pairs)


def _check_same(here: Distribution, there: Distribution, name: str) -> None:
    """Levels can be compared only within a family, and only if what is not part of λ stays the same."""
    shapes = [[leaf.shape for leaf in family.leaves()] for family in (here, there)]
    if type(here) is not type(there) or shapes[0] != shapes[1]:
        got = f"{type(here).__name__} and {type(there).__name__}"
        raise InputError(
            f"the model must give the same family, of the same size, at all levels of {name!r}; got {got}."
        )
    leaves = zip(here.leaves(), there.leaves(), strict=True)
    check_fixed(here, [not np.allclose(new, old, 1e-12, 0.0) for old, new in leaves])
