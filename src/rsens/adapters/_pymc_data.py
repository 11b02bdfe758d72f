"""Where the rows of X stand in a PyMC model: in its pm.Data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from rsens._coding import Coding
from rsens._errors import Argument, InputError
from rsens._table import Table, is_frame
from rsens._typing import Array
from rsens.adapters._origin import is_a
from rsens.adapters._pymc_graph import Placement

#: One pm.Data with all columns, or for each column of X the pm.Data that holds it.
DataNames = str | Mapping[str, str]


@dataclass(frozen=True)
class DataRows:
    """The data variables that X stands for, and what the model holds there now."""

    placements: tuple[Placement, ...]
    #: Rows that the model is known to run with, (N, D).
    values: Array
    #: The names of the columns, where the model has some.
    columns: tuple[str, ...] | None
    #: Columns that hold whole numbers on their own, such as the index of a group: they have levels, not derivatives.
    levels: tuple[int, ...]

    def check(self, table: Table, coding: Coding | None) -> None:
        """Rows to explain must have the model's columns, and the numbers that its index variables take."""
        if table.values.shape[1] != self.values.shape[1]:
            raise InputError(
                Argument("X"),
                f" must have the {self.values.shape[1]} columns of the model's pm.Data; got {table.values.shape[1]}.",
            )
        if self.columns is not None and is_frame(table.source) and table.names != self.columns:
            raise InputError(
                Argument("X"),
                f" must have the columns of the model, in their order: {list(self.columns)}; got {list(table.names)}.",
            )
        for column in () if coding is None else coding.columns:
            if not all(isinstance(label, Real | np.bool_) for label in column.labels):
                raise InputError(
                    Argument("X"),
                    f": column {column.name!r} holds labels such as {column.labels[0]!r}, and the model takes numbers. "
                    "Give the number that stands for each label in the model.",
                )


def data_rows(model: Any, data: DataNames) -> DataRows:
    """Find the pm.Data named by `data` in the model."""
    if isinstance(data, str):
        variable = _variable(model, data)
        if variable.ndim != 2:
            raise InputError(
                Argument("data"),
                f" must name a pm.Data of rows and columns; {data!r} has {variable.ndim} axes. If each column has a "
                'pm.Data of its own, name them: data={"height": "height", "age": "age"}.',
            )
        values = np.asarray(variable.get_value(), dtype=np.float64)
        return DataRows(((variable, None),), values, _column_names(model, data), ())
    if not isinstance(data, Mapping) or not data:
        raise InputError(
            Argument("data"),
            ' must be the name of the pm.Data of the rows, or a dict {"column": "name of its pm.Data"}; '
            f"got {type(data).__name__}.",
        )
    variables = [_variable(model, name) for name in data.values()]
    columns = [np.asarray(variable.get_value()) for variable in variables]
    for name, values in zip(data.values(), columns, strict=True):
        if values.ndim not in (1, 2) or (values.ndim == 2 and values.shape[1] != 1) or len(values) != len(columns[0]):
            raise InputError(
                Argument("data"),
                f": each pm.Data must hold one column, all of them as many rows; {name!r} has shape {values.shape}, "
                f"the first one {columns[0].shape}.",
            )
    return DataRows(
        tuple((variable, j) for j, variable in enumerate(variables)),
        np.column_stack([values.reshape(-1).astype(np.float64) for values in columns]),
        tuple(data),
        tuple(j for j, values in enumerate(columns) if values.dtype.kind in "iub"),
    )


def training_rows(rows: DataRows, data: DataNames, posterior: Any, n_observed: int) -> Array | None:
    """The rows that the model was fitted to: kept with the draws, or still in the model; None if neither is sure."""
    kept = _constant_data(posterior)
    names = [data] if isinstance(data, str) else list(data.values())
    if kept is not None and all(name in kept for name in names):
        return np.column_stack([np.asarray(kept[name].values, dtype=np.float64) for name in names])
    return rows.values if len(rows.values) == n_observed else None  # else set_data has put other rows in


def _variable(model: Any, name: str) -> Any:
    known = {variable.name: variable for variable in model.data_vars}
    if name in known:
        return known[name]
    if known:
        raise InputError(
            Argument("data"),
            f" must name the pm.Data of the rows X; got {name!r}, and the model has "
            f"{', '.join(map(repr, known))}. Write from_pymc(model, posterior, data={next(iter(known))!r}).",
        )
    raise InputError(
        "the rows X are written into this model as constants, so they cannot be moved. Build the model again with "
        'X = pm.Data("X", X) and give it here with the same draws: there is no need to sample again.'
    )


def _column_names(model: Any, name: str) -> tuple[str, ...] | None:
    """The coordinates of the columns, where the data were given dims with names."""
    dims = model.named_vars_to_dims.get(name) or (None, None)
    names = model.coords.get(dims[1]) if dims[1] is not None else None
    return tuple(map(str, names)) if names is not None and all(isinstance(n, str) for n in names) else None


def _constant_data(posterior: Any) -> Any:
    """The group with the data of the model, which PyMC stores beside the draws."""
    if is_a(posterior, "xarray.DataTree"):
        return posterior.children.get("constant_data")
    return getattr(posterior, "constant_data", None) if is_a(posterior, "arviz.InferenceData") else None
