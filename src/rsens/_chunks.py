"""Tables that come in chunks, one at a time in memory: Parquet files, plans of Dask and polars, iterators."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rsens._errors import Argument, InputError, MissingExtraError
from rsens._frames import ARROW, as_pandas

#: The most rows that are read at once from files and plans.
ROWS = 2**16
#: The most rows of a row group that one process looks at.
GROUP_ROWS = 2**20
#: Work that is done at the same time is in pieces of at least so many rows, and a table has at most so many of them.
LEAST_ROWS, MOST_PIECES = 2**10, 64


def comes_in_chunks(X: Any) -> bool:
    """Whether it is one of these, found without importing any library."""
    if isinstance(X, str | os.PathLike):
        return True
    name, module = type(X).__name__, type(X).__module__.partition(".")[0]
    if module == "dask":
        return hasattr(X, "npartitions") and hasattr(X, "columns")
    if module == "pyarrow":
        return hasattr(X, "iter_batches") or (hasattr(X, "to_batches") and hasattr(X, "scanner"))
    if module == "polars":
        return name == "LazyFrame"
    return hasattr(X, "__next__") and not any(hasattr(type(X), protocol) for protocol in ARROW)


def chunks_of(X: Any, columns: Sequence[str] | None) -> Iterator[Any]:
    """The rows, chunk by chunk, as tables of pandas (or arrays of an iterator); empty ones are left out."""
    for chunk in _tables(X, columns):
        table = as_pandas(chunk[0] if isinstance(chunk, tuple) and len(chunk) == 1 else chunk)
        if not hasattr(table, "__len__"):
            raise InputError(
                Argument("X"),
                f": an iterator must give tables of rows, each like X itself; got {type(table).__name__}.",
            )
        if len(table):
            yield table


@dataclass(frozen=True)
class RowGroups:
    """Row groups of a Parquet file that follow each other: where rows are, so that others can read them."""

    path: str
    numbers: tuple[int, ...]
    columns: tuple[str, ...] | None
    n_rows: int

    def __add__(self, after: RowGroups) -> RowGroups:
        """These, and those that come after them in the same file."""
        return replace(self, numbers=self.numbers + after.numbers, n_rows=self.n_rows + after.n_rows)

    def batches(self) -> Iterator[Any]:
        """Their rows, as tables of pandas."""
        from pyarrow.parquet import ParquetFile

        try:
            with ParquetFile(self.path) as file:
                yield from map(as_pandas, file.iter_batches(ROWS, row_groups=list(self.numbers), columns=self.columns))
        except OSError as error:
            raise InputError(
                Argument("X"),
                f": {self.path} cannot be read where the work is done ({error.strerror or error}). All processes and "
                "workers must see the same files.",
            ) from None


def row_groups_of(X: Any, columns: Sequence[str] | None) -> list[RowGroups]:
    """Where the rows are, in several places, if X is the path of Parquet files without very large row groups."""
    if not isinstance(X, str | os.PathLike):
        return []
    from pyarrow.parquet import ParquetFile

    groups: list[RowGroups] = []
    for path in _dataset(Path(X)).files:
        with ParquetFile(path) as file:
            names = None if columns is None else tuple(_found(columns, file.schema_arrow.names))
            sizes = [file.metadata.row_group(number).num_rows for number in range(file.num_row_groups)]
        path = os.path.abspath(path)  # other processes may have another working folder
        groups += [RowGroups(path, (number,), names, rows) for number, rows in enumerate(sizes) if rows]
    if not groups or max(group.n_rows for group in groups) > GROUP_ROWS:
        return []
    places = _small_ones_together(groups)
    return places if len(places) > 1 else []


def _small_ones_together(groups: Sequence[RowGroups]) -> list[RowGroups]:
    enough = min(ROWS, max(LEAST_ROWS, sum(group.n_rows for group in groups) // MOST_PIECES))
    together = [groups[0]]
    for group in groups[1:]:
        if together[-1].path == group.path and together[-1].n_rows < enough:
            together[-1] += group
        else:
            together.append(group)
    return together


def _tables(X: Any, columns: Sequence[str] | None) -> Iterator[Any]:
    if isinstance(X, str | os.PathLike):
        X = _dataset(Path(X))
    module = type(X).__module__.partition(".")[0]
    if module == "dask":
        X = X if columns is None else X[_found(columns, X.columns)]
        return (X.get_partition(number).compute() for number in range(X.npartitions))
    if module == "polars":
        return _batches_of_plan(X if columns is None else X.select(_found(columns, X.collect_schema().names())))
    if hasattr(X, "iter_batches"):
        return iter(X.iter_batches(ROWS, columns=None if columns is None else _found(columns, X.schema_arrow.names)))
    if hasattr(X, "scanner"):
        names = None if columns is None else _found(columns, X.schema.names)
        return iter(X.to_batches(columns=names, batch_size=ROWS, batch_readahead=1, fragment_readahead=1))
    return iter(X)


def _dataset(path: Path) -> Any:
    """The Parquet file, or all Parquet files in the folder."""
    if not path.exists():
        raise InputError(Argument("X"), f": there is no file or folder {path}.")
    if path.is_file() and path.suffix.lower() not in (".parquet", ".pq"):
        raise InputError(
            Argument("X"),
            f": {path.name} is no Parquet file (.parquet). Read it first, for example with pandas.read_csv; with "
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
