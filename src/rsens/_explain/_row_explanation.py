"""`Explanation.row`: the sensitivities of one prediction.

Contributions approximate f(x) − mean f to first order, term by term, around the row itself:

    number d         ∂f(x)/∂x_d (x_d − mean of the column); of a group, the sum over its columns
    category c       f(x) − Σ_l p_l f(x with level l), p the frequencies of the levels

They add up to f(x) − mean f for a linear model, and to nothing in particular where f bends or interacts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rsens._document import Column, Document, Sentences, Shown, ShownTable
from rsens._errors import Argument, InputError
from rsens._explain._document import in_points
from rsens._explain._effects import Quantities
from rsens._explain._query import Reader
from rsens._refits import take_rows
from rsens._table import Table
from rsens._text import number, on_one_line, percent, signed, value_text
from rsens._typing import Array, Positions
from rsens.derivatives import Derivatives, Model, iterate
from rsens.measures import Terms

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
        adds_up: How far the contributions explain this prediction, in words.
    """

    def __init__(self, explanation: Explanation, found: LocalRow, table: Table) -> None:
        outputs = explanation._values.outputs
        self.in_points: bool = in_points(explanation)
        self.label: Any = explanation.local_main.index[found.position]
        self.output: str | None = outputs[found.output] if len(outputs) > 1 else None
        self.prediction: float = found.prediction
        self.mean_prediction: float = found.mean_prediction
        self.explained: float = float(np.nansum(found.contribution))
        self.adds_up: str = adds_up(self.explained, self.prediction - self.mean_prediction, self.in_points)
        self._frame = _frame(explanation, found, table)

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
        noun, times, unit = "prediction", 1.0, ""
        write: Callable[[float], str] = number
        if self.in_points:
            noun, times, unit, write = "probability", 100.0, " (in percentage points)", percent
        of = "" if self.output is None else f" of {on_one_line(self.output)}"
        here, mean = write(self.prediction), write(self.mean_prediction)
        heading = f"Row {on_one_line(self.label)}: {noun}{of} {here}, mean of all rows {mean}"
        frame = self._frame.head(10)
        slopes = [signed([slope * times])[0] for slope in frame["slope"]]
        steps = zip(slopes, frame["step"], strict=True)
        columns = [
            Column("variable", list(frame["term"]), "name"),
            Column("value", list(frame["value"])),
            Column("R-sens", [number(value) for value in frame["rsens"]]),
            Column("contribution", signed(frame["contribution"] * times, digits=3)),
            Column("slope here", [f"{text} per {step}" if text else "" for text, step in steps]),
        ]
        contribution = (
            "contribution: of first order, the slope at this row times the distance from the mean (of a level, from "
            f"the mean over levels){unit}; {self.adds_up}"
        )
        return Document([Sentences([heading], "heading"), ShownTable("Variables", columns, [contribution])])


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
    [local] = rows.rows(np.array([position]))
    return RowExplanation(explanation, local, table)


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
    source, table, _, _ = Reader(compared=setup.two_valued).rows(model, X)
    if table.names != setup.columns or len(table) != explanation.n:
        raise InputError(
            Argument("X"), f" must have the {explanation.n} rows and {len(setup.columns)} columns that were explained; "
            f"got {len(table)} and {len(table.names)}.",
        )  # fmt: skip
    return LocalRows(explanation, source, table), table


def _frame(explanation: Explanation, found: LocalRow, table: Table) -> pd.DataFrame:
    setup = explanation._setup
    steps = explanation.effects.drop_duplicates("term").set_index("term")["step"]
    values = [value_of(table, found.position, m[0]) if len(m) == 1 else "" for m in setup.members]
    levels = explanation.categorical
    frame = pd.DataFrame(
        {
            "term": pd.Series(list(setup.terms), dtype=object),
            "value": pd.Series(values, dtype=object),
            "rsens": explanation.local_main.to_numpy()[found.position],
            "slope": found.slope,
            "spread_slope": found.spread_slope,
            "step": pd.Series(["" if t in levels else _short(steps.get(t, "")) for t in setup.terms], dtype=object),
            "contribution": found.contribution,
        }
    )
    if found.spread_slope is None:
        del frame["spread_slope"]
    return frame.sort_values("contribution", key=abs, ascending=False, kind="stable", ignore_index=True)


def _short(step: str) -> str:
    """The unit of a slope: "sd (4.4)", or the size of the step."""
    return step.removeprefix("1 ") if step.startswith("1 sd") else step and f"step {step.removeprefix('from ')}"


def value_of(table: Table, row: int, column: int) -> str:
    """The value of a row in a column, as text: the label of a level, or a number."""
    value = table.values[row, column]
    if table.coding is not None and column in table.coding.categorical:
        value = table.coding[column].labels[int(value)]
    return value_text(float(value)) if isinstance(value, float | np.floating) else str(value)


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


class LocalRows:
    """The rows of an explanation, one by one; the model is asked once for many rows, in chunks of bounded memory."""

    def __init__(self, explanation: Explanation, source: Model, table: Table) -> None:
        setup, effects = explanation._setup, explanation._effects
        self._source, self._table = source, table
        self._terms = Terms(setup.terms, setup.members)
        self._coded = {} if table.coding is None else {column.position: column for column in table.coding.columns}
        self._means = table.values.mean(axis=0)
        most = max(1, source.rows_per_chunk(len(table.names), 1))
        parts = [table.values[start : start + most] for start in range(0, len(table), most)]
        predictions = np.concatenate([source.predict_point(table.like(part)) for part in parts])
        self._mean_prediction = predictions.mean(axis=0)
        self._steps = np.full(len(table.names), np.nan)  # of the numbers that are terms
        columns = dict(zip(setup.terms, setup.members, strict=True))
        if effects is not None:
            for (term, *_), size in zip(effects.effect_keys, effects.effect_step, strict=True):
                if columns[term][0] not in setup.categorical:
                    self._steps[columns[term][0]] = size

    def rows(self, positions: Positions) -> Iterator[LocalRow]:
        """The record of each of these rows, in their order."""
        whole = self._table
        table = Table(whole.names, whole.values[positions], take_rows(whole.source, positions), whole.coding)
        for rows, derivatives in iterate(self._source, table, 1, watch=False):
            yield from self._of_chunk(derivatives, positions[rows], table.values[rows])

    def _of_chunk(self, derivatives: Derivatives, positions: Positions, values: Array) -> Iterator[LocalRow]:
        quantities = Quantities.of(derivatives.distribution)
        prediction = derivatives.distribution.prediction()
        output = prediction.argmax(axis=1) if prediction.shape[1] > 1 else np.zeros(len(values), dtype=np.intp)
        every = np.arange(len(values))
        all_slopes = quantities.slopes(derivatives)
        slopes = all_slopes[every, output]  # (rows, D)
        point = prediction[every, output]
        contribution = slopes * (values - self._means)
        for contrast in derivatives.contrasts:
            at = np.stack([level.prediction()[every, output] for level in contrast.levels], axis=1)  # (rows, L)
            p = self._coded[contrast.column].frequencies
            contribution[:, contrast.column] = point - at @ (p[p > 0.0] / p.sum())
        spread = self._per_step(all_slopes[:, quantities.outputs]) if quantities.spread else None
        slope = self._per_step(slopes)
        for k, position in enumerate(positions):
            yield LocalRow(
                position=int(position),
                output=int(output[k]),
                prediction=float(point[k]),
                mean_prediction=float(self._mean_prediction[output[k]]),
                slope=slope[k],
                spread_slope=None if spread is None else spread[k],
                contribution=np.array([contribution[k, list(m)].sum() for m in self._terms.members]),
            )

    def _per_step(self, slopes: Array) -> Array:
        """Slopes (rows, D) by term, per step; NaN for groups and levels."""
        return self._terms.of_columns(slopes * self._steps, np.nan)
