"""Which pairs of columns add up in a model: on the link scale, the effect of one never depends on the other.

With η at a row x, at x with column d moved, with e moved, and with both,

    Δ_de = η(x_de) − η(x_d) − η(x_e) + η(x)

is 0 in every row if η is a function of x_d plus a function of x_e (the other columns held). Whole moves, to values that
occur in the data, need no derivatives: they also see the interactions of trees and of ReLU networks, whose mixed
derivatives are 0 almost everywhere, and have no noise of small steps. A column is linear in itself if η half-way to
the moved value is the average of both ends; between levels there is no half-way, so a categorical column is.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._errors import InputError
from rsens._table import Table
from rsens._typing import Array
from rsens.derivatives import Model
from rsens.measures._link import OnLink, on_link
from rsens.measures._terms import Terms

#: With more terms than this, whether a model is linear is found from one path of moves in place of all pairs.
MANY_TERMS = 60
#: At most so many numbers are in the rows that the model is asked for at once.
NUMBERS = 1 << 22
#: At most so many rows are tried, fewer if there are so many pairs that it would take more predictions than POINTS.
ROWS = 50
POINTS = 10_000
#: Δ is 0 up to this share of the largest effect in these rows: 1e-9 for the closed forms of our models; a function may
#: compute in single precision, and an interaction of a millionth of the main effects is none.
EXACT, ROUNDED = 1e-9, 1e-6
#: Rounding of η itself, in units of its size.
ROUNDING = 1e-13


def adds_up(
    model: Any, source: Model, table: Table, terms: Terms | None = None, *, on_path: bool = False
) -> NDArray[np.bool_]:
    """Which pairs of terms add up on the link scale, (T, T); on the diagonal, which terms are linear in themselves.

    `on_path` tries only T pairs: each term, and all before it together; (T,), True where it is linear in itself too.

    A model is linear on its link if all entries are True. Where no link is known (a mixture), or the model cannot
    predict the moved rows, all are False: nothing is claimed. `source` is the model as the measures see it.
    """
    terms = terms or Terms.single(len(table.names))
    linked = on_link(model, source)
    refusals = InputError if linked.latent is not None else Exception  # a function may fail at rows that do not occur
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return _tried(linked, table, terms, on_path)
    except refusals:
        return np.zeros(len(terms) if on_path else (len(terms), len(terms)), dtype=bool)


def is_linear(model: Any, source: Model, table: Table, terms: Terms) -> bool:
    """Whether all pairs of terms add up, and every term is linear in itself: like `adds_up(…).all()`.

    Of many terms not all pairs are tried. One after the other moves and stays there: if effects add up, each changes η
    by as much as it does alone.
    """
    if len(terms) <= MANY_TERMS:
        return bool(adds_up(model, source, table, terms).all())
    return bool(adds_up(model, source, table, terms, on_path=True).all())


def _tried(linked: OnLink, table: Table, terms: Terms, on_path: bool) -> NDArray[np.bool_]:
    t = len(terms)
    exact = linked.latent is not None
    moves = _moves(table)[: 1 if exact else None]
    tried = 3 * t if on_path else t * (t + 3) // 2
    n_rows = max(2, min(ROWS, POINTS // (len(moves) * tried + 1)))
    chosen = np.unique(np.linspace(0, len(table) - 1, n_rows).astype(np.intp))
    found: Array | float = 0.0
    largest = size = 0.0
    for move in moves:
        moved = _Moved(linked, table, terms, table.values[chosen], move[chosen])
        bends, effect, here = moved.bends_on_path() if on_path else moved.bends()
        found, largest, size = np.maximum(found, bends), max(largest, effect), max(size, here)
    return np.asarray(found) <= (EXACT if exact else ROUNDED) * largest + ROUNDING * size


def _moves(table: Table) -> list[Array]:
    """Two values (n, D) to move every entry to, which occur in its column: half the ranks away, and the far end.

    A column that does not vary moves by its own size, or to the levels that its coding knows.
    """
    half, far = np.empty_like(table.values), np.empty_like(table.values)
    for d, column in enumerate(table.values.T):
        distinct = np.unique(column)
        if len(distinct) == 1:
            distinct = _invented(table, d, float(distinct[0]))
        rank = np.searchsorted(distinct, column)
        half[:, d] = distinct[(rank + max(1, len(distinct) // 2)) % len(distinct)]
        far[:, d] = np.where(rank < len(distinct) / 2, distinct[-1], distinct[0])
    return [half, far]


def _invented(table: Table, column: int, value: float) -> Array:
    if table.coding is not None and column in table.coding.categorical:
        return np.arange(float(len(table.coding[column].labels)))
    return np.array([value, value + (abs(value) or 1.0)])


@dataclass(frozen=True)
class _Moved:
    """Some rows x, and the values that their columns move to."""

    linked: OnLink
    table: Table
    terms: Terms
    x: Array
    move: Array

    def bends(self) -> tuple[Array, float, float]:
        """max over rows of |Δ| (T, T), the largest effect of one term, and the largest |η|."""
        t = len(self.terms)
        first, second = np.triu_indices(t, 1)
        here, alone, own, size = self._single()
        both, largest = self._eta(lambda k: self._to(first[k], second[k]), len(first))
        bends = np.diag(own)
        bends[first, second] = np.abs((both - alone[second]) - (alone[first] - here)).max(axis=(1, 2), initial=0.0)
        return np.maximum(bends, bends.T), float(np.abs(alone - here).max()), max(size, largest)

    def bends_on_path(self) -> tuple[Array, float, float]:
        """The same for each term and all before it together, (T,)."""
        here, alone, own, size = self._single()
        place = np.array([self.terms.of_column(d) for d in range(self.x.shape[1])])
        moved = self.x + (self.move - self.x)
        path, largest = self._eta(lambda k: np.where(place <= k, moved, self.x), len(self.terms))
        steps = np.diff(path, axis=0, prepend=here)
        bends = np.abs(steps - (alone - here)).max(axis=(1, 2))
        return np.maximum(bends, own), float(np.abs(alone - here).max()), max(size, largest)

    def _single(self) -> tuple[Array, Array, Array, float]:
        """η here and with each term moved alone, how far each is from linear in itself (T,), and the largest |η|."""
        t, categorical = len(self.terms), () if self.table.coding is None else self.table.coding.categorical
        middles = [term for term in range(t) if self.terms.members[term][0] not in categorical]
        here, size = self._eta(lambda k: self.x, 1)
        alone, largest = self._eta(self._to, t)
        middle, most = self._eta(lambda k: self._to(middles[k], share=0.5), len(middles))
        own = np.zeros(t)
        own[middles] = np.abs((alone[middles] - middle) - (middle - here)).max(axis=(1, 2), initial=0.0)
        return here, alone, own, max(size, largest, most)

    def _to(self, *which: Any, share: float = 1.0) -> Array:
        rows = self.x.copy()
        columns = [d for term in which for d in self.terms.members[term]]
        rows[:, columns] += share * (self.move[:, columns] - self.x[:, columns])
        return rows

    def _eta(self, rows: Callable[[int], Array], times: int) -> tuple[Array, float]:
        """η (times, n, outputs) at rows(0), rows(1), …, in chunks, and the largest |η|."""
        most = max(1, NUMBERS // self.x.size)
        found = []
        for start in range(0, times, most):
            points = [rows(k) for k in range(start, min(start + most, times))]
            eta = self.linked.predict_distribution(self.table.like(np.concatenate(points))).checked().eta
            found.append(eta.reshape(len(points), len(self.x), -1))
        if not found:
            return np.zeros((0, len(self.x), 1)), 0.0
        together = np.concatenate(found)
        return together, float(np.abs(together).max())
