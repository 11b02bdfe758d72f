"""The unit of each column: its standard deviation, 1, or a number that the user gives.

A model may have two optional attributes about its training data, both in the columns of X:

    input_scale_       (D,)    standard deviation of each training input (divisor N)
    training_inputs_   (N, D)  the training inputs themselves, which `Explanation.extrapolation` compares with too

Without them the rows of X that are explained take the place of the training data.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rsens._coding import Coding
from rsens._errors import Argument, InputError, warn
from rsens._frames import as_pandas
from rsens._table import Table, column_deviations
from rsens._text import quoted
from rsens._typing import Array
from rsens.adapters import as_model

#: Names of a column of ones in statsmodels and formulas, which need no warning.
INTERCEPTS = ("const", "Intercept")


def column_units(scale: Any, deviations: Array, names: tuple[str, ...]) -> Array:
    """The step of each column, shape (D,): `scale` is "sd", "raw", or one number per column."""
    scale = read_scale(scale, names)
    if not isinstance(scale, str):
        return scale
    if scale == "raw":
        return np.ones(len(names))
    constant = [name for name, deviation in zip(names, deviations, strict=True) if deviation == 0.0]
    if len(constant) == len(names):
        raise InputError(
            Argument("scale", "sd"),
            " measures in standard deviations, and no column of X varies. Explain more rows, or use scale='raw' or one "
            "number per column.",
        )
    constant = [name for name in constant if name not in INTERCEPTS]
    if constant:
        warn(
            f"Constant columns have no standard deviation and get the sensitivity 0: {quoted(constant)}. Leave them "
            "out, or use scale='raw' or one number per column."
        )
    return deviations


def read_scale(scale: Any, names: tuple[str, ...]) -> str | Array:
    """The argument `scale`, checked: "sd", "raw", or one number per column in their order."""
    if scale is None or (isinstance(scale, str) and scale not in ("sd", "raw")):
        raise InputError(Argument("scale"), f" must be 'sd', 'raw' or one number per column; got {scale!r}.")
    return scale if isinstance(scale, str) else check_scale(scale, names)


def deviations_of(model: Any, table: Table, training: Array | None, weights: Array) -> Array:
    """The standard deviation of each column (D,), or `level_deviations` in columns of levels.

    From the model where it knows them, else from its training inputs, else from the table under the weights.
    """
    values = table.values if table.coding is None else table.coding.numbers(table.values)
    deviations = _attribute(model, "input_scale_", values.shape[1], 1)
    if deviations is None:
        deviations = column_deviations(values, weights) if training is None else column_deviations(training)
    return deviations if table.coding is None else level_deviations(deviations, table.coding)


def level_deviations(deviations: Array, coding: Coding) -> Array:
    """Standard deviations with √(P(two rows differ)/2) in columns of levels: √((1 − Σ_l f_l²)/2), f the frequencies.

    For a number sd² = ½ E[(x − x′)²], with x and x′ from two random rows. Levels are only equal or different, so that
    E[(x − x′)²] becomes P(x ≠ x′). Two levels have √(f(1 − f)), the standard deviation of a 0/1 column; one level
    has 0. The unit of a numeric column of two values is its deviation over their gap.
    """
    units = deviations.copy()
    for column in coding.columns:
        d, f = column.position, column.frequencies
        if column.numeric and len(column) == 2:
            units[d] = deviations[d] / np.ptp(column.numbers)
        else:
            units[d] = np.sqrt(0.5 * (1.0 - float(f @ f))) if np.count_nonzero(f) > 1 else 0.0
    return units


def training_inputs(model: Any, n_columns: int) -> Array | None:
    """The inputs (N, D) that the model was trained on, or None if it does not have them."""
    return _attribute(model, "training_inputs_", n_columns, 2)


def _attribute(model: Any, name: str, n_columns: int, axes: int) -> Array | None:
    """A model's `input_scale_` (D,) or `training_inputs_` (N, D), checked; None if it has none."""
    given = getattr(as_model(model), name)
    if given is None:
        return None
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.array(np.nan)
    fits = values.ndim == axes and values.size > 0 and values.shape[-1] == n_columns and np.isfinite(values).all()
    if not fits or (axes == 1 and (values < 0.0).any()):
        raise InputError(
            f"{name} of {type(model).__name__} must hold finite numbers for each of the {n_columns} columns of X; got "
            f"{f'shape {values.shape}' if values.ndim else repr(given)}. Give X the columns the model was fitted on."
        )
    return values


def check_weights(weights: Any, n: int) -> Array:
    """One weight per row, adding up to 1; None gives equal weights."""
    if weights is None:
        return np.full(n, 1.0 / n)
    values = _numbers(weights, "weights")
    if values.shape != (n,):
        raise InputError(
            Argument("weights"), f": expected one number for each of the {n} rows; got shape {values.shape}."
        )
    if not (np.isfinite(values) & (values >= 0.0)).all() or not values.any():
        raise InputError(
            Argument("weights"), " must be finite, at least 0, and not all 0. Leave out rows that should not count."
        )
    values = values / values.max()  # the sum of large weights need not fit in float64
    return values / values.sum()


def check_scale(scale: Any, names: tuple[str, ...]) -> Array:
    """One factor per column: a Series or dict by name, or numbers in the order of the columns; None gives ones."""
    if scale is None:
        return np.ones(len(names))
    if hasattr(scale, "keys"):
        given = {str(key): scale[key] for key in scale.keys()}  # noqa: SIM118  (a Series iterates over its values)
        missing = [name for name in names if name not in given]
        if missing:
            raise InputError(Argument("scale"), f" has no entry for {quoted(missing)}. Give one number per column.")
        scale = [given[name] for name in names]
    values = _numbers(scale, "scale")
    if values.shape != (len(names),):
        raise InputError(
            Argument("scale"), f": expected one number for each of the {len(names)} columns; got shape {values.shape}."
        )
    bad = ~(np.isfinite(values) & (values >= 0.0))
    if bad.any():
        raise InputError(
            Argument("scale"), f" must be finite and at least 0; got {values[bad][0]:g} for {names[bad.argmax()]!r}."
        )
    return values


def _numbers(values: Any, what: str) -> Array:
    try:
        return np.asarray(as_pandas(values, what), dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(Argument(what), f" must be numbers; got {type(values).__name__}.") from None
