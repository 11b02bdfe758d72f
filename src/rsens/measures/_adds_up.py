"""Pairs of columns that add up in a model: on the link scale, the effect of one never depends on the other.

With η at a row x, at x with column d moved, with e moved, and with both,

    Δ_de = η(x_de) − η(x_d) − η(x_e) + η(x)

is 0 in every row if η is a function of x_d plus a function of x_e (the other columns held). Whole moves, to values that
occur in the data, need no derivatives: they also see the interactions of trees and of ReLU networks, whose mixed
derivatives are 0 almost everywhere, and have no noise of small steps. A column is linear in itself if η half-way to
the moved value is the average of both ends; levels have no half-way, so a categorical column counts as linear.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._errors import InputError
from rsens._table import Table
from rsens._typing import Array
from rsens.derivatives import Model
from rsens.measures._link import OnLink, on_link
from rsens.measures._terms import Terms

#: The most numbers in the rows that the model predicts at once.
NUMBERS = 1 << 22
#: The most rows that are tried, fewer if many pairs would take more predictions than POINTS.
ROWS = 50
POINTS = 10_000
#: Δ is 0 up to this share of the largest effect in these rows: 1e-9 for the closed forms of our models; a function may
#: compute in single precision, and an interaction of a millionth of the main effects does not matter.
EXACT, ROUNDED = 1e-9, 1e-6
#: Rounding of η itself, in units of its size.
ROUNDING = 1e-13


def adds_up(
    model: Any, source: Model, table: Table, terms: Terms | None = None, *, on_path: bool = False
) -> NDArray[np.bool_]:
    """The pairs of terms that add up on the link scale, (T, T); on the diagonal, terms that are linear in themselves.

    `on_path` tries only T pairs, each term and all before it together: (T,), True where it is linear in itself too.
    Where no link is known, or the model cannot predict the moved rows, all are False.
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
    """Whether all pairs of terms add up, and every term is linear in itself: like `adds_up(…).all()`, but on a path."""
    return bool(adds_up(model, source, table, terms, on_path=True).all())


def _tried(linked: OnLink, table: Table, terms: Terms, on_path: bool) -> NDArray[np.bool_]:
    t = len(terms)
    exact = linked.latent is not None
    moves = _moves(table)[: 1 if exact else None]
    tried = 3 * t if on_path else t * (t + 3) // 2
    n_rows = max(2, min(ROWS, POINTS // (len(moves) * tried + 1)))
    chosen = np.unique(np.linspace(0, len(table) - 1, n_rows).astype(np.intp))
    x = table.values[chosen]
    of_moves = [_bends(linked, table, terms, x, move[chosen] - x, on_path) for move in moves]
    bends, largest, size = (np.max(each, axis=0) for each in zip(*of_moves, strict=True))
    return np.asarray(bends <= (EXACT if exact else ROUNDED) * largest + ROUNDING * size)


def _moves(table: Table) -> list[Array]:
    """Two values (n, D) to move every entry to, which occur in its column: half the ranks away, and the far end."""
    half, far = np.empty_like(table.values), np.empty_like(table.values)
    for d, column in enumerate(table.values.T):
        distinct = np.unique(column)
        if len(distinct) == 1 and table.coding is not None and d in table.coding.categorical:
            distinct = np.arange(float(len(table.coding[d].labels)))
        elif len(distinct) == 1:
            distinct = np.array([distinct[0], distinct[0] + (abs(distinct[0]) or 1.0)])
        rank = np.searchsorted(distinct, column)
        half[:, d] = distinct[(rank + max(1, len(distinct) // 2)) % len(distinct)]
        far[:, d] = np.where(rank < len(distinct) / 2, distinct[-1], distinct[0])
    return [half, far]


def _bends(
    linked: OnLink, table: Table, terms: Terms, x: Array, step: Array, on_path: bool
) -> tuple[Array, float, float]:
    """max over rows x of |Δ| for moves by `step`, the largest effect of one term, and the largest |η|."""

    def eta(moved: Sequence[Sequence[int]], share: float = 1.0) -> Array:
        """η (k, n, outputs) with each of k sets of columns moved."""
        most = max(1, NUMBERS // x.size)
        found = [np.zeros((0, len(x), 1))]
        for start in range(0, len(moved), most):
            points = np.repeat(x[None], len(moved[start : start + most]), axis=0)
            for rows, columns in zip(points, moved[start:], strict=False):
                rows[:, columns] += share * step[:, columns]
            predicted = linked.predict_distribution(table.like(points.reshape(-1, x.shape[1]))).checked()
            found.append(predicted.eta.reshape(len(points), len(x), -1))
        return np.concatenate(found[1:] or found)

    members = terms.members
    categorical = () if table.coding is None else table.coding.categorical
    numeric = [t for t, columns in enumerate(members) if columns[0] not in categorical]
    here, alone, middle = eta([()]), eta(members), eta([members[t] for t in numeric], share=0.5)
    own = np.zeros(len(terms))  # how far each term is from linear in itself
    own[numeric] = np.abs((alone[numeric] - middle) - (middle - here)).max(axis=(1, 2), initial=0.0)
    if on_path:
        both = eta([sum(members[: t + 1], ()) for t in range(len(terms))])
        bends = np.abs(np.diff(both, axis=0, prepend=here) - (alone - here)).max(axis=(1, 2))
        bends = np.maximum(bends, own)
    else:
        s, t = np.triu_indices(len(terms), 1)
        both = eta([members[a] + members[b] for a, b in zip(s, t, strict=True)])
        bends = np.diag(own)
        bends[s, t] = np.abs((both - alone[t]) - (alone[s] - here)).max(axis=(1, 2), initial=0.0)
        bends = np.maximum(bends, bends.T)
    size = max(float(np.abs(found).max(initial=0.0)) for found in (here, alone, middle, both))
    return bends, float(np.abs(alone - here).max()), size
