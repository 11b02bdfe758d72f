"""Single rows: local slopes, contributions of first order, the strongest pairs, and what would move the prediction.

Contributions approximate f(x) − mean f to first order, term by term, around the row itself:

    number d         ∂f(x)/∂x_d (x_d − mean of the column); of a group, the sum over its columns
    category c       f(x) − Σ_l p_l f(x with level l), p the frequencies of the levels

They add up to f(x) − mean f for a linear model, and to nothing in particular where f bends or interacts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rsens._explain._effect_table import value_text
from rsens._explain._effects import SLOPE
from rsens._explain._extrapolation import outside
from rsens._explain._stated import Stated
from rsens._refits import take_rows
from rsens._table import Table
from rsens._text import number
from rsens._typing import Array, Positions
from rsens.derivatives import Derivatives, Model, iterate
from rsens.measures import Terms, rsens2_of, second_of_prediction

if TYPE_CHECKING:
    from rsens._explain._explanation import Explanation

#: The most pairs and changes that are kept of a row, and the variables among which changes are sought.
MOST_PAIRS, MOST_MOVES, SOUGHT = 3, 3, 4


@dataclass(frozen=True)
class Move:
    """One change of a row that stays within the data: what it is, and what the model then predicts more or less."""

    term: str
    change: str
    effect: float


@dataclass(frozen=True, eq=False)
class LocalRow:
    """One row: arrays have an entry per term, NaN where there is none (a group has no single slope)."""

    position: int
    output: int
    prediction: float
    mean_prediction: float
    slope: Array  # of the prediction, per step
    spread_slope: Array | None  # of the predictive standard deviation, per step
    contribution: Array
    pairs: list[tuple[int, int, float, float]]  # two terms, R-sens₂, and ∂²f with its sign, NaN for levels
    moves: list[Move]


class LocalRows:
    """The rows of an explanation, one by one; the model is asked once for many rows, in chunks of bounded memory."""

    def __init__(self, explanation: Explanation, source: Model, table: Table, training: Array | None) -> None:
        setup = explanation._setup
        self._explanation, self._source, self._table = explanation, source, table
        self._terms, self._units = Terms(setup.terms, setup.members), setup.units
        self._training = table.values if training is None else training
        coding = table.coding
        self._coded = {} if coding is None else {column.position: column for column in coding.columns}
        self._numbers = [d for d in range(len(table.names)) if d not in self._coded]
        self._means = table.values.mean(axis=0)
        self._low, self._high = self._training.min(axis=0), self._training.max(axis=0)
        self._mean_prediction = self._predict(table.values).mean(axis=0)
        self._steps = _steps(explanation)

    def rows(self, positions: Positions, *, pairs: bool) -> Iterator[LocalRow]:
        """What is known of each of these rows, in their order."""
        table = Table(
            self._table.names,
            self._table.values[positions],
            take_rows(self._table.source, positions),
            self._table.coding,
        )
        order = 2 if pairs else 1
        for rows, derivatives in iterate(self._source, table, order, watch=False):
            yield from self._of_chunk(derivatives, positions[rows], table.values[rows])

    def _of_chunk(self, derivatives: Derivatives, positions: Positions, values: Array) -> Iterator[LocalRow]:
        stated = Stated.of(derivatives.distribution)
        prediction = derivatives.distribution.prediction()
        output = prediction.argmax(axis=1) if prediction.shape[1] > 1 else np.zeros(len(values), dtype=np.intp)
        every = np.arange(len(values))
        all_slopes = stated.slopes(derivatives)
        slopes = all_slopes[every, output]  # (rows, D)
        spread = all_slopes[:, stated.outputs] if stated.spread else None
        levels = {c.column: np.stack([p.prediction() for p in c.levels], axis=1) for c in derivatives.contrasts}
        levels = {d: at[every, :, output] for d, at in levels.items()}  # (rows, L)
        point = prediction[every, output]
        contribution = slopes * (values - self._means)
        for d, at in levels.items():
            p = self._coded[d].frequencies
            contribution[:, d] = point - at @ (p[p > 0.0] / p.sum())
        by_term = np.stack([contribution[:, list(m)].sum(axis=1) for m in self._terms.members], axis=1)
        strongest = (
            self._pairs(derivatives, output) if derivatives.for_pairs.second is not None else [[] for _ in values]
        )
        moves = self._moves(values, point, output, slopes, levels)
        for k, position in enumerate(positions):
            yield LocalRow(
                position=int(position),
                output=int(output[k]),
                prediction=float(point[k]),
                mean_prediction=float(self._mean_prediction[output[k]]),
                slope=self._per_step(slopes[k]),
                spread_slope=None if spread is None else self._per_step(spread[k]),
                contribution=by_term[k],
                pairs=strongest[k],
                moves=moves[k],
            )

    def _per_step(self, slopes: Array) -> Array:
        """Slopes by term, per step; NaN for groups and levels."""
        found = np.full(len(self._terms), np.nan)
        for d, (size, _) in self._steps.items():
            found[self._terms.of_column(d)] = slopes[d] * size
        return found

    def _pairs(self, derivatives: Derivatives, output: Positions) -> list[list[tuple[int, int, float, float]]]:
        """The strongest pairs of each row, by R-sens₂."""
        e = self._explanation
        values = rsens2_of(derivatives, e.alpha, self._units, self._terms)
        second = second_of_prediction(derivatives)
        first, last = np.triu_indices(len(self._terms), 1)
        found = []
        for k, by_pair in enumerate(values[:, first, last]):
            best = [int(p) for p in np.argsort(-by_pair, kind="stable")[:MOST_PAIRS] if by_pair[p] > 0.0]
            found.append(
                [
                    (
                        int(first[p]),
                        int(last[p]),
                        float(by_pair[p]),
                        self._bend(second[k, output[k]], first[p], last[p]),
                    )
                    for p in best
                ]
            )
        return found

    def _bend(self, second: Array, first: int, last: int) -> float:
        """∂²f of two numbers, per product of their units; NaN where one is a group or has levels."""
        members = self._terms.members[first], self._terms.members[last]
        if any(len(m) > 1 or m[0] in self._coded for m in members):
            return float("nan")
        d, e = members[0][0], members[1][0]
        return float(second[d, e] * self._units[d] * self._units[e])

    # ---- what would move it ------------------------------------------------------------------------------------------

    def _moves(
        self, values: Array, point: Array, output: Positions, slopes: Array, levels: dict[int, Array]
    ) -> list[list[Move]]:
        """The changes that move each prediction most, one per term, with the model's own answer to each."""
        asked: list[tuple[int, int, float]] = []  # row, column, new value
        for k, row in enumerate(values):
            size = {d: abs(slopes[k, d] * step) for d, (step, _) in self._steps.items() if d not in self._coded}
            for d in sorted(size, key=lambda d: -size[d])[:SOUGHT]:
                step = self._steps[d][0]
                ends = (row[d] - step, row[d] + step)
                asked += [(k, d, end) for end in ends if step > 0.0 and self._low[d] <= end <= self._high[d]]
        changed = np.array([_with(values[k], d, value) for k, d, value in asked]).reshape(-1, values.shape[1])
        inside = (
            ~self._outside(changed) | self._outside(values)[[k for k, _, _ in asked]] if asked else np.empty(0, bool)
        )
        there = self._predict(changed) if asked else np.empty((0, 1))
        found: list[dict[str, Move]] = [{} for _ in values]
        for (k, d, value), prediction, ok in zip(asked, there, inside, strict=True):
            if ok:
                effect = float(prediction[output[k]]) - float(point[k])
                self._keep(found[k], d, self._number_text(values[k, d], d, value), effect)
        for d, at in levels.items():
            used = np.flatnonzero(self._coded[d].frequencies)
            for k, row in enumerate(values):
                for level, prediction in zip(used, at[k], strict=True):
                    if level != row[d]:
                        labels = self._coded[d].labels
                        text = f"{labels[int(row[d])]} → {labels[int(level)]}"
                        self._keep(found[k], d, text, float(prediction) - float(point[k]))
        return [sorted(moves.values(), key=lambda move: -abs(move.effect))[:MOST_MOVES] for moves in found]

    def _keep(self, moves: dict[str, Move], column: int, change: str, effect: float) -> None:
        term = self._terms.names[self._terms.of_column(column)]
        if np.isfinite(effect) and effect and (term not in moves or abs(effect) > abs(moves[term].effect)):
            moves[term] = Move(term, change, effect)

    def _number_text(self, here: float, column: int, there: float) -> str:
        size, is_sd = self._steps[column]
        by = f"1 sd ({number(size)})" if is_sd else value_text(size)
        return f"{'up' if there > here else 'down'} by {by}, to {value_text(there)}"

    def _outside(self, values: Array) -> Any:
        return (
            outside(values[:, self._numbers], self._training[:, self._numbers])
            if self._numbers
            else np.zeros(len(values), bool)
        )

    def _predict(self, values: Array) -> Array:
        """The point predictions (m, P) at rows with level codes, in chunks."""
        most = max(1, self._source.rows_per_chunk(values.shape[1], 1))
        parts = [values[start : start + most] for start in range(0, len(values), most)]
        return np.concatenate([self._source.predict_point(self._table.like(part)) for part in parts])


def _with(row: Array, column: int, value: float) -> Array:
    changed = row.copy()
    changed[column] = value
    return changed


def _steps(explanation: Explanation) -> dict[int, tuple[float, bool]]:
    """The step of each number, and whether it is a standard deviation, by column."""
    effects, setup = explanation._effects, explanation._setup
    columns = {name: members[0] for name, members in zip(setup.terms, setup.members, strict=True)}
    if effects is None:
        return {}
    lines = zip(effects.effect_terms, effects.kinds, effects.effect_step, strict=True)
    return {
        columns[term]: (float(size), kind == SLOPE)
        for term, kind, size in lines
        if np.isfinite(size) and columns[term] not in setup.categorical
    }
