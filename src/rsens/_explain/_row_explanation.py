"""`Explanation.row`: what moves the prediction of one row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rsens import _html as html
from rsens._errors import Argument, InputError
from rsens._explain._effect_cells import in_points, signed
from rsens._explain._effect_table import value_text
from rsens._explain._local_rows import LocalRow, LocalRows
from rsens._table import Table
from rsens._text import Pair, number, on_one_line, percent
from rsens._views import ShownTable, html_of, text_of
from rsens.adapters import as_contrasts, read_for
from rsens.measures import DOWN, UP, training_inputs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rsens._explain._explanation import Explanation

APPROXIMATE = (
    "contribution: of first order, the slope at this row times the distance from the mean (of a level, from the mean "
    "over levels)"
)


class RowExplanation:
    """What moves the prediction of one row. Made by `Explanation.row`.

    Attributes:
        label: The label of the row.
        output: The class that is spoken of, the most probable one; None where there is one prediction.
        in_points: Whether predictions are probabilities; text and plots then state changes in percentage points.
        prediction: The prediction of the row.
        mean_prediction: The mean prediction of all rows.
        explained: What the contributions add up to, to be held against prediction − mean_prediction.
        moves: What would move it: the changes within the data, one step of a variable each, that change the prediction
            most, and by how much the model then predicts more or less.
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

    def __repr__(self) -> str:
        return text_of(self._heading(), self._tables())

    def _repr_html_(self) -> str:
        return html.view(html.heading(self._heading()), *html_of(self._tables()))

    def _heading(self) -> str:
        of = "" if self.output is None else f" of {on_one_line(self.output)}"
        what = f"probability{of}" if self.in_points else f"prediction{of}"
        write = (lambda v: percent(v)) if self.in_points else number
        values = f"{what} {write(self.prediction)}, mean of all rows {write(self.mean_prediction)}"
        return f"Row {on_one_line(self.label)}: {values}"

    def _tables(self) -> list[ShownTable]:
        times = 100.0 if self.in_points else 1.0
        frame = self._frame.head(10)
        slope = [
            f"{text} per {step}" if text else ""
            for text, step in zip(_each(frame["slope"] * times), frame["step"], strict=True)
        ]
        columns = {
            "value": list(frame["value"]),
            "R-sens": [number(value) for value in frame["rsens"]],
            "contribution": signed(frame["contribution"] * times, digits=3),
            "slope here": slope,
        }
        tables = [ShownTable("Variables", list(frame["term"]), columns, self._legend())]
        if len(self.moves):
            names = [f"{move.term} {move.change}" for move in self.moves.itertuples()]
            tables.append(
                ShownTable(
                    "What would move it", names, {"change of the prediction": _each(self.moves["effect"] * times)}, []
                )
            )
        if len(self.pairs):
            names = [Pair(pair.first, pair.second) for pair in self.pairs.itertuples()]
            bends = [bend_sign(bend) for bend in self.pairs["bend"]]
            cells = {"R-sens₂": [number(value) for value in self.pairs["value"]], "bend": bends}
            means = "bend: ▲ the slope along one rises with the other, ▼ it falls"
            tables.append(ShownTable("Strongest pairs here", names, cells, [means] if any(bends) else []))
        return tables

    def _legend(self) -> list[str]:
        unit = " (in percentage points)" if self.in_points else ""
        return [f"{APPROXIMATE}{unit}; {self.adds_up}"]

    @property
    def adds_up(self) -> str:
        """How far the contributions explain this prediction, in words."""
        return adds_up(self.explained, self.prediction - self.mean_prediction, self.in_points)


def adds_up(explained: float, difference: float, points: bool) -> str:
    """What contributions add up to, held against what they approximate."""
    total, whole = signed([(100.0 if points else 1.0) * value for value in (explained, difference)])
    return f"they add up to {total}, where the prediction differs from the mean by {whole}"


def row_of(explanation: Explanation, label: Any, position: int | None, model: Any, X: Any) -> RowExplanation:
    """One row, by its label or its position."""
    index = explanation.local_main.index
    if position is None:
        found = np.flatnonzero([each == label for each in index])
        if len(found) != 1:
            what = "is no label of a row" if not len(found) else f"is the label of {len(found)} rows"
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
    """Whether pairs of single rows say what those of the explanation do: not where these are on the link scale."""
    return explanation.order == 2 and explanation.pair_scale == "parameters"


def local_rows(explanation: Explanation, model: Any = None, X: Any = None) -> tuple[LocalRows, Table]:
    """What single rows are explained with: the given model and rows, or the explanation's own."""
    model = explanation.model if model is None else model
    X = explanation.data if X is None else X
    if model is None or X is None:
        raise InputError(
            "A row is explained with the model and all rows, and this explanation, from a file or of parts, does not "
            "have both. Give them, as ",
            Argument("model"), " and ", Argument("X"), ".",
        )  # fmt: skip
    source, table = read_for(model, X)
    setup = explanation._setup
    if table.names != setup.columns or len(table) != explanation.n:
        raise InputError(
            Argument("X"), f" must have the {explanation.n} rows and {len(setup.columns)} columns that were explained; "
            f"got {len(table)} and {len(table.names)}.",
        )  # fmt: skip
    training = training_inputs(model, len(table.names))
    source, table = as_contrasts(source, table, setup.two_valued, training=training)
    return LocalRows(explanation, source, table, _coded(training, table)), table


def _coded(training: Any, table: Table) -> Any:
    """Training inputs with level codes where the table has them."""
    if training is None or table.coding is None:
        return training
    inputs = training.copy()
    for column in table.coding.columns:
        if column.numeric:
            inputs[:, column.position] = np.searchsorted(column.numbers, inputs[:, column.position])
    return inputs


def _frame(explanation: Explanation, found: LocalRow, table: Table) -> pd.DataFrame:
    setup, names = explanation._setup, explanation.names
    effects = explanation.effects.drop_duplicates("term").set_index("term")["step"]
    numbers = [len(m) == 1 and m[0] not in setup.categorical for m in setup.members]
    frame = pd.DataFrame(
        {
            "term": pd.Series(list(names), dtype=object),
            "value": pd.Series([_value(table, found.position, m) for m in setup.members], dtype=object),
            "rsens": explanation.local_main.to_numpy()[found.position],
            "slope": found.slope,
            "step": pd.Series(
                [_short(effects.get(n, "")) if ok else "" for n, ok in zip(names, numbers, strict=True)], dtype=object
            ),
            "contribution": found.contribution,
        }
    )
    if found.spread_slope is not None:
        frame.insert(4, "spread_slope", found.spread_slope)
    order = np.argsort(-np.abs(found.contribution), kind="stable")
    return frame.iloc[order].reset_index(drop=True)


def _short(step: str) -> str:
    """What a slope is per: "sd (4.4)", or how far the step goes."""
    return step.removeprefix("1 ") if step.startswith("1 sd") else step and f"step {step.removeprefix('from ')}"


def _value(table: Table, position: int, members: tuple[int, ...]) -> str:
    if len(members) > 1:
        return ""
    value = table.values[position, members[0]]
    if table.coding is not None and members[0] in table.coding.categorical:
        label = table.coding[members[0]].labels[int(value)]
        return value_text(label) if isinstance(label, float) else str(label)
    return value_text(float(value))


def _each(values: Any) -> list[str]:
    return [signed([value])[0] for value in values]


def bend_sign(bend: float) -> str:
    """▲ or ▼, or nothing where there is no sign."""
    return "" if not np.isfinite(bend) or bend == 0.0 else UP if bend > 0.0 else DOWN
