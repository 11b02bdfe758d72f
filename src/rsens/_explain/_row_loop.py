"""The loop over rows: a table in memory or a source of chunks becomes `Sums`, and only a chunk is in memory at a time.

Where blocks of rows start and stop depends on the rows alone, and every block is evaluated with one thread. So how many
run at once, and where, changes nothing.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, chain
from typing import Any

import numpy as np

from rsens._chunks import LEAST_ROWS, MOST_PIECES, RowGroups, chunks_of, comes_in_chunks, row_groups_of
from rsens._errors import Argument, InputError
from rsens._explain._evaluate import RowEvaluation
from rsens._explain._reading import ReadRows
from rsens._explain._rows import extrapolates, index_of
from rsens._explain._subgroups import Division, division_of
from rsens._explain._sums import LocalValues, Sums
from rsens._frames import as_pandas
from rsens._progress import Progress, progress_of
from rsens._refits import one_target, quiet, run_pieces
from rsens._table import Table
from rsens._threads import one_thread
from rsens._typing import Array
from rsens.derivatives import prepare
from rsens.measures import check_weights

#: With `keep_local="auto"`, the most rows in chunks whose values are kept.
AUTO_LOCAL_ROWS = 200_000
#: The rows of a block are a multiple of this.
BLOCK = 256
#: Starting processes, which import all that the model needs, takes seconds: with less work left, rows stay here.
WORTH_IT = 10.0


@dataclass(frozen=True, eq=False)
class Chunks:
    """X that comes in chunks: the first one, those after it, and what they are read from."""

    X: Any
    columns: list[str] | None
    first: Any
    others: Iterator[Any]

    def __iter__(self) -> Iterator[Any]:
        return chain([self.first], self.others)


@dataclass(frozen=True, eq=False)
class ChunkOptions:
    """What is asked about rows in chunks: weights, subgroups, and whether values of single rows are kept."""

    keep_local: bool | None  # None: those of the first rows, up to `AUTO_LOCAL_ROWS`
    weights: Any
    by: Any
    first_row: int = 0  # the number of the first row, for errors

    def part(self, start: int, stop: int) -> ChunkOptions:
        """What is asked about the rows from `start` to `stop`."""
        kept = stop <= AUTO_LOCAL_ROWS if self.keep_local is None else self.keep_local
        by = self.by if isinstance(self.by, str) else _slice(self.by, start, stop, "by")
        return ChunkOptions(kept, _slice(self.weights, start, stop, "weights"), by, self.first_row + start)


@dataclass(frozen=True, eq=False)
class RowLoop:
    """Evaluates rows and adds their sums."""

    evaluation: RowEvaluation
    reading: ReadRows
    n_jobs: int | None
    progress: Progress

    def over_table(self, table: Table, weights: Array, division: Division | None, first_row: int = 0) -> Sums:
        """The sums over the rows of a table. The first block is timed, to see if the others are worth processes."""
        evaluation, n = self.evaluation, len(table)
        if n < 2 * LEAST_ROWS:
            with self.progress.stage("row", n) as advance:
                return evaluation.sums(table, weights, division, first_row=first_row, advance=advance)
        if not evaluation.prepared:
            evaluation = replace(evaluation, model=prepare(evaluation.model, table), prepared=True)
        rows = BLOCK * -(-max(LEAST_ROWS, -(-n // MOST_PIECES)) // BLOCK)
        starts = range(0, n, rows)

        def arguments(number: int) -> tuple[Table, Array, Division | None, int]:
            start, stop = starts[number], min(n, starts[number] + rows)
            own = None if division is None else division.taken(slice(start, stop))
            return table.part(start, stop), weights[start:stop], own, first_row + start

        began = time.perf_counter()
        with self.progress.stage("row", n) as advance:
            first = _one_block(evaluation, *arguments(0), watch=True, advance=advance)
        rest = (time.perf_counter() - began) * (len(starts) - 1)
        others = run_pieces(
            partial(_one_block, watch=False),
            len(starts) - 1,
            lambda number: arguments(number + 1),
            shared=(evaluation,),
            n_jobs=self.n_jobs if rest > WORTH_IT else 1,
            progress=self.progress,
            noun="block",
        )
        return sum(others, start=first)

    def over_chunks(self, chunks: Chunks, asked: ChunkOptions) -> Sums:
        """The sums over the rows of all chunks.

        Row groups of Parquet files are read by the processes, or the workers of a cluster, that evaluate them. Which
        sums are added to which depends on the files alone, not on the number of processes.
        """
        if groups := row_groups_of(chunks.X, chunks.columns):
            ends = list(accumulate(group.n_rows for group in groups))
            first, *others = run_pieces(
                RowLoop._over_row_groups,
                len(groups),
                lambda k: (groups[k], asked.part(ends[k] - groups[k].n_rows, ends[k]), k == 0),
                shared=(replace(self, n_jobs=1, progress=progress_of(False)),),
                n_jobs=self.n_jobs,
                progress=self.progress,
                noun="row group",
            )
            found = sum(others, start=first)
        else:
            found = self._over_each(chunks, asked)
        n = found.main.rows
        for values, name in ((asked.weights, "weights"), (asked.by, "by")):
            if values is not None and not isinstance(values, str) and len(values) != n:
                raise InputError(Argument(name), f": expected one entry for each of the {n} rows; got {len(values)}.")
        if not found.main.weight > 0.0:
            check_weights(np.zeros(1), 1)  # the error for weights that are all 0
        return found

    def _over_each(self, tables: Iterable[Any], asked: ChunkOptions) -> Sums:
        """The sums over the rows of some tables, one after the other."""
        total: Sums | None = None
        start = 0
        for X in tables:
            sums = self._over_chunk(X, asked.part(start, start + len(X)))
            total = sums if total is None else total + sums
            start += len(X)
        assert total is not None
        return total

    def _over_row_groups(self, groups: RowGroups, asked: ChunkOptions, warns: bool) -> Sums:
        with one_thread(), warnings.catch_warnings():
            for kind in () if warns else quiet():  # the others would repeat the warnings of the first
                warnings.simplefilter("ignore", kind)
            return self._over_each(groups.batches(), asked)

    def _over_chunk(self, X: Any, asked: ChunkOptions) -> Sums:
        here, keep = self.reading.of_rows(X), bool(asked.keep_local)
        pairs = self.evaluation.keep_local_pairs and keep
        loop = replace(self, evaluation=replace(self.evaluation, keep_local=keep, keep_local_pairs=pairs))
        weights = _weights(asked.weights, len(here.plain))
        division = None if asked.by is None else division_of(asked.by, X, here.plain)
        outside = extrapolates(here.plain, here.training)
        sums = loop.over_table(here.table, weights, division, asked.first_row)
        sums = replace(sums, outside=int(outside.sum()))
        if sums.local_main is None:
            return sums
        given = None if asked.weights is None else weights
        kept = LocalValues(sums.local_main, sums.local_pairs, index_of(here.plain), outside, given)
        return replace(sums, local=(kept,))


def _one_block(
    evaluation: RowEvaluation,
    table: Table,
    weights: Array,
    division: Division | None,
    first_row: int,
    *,
    watch: bool,
    advance: Callable[[int], Any] = lambda rows: None,
) -> Sums:
    """One block. Only the first warns: the others would repeat it."""
    with one_thread(), warnings.catch_warnings():
        for kind in () if watch else quiet():
            warnings.simplefilter("ignore", kind)
        return evaluation.sums(table, weights, division, watch=watch, first_row=first_row, advance=advance)


def opened(model: Any, X: Any, y: Any, *, clusters: Any, training: Any) -> tuple[Chunks | None, Any, Any]:
    """The chunks if X comes in chunks, else None; the table, or the first chunk; and y."""
    if not comes_in_chunks(X):
        return None, as_pandas(X), one_target(y)
    for value, name in ((y, "y"), (clusters, "clusters")):
        if value is not None:
            raise InputError(
                Argument(name),
                " is for refits, which need a table in memory, and X comes in chunks. Leave it out; for marks, explain "
                "the training rows with y.",
            )
    names = getattr(model, "feature_names_in_", None)
    names = getattr(training, "columns", None) if names is None else names
    columns = None if names is None else list(map(str, names))
    chunks = chunks_of(X, columns)
    first = next(chunks, None)
    if first is None:
        raise InputError(Argument("X"), " has no rows; give at least one.")
    return Chunks(X, columns, first, chunks), first, None


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
