"""The way along one column on which local effects are added up: knots where there are rows, and the rows of each step.

Between two neighbouring knots the effect is the mean difference of the prediction over rows that are there, so no row
is moved further than its neighbours are. How a path is made:

- A number has its distinct values as knots, or of many some of them: half evenly spaced, half at quantiles. The rows of
  a step are those between its knots, both included, and the nearest ones up to √n of them, within 5 % of the range.
- What the rows near a knot have in common is averaged over three times as many, within 10 % of the range.
- A gap is a step much wider than others: over 5 % of the range, and over three times the median distance of neighbours.
  The rows on its two sides count half each, so that errors of moving them so far go in opposite directions.
- Levels have no order, so they come in the order in which their rows are alike: along the first principal component of
  the mean of the other columns in each. The rows of its two levels count half each; near a level are its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rsens._errors import InputError
from rsens._table import Table, column_deviations
from rsens._typing import Array, Positions

#: How far rows may be from a step, and how wide a gap is at least, as a share of the range.
REACH = 0.05
#: A gap is at least this many times as wide as the median distance between neighbouring values.
WIDE = 3.0


@dataclass(frozen=True, eq=False)
class Path:
    """g knots along a column, for n rows with weights that add up to 1."""

    knots: Array  # (g,), in the order in which effects add up; level codes of a categorical column
    steps: tuple[tuple[Positions, ...], ...]  # (g − 1), the rows between two knots, in groups that count the same
    gaps: NDArray[np.bool_]  # (g − 1,), between knots that no row joins
    place: Array  # (n, g), where each row is between the knots: its row of weights adds up to 1
    near: Array  # (g, n), the weights of the rows near each knot: they add up to 1


def path_along(table: Table, column: int, weights: Array, n_knots: int) -> Path:
    """The path along a column of a table, in which every row counts."""
    check_varies(table, column)
    if table.coding is not None and column in table.coding.categorical:
        return _level_path(table, column, weights)
    return _number_path(table.values[:, column], weights, n_knots)


def check_varies(table: Table, column: int) -> None:
    """An `InputError` if there is nothing to go along."""
    data = table.values[:, column]
    if data.min() == data.max():
        raise InputError(
            f"{table.names[column]!r} is the same in all rows that count, so there is no profile along it. "
            "Choose a variable that varies."
        )


def gaps_between(values: Array) -> NDArray[np.bool_]:
    """Which steps between sorted distinct values are gaps: much wider than the others, and than `REACH`."""
    width = np.diff(values)
    return width > max(REACH * (values[-1] - values[0]), WIDE * float(np.median(width)))


def _number_path(data: Array, weights: Array, n_knots: int) -> Path:
    values, place, counts = np.unique(data, return_inverse=True, return_counts=True)
    knots = values[_knots(values, np.sort(data), n_knots)]
    enough, reach = np.sqrt(len(data)), REACH * (values[-1] - values[0])

    def around(low: float, high: float, times: float = 1.0) -> NDArray[np.bool_]:
        first, last = _window(values, counts, (low, high), times * enough, min(times, 2.0) * reach)
        return np.asarray((place >= first) & (place <= last))

    segment = np.concatenate([[0], np.cumsum(gaps_between(values))])  # between gaps
    near = np.zeros((len(knots), len(data)))
    for k, knot in enumerate(knots):
        rows = around(knot, knot, 3.0) & (segment[place] == segment[np.searchsorted(values, knot)])
        # Rows count less the further they are away, so that lines are smooth (tricube weights).
        distance = np.abs(data[rows] - knot)
        near[k, rows] = weights[rows] * (1.0 - (distance / (1.1 * distance.max() or 1.0)) ** 3) ** 3
    gaps = gaps_between(values)[np.searchsorted(values, knots[1:]) - 1]
    steps = []
    for (low, high), gap in zip(pairwise(knots), gaps, strict=True):
        rows = around(low, high)
        groups = (rows & (data <= low), rows & (data >= high)) if gap else (rows,)
        steps.append(tuple(np.flatnonzero(group) for group in groups))
    return Path(
        knots=knots,
        steps=tuple(steps),
        gaps=gaps,
        place=_between(knots, data),
        near=near / near.sum(axis=1, keepdims=True),
    )


def _knots(values: Array, ordered: Array, n_knots: int) -> Positions:
    """Positions of the knots among the distinct values: all, or some that include the ends and those of all gaps."""
    if len(values) <= n_knots:
        return np.arange(len(values))
    half = max(n_knots // 2, 2)
    even = np.linspace(values[0], values[-1], half)
    quantiles = np.quantile(ordered, np.linspace(0.0, 1.0, half), method="nearest")
    right = np.clip(np.searchsorted(values, np.concatenate([even, quantiles])), 1, len(values) - 1)
    wanted = np.concatenate([even, quantiles])
    nearest = right - (wanted - values[right - 1] < values[right] - wanted)
    gaps = np.flatnonzero(gaps_between(values))
    return np.unique(np.concatenate([nearest, gaps, gaps + 1]))


def _window(
    values: Array, counts: NDArray[np.intp], ends: tuple[float, float], enough: float, reach: float
) -> tuple[int, int]:
    """The first and last of the distinct values around an interval that together have enough rows within reach."""
    first, last = np.searchsorted(values, ends)
    found = counts[first : last + 1].sum()
    while found < enough:
        below = ends[0] - values[first - 1] if first > 0 else np.inf
        above = values[last + 1] - ends[1] if last + 1 < len(values) else np.inf
        if min(below, above) > reach:
            break
        if below <= above:
            first -= 1
            found += counts[first]
        if above <= below:  # both, if they are equally far
            last += 1
            found += counts[last]
    return int(first), int(last)


def _between(knots: Array, data: Array) -> Array:
    """The weights that interpolate between knots at the data, (n, g)."""
    right = np.clip(np.searchsorted(knots, data), 1, len(knots) - 1)
    share = (data - knots[right - 1]) / (knots[right] - knots[right - 1])
    place = np.zeros((len(data), len(knots)))
    place[np.arange(len(data)), right - 1] = 1.0 - share
    place[np.arange(len(data)), right] = share
    return place


def _level_path(table: Table, column: int, weights: Array) -> Path:
    codes = table.values[:, column]
    knots = np.unique(codes)
    place = (codes[:, None] == knots).astype(np.float64)
    near = place.T * weights
    near /= near.sum(axis=1, keepdims=True)
    order = order_of_levels(near @ _described(table, column), place.T @ weights)
    knots, place, near = knots[order], place[:, order], near[order]
    return Path(
        knots=knots,
        steps=tuple((np.flatnonzero(one), np.flatnonzero(other)) for one, other in pairwise(place.T)),
        gaps=np.ones(len(knots) - 1, dtype=np.bool_),
        place=place,
        near=near,
    )


def order_of_levels(means: Array, shares: Array) -> Positions:
    """Levels along the first principal component of their means (L, q); as they come where they do not differ."""
    centred = (means - shares @ means / shares.sum()) * np.sqrt(shares)[:, None]
    if not centred.size or np.abs(centred).max() < 1e-12:
        return np.arange(len(means))
    position = means @ np.linalg.svd(centred, full_matrices=False)[2][0]
    order = np.argsort(position, kind="stable")
    return order if order[0] < order[-1] else order[::-1]


def _described(table: Table, column: int) -> Array:
    """The other columns in units of their standard deviations, and an indicator for each level, (n, q)."""
    categorical = () if table.coding is None else table.coding.categorical
    numbers = [d for d in range(len(table.names)) if d != column and d not in categorical]
    scale = column_deviations(table.values[:, numbers])
    columns = [table.values[:, numbers][:, scale > 0.0] / scale[scale > 0.0]]
    for d in categorical:
        if d != column:
            columns.append((table.values[:, [d]] == np.unique(table.values[:, d])).astype(np.float64))
    return np.concatenate(columns, axis=1)
