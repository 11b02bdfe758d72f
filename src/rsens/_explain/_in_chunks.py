"""Rows that come in chunks: each is looked at and added, and only a chunk is in memory at a time."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, chain
from typing import Any

import numpy as np
import pandas as pd

from rsens._arguments import one_of
from rsens._chunks import RowGroups, chunks_of, comes_in_chunks, row_groups_of
from rsens._errors import Argument, InputError
from rsens._explain._in_blocks import look_at
from rsens._explain._pieces import Piece, RowLook, join
from rsens._explain._reading import ReadRows
from rsens._explain._rows import Rows, extrapolates, index_of, index_together
from rsens._explain._subgroups import Division, division_of
from rsens._frames import as_pandas
from rsens._progress import Progress, progress_of
from rsens._refits import one_target, quiet, run_pieces
from rsens._threads import one_thread
from rsens._typing import Array
from rsens.measures import check_weights

#: With `keep_local="auto"`, the most rows in chunks whose values are kept.
AUTO_LOCAL_ROWS = 200_000


@dataclass(frozen=True, eq=False)
class RowsSeen:
    """What all rows add up to, what is known of each, and their labels."""

    piece: Piece
    rows: Rows
    index: pd.Index


#: What some chunks add, what is known of their rows, and the labels of these, chunk by chunk.
_Seen = tuple[Piece, list[Rows], list[pd.Index]]


@dataclass(frozen=True, eq=False)
class Chunks:
    """X that comes in chunks: the first one, those after it, and what they are read from."""

    X: Any
    columns: list[str] | None
    first: Any
    others: Iterator[Any]

    def row_groups(self) -> list[RowGroups]:
        """The row groups of Parquet files, if several processes can read them; else none."""
        return row_groups_of(self.X, self.columns)

    def __iter__(self) -> Iterator[Any]:
        return chain([self.first], self.others)


@dataclass(frozen=True, eq=False)
class ChunkOptions:
    """What is asked about rows in chunks: weights, subgroups, and whether values of single rows are kept."""

    keep_local: bool | None  # None: those of the first rows, up to `AUTO_LOCAL_ROWS`
    weights: Any
    by: Any

    def part(self, start: int, stop: int) -> ChunkOptions:
        """What is asked about the rows from `start` to `stop`."""
        kept = stop <= AUTO_LOCAL_ROWS if self.keep_local is None else self.keep_local
        by = self.by if isinstance(self.by, str) else _slice(self.by, start, stop, "by")
        return ChunkOptions(kept, _slice(self.weights, start, stop, "weights"), by)


def opened(model: Any, X: Any, y: Any, *, clusters: Any, training: Any) -> tuple[Chunks | None, Any, Any]:
    """The chunks if X comes in chunks, else None; the table, or the first chunk; and y."""
    if not comes_in_chunks(X):
        return None, as_pandas(X), one_target(y)
    for value, name in ((y, "y"), (clusters, "clusters")):
        if value is not None:
            raise InputError(
                Argument(name),
                " is for refits, which need a table in memory, and X comes in chunks. Leave it out; for marks, explain "
                "the training rows with y, and join both with Explanation.merge.",
            )
    names = getattr(model, "feature_names_in_", None)
    names = getattr(training, "columns", None) if names is None else names
    columns = None if names is None else list(map(str, names))
    chunks = chunks_of(X, columns)
    first = next(chunks, None)
    if first is None:
        raise InputError(Argument("X"), " has no rows; give at least one.")
    return Chunks(X, columns, first, chunks), first, None


def kept_locally(keep_local: Any, keep_local_pairs: Any) -> bool | None:
    """The argument `keep_local`, checked; None for "auto"."""
    one_of(keep_local, "keep_local", (True, False, "auto"))
    if keep_local is False and keep_local_pairs:
        raise InputError(
            Argument("keep_local_pairs", True),
            " keeps values of single rows; got ",
            Argument("keep_local", False),
            ". Leave out one of the two.",
        )
    return None if keep_local == "auto" and not keep_local_pairs else keep_local is not False


def look_at_table(
    look: RowLook,
    reading: ReadRows,
    division: Division | None,
    weights: Any,
    *,
    first_row: int,
    n_jobs: int | None,
    progress: Progress,
) -> RowsSeen:
    """What the rows of a table in memory add."""
    plain, shares = reading.plain, reading.shares
    # Within these rows only shares matter; what all of them weigh is for `merge`.
    total = float(len(plain)) if weights is None else float(np.asarray(weights, dtype=np.float64).sum())
    piece = look_at(
        look, reading.table, shares, first_row=first_row, division=division, n_jobs=n_jobs, progress=progress
    )  # fmt: skip
    piece = replace(piece, averages=replace(piece.averages, sums=replace(piece.averages.sums, sum_weight=total)))
    outside = extrapolates(plain, reading.training)
    if not look.keep_local:
        rows = Rows.only_counted(len(plain), int(outside.sum()))
        return RowsSeen(piece, rows, rows.index)
    return RowsSeen(piece, Rows.of(plain, outside, None if weights is None else shares), index_of(plain))


def look_at_chunks(
    look: RowLook,
    reading: ReadRows,
    chunks: Chunks,
    asked: ChunkOptions,
    *,
    first_row: int,
    n_jobs: int | None,
    progress: Progress,
) -> RowsSeen:
    """What the rows of all chunks add.

    Row groups of Parquet files are read by the processes, or the workers of a cluster, that look at them. What is
    added to what depends on the files alone, not on the number of processes.
    """
    groups = chunks.row_groups()
    if not groups:
        return _together([_look_at_each(look, reading, chunks, asked, first_row, n_jobs, progress)], asked)
    ends = list(accumulate(group.n_rows for group in groups))

    def arguments(k: int) -> tuple[RowGroups, ChunkOptions, int, bool]:
        start = ends[k] - groups[k].n_rows
        return groups[k], asked.part(start, ends[k]), first_row + start, k == 0

    seen = run_pieces(
        _look_at_row_groups,
        len(groups),
        arguments,
        shared=(look, reading),
        n_jobs=n_jobs,
        progress=progress,
        noun="row group",
    )
    return _together(seen, asked)


def _look_at_each(
    look: RowLook,
    reading: ReadRows,
    tables: Iterable[Any],
    asked: ChunkOptions,
    first_row: int,
    n_jobs: int | None,
    progress: Progress,
) -> _Seen:
    """What the rows of some tables add, looked at one after the other."""
    found: list[Rows] = []
    labels: list[pd.Index] = []

    def pieces() -> Iterator[Piece]:
        start = 0
        for X in tables:
            evaluate = partial(look_at, first_row=first_row + start, n_jobs=n_jobs, progress=progress)
            piece, known, index = look_at_chunk(look, reading, X, asked.part(start, start + len(X)), evaluate)
            found.append(known)
            labels.append(index)
            start += len(X)
            yield piece

    return join(pieces()), found, labels


def _look_at_row_groups(
    look: RowLook, reading: ReadRows, groups: RowGroups, asked: ChunkOptions, first_row: int, warns: bool
) -> _Seen:
    with one_thread(), warnings.catch_warnings():
        for kind in () if warns else quiet():  # the others would say again what the first says
            warnings.simplefilter("ignore", kind)
        return _look_at_each(look, reading, groups.batches(), asked, first_row, 1, progress_of(False))


def look_at_chunk(
    look: RowLook, reading: ReadRows, X: Any, asked: ChunkOptions, evaluate: Callable[..., Piece]
) -> tuple[Piece, Rows, pd.Index]:
    """What the rows of a chunk add, what is known of each, and their labels."""
    here = reading.of_rows(X)
    n = len(here.plain)
    outside = extrapolates(here.plain, here.training)
    weights = _weights(asked.weights, n)
    division = None if asked.by is None else division_of(asked.by, X, here.plain)
    piece = evaluate(look.keeping(bool(asked.keep_local)), here.table, weights, division=division)
    if not asked.keep_local:
        return piece, Rows.only_counted(n, int(outside.sum())), pd.RangeIndex(0)
    return piece, Rows.of(here.plain, outside, None if asked.weights is None else weights), index_of(here.plain)


def _together(seen: Sequence[_Seen], asked: ChunkOptions) -> RowsSeen:
    whole = join(piece for piece, _, _ in seen)
    rows, indices = (list(chain.from_iterable(each)) for each in zip(*(parts for _, *parts in seen), strict=True))
    n = sum(part.n for part in rows)
    for values, name in ((asked.weights, "weights"), (asked.by, "by")):
        if values is not None and not isinstance(values, str) and len(values) != n:
            raise InputError(Argument(name), f": expected one entry for each of the {n} rows; got {len(values)}.")
    if not whole.averages.sums.sum_weight > 0.0:
        check_weights(np.zeros(1), 1)  # the error for weights that are all 0
    shares = [part.n / n for part in rows]
    if asked.weights is not None:
        shares = [1.0 / whole.averages.sums.sum_weight] * len(rows)
    joined = Rows.together(rows, indices, None, shares)
    return RowsSeen(whole, joined, joined.index if joined.extrapolation is None else index_together(indices, None))


def _slice(values: Any, start: int, stop: int, name: str) -> Any:
    """The entries of these rows, for values of all rows."""
    if values is None:
        return None
    if isinstance(values, str) or not hasattr(values, "__len__"):
        raise InputError(Argument(name), f" must have one entry per row of all chunks; got {type(values).__name__}.")
    return values.iloc[start:stop] if hasattr(values, "iloc") else values[start:stop]


def _weights(given: Any, n: int) -> Array:
    """The weights of some rows as they were given, checked; all may be 0."""
    if given is None:
        return np.ones(n)
    values = np.asarray(given, dtype=np.float64)
    if values.any() or values.shape != (n,):
        check_weights(given, n)
    return values
