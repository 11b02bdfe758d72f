"""Training data and rows to predict: read into arrays, or refused with an `InputError`.

Where scikit-learn prescribes what an estimator accepts and says, its own checks do it, and their errors become ours.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from rsens._errors import InputError
from rsens._table import read_table
from rsens.distributions._base import Array


class _InputTypeError(InputError, TypeError):
    """Wrong input for which scikit-learn asks for a TypeError."""


@contextmanager
def translated() -> Iterator[None]:
    """Errors of scikit-learn's checks as errors of ours."""
    try:
        yield
    except InputError:
        raise
    except ValueError as error:
        raise InputError(str(error)) from None
    except TypeError as error:
        raise _InputTypeError(str(error)) from None


def read_rows(X: Any, name: str) -> Array:
    """The rows X (n, D) as finite float64. A data frame is read as everywhere in rsens: its errors name columns."""
    if not (hasattr(X, "columns") or isinstance(X, np.ma.MaskedArray)):
        with translated():
            X = check_array(X, dtype=np.float64, ensure_all_finite=False, estimator=name, input_name="X")
    return read_table(X).values


def read_y(y: Any, n: int, name: str) -> Array:
    """One finite number per row."""
    column = _column(y, n, name)
    with translated():
        numbers = check_array(column, ensure_2d=False, dtype=np.float64, ensure_all_finite=False, input_name="y")
    return _finite(numbers, "y")


def read_classes(y: Any, weights: Array | None, n: int, name: str) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The sorted classes that occur, and the number of the class of each row (0 in rows of weight 0)."""
    column = _column(y, n, name)
    _no_missing_label(column)
    with translated():
        check_classification_targets(column)
        classes = np.unique(column if weights is None else column[weights > 0.0])
        codes = np.searchsorted(classes, column)
    if len(classes) < 2:
        raise InputError(
            f"{name} needs at least two classes; y has 1 class, {classes.tolist()[0]!r}. Give rows of another one."
        )
    return classes, np.where(codes < len(classes), codes, 0)


def read_labels(y: Any, classes: NDArray[Any], n: int) -> Array:
    """The number of the class of each row, for labels that were seen in fit."""
    column = _column(y, n, "log_predictive_density")
    known = {label: code for code, label in enumerate(classes.tolist())}
    labels = column.tolist()
    codes = [known.get(label, -1) for label in labels]
    if -1 in codes:
        row = codes.index(-1)
        raise InputError(f"y has the label {labels[row]!r} at row {row}; the model was fitted with {list(known)}.")
    return np.array(codes, dtype=np.float64)


def read_per_row(values: Any, n: int, what: str) -> Array:
    """One finite number per row; a single number stands for all rows."""
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{what} must be numbers, one per row; got {type(values).__name__}.") from None
    if array.shape not in ((), (n,)):
        raise InputError(f"{what} must have one number for each of the {n} rows; got shape {array.shape}.")
    return _finite(np.broadcast_to(array, (n,)), what)


def read_precision(value: Any, what: str, *, zero: bool = False) -> float:
    """A finite number greater than 0, or with `zero` at least 0."""
    number = isinstance(value, Real) and not isinstance(value, bool) and np.isfinite(float(value))
    if not number or value < 0.0 or (value == 0.0 and not zero):
        raise InputError(f"{what} must be a number {'of at least' if zero else 'greater than'} 0; got {value!r}.")
    return float(value)


def deviations(rows: Array, weights: Array | None) -> Array:
    """Standard deviation of each column (divisor N), exactly 0 where it is constant. A weight of 2 is a row twice."""
    weights = np.ones(len(rows)) if weights is None else weights
    rows, share = rows[weights > 0.0], weights[weights > 0.0] / weights.sum()
    scale = np.maximum(np.abs(rows).max(axis=0), np.finfo(np.float64).tiny)  # so that squares do not overflow
    centred = rows / scale
    centred = centred - share @ centred
    constant = rows.max(axis=0) == rows.min(axis=0)
    return np.where(constant, 0.0, scale * np.sqrt(share @ centred**2))


def _column(y: Any, n: int, name: str) -> NDArray[Any]:
    if y is None:
        raise InputError(f"{name} needs y; got None. y should be a 1d array of one value for each of the {n} rows.")
    with translated():
        column = np.asarray(column_or_1d(y, warn=True))
        check_consistent_length(np.empty(n), column)
    return column


def _finite(values: Array, what: str) -> Array:
    bad = ~np.isfinite(values)
    if bad.any():
        row = int(bad.argmax())
        raise InputError(
            f"{what} must be finite; it has {int(bad.sum())} missing or infinite (NaN, inf) values, the first at "
            f"row {row} ({values[row]}). Drop these rows."
        )
    return values


def _no_missing_label(column: NDArray[Any]) -> None:
    if column.dtype.kind == "f":
        _finite(column, "y")
    if column.dtype.kind != "O":
        return
    missing = np.array([label is None or label != label or type(label).__name__ == "NAType" for label in column])
    if missing.any():
        raise InputError(
            f"y has {int(missing.sum())} missing labels, the first at row {int(missing.argmax())}. Drop these rows."
        )
