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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._errors import InputError
from rsens._table import Table
from rsens._typing import Array
from rsens.derivatives import Model
from rsens.measures._link import OnLink, on_link
from rsens.measures._terms import Terms

#: At most so many rows are tried, fewer if there are so many pairs that it would take more predictions than POINTS.
ROWS = 50
POINTS = 10_000
#: Δ is 0 up to this share of the largest effect in these rows: 1e-9 for the closed forms of our models; a function may
#: compute in single precision, and an interaction of a millionth of the main effects is none.
EXACT, ROUNDED = 1e-9, 1e-6
#: Rounding of η itself, in units of its size.
ROUNDING = 1e-13


def adds_up(model: Any, source: Model, table: Table, terms: Terms | None = None) -> NDArray[np.bool_]:
    """Which pairs of terms add up on the link scale, (T, T); on the diagonal, which terms are linear in themselves.

    A model is linear on its link if all entries are True. Where no link is known (a mixture), or the model cannot
    predict the moved rows, all are False: nothing is claimed. `source` is the model as the measures see it.
    """
    terms = terms or Terms.single(len(table.names))
    linked = on_link(model, source)
    refusals = InputError if linked.latent is not None else Exception  # a function may fail at rows that do not occur
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return _tried(linked, table, terms)
    except refusals:
        return np.zeros((len(terms), len(terms)), dtype=bool)


def _tried(linked: OnLink, table: Table, terms: Terms) -> NDArray[np.bool_]:
    t = len(terms)
    exact = linked.latent is not None
    moves = _moves(table)[: 1 if exact else None]
    n_rows = max(2, min(ROWS, POINTS // (len(moves) * t * (t + 3) // 2 + 1)))
    chosen = np.unique(np.linspace(0, len(table) - 1, n_rows).astype(np.intp))
    found = np.zeros((t, t))
    largest = size = 0.0
    for move in moves:
        bends, effect, here = _bends(linked, table, terms, table.values[chosen], move[chosen])
        found, largest, size = np.maximum(found, bends), max(largest, effect), max(size, here)
    return found <= (EXACT if exact else ROUNDED) * largest + ROUNDING * size


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


def _bends(linked: OnLink, table: Table, terms: Terms, x: Array, move: Array) -> tuple[Array, float, float]:
    """max over rows of |Δ| (T, T), the largest effect of one term, and the largest |η|."""
    t, categorical = len(terms), () if table.coding is None else table.coding.categorical
    first, second = np.triu_indices(t, 1)

    def moved(*which: Any, share: float = 1.0) -> Array:
        rows = x.copy()
        for term in which:
            columns = list(terms.members[term])
            rows[:, columns] += share * (move[:, columns] - x[:, columns])
        return rows

    middles = [term for term in range(t) if terms.members[term][0] not in categorical]
    points = [x, *(moved(term) for term in range(t)), *(moved(term, share=0.5) for term in middles)]
    points += [moved(s, r) for s, r in zip(first, second, strict=True)]
    eta = linked.predict_distribution(table.like(np.concatenate(points))).checked().eta
    here, alone, middle, both = np.split(eta.reshape(len(points), len(x), -1), [1, 1 + t, 1 + t + len(middles)])
    bends = np.zeros((t, t))
    bends[first, second] = np.abs((both - alone[second]) - (alone[first] - here)).max(axis=(1, 2))
    bends[middles, middles] = np.abs((alone[middles] - middle) - (middle - here)).max(axis=(1, 2))
    bends = np.maximum(bends, bends.T)
    return bends, float(np.abs(alone - here).max()), float(np.abs(eta).max())
