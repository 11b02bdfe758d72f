"""In what unit each column is counted: its standard deviation, its own unit, or one that the user gives.

A model may say what it was trained on, through two attributes that are both optional and both in the columns of X:

    input_scale_       (D,)    standard deviation of each training input (divisor N)
    training_inputs_   (N, D)  the training inputs themselves; also what `Explanation.extrapolation` compares with

Without them the rows of X that are explained take the part of the training data.
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

#: Names of a column of ones in statsmodels and formulas: nobody is surprised that it does not vary.
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
    if scale is None:
        raise InputError(
            Argument("scale"), " must be 'sd', 'raw' or one number per column; got None. Use 'raw' for no scaling."
        )
    if not isinstance(scale, str):
        return check_scale(scale, names)
    if scale not in ("sd", "raw"):
        raise InputError(Argument("scale"), f" must be 'sd', 'raw' or one number per column; got {scale!r}.")
    return scale


def standard_deviations(values: Array, weights: Array, model: Any, training: Array | None) -> Array:
    """Standard deviation of each column in the training data where the model knows it, else in X under the weights."""
    known = as_model(model).input_scale_
    if known is not None:
        return _known_scale(known, values.shape[1])
    if training is not None:
        return column_deviations(training)
    return column_deviations(values, weights)


def deviations_of(model: Any, table: Table, training: Array | None, weights: Array) -> Array:
    """The meaning of "sd" in each column, (D,): `standard_deviations`, or `level_deviations` in columns of levels."""
    if table.coding is None:
        return standard_deviations(table.values, weights, model, training)
    numbers = table.coding.numbers(table.values)
    return level_deviations(standard_deviations(numbers, weights, model, training), table.coding)


def level_deviations(deviations: Array, coding: Coding) -> Array:
    """Standard deviations with √(P(two rows differ)/2) in columns of levels: √((1 − Σ_l f_l²)/2), f the frequencies.

    For a number sd² = ½ E[(x − x′)²], with x and x′ from two random rows. Between levels there is no distance but same
    or different, 0 or 1, so E[(x − x′)²] becomes P(x ≠ x′). Two levels have √(f(1 − f)), the standard deviation of a
    0/1 column; one level has 0.

    Of two numbers, (x − x′)² is the squared gap or 0: the unit is their deviation over the gap.
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
    """The inputs the model was trained on, or None if the model does not have them."""
    given = as_model(model).training_inputs_
    if given is None:
        return None
    try:
        inputs = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"training_inputs_ of {type(model).__name__} must be numbers; it is not.") from None
    if inputs.ndim != 2 or not len(inputs) or inputs.shape[1] != n_columns or not np.isfinite(inputs).all():
        raise InputError(
            f"training_inputs_ of {type(model).__name__} must be finite, one column for each of the {n_columns} of X; "
            f"got shape {inputs.shape}. Give X the columns the model was fitted on."
        )
    return inputs


def _known_scale(known: Any, n_columns: int) -> Array:
    try:
        deviations = np.array(known, dtype=np.float64)
    except (TypeError, ValueError):
        deviations = np.array(np.nan)
    if deviations.shape != (n_columns,) or not (np.isfinite(deviations) & (deviations >= 0.0)).all():
        raise InputError(
            f"input_scale_ of the model must hold one finite number of at least 0 for each of the {n_columns} columns "
            f"of X; got {known!r}. Give X the columns the model was fitted on."
        )
    return deviations


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
