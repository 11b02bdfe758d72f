"""The model and the rows of an explanation, and the step of each column, for plots that evaluate the model."""

from __future__ import annotations

from typing import Any

from rsens._errors import Argument, InputError
from rsens._table import Table
from rsens.adapters import as_contrasts, read_for
from rsens.derivatives import Model
from rsens.measures import training_inputs


def model_and_table(explanation: Any, model: Any, X: Any, call: str) -> tuple[Model, Table]:
    """The model and the rows: the given ones, or else the explanation's own, which it lacks if it comes from a file.

    Columns that the explanation compares between their two values are contrasts.
    """
    model = explanation.model if model is None else model
    X = explanation.data if X is None else X
    if model is None or X is None:
        raise InputError(
            "This plot evaluates the model at the rows, and this explanation, from a file or of parts, lacks one of "
            f"them. Give both to {call}, as ",
            Argument("model"),
            " and ",
            Argument("X"),
            ".",
        )
    source, table = read_for(model, X)
    columns = tuple(explanation.scale.index)
    if table.names != columns:
        raise InputError(
            Argument("X"),
            f" must have the columns that were explained, {len(columns)} from {columns[0]!r} to {columns[-1]!r}; "
            f"got {len(table.names)} from {table.names[0]!r} to {table.names[-1]!r}.",
        )
    compared = [columns.index(name) for name in two_valued_columns(explanation)]
    return as_contrasts(source, table, compared, training=training_inputs(model, len(columns)))


def two_valued_columns(explanation: Any) -> list[str]:
    """The columns of `Explanation.two_valued`: a term may have another name than its column."""
    return [explanation.groups.get(name, (name,))[0] for name in explanation.two_valued]


def step_of(explanation: Any, table: Table, column: int) -> tuple[str | float, str | None]:
    """The step of a column, as `profile` takes it, and the name of that step; None to name it by its size.

    A column that does not vary has no step. It gets the kind of scale instead, and `profile` says what is wrong.
    """
    unit = float(explanation.scale.iloc[column])
    name = {"sd": "per sd", "raw": "per unit"}.get(explanation.scale_kind)
    if name == "per unit" and table.coding is not None and column in table.coding.categorical:
        name = "per switch"
    return (unit if unit > 0.0 else explanation.scale_kind), name
