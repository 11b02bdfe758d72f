"""Contrasts: what replaces a derivative in a categorical column.

A level has no neighbourhood, so nothing can be differentiated there; instead, the model is evaluated at the same rows
with the column switched to each of its other levels. For second order, the derivatives in the other columns are taken
there too, and the model is evaluated with every pair of categorical columns switched at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rsens._coding import Coding, Levels
from rsens._errors import InputError
from rsens._table import Table
from rsens._typing import Array
from rsens.derivatives._output import check_moved, differs, leaf_labels
from rsens.distributions import Distribution, Mixture

if TYPE_CHECKING:
    from rsens.derivatives._derivatives import Derivatives
    from rsens.derivatives._model import Model


#: How many switched rows go into one call: few calls for a few rows, and arrays stay in the cache.
ROWS_AT_ONCE = 2048


@dataclass(frozen=True, eq=False)
class Contrast:
    """The predictions at n rows with one categorical column switched to each of the L levels that occur."""

    column: int
    name: str
    weights: Array  # (n, L), frequencies of the levels, 0 at the row's own, adding up to 1
    levels: tuple[Distribution, ...]
    first: tuple[Array, ...] = ()  # for order 2, ∂λ (n, M, D) at each level
    #: For order 2, the predictions with a later categorical column switched too, [level][its level].
    pairs: Mapping[int, tuple[tuple[Distribution, ...], ...]] | None = None


def contrasts_at(model: Model, table: Table, rows: slice, here: Derivatives, order: int) -> tuple[Contrast, ...]:
    """The contrasts of every categorical column at some rows of a table; `here` is their record without contrasts."""
    assert table.coding is not None
    coding, switched = table.coding, _Switched(model, table, rows, here.distribution)
    contrasts = []
    for k, column in enumerate(coding.columns):
        d, used = column.position, levels_in_use(column)
        weights = weights_of(column, table.values[rows, d])
        if order == 1:
            levels = switched.predict([{d: level} for level in used])
            contrasts.append(Contrast(d, column.name, weights, levels))
            continue
        records = [switched.derivatives({d: level}) for level in used]
        pairs = {
            later.position: tuple(
                switched.predict([{d: level, later.position: other} for other in levels_in_use(later)])
                for level in used
            )
            for later in coding.columns[k + 1 :]
        }
        levels, first = tuple(r.distribution for r in records), tuple(r.first for r in records)
        contrasts.append(Contrast(d, column.name, weights, levels, first, pairs))
    return tuple(contrasts)


class _Switched:
    """Some rows of a table, with some of their columns switched to other levels: {position: level code}."""

    def __init__(self, model: Model, table: Table, rows: slice, here: Distribution) -> None:
        self._model, self._table, self._rows, self._here = model, table, rows, here
        self._n = n = rows.stop - rows.start
        self._codes = model.takes_codes and table.coding is model.coding
        most = min(ROWS_AT_ONCE, model.rows_per_chunk(len(table.names), 1))
        together = self._codes and model.takes_many_levels
        # The arrays of a mixture have draws in front of the rows.
        self._at_once = max(1, most // n) if together and not isinstance(here, Mixture) else 1

    def predict(self, switches: Sequence[Mapping[int, int]]) -> tuple[Distribution, ...]:
        """The predictions with each of the switches, several in one call where the model takes level codes."""
        n, found = self._n, []
        for start in range(0, len(switches), self._at_once):
            some = switches[start : start + self._at_once]
            there = self._model.predict_distribution(self._rows_with(*some)).checked(len(some) * n)
            parts = [there.at_rows(slice(k * n, (k + 1) * n)) for k in range(len(some))] if len(some) > 1 else [there]
            found += [self._checked(part, switch) for part, switch in zip(parts, some, strict=True)]
        return tuple(found)

    def derivatives(self, switch: Mapping[int, int]) -> Derivatives:
        """First derivatives with one switch."""
        record = self._model.derivatives(self._rows_with(switch), 1)
        self._checked(record.distribution, switch)
        return record

    def _rows_with(self, *switches: Mapping[int, int]) -> Any:
        if self._codes:
            return self._table.recoded(self._rows.start, self._rows.stop, *switches)
        (switch,) = switches  # labels are set in the rows that were given
        return self._table.switched(self._rows.start, self._rows.stop, switch)

    def _checked(self, there: Distribution, switch: Mapping[int, int]) -> Distribution:
        """Levels can be compared only within a family, and only if what is not part of λ stays the same."""
        here = self._here
        if type(here) is not type(there) or [a.shape for a in here.leaves()] != [a.shape for a in there.leaves()]:
            raise InputError(
                "the model must give the same family, of the same size, at all levels of "
                f"{self._table.names[next(iter(switch))]!r}; got {type(here).__name__} and {type(there).__name__}."
            )
        leaves = zip(leaf_labels(here), here.leaves(), there.leaves(), strict=True)
        check_moved(here, [fixed and differs(new, old) for (_, fixed), old, new in leaves])
        return there


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
