"""The rows X that every call takes: read once into names and float64 values, or refused with a clear error.

Tables and columns of polars and Arrow become pandas objects; no library is imported before it is needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from numbers import Real
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rsens._errors import Argument, InputError, MissingExtraError
from rsens._text import first_few
from rsens._typing import Array, Positions

if TYPE_CHECKING:
    from rsens._coding import Coding

#: How to read the columns that hold labels, by position: each reader turns labels into level codes.
Readers = Mapping[int, Callable[[Any], Array]]


@dataclass(frozen=True, eq=False)
class Table:
    """Rows of numbers, with level codes in columns that `coding` knows: names, values (n, D), and their source."""

    names: tuple[str, ...]
    values: Array
    source: Any = field(repr=False)
    coding: Coding | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.values)

    def part(self, start: int, stop: int) -> Table:
        """Some of the rows, as a table that need not be read again."""
        return Table(self.names, self.values[start:stop], self.rows(start, stop), self.coding)

    def rows(self, start: int, stop: int) -> Any:
        """Some of the rows in the type that was given: an estimator fitted on a data frame expects one."""
        return self.source.iloc[start:stop] if is_pandas(self.source) else self.source[start:stop]

    def like(self, values: Array) -> Any:
        """Values (m, D), with level codes in categorical columns, as rows of the type that was given."""
        if self.coding is not None:
            return self.coding.labelled(values, self.source)
        return type(self.source)(values, columns=self.source.columns) if is_pandas(self.source) else values

    def recoded(self, start: int, stop: int, *levels: Mapping[int, int]) -> Table:
        """Some of the rows with columns set to level codes, {position: code}, once for each of these; no source."""
        values = np.tile(self.values[start:stop], (len(levels), 1))
        for k, codes in enumerate(levels):
            for position, code in codes.items():
                values[k * (stop - start) : (k + 1) * (stop - start), position] = code
        return Table(self.names, values, None, self.coding)

    def switched(self, start: int, stop: int, levels: Mapping[int, int]) -> Any:
        """Some of the rows in the type that was given, with columns set to levels: {position: level code}."""
        assert self.coding is not None  # only categorical columns can be switched
        return self.coding.switched(self.rows(start, stop), levels)


def read_table(X: Any, *, what: str = "X") -> Table:
    """Read the columns of a data frame or 2-D array (x0, x1, …) as numbers, or raise an `InputError`."""
    return X if isinstance(X, Table) else read_columns(X, what)


def read_columns(X: Any, what: str, readers: Readers = MappingProxyType({}), coding: Coding | None = None) -> Table:
    """`read_table`, with `readers` for the columns that hold labels."""
    X = as_pandas(X, what)
    if type(X).__module__.startswith("scipy.sparse"):
        raise InputError(Argument(what), f" is a sparse matrix; rsens needs dense rows. Use {what}.toarray().")
    if is_frame(X):
        names = tuple(map(str, X.columns))
        _check_names(names, what)
        _check_shape((len(X), len(names)), what)
        quick = all(dtype == np.float64 for dtype in X.dtypes)
    else:
        if isinstance(X, np.ma.MaskedArray):
            X = np.ma.filled(X.astype(np.float64), np.nan)
        X = as_array(X, what, labels=bool(readers))
        names = tuple(f"x{d}" for d in range(X.shape[1]))
        quick = X.dtype.kind in "biuf"
    if quick and not readers:  # the usual case, quick for many columns
        values = np.array(X, dtype=np.float64, order="C") if is_frame(X) else X.astype(np.float64, copy=False)
    else:
        values = _stack(names, [column_of(X, d) for d in range(len(names))], what, readers)
    _check_finite(values, names, what)
    return Table(names, np.ascontiguousarray(values), X if readers or is_pandas(X) else values, coding)


def _stack(names: tuple[str, ...], columns: list[Any], what: str, readers: Readers) -> Array:
    """Columns as float64, or an error that names the columns that are not numeric."""
    read = [readers[d](column) if d in readers else numbers_of(column) for d, column in enumerate(columns)]
    wrong = [f"{names[d]!r} ({columns[d].dtype})" for d, column in enumerate(read) if column is None]
    if wrong:
        raise InputError(
            Argument(what), f" must hold real numbers; not numeric: {first_few(wrong)}. Encode or drop these columns."
        )
    return np.column_stack([column for column in read if column is not None])


def column_deviations(rows: Array, shares: Array | None = None) -> Array:
    """The standard deviation of each column (divisor N) under `shares` that add up to 1; exactly 0 if constant."""
    if shares is None:
        shares = np.full(len(rows), 1.0 / len(rows))
    rows, shares = rows[shares > 0.0], shares[shares > 0.0]
    scale = np.maximum(np.abs(rows).max(axis=0), np.finfo(np.float64).tiny)  # so that squares do not overflow
    centred = rows / scale
    centred = centred - shares @ centred
    constant = rows.max(axis=0) == rows.min(axis=0)
    return np.where(constant, 0.0, scale * np.sqrt(shares @ centred**2))


def column_scale(values: Array) -> Array:
    """The unit of each column for steps: its standard deviation; its magnitude, at least 1, if it does not vary.

    The sums are NumPy's own, unlike in `column_deviations`: finite differences depend on the last digit of a step.
    """
    magnitude = np.abs(values).max(axis=0)
    unit = np.where(magnitude > 0.0, magnitude, 1.0)  # squares of tiny and huge values stay within float64
    spread = unit * np.std(values / unit, axis=0)
    return np.where(np.ptp(values, axis=0) > 0.0, spread, np.maximum(magnitude, 1.0))


def positive_per_column(values: Any, columns: int | None, what: str) -> Array:
    """One positive number, or one per column, as an array; `columns` is their number, None where it is not known."""
    try:
        array = None if isinstance(values, bool) or hasattr(values, "keys") else np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        array = None
    if (
        array is None
        or not (np.isfinite(array) & (array > 0.0)).all()
        or array.shape not in ((), (array.size or 1,) if columns is None else (columns,))
    ):
        one_each = "one per column in the order of the columns" + (f" ({columns})" if columns else "")
        raise InputError(Argument(what), f" must be one positive number, or {one_each}; got {values!r}.")
    return array if columns is None else np.broadcast_to(array, columns)


def column_positions(columns: Any, names: tuple[str, ...], what: str) -> list[int]:
    """Positions of columns that are given by name or position, each once; `what` is the argument that gives them."""
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        raise InputError(Argument(what), f" must be a list of names or positions of columns; got {columns!r}.")
    positions: list[int] = []
    for column in columns:
        whole = isinstance(column, int | np.integer) and not isinstance(column, bool)
        if isinstance(column, str) and column in names:
            position = names.index(column)
        elif whole and -len(names) <= column < len(names):
            position = int(column) % len(names)
        else:
            raise InputError(
                Argument(what), f" names the column {column!r}, which is not in X. X has {first_few(list(names))}."
            )
        if position in positions:
            raise InputError(Argument(what), f" names the column {names[position]!r} twice. Name it once.")
        positions.append(position)
    return positions


def is_frame(X: Any) -> bool:
    """Whether it is a data frame, found without importing pandas. Those of other libraries become one at the door."""
    return is_pandas(X) and hasattr(X, "columns")


def shape_of(X: Any) -> tuple[int, ...]:
    """The shape of rows, without reading them."""
    if isinstance(X, Table):
        return X.values.shape
    return (len(X), len(X.columns)) if is_frame(X) else np.shape(X)


def as_array(X: Any, what: str, *, labels: bool = False) -> NDArray[Any]:
    """A 2-D array of any type. With `labels`, lists that mix text and numbers keep both."""
    try:
        array = np.asarray(X, dtype=object) if labels and not hasattr(X, "dtype") else np.asarray(X)
    except (TypeError, ValueError, RuntimeError) as error:  # ragged lists; tensors that need .detach() or .cpu()
        reason = str(error).splitlines()[0]
        raise InputError(Argument(what), f" cannot be read as an array of shape (rows, columns): {reason}") from None
    _check_shape(array.shape, what)
    return array


def numbers_of(column: Any) -> Array | None:
    """Values as float64 with NaN for missing ones, or None if they are not real numbers."""
    if is_pandas(column) and column.dtype.kind in "biuf":
        return np.asarray(column.to_numpy(dtype=np.float64, na_value=np.nan))
    array = None if is_pandas(column) and column.dtype != object else np.asarray(column)
    if array is None or array.dtype.kind in "biuf":
        return None if array is None else array.astype(np.float64, copy=False)
    flat = array.ravel().tolist() if array.dtype.kind == "O" else [""]
    if not all(isinstance(value, Real | Decimal | np.bool_) or is_missing(value) for value in flat):
        return None
    try:
        return np.array([np.nan if is_missing(value) else float(value) for value in flat]).reshape(array.shape)
    except OverflowError:  # a Python integer beyond float64
        return None


def is_missing(value: Any) -> bool:
    """Whether it is None or pandas' NA; NaN is a number and is found later."""
    return value is None or type(value).__name__ == "NAType"


def check_whole_text(text: object, what: str, kind: str) -> None:
    """An `InputError` for half of a character (a lone surrogate), which no file, page or terminal can hold."""
    try:
        str(text).encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(
            Argument(what), f" has the {kind} {text!r}, with half of a character in it. Rename it."
        ) from None


def _check_names(names: tuple[str, ...], what: str) -> None:
    for name in names:
        check_whole_text(name, what, "column name")
    repeated = [repr(name) for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise InputError(
            Argument(what), f" has columns of the same name: {first_few(repeated)}. Rename them so that each is unique."
        )


def _check_shape(shape: tuple[int, ...], what: str) -> None:
    if len(shape) != 2:
        hint = f" For one column use {what}.reshape(-1, 1)." if len(shape) == 1 else ""
        raise InputError(Argument(what), f" must have two axes (rows, columns); got shape {shape}.{hint}")
    if 0 in shape:
        raise InputError(Argument(what), f" has no {'columns' if shape[0] else 'rows'}; give at least one.")


def _check_finite(values: Array, names: tuple[str, ...], what: str) -> None:
    bad = ~np.isfinite(values)
    if bad.any():
        column = int(bad.any(axis=0).argmax())
        row, count = int(bad[:, column].argmax()), int(bad[:, column].sum())
        raise InputError(
            Argument(what),
            f" must be finite; column {names[column]!r} has {count} missing or infinite values, the first at row {row} "
            f"({values[row, column]}). Drop or impute these rows.",
        )


# ---- columns of labels -----------------------------------------------------------------------------------------------


def column_of(source: Any, position: int) -> Any:
    """A column of a data frame or array, by position."""
    return source.iloc[:, position] if is_frame(source) else source[:, position]


def columns_of_labels(source: Any) -> list[int]:
    """Positions of a data frame's columns that hold labels. Columns of labels in an array have to be named."""
    if not is_pandas(source):
        return []
    # The type alone is enough for most columns, which are numbers.
    return [d for d, dtype in enumerate(source.dtypes) if dtype.kind not in "iufc" and holds_labels(source, d)]


def holds_labels(source: Any, position: int) -> bool:
    """Whether a data frame's column holds categories, text or truth values."""
    if not is_pandas(source):
        return False
    import pandas as pd

    column = column_of(source, position)
    if isinstance(column.dtype, pd.CategoricalDtype) or pd.api.types.is_bool_dtype(column.dtype):
        return True
    if column.dtype == object:
        return pd.api.types.infer_dtype(column, skipna=True) in ("string", "boolean")
    return bool(pd.api.types.is_string_dtype(column.dtype))


def factorized(column: Any) -> tuple[Positions, list[Any]]:
    """Codes by order of appearance, −1 where a label is missing, and the labels as plain values."""
    import pandas as pd

    series = column if is_pandas(column) else pd.Series(np.asarray(column))
    try:
        codes, labels = pd.factorize(series)
    except TypeError:  # lists, dicts
        raise InputError(
            f"labels of categorical columns must be text, numbers or truth values; got {type(series.iloc[0]).__name__}."
        ) from None
    return np.asarray(codes, dtype=np.intp), [plain(label) for label in labels]


def plain(label: Any) -> Any:
    """The label without NumPy's type around it."""
    return label.item() if isinstance(label, np.generic) else label


def series_of(labels: list[Any], dtype: Any, index: Any) -> Any:
    """Labels as a column of this type if it can hold them; categories it does not know are added."""
    import pandas as pd

    if isinstance(dtype, pd.CategoricalDtype):
        unknown = [label for label in dict.fromkeys(labels) if label not in dtype.categories]
        dtype = pd.CategoricalDtype([*dtype.categories, *unknown], dtype.ordered) if unknown else dtype
    try:
        return pd.Series(labels, index=index, dtype=dtype)
    except (TypeError, ValueError):
        return pd.Series(labels, index=index)


# ---- tables of other libraries ---------------------------------------------------------------------------------------

#: Methods of tables and columns that Arrow can read, such as those of polars.
ARROW = ("__arrow_c_stream__", "__arrow_c_array__")


def as_pandas(values: Any, what: str = "X") -> Any:
    """Convert a table or column that Arrow can read; anything else (pandas, arrays, lists) is returned unchanged."""
    if is_pandas(values):
        return values
    if not any(hasattr(type(values), protocol) for protocol in ARROW):
        if hasattr(type(values), "columns") and any(hasattr(type(values), name) for name in ("collect", "compute")):
            raise InputError(
                Argument(what),
                f" is a {type(values).__name__}, whose rows are not computed yet. Use its method collect or compute.",
            )
        return values
    try:
        import pyarrow
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet") from None
    for read in (pyarrow.table, pyarrow.chunked_array if hasattr(values, ARROW[0]) else pyarrow.array):
        try:
            found = read(values).to_pandas(date_as_object=False)
        except (pyarrow.ArrowException, TypeError, ValueError):
            continue
        if type(values).__module__.startswith("polars"):
            if is_frame(found):
                return found.assign(**{name: _sorted_categories(column) for name, column in found.items()})
            return _sorted_categories(found.rename(values.name or None))
        return found
    return values


def is_pandas(X: Any) -> bool:
    """Whether it is an object of pandas, or of a class made from one of pandas, found without importing pandas."""
    return any(base.__module__.partition(".")[0] == "pandas" for base in type(X).__mro__)


def _sorted_categories(column: Any) -> Any:
    """All Categorical columns of polars share their categories: take the ones in use, sorted. An Enum is ordered."""
    if not hasattr(column, "cat") or column.cat.ordered:
        return column
    return column.astype(object).astype("category")
