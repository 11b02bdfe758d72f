"""`Explanation.row`: the sensitivities of one prediction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rsens._document import Column, Document, Sentences, Shown, ShownTable
from rsens._errors import Argument, InputError
from rsens._explain._document import in_points
from rsens._explain._effects import SLOPE, Quantities
from rsens._explain._query import Reader
from rsens._explain._rows import outside
from rsens._refits import take_rows
from rsens._table import Table
from rsens._text import Pair, number, on_one_line, percent, signed, value_text
from rsens._typing import Array, Positions
from rsens.derivatives import Derivatives, Model, iterate
from rsens.measures import DOWN, UP, Terms, rsens2_of, second_of_prediction

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rsens._explain._explanation import Explanation


class RowExplanation(Shown):
    """The sensitivities of one prediction. Made by `Explanation.row`.

    Attributes:
        label: The label of the row.
        output: The class that is spoken of, the most probable one; None where there is one prediction.
        in_points: Whether predictions are probabilities; text and plots then state changes in percentage points.
        prediction: The prediction of the row.
        mean_prediction: The mean prediction of all rows.
        explained: The sum of the contributions, to be compared with prediction − mean_prediction.
        moves: The changes within the data, one step of a variable each, that change the prediction most, and by how
            much.
        pairs: The strongest pairs at this row: first, second, R-sens₂ (value), and bend, the mixed derivative of the
            prediction with its sign. Empty without second derivatives.
    """

    def __init__(self, explanation: Explanation, found: LocalRow, table: Table) -> None:
        self._names, outputs = explanation.names, explanation._values.outputs
        self.in_points: bool = in_points(explanation)
        self.label: Any = explanation.local_main.index[found.position]
        self.output: str | None = outputs[found.output] if len(outputs) > 1 else None
        self.prediction: float = found.prediction
        self.mean_prediction: float = found.mean_prediction
        self.explained: float = float(np.nansum(found.contribution))
        self._frame = _frame(explanation, found, table)
        moves = [vars(move) for move in found.moves]
        self.moves: pd.DataFrame = pd.DataFrame(moves, columns=["term", "change", "effect"])
        lines = [(self._names[d], self._names[e], value, bend) for d, e, value, bend in found.pairs]
        self.pairs: pd.DataFrame = pd.DataFrame(lines, columns=["first", "second", "value", "bend"])

    def to_frame(self) -> pd.DataFrame:
        """One line per term, the largest contribution first.

        Columns: term, value (what the row has there), rsens, slope (change of the prediction per step, at this row),
        spread_slope (the same of the predictive standard deviation, where that is known), step, contribution.
        """
        return self._frame.copy()

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Signed bars of the contributions; see `rsens.plots.row`."""
        from rsens.plots import row

        return row(self, ax=ax, **options)

    def _document(self) -> Document:
        of = "" if self.output is None else f" of {on_one_line(self.output)}"
        noun, times, unit = "prediction", 1.0, ""
        here, mean = number(self.prediction), number(self.mean_prediction)
        if self.in_points:
            noun, times, unit = "probability", 100.0, " (in percentage points)"
            here, mean = percent(self.prediction), percent(self.mean_prediction)
        heading = f"Row {on_one_line(self.label)}: {noun}{of} {here}, mean of all rows {mean}"
        frame = self._frame.head(10)
        slopes = zip(_each(frame["slope"] * times), frame["step"], strict=True)
        columns = [
            Column("variable", list(frame["term"]), "name"),
            Column("value", list(frame["value"])),
            Column("R-sens", [number(value) for value in frame["rsens"]]),
            Column("contribution", signed(frame["contribution"] * times, digits=3)),
            Column("slope here", [f"{text} per {step}" if text else "" for text, step in slopes]),
        ]
        contribution = (
            "contribution: of first order, the slope at this row times the distance from the mean (of a level, from "
            f"the mean over levels){unit}; {self.adds_up}"
        )
        tables = [ShownTable("Variables", columns, [contribution])]
        if len(self.moves):
            changes = [f"{move.term} {move.change}" for move in self.moves.itertuples()]
            effects = Column("change of the prediction", _each(self.moves["effect"] * times))
            tables.append(ShownTable("Changes that would move it", [Column("", changes, "name"), effects]))
        if len(self.pairs):
            bends = [bend_sign(bend) for bend in self.pairs["bend"]]
            columns = [
                Column("pair", [Pair(pair.first, pair.second) for pair in self.pairs.itertuples()], "name"),
                Column("R-sens₂", [number(value) for value in self.pairs["value"]]),
                Column("bend", bends),
            ]
            rising = ["bend: ▲ the slope along one rises with the other, ▼ it falls"] if any(bends) else []
            tables.append(ShownTable("Strongest pairs here", columns, rising))
        return Document([Sentences([heading], "heading"), *tables])

    @property
    def adds_up(self) -> str:
        """How far the contributions explain this prediction, in words."""
        return adds_up(self.explained, self.prediction - self.mean_prediction, self.in_points)


def adds_up(explained: float, difference: float, points: bool) -> str:
    """The sum of the contributions, compared with the difference that they approximate."""
    total, whole = signed([(100.0 if points else 1.0) * value for value in (explained, difference)])
    return f"they add up to {total}, where the prediction differs from the mean by {whole}"


def row_of(explanation: Explanation, label: Any, position: int | None, model: Any, X: Any) -> RowExplanation:
    """One row, by its label or its position."""
    index = explanation.local_main.index
    if position is None:
        found = np.flatnonzero([each == label for each in index])
        if len(found) != 1:
            what = "is not the label of a row" if not len(found) else f"is the label of {len(found)} rows"
            raise InputError(
                Argument("label"), f" {label!r} {what}. Give ", Argument("position"), f", from 0 to {len(index) - 1}."
            )
        position = int(found[0])
    elif isinstance(position, bool) or not isinstance(position, int | np.integer) or not 0 <= position < len(index):
        raise InputError(Argument("position"), f" must be a whole number from 0 to {len(index) - 1}; got {position!r}.")
    rows, table = local_rows(explanation, model, X)
    [local] = rows.rows(np.array([position]), pairs=has_local_pairs(explanation))
    return RowExplanation(explanation, local, table)


def has_local_pairs(explanation: Explanation) -> bool:
    """Whether pairs of single rows are comparable with the explanation's: not on the link scale."""
    return explanation.order == 2 and explanation._setup.pair_scale == "parameters"


def local_rows(explanation: Explanation, model: Any = None, X: Any = None) -> tuple[LocalRows, Table]:
    """The model and the rows to explain single rows with: the given ones, or the explanation's."""
    model = explanation.model if model is None else model
    X = explanation.data if X is None else X
    if model is None or X is None:
        raise InputError(
            "A row is explained with the model and all rows, and this explanation, from a file or of parts, does not "
            "have both. Give them, as ",
            Argument("model"), " and ", Argument("X"), ".",
        )  # fmt: skip
    setup = explanation._setup
    source, table, training, _ = Reader(compared=setup.two_valued).rows(model, X)
    if table.names != setup.columns or len(table) != explanation.n:
        raise InputError(
            Argument("X"), f" must have the {explanation.n} rows and {len(setup.columns)} columns that were explained; "
            f"got {len(table)} and {len(table.names)}.",
        )  # fmt: skip
    return LocalRows(explanation, source, table, training), table


def _frame(explanation: Explanation, found: LocalRow, table: Table) -> pd.DataFrame:
    setup, names = explanation._setup, explanation.names
    effects = explanation.effects.drop_duplicates("term").set_index("term")["step"]
    numbers = [len(m) == 1 and m[0] not in setup.categorical for m in setup.members]
    values = [value_of(table, found.position, m[0]) if len(m) == 1 else "" for m in setup.members]
    steps = [_short(effects.get(name, "")) if ok else "" for name, ok in zip(names, numbers, strict=True)]
    frame = pd.DataFrame(
        {
            "term": pd.Series(list(names), dtype=object),
            "value": pd.Series(values, dtype=object),
            "rsens": explanation.local_main.to_numpy()[found.position],
            "slope": found.slope,
            "step": pd.Series(steps, dtype=object),
            "contribution": found.contribution,
        }
    )
    if found.spread_slope is not None:
        frame.insert(4, "spread_slope", found.spread_slope)
    order = np.argsort(-np.abs(found.contribution), kind="stable")
    return frame.iloc[order].reset_index(drop=True)


def _short(step: str) -> str:
    """The unit of a slope: "sd (4.4)", or the size of the step."""
    return step.removeprefix("1 ") if step.startswith("1 sd") else step and f"step {step.removeprefix('from ')}"


def value_of(table: Table, row: int, column: int) -> str:
    """The value of a row in a column, as text: the label of a level, or a number."""
    value = table.values[row, column]
    if table.coding is not None and column in table.coding.categorical:
        value = table.coding[column].labels[int(value)]
    return value_text(float(value)) if isinstance(value, float | np.floating) else str(value)


def _each(values: Any) -> list[str]:
    return [signed([value])[0] for value in values]


def bend_sign(bend: float) -> str:
    """▲ or ▼, or nothing for 0 and NaN."""
    return "" if not np.isfinite(bend) or bend == 0.0 else UP if bend > 0.0 else DOWN


# Single rows: local slopes, contributions of first order, the strongest pairs, and changes that move the prediction.
# Contributions approximate f(x) − mean f to first order, term by term, around the row itself:
#
#     number d         ∂f(x)/∂x_d (x_d − mean of the column); of a group, the sum over its columns
#     category c       f(x) − Σ_l p_l f(x with level l), p the frequencies of the levels
#
# They add up to f(x) − mean f for a linear model, and to nothing in particular where f bends or interacts.


#: The most pairs and changes that are kept of a row, and the variables among which changes are sought.
MOST_PAIRS, MOST_MOVES, SOUGHT = 3, 3, 4


@dataclass(frozen=True)
class Move:
    """One change of a row that stays within the data, and the change of the prediction."""

    term: str
    change: str
    effect: float


@dataclass(frozen=True, eq=False)
class LocalRow:
    """One row: arrays have an entry per term, NaN where it has no meaning (a group has no single slope)."""

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
        self._source, self._table = source, table
        self._terms, self._units = Terms(setup.terms, setup.members), setup.units
        self._coded = {} if table.coding is None else {column.position: column for column in table.coding.columns}
        self._numbers = [d for d in range(len(table.names)) if d not in self._coded]
        self._training = (table.values if training is None else training)[:, self._numbers]
        self._means = table.values.mean(axis=0)
        self._mean_prediction = self._predict(table.values).mean(axis=0)
        #: The step of each number, and whether it is a standard deviation, by column.
        self._steps: dict[int, tuple[float, bool]] = {}
        effects, columns = explanation._effects, dict(zip(setup.terms, setup.members, strict=True))
        if effects is not None:
            for term, kind, size in zip(effects.effect_terms, effects.kinds, effects.effect_step, strict=True):
                if np.isfinite(size) and columns[term][0] not in setup.categorical:
                    self._steps[columns[term][0]] = (float(size), kind == SLOPE)

    def rows(self, positions: Positions, *, pairs: bool) -> Iterator[LocalRow]:
        """The record of each of these rows, in their order."""
        whole = self._table
        table = Table(whole.names, whole.values[positions], take_rows(whole.source, positions), whole.coding)
        for rows, derivatives in iterate(self._source, table, 2 if pairs else 1, watch=False):
            yield from self._of_chunk(derivatives, positions[rows], table.values[rows])

    def _of_chunk(self, derivatives: Derivatives, positions: Positions, values: Array) -> Iterator[LocalRow]:
        quantities = Quantities.of(derivatives.distribution)
        prediction = derivatives.distribution.prediction()
        output = prediction.argmax(axis=1) if prediction.shape[1] > 1 else np.zeros(len(values), dtype=np.intp)
        every = np.arange(len(values))
        all_slopes = quantities.slopes(derivatives)
        slopes = all_slopes[every, output]  # (rows, D)
        spread = all_slopes[:, quantities.outputs] if quantities.spread else None
        levels = {c.column: np.stack([p.prediction() for p in c.levels], axis=1) for c in derivatives.contrasts}
        levels = {d: at[every, :, output] for d, at in levels.items()}  # (rows, L)
        point = prediction[every, output]
        contribution = slopes * (values - self._means)
        for d, at in levels.items():
            p = self._coded[d].frequencies
            contribution[:, d] = point - at @ (p[p > 0.0] / p.sum())
        by_term = np.stack([contribution[:, list(m)].sum(axis=1) for m in self._terms.members], axis=1)
        pairs = self._pairs(derivatives, output) if derivatives.for_pairs.second is not None else [[] for _ in values]
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
                pairs=pairs[k],
                moves=moves[k],
            )

    def _per_step(self, slopes: Array) -> Array:
        """Slopes by term, per step; NaN for groups and levels."""
        found = np.full(len(self._terms), np.nan)
        for d, (size, _) in self._steps.items():
            found[self._terms.of_column(d)] = slopes[d] * size
        return found

    def _pairs(self, derivatives: Derivatives, output: Positions) -> list[list[tuple[int, int, float, float]]]:
        """The strongest pairs of each row, by R-sens₂, with ∂²f per product of units: NaN for groups and levels."""
        second = second_of_prediction(derivatives)[np.arange(len(output)), output] * np.outer(self._units, self._units)
        plain = [m[0] if len(m) == 1 and m[0] not in self._coded else None for m in self._terms.members]
        upper = np.triu_indices(len(self._terms), 1)
        found = []
        for k, values in enumerate(rsens2_of(derivatives, 1.0, self._units, self._terms)[:, *upper]):
            best = [p for p in np.argsort(-values, kind="stable")[:MOST_PAIRS] if values[p] > 0.0]
            terms = [(int(upper[0][p]), int(upper[1][p])) for p in best]
            at = [(plain[t], plain[u]) for t, u in terms]
            bends = [np.nan if None in columns else float(second[k, *columns]) for columns in at]
            found.append([(*t, float(values[p]), bend) for t, p, bend in zip(terms, best, bends, strict=True)])
        return found

    def _moves(
        self, values: Array, point: Array, output: Positions, slopes: Array, levels: dict[int, Array]
    ) -> list[list[Move]]:
        """The changes that move each prediction most, one per term, with the model's own answer to each."""
        found: list[dict[int, Move]] = [{} for _ in values]

        def keep(k: int, column: int, change: str, effect: float) -> None:
            moves, t = found[k], self._terms.of_column(column)
            if np.isfinite(effect) and effect and (t not in moves or abs(effect) > abs(moves[t].effect)):
                moves[t] = Move(self._terms.names[t], change, effect)

        asked = list(self._steps_within(values, slopes))
        if asked:
            rows, columns = (np.array([each[i] for each in asked]) for i in (0, 1))
            changed = values[rows]
            changed[np.arange(len(rows)), columns] = [value for _, _, value in asked]
            beyond, already = (outside(each[:, self._numbers], self._training) for each in (changed, values))
            inside = ~beyond | already[rows]
            there = self._predict(changed)[np.arange(len(rows)), output[rows]]
            for (k, d, value), prediction, ok in zip(asked, there, inside, strict=True):
                if ok:
                    size, is_sd = self._steps[d]
                    by = f"1 sd ({number(size)})" if is_sd else value_text(size)
                    way = "up" if value > values[k, d] else "down"
                    keep(k, d, f"{way} by {by}, to {value_text(value)}", float(prediction) - float(point[k]))
        for d, at in levels.items():
            labels, used = self._coded[d].labels, np.flatnonzero(self._coded[d].frequencies)
            for k, here in enumerate(values[:, d]):
                for level, prediction in zip(used, at[k], strict=True):
                    if level != here:
                        keep(k, d, f"{labels[int(here)]} → {labels[int(level)]}", float(prediction) - float(point[k]))
        return [sorted(moves.values(), key=lambda move: -abs(move.effect))[:MOST_MOVES] for moves in found]

    def _steps_within(self, values: Array, slopes: Array) -> Iterator[tuple[int, int, float]]:
        """Row, column and new value of the steps up and down that matter most and stay between the extremes."""
        inputs = self._training
        low, high = (dict(zip(self._numbers, ends, strict=True)) for ends in (inputs.min(axis=0), inputs.max(axis=0)))
        for k, row in enumerate(values):
            size = {d: abs(slopes[k, d] * step) for d, (step, _) in self._steps.items()}
            for d in sorted(size, key=lambda d: -size[d])[:SOUGHT]:
                step = self._steps[d][0]
                for end in (row[d] - step, row[d] + step):
                    if step > 0.0 and low[d] <= end <= high[d]:
                        yield k, d, float(end)

    def _predict(self, values: Array) -> Array:
        """The point predictions (m, P) at rows with level codes, in chunks."""
        most = max(1, self._source.rows_per_chunk(values.shape[1], 1))
        parts = [values[start : start + most] for start in range(0, len(values), most)]
        return np.concatenate([self._source.predict_point(self._table.like(part)) for part in parts])
