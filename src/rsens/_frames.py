"""Tables and columns of polars, Arrow and others as pandas objects; no library is imported before it is needed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rsens._errors import Argument, InputError

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
    import pandas as pd

#: Libraries of tables whose objects need not follow a protocol.
LIBRARIES = {"cudf", "dask", "duckdb", "ibis", "modin", "narwhals", "polars", "pyarrow", "pyspark", "sqlframe"}
#: The method that computes the rows of a lazy table; `collect` in most libraries.
FETCH = {"dask": "compute", "duckdb": "df", "ibis": "to_pandas", "pyspark": "toPandas"}
#: Methods of tables and columns that Arrow can read.
ARROW = ("__arrow_c_stream__", "__arrow_c_array__")


def as_pandas(values: Any, what: str = "X") -> Any:
    """Convert a table or column of another library; anything else (pandas, arrays, lists) is returned unchanged."""
    follows_arrow = any(hasattr(type(values), protocol) for protocol in ARROW)
    if is_pandas(values) or (_library(values) not in LIBRARIES and not follows_arrow):
        return values
    import narwhals.stable.v2 as nw
    from narwhals.exceptions import DuplicateError

    try:
        known = nw.from_native(values, allow_series=True, pass_through=True)
        if known is values and follows_arrow:  # batches, arrays and streams of Arrow
            known = nw.from_native(_through_arrow(values), allow_series=True, pass_through=True)
    except DuplicateError:
        raise InputError(Argument(what), " has columns of the same name. Rename them so that each is unique.") from None
    if isinstance(known, nw.LazyFrame):
        raise InputError(
            Argument(what),
            f" is a {type(values).__name__}, whose rows are not computed yet. "
            f"Use {what}.{FETCH.get(_library(values), 'collect')}().",
        )
    if isinstance(known, nw.DataFrame):
        return _table(known)
    return _column(known) if isinstance(known, nw.Series) else values


def is_pandas(X: Any) -> bool:
    """Whether it is an object of pandas, or of a class made from one of pandas, found without importing pandas."""
    return any(base.__module__.partition(".")[0] == "pandas" for base in type(X).__mro__)


def _library(values: Any) -> str:
    return type(values).__module__.partition(".")[0]


def _through_arrow(values: Any) -> Any:
    """Read an object with Arrow's protocol as a table or column of Arrow; unchanged if that is not possible."""
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
    """The same columns in a pandas table; columns of Arrow that were the index of a pandas table are so again."""
    import pandas as pd

    frame = pd.DataFrame({name: _column(table[name]) for name in table.columns}, copy=False)
    metadata = getattr(getattr(table.to_native(), "schema", None), "metadata", None) or {}
    recorded = json.loads(metadata.get(b"pandas", b"{}")).get("index_columns", [])
    labels = [name for name in recorded if isinstance(name, str) and name in table.columns]
    if not labels:
        return frame
    frame = frame.set_index(labels)
    return frame.rename_axis(index=lambda name: None if str(name).startswith("__index_level_") else name)


def _column(series: nw.Series[Any]) -> pd.Series[Any]:
    """The same values in the type that pandas stores them in."""
    import narwhals.stable.v2 as nw
    import pandas as pd

    kind, name = series.dtype, series.name or None
    if kind.is_decimal():
        series = series.cast(nw.Float64)
    if kind == nw.Categorical or kind == nw.Enum:
        if series.implementation.is_pyarrow():
            return series.to_native().to_pandas().cat.as_unordered().rename(name)
        # The categories of polars' Categorical are shared by all columns: pandas takes those in use.
        categories = list(kind.categories) if isinstance(kind, nw.Enum) else None
        return pd.Series(pd.Categorical(series.to_list(), categories=categories), name=name)
    if kind == nw.Boolean and series.null_count():
        return pd.Series(series.to_list(), dtype="boolean", name=name)
    if kind.is_numeric() or (kind.is_temporal() and kind != nw.Time) or kind == nw.Boolean:
        values: Any = pd.Series(series.to_numpy(), name=name, copy=False)
        zone = getattr(kind, "time_zone", None)
        return values if zone is None else values.dt.tz_localize("UTC").dt.tz_convert(zone)
    return pd.Series(series.to_list(), dtype=None if kind == nw.String else object, name=name)
