"""Tables and columns of polars, Arrow and others become those of pandas; no library is imported before it is needed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rsens._errors import Argument, InputError

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
    import pandas as pd

#: Libraries of tables whose objects need not follow a protocol.
LIBRARIES = {"cudf", "dask", "duckdb", "ibis", "modin", "narwhals", "polars", "pyarrow", "pyspark", "sqlframe"}
#: What gets the rows of a table that is only a plan of how to make them; `collect` in most libraries.
FETCH = {"dask": "compute", "duckdb": "df", "ibis": "to_pandas", "pyspark": "toPandas"}
#: How a table or column of any library says that Arrow can read it.
ARROW = ("__arrow_c_stream__", "__arrow_c_array__")


def as_pandas(values: Any, what: str = "X") -> Any:
    """A table or column of another library as pandas' own; anything else (pandas, arrays, lists) as it is."""
    if not _is_foreign(values):
        return values
    import narwhals.stable.v2 as nw
    from narwhals.exceptions import DuplicateError

    try:
        known = _known(values)
    except DuplicateError:
        raise InputError(Argument(what), " has columns of the same name. Rename them so that each is unique.") from None
    if isinstance(known, nw.LazyFrame):
        raise InputError(
            Argument(what),
            f" is a {type(values).__name__}: its rows are not there yet. "
            f"Use {what}.{FETCH.get(_library(values), 'collect')}().",
        )
    if isinstance(known, nw.DataFrame):
        return _table(known)
    return _column(known) if isinstance(known, nw.Series) else values


def is_pandas(X: Any) -> bool:
    """Whether it is an object of pandas, or of a class made from one of pandas, found without importing pandas."""
    return any(base.__module__.partition(".")[0] == "pandas" for base in type(X).__mro__)


def _is_foreign(values: Any) -> bool:
    """Whether it may be a table or column of another library than pandas, found without importing any."""
    if is_pandas(values):
        return False
    return _library(values) in LIBRARIES or any(hasattr(type(values), protocol) for protocol in ARROW)


def _library(values: Any) -> str:
    return type(values).__module__.partition(".")[0]


def _known(values: Any) -> Any:
    """The table or column as narwhals sees it, or the same object if it is neither."""
    import narwhals.stable.v2 as nw

    known = nw.from_native(values, allow_series=True, pass_through=True)
    return nw.from_native(_through_arrow(values), allow_series=True, pass_through=True) if known is values else known


def _through_arrow(values: Any) -> Any:
    """What narwhals does not know, such as batches, arrays and streams of Arrow, as Arrow's tables and columns."""
    if not any(hasattr(type(values), protocol) for protocol in ARROW):
        return values
    try:
        import pyarrow
    except ImportError:
        return values
    for read in (pyarrow.table, pyarrow.chunked_array):
        try:
            return read(values)
        except (pyarrow.ArrowException, TypeError, ValueError):
            continue
    return values


def _table(table: nw.DataFrame[Any]) -> pd.DataFrame:
    """The same columns in a pandas table."""
    import pandas as pd

    columns = {name: _column(table[name]) for name in table.columns}
    frame = pd.DataFrame(columns, copy=False)
    labels = [name for name in _index_columns(table.to_native()) if name in columns]
    if not labels:
        return frame
    frame = frame.set_index(labels)
    return frame.rename_axis(index=lambda name: None if str(name).startswith("__index_level_") else name)


def _index_columns(table: Any) -> list[str]:
    """The columns of an Arrow table that were the index of a pandas table."""
    metadata = getattr(getattr(table, "schema", None), "metadata", None) or {}
    recorded = json.loads(metadata.get(b"pandas", b"{}")).get("index_columns", [])
    return [name for name in recorded if isinstance(name, str)]


def _column(series: nw.Series[Any]) -> pd.Series[Any]:
    """The same values as pandas stores them."""
    import narwhals.stable.v2 as nw
    import pandas as pd

    kind, name = series.dtype, series.name or None
    if kind.is_decimal():
        series = series.cast(nw.Float64)
    if kind == nw.Categorical or kind == nw.Enum:
        if _holds_objects_of_pandas(series):
            return _decoded(series.to_native()).rename(name)
        return pd.Series(pd.Categorical(series.to_list(), categories=_categories(series)), name=name)
    if kind == nw.Boolean and series.null_count():
        return pd.Series(series.to_list(), dtype="boolean", name=name)
    if kind.is_numeric() or (kind.is_temporal() and kind != nw.Time) or kind == nw.Boolean:
        values: Any = pd.Series(series.to_numpy(), name=name, copy=False)
        zone = getattr(kind, "time_zone", None)
        return values if zone is None else values.dt.tz_localize("UTC").dt.tz_convert(zone)
    return pd.Series(series.to_list(), dtype=None if kind == nw.String else object, name=name)


def _holds_objects_of_pandas(series: nw.Series[Any]) -> bool:
    """Categories of Arrow that are intervals or periods: Arrow itself cannot compare them."""
    if not series.implementation.is_pyarrow():
        return False
    import pyarrow as pa

    return isinstance(series.to_native().type.value_type, pa.BaseExtensionType)


def _decoded(column: Any) -> pd.Series[Any]:
    """A column of Arrow's dictionaries with its categories as pandas has them, in their order."""
    import pandas as pd

    values, categories = [], []
    for chunk in column.chunks:
        labels = chunk.dictionary.to_pandas().to_list()
        categories += labels
        values += [None if code is None else labels[code] for code in chunk.indices.to_pylist()]
    return pd.Series(pd.Categorical(values, categories=list(dict.fromkeys(categories))))


def _categories(series: nw.Series[Any]) -> list[Any] | None:
    """The categories in their order; None for polars' Categorical, shared by columns: pandas takes those in use."""
    import narwhals.stable.v2 as nw

    if isinstance(series.dtype, nw.Enum):
        return list(series.dtype.categories)
    if series.implementation.is_polars():
        return None
    return list(dict.fromkeys(series.cat.get_categories().to_list()))
