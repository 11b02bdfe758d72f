"""Reads training data and rows to predict into arrays, or refuses them with an `InputError`.

Where scikit-learn prescribes what an estimator accepts and says, its own checks do the work, and we translate their
errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, timedelta
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from rsens._errors import Argument, InputError
from rsens._frames import as_pandas, is_pandas
from rsens._table import is_missing, read_table
from rsens._typing import Array

#: Products of larger or smaller numbers may leave float64: a squared slope is y²/x².
SMALLEST, LARGEST = 1e-75, 1e75


class _InputTypeError(InputError, TypeError):
    """Wrong input for which scikit-learn expects a TypeError."""


@contextmanager
def translated() -> Iterator[None]:
    """Turns errors of scikit-learn's checks into ours."""
    try:
        yield
    except InputError:
        raise
    except OverflowError:  # Python's own integers have no limit
        raise InputError("a whole number in X or y is beyond float64 (1.8e308). Rescale its column, or y.") from None
    except ValueError as error:
        raise InputError(str(error)) from None
    except TypeError as error:
        raise _InputTypeError(str(error)) from None


def read_rows(X: Any, name: str) -> Array:
    """The rows X (n, D) as finite float64. A data frame is read as everywhere in rsens: its errors name columns."""
    if not (hasattr(X, "columns") or isinstance(X, np.ma.MaskedArray)):
        with translated():
            _no_dates_or_text(np.asarray(X), "X")
            X = check_array(X, dtype=np.float64, ensure_all_finite=False, estimator=name, input_name="X")
    return read_table(X).values


def read_y(y: Any, n: int, name: str) -> Array:
    """One finite number per row."""
    column = _column(y, n, name)
    _no_dates_or_text(column, "y")
    with translated():
        numbers = check_array(column, ensure_2d=False, dtype=np.float64, ensure_all_finite=False, input_name="y")
    return _finite(numbers, "y")


def read_classes(y: Any, weights: Array | None, n: int, name: str) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The sorted classes that occur, and the number of the class of each row (0 in rows with weight 0)."""
    y = as_pandas(y, "y")
    column = _column(_plain_labels(y), n, name)
    _no_missing_label(column)
    if _holds_dates(column):
        raise InputError(
            "y holds dates or times, which cannot be classes. Make them text, for example with .astype(str)."
        )
    _labels_of_one_type(y if isinstance(y, list | tuple) else column)
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
    """The number of the class of each row; every label must have been in the training data."""
    column = _column(_plain_labels(as_pandas(y, "y")), n, "log_predictive_density")
    known = {label: code for code, label in enumerate(classes.tolist())}
    labels = column.tolist()
    codes = [known.get(label, -1) for label in labels]
    if -1 in codes:
        row = codes.index(-1)
        raise InputError(
            Argument("y"), f" has the label {labels[row]!r} at row {row}; the model was fitted with {list(known)}."
        )
    return np.array(codes, dtype=np.float64)


def read_per_row(values: Any, n: int, what: Argument) -> Array:
    """One finite number per row; a single number stands for all rows."""
    values = as_pandas(values, what.name)
    try:
        _no_dates_or_text(np.asarray(values), what)
        array = np.asarray(values, dtype=np.float64)
    except InputError:
        raise
    except (TypeError, ValueError):
        raise InputError(what, f" must be numbers, one per row; got {type(values).__name__}.") from None
    if array.shape not in ((), (n,)):
        raise InputError(what, f" must have one number for each of the {n} rows; got shape {array.shape}.")
    return _finite(np.broadcast_to(array, (n,)), what)


def read_truth(value: Any, name: str) -> bool:
    """True or False, from Python or NumPy; text such as 'no' is neither."""
    if not isinstance(value, bool | np.bool_):
        raise InputError(Argument(name), f" must be True or False; got {value!r}.")
    return bool(value)


def check_size(values: Array, what: str | Argument) -> None:
    """An error if float64 cannot hold powers of the largest number."""
    largest = float(np.abs(values).max())
    if largest > LARGEST or 0.0 < largest < SMALLEST:
        raise InputError(
            what,
            f" is too {'large' if largest > 1.0 else 'small'} to compute with: its largest magnitude is "
            f"{largest:.3g}, and must lie between {SMALLEST:g} and {LARGEST:g}. Rescale ",
            what,
            f", for example by dividing it by {largest:.1g}.",
        )


def check_column_sizes(rows: Array, names: Sequence[str]) -> None:
    """`check_size` for every column of X."""
    for name, column in zip(names, rows.T, strict=True):
        check_size(column, f"column {name!r} of X")


def read_precision(value: Any, name: str, *, zero: bool = False) -> float:
    """A finite number greater than 0, or with `zero` at least 0."""
    number = isinstance(value, Real) and not isinstance(value, bool) and np.isfinite(float(value))
    if not number or value < 0.0 or (value == 0.0 and not zero):
        least = "of at least" if zero else "greater than"
        raise InputError(Argument(name), f" must be a number {least} 0; got {value!r}.")
    return float(value)


def _no_dates_or_text(values: NDArray[Any], what: str | Argument) -> None:
    """NumPy would read a date as nanoseconds since 1970, a missing one as −9e18, and '1.5' as 1.5."""
    if _holds_dates(values):
        raise InputError(
            what, " must be numbers; got dates or times. Give numbers instead, such as the days since the first date."
        )
    texts = values.ravel().tolist() if values.dtype.kind in "USO" else []
    text = next((value for value in texts if isinstance(value, str | bytes)), None)
    if text is not None:
        raise InputError(what, f" must be numbers; got text, such as {text!r}. Convert it with pd.to_numeric.")


def _holds_dates(values: NDArray[Any]) -> bool:
    """Whether there are dates or times, of Python, NumPy or pandas; NaT is a date too."""
    known = date | timedelta | np.datetime64 | np.timedelta64
    objects = values.ravel().tolist() if values.dtype == object else []
    return values.dtype.kind in "mM" or any(isinstance(v, known) or type(v).__name__ == "Period" for v in objects)


def _plain_labels(y: Any) -> Any:
    """Labels of pandas' nullable types as NumPy's own; scikit-learn would turn 1 into 1.0."""
    dtype = getattr(y.dtype, "numpy_dtype", None) if is_pandas(y) and hasattr(y, "dtype") else None
    if dtype is None or dtype.kind not in "biu" or y.isna().any():
        return y
    return y.to_numpy(dtype=dtype)


def _labels_of_one_type(labels: Any) -> None:
    """Text and numbers cannot be sorted together, and NumPy would turn both into text."""
    texts = [label for label in labels if isinstance(label, str)]
    others = [label for label in labels if not isinstance(label, str)]
    if texts and others:
        raise InputError(
            f"y mixes text, such as {texts[0]!r}, with other labels, such as {others[0]!r}. Use one type for all "
            "classes, for example text: [str(label) for label in y]."
        )


def _column(y: Any, n: int, name: str) -> NDArray[Any]:
    if y is None:
        raise InputError(f"{name} needs y; got None. y should be a 1d array of one value for each of the {n} rows.")
    y = as_pandas(y, "y")
    with translated():
        column = np.asarray(column_or_1d(y, warn=True))
        check_consistent_length(np.empty(n), column)
    return column


def _finite(values: Array, what: str | Argument) -> Array:
    bad = ~np.isfinite(values)
    if bad.any():
        row = int(bad.argmax())
        raise InputError(
            what,
            f" must be finite; it has {int(bad.sum())} missing or infinite (NaN, inf) values, the first at "
            f"row {row} ({values[row]}). Drop these rows.",
        )
    return values


def _no_missing_label(column: NDArray[Any]) -> None:
    if column.dtype.kind == "f":
        _finite(column, "y")
    if column.dtype.kind not in "OmM":
        return
    missing = np.array([is_missing(label) or label != label for label in column])
    if missing.any():
        raise InputError(
            Argument("y"),
            f" has {int(missing.sum())} missing labels, the first at row {int(missing.argmax())}. Drop these rows.",
        )
