"""Tables that come in chunks, one at a time in memory: Parquet files, plans of Dask and polars, iterators."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rsens._errors import Argument, InputError, MissingExtraError
from rsens._table import ARROW, as_pandas

#: The most rows that are read at once from files and plans.
ROWS = 2**16
#: Parallel work is in pieces of at least LEAST_ROWS rows, and a table has at most MOST_PIECES of them.
LEAST_ROWS, MOST_PIECES = 2**10, 64


def comes_in_chunks(X: Any) -> bool:
    """Whether it is one of these, found without importing any library."""
    if isinstance(X, str | os.PathLike):
        return True
    name, module = type(X).__name__, type(X).__module__.partition(".")[0]
    if module == "dask":
        return hasattr(X, "npartitions") and hasattr(X, "columns")
    if module == "polars":
        return name == "LazyFrame"
    return hasattr(X, "__next__") and not any(hasattr(type(X), protocol) for protocol in ARROW)


def chunks_of(X: Any, columns: Sequence[str] | None) -> Iterator[Any]:
    """The rows, chunk by chunk, as tables of pandas (or arrays of an iterator); empty ones are left out."""
    for chunk in _tables(X, columns):
        table = as_pandas(chunk)
        if not hasattr(table, "__len__"):
            kind = type(table).__name__
            raise InputError(Argument("X"), f": an iterator must give tables of rows, each like X itself; got {kind}.")
        if len(table):
            yield table


def _tables(X: Any, columns: Sequence[str] | None) -> Iterator[Any]:
    module = type(X).__module__.partition(".")[0]
    if module == "dask":
        X = X if columns is None else X[_found(columns, X.columns)]
        return (X.get_partition(number).compute() for number in range(X.npartitions))
    if module == "polars":
        return _batches_of_plan(X if columns is None else X.select(_found(columns, X.collect_schema().names())))
    if isinstance(X, str | os.PathLike):
        X = _dataset(Path(X))
        names = None if columns is None else _found(columns, X.schema.names)
        return iter(X.to_batches(columns=names, batch_size=ROWS, batch_readahead=1, fragment_readahead=1))
    return iter(X)


def _dataset(path: Path) -> Any:
    """The Parquet file, or all Parquet files in the folder."""
    if not path.exists():
        raise InputError(Argument("X"), f": the file or folder {path} does not exist.")
    if path.is_file() and path.suffix.lower() not in (".parquet", ".pq"):
        raise InputError(
            Argument("X"),
            f": {path.name} is not a Parquet file (.parquet). Read it first, for example with pandas.read_csv; with "
            "chunksize, that gives an iterator that is explained chunk by chunk.",
        )
    try:
        import pyarrow
        import pyarrow.dataset as datasets
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet") from None
    try:
        return datasets.dataset(path, format="parquet")
    except (OSError, pyarrow.ArrowException) as error:
        raise InputError(Argument("X"), f": {path.name} cannot be read as Parquet ({error}).") from None


def _batches_of_plan(plan: Any) -> Iterator[Any]:
    if hasattr(plan, "collect_batches"):
        yield from plan.collect_batches(chunk_size=ROWS, maintain_order=True)
        return
    start = 0
    while len(rows := plan.slice(start, ROWS).collect()):
        yield rows
        start += ROWS


def _found(columns: Sequence[str], names: Any) -> list[str]:
    missing = [name for name in columns if name not in set(names)]
    if missing:
        raise InputError(
            Argument("X"), f" lacks columns that the model was fitted to: {', '.join(map(repr, missing[:10]))}."
        )
    return list(columns)
