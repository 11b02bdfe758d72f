"""R-sens and R-sens₂ of all terms, in one pass over rows: local values, and their sums.

Only a chunk is in memory at a time. Where blocks of rows start and stop depends on the rows alone, and every block is
evaluated with one thread. So how many run at once, and where, changes nothing.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import accumulate, chain
from typing import Any

import numpy as np

from rsens._chunks import LEAST_ROWS, MOST_PIECES, RowGroups, chunks_of, comes_in_chunks, row_groups_of
from rsens._errors import Argument, InputError
from rsens._explain._effects import Quantities, Step, line_changes, line_keys, step_moments
from rsens._explain._posterior import draw_sums
from rsens._explain._query import Query, ReadRows
from rsens._explain._rows import extrapolates, index_of
from rsens._explain._subgroups import Division, division_of
from rsens._explain._values import LocalValues, RowMoments, Sums
from rsens._frames import as_pandas
from rsens._progress import Progress, progress_of
from rsens._refits import one_target, quiet, run_pieces
from rsens._table import Table
from rsens._threads import one_thread
from rsens._typing import Array
from rsens.adapters import classes_of
from rsens.derivatives import Derivatives, Model, iterate, prepare
from rsens.measures import (
    check_weights,
    finite,
    first_of_prediction,
    pair_parts_of,
    parts_of,
    rsens2_of,
    rsens_of,
    switches_of,
)

#: With `keep_local="auto"`, the most rows in chunks whose values are kept.
AUTO_LOCAL_ROWS = 200_000
#: The rows of a block are a multiple of this.
BLOCK = 256
#: Starting processes, which import all that the model needs, takes seconds: with less work left, rows stay here.
WORTH_IT = 10.0


@dataclass(frozen=True, eq=False)
class RowEvaluation:
    """What is computed at every row. Pairs on the link scale have no parts, since η is the prediction."""

    model: Model
    query: Query  # its weights are the usual ones of the rows
    link: Callable[[Model], Model] | None = None  # makes a model of η, where pairs are on the link scale
    steps: Mapping[int, Step] | None = None  # of effects; None for no effects
    details: bool = False  # parts of pairs, and R-sens of each posterior draw, which refits do not need
    keep_local: bool = False  # R-sens of every row
    keep_local_pairs: bool = False  # R-sens₂ of every row
    prepared: bool = False  # whether the model is prepared already, for more rows than it is asked about

    def sums(
        self,
        table: Table,
        weights: Array | None = None,
        division: Division | None = None,
        first_row: int = 0,
        *,
        watch: bool = True,
        advance: Callable[[int], Any] = lambda rows: None,
    ) -> Sums:
        """The sums over the rows of a table. `first_row` is for errors; `advance` gets how many rows are done."""
        query, weights = self.query, self.query.weights if weights is None else weights
        if self.link is not None and query.pairs:
            return self._with_link_pairs(table, weights, division, first_row, watch=watch, advance=advance)
        total: Sums | None = None
        order = 2 if query.pairs else 1
        for rows, derivatives in iterate(self.model, table, order, watch=watch, prepared=self.prepared):
            own = None if division is None else division.taken(rows)
            sums = self._of_chunk(derivatives, table, weights[rows], own, first_row + rows.start)
            total = sums if total is None else total + sums
            advance(len(derivatives))
        assert total is not None  # a table has at least one row
        if self.steps:
            moved = step_moments(self.model, table, weights, query.terms, self.steps, total.quantities)
            total = replace(total, moments={**total.moments, **moved})
        return total

    def _with_link_pairs(
        self, table: Table, weights: Array, division: Division | None, first_row: int, *, watch: bool, advance: Any
    ) -> Sums:
        without = replace(self, query=replace(self.query, pairs=False), link=None, keep_local_pairs=False)
        found = without.sums(table, weights, division, first_row, watch=watch, advance=advance)
        assert self.link is not None
        linked = RowEvaluation(
            self.link(self.model), self.query, keep_local_pairs=self.keep_local_pairs, prepared=self.prepared
        ).sums(table, weights, None, first_row, watch=watch)
        found = replace(found, moments={**found.moments, "pairs": linked.moments["pairs"]})
        if not self.keep_local_pairs:
            return found
        assert found.local_main is not None  # local pairs are kept with the values of single rows
        return replace(found, local=(LocalValues(found.local_main, linked.local_pairs),))

    def _of_chunk(
        self, derivatives: Derivatives, table: Table, weights: Array, division: Division | None, first_row: int
    ) -> Sums:
        """The sums of the local values of one chunk."""
        query = self.query
        terms, units, alpha, split = query.terms, query.units, query.alpha, self.details and query.pairs
        rows = slice(first_row, first_row + len(derivatives))
        with np.errstate(over="ignore", invalid="ignore"):  # what does not fit in float64 is reported by `finite`
            switches = switches_of(derivatives, alpha)
            main = rsens_of(derivatives, alpha, units, terms, switches)
            pairs = rsens2_of(derivatives, alpha, units, terms) if query.pairs else None
        finite(main, rows, terms.names, 1, "R-sens")
        parts = parts_of(derivatives, alpha, units, terms, switches)
        direction = _direction(derivatives, query)
        columns = {"main": main, "parts": _beside(parts, main), "direction": direction, "size": np.abs(direction)}
        pair_parts: Mapping[str, Array] = {}
        if pairs is not None:
            finite(pairs, rows, terms.names, 2, "R-sens₂")
            pair_parts = pair_parts_of(derivatives, pairs, alpha, units, terms) if split else {}
            columns["pairs"] = pairs[:, *np.triu_indices(len(terms), 1)]
            columns["pair_parts"] = _beside(pair_parts, main)
        if self.steps is not None:
            columns["effects"] = line_changes(table, terms, self.steps, derivatives)
        moments: dict[Any, RowMoments] = {name: RowMoments.of(values, weights) for name, values in columns.items()}
        if division is not None:
            moments |= division.moments(main, weights)
        by_draw, draw_weights = draw_sums(derivatives, weights, query) if self.details else (None, None)
        # Parameters that cannot be told apart are one part, the whole.
        part_names = tuple(parts) or (("joint",) if derivatives.first.shape[1] > 1 else ())
        kept = LocalValues(main, pairs if self.keep_local_pairs else None)
        return Sums(
            family=type(derivatives.distribution).__name__,
            quantities=Quantities.of(derivatives.distribution),
            part_names=part_names,
            pair_part_names=tuple(pair_parts) or (("joint",) if split and part_names else ()),
            lines={} if self.steps is None else line_keys(table, terms, self.steps),
            moments=moments,
            draws=by_draw,
            draw_weights=draw_weights,
            label_order=None if division is None else division.categories,
            local=(kept,) if self.keep_local or self.keep_local_pairs else None,
        )


def output_names(model: Any, n_outputs: int) -> tuple[str, ...]:
    """The classes where the model names them, else y0, y1, …"""
    classes = classes_of(model)
    if n_outputs > 1 and classes is not None and len({str(c) for c in classes}) == len(classes) == n_outputs:
        return tuple(str(c) for c in classes)
    return ("y",) if n_outputs == 1 else tuple(f"y{p}" for p in range(n_outputs))


def _direction(derivatives: Derivatives, query: Query) -> Array:
    """The derivative of the point prediction in each term, (rows, outputs · terms); NaN for groups and levels."""
    with np.errstate(over="ignore", invalid="ignore"):
        direction = query.terms.of_columns(first_of_prediction(derivatives) * query.units, np.nan)
    for contrast in derivatives.contrasts:  # levels have no direction, unless they are two numbers
        d = contrast.column
        up: Array | float = np.nan
        if d in query.two_valued:
            up = 0.0  # with one value nothing rises
            if len(contrast.levels) == 2:
                low, high = (level.prediction() for level in contrast.levels)
                up = (high - low) * query.units[d]
        direction[..., query.terms.of_column(d)] = up
    return direction.reshape(len(direction), -1)


def _beside(parts: Mapping[str, Array], like: Array) -> Array:
    """Parts side by side, (rows, parts · values); no columns without parts."""
    return np.concatenate([np.empty((len(like), 0)), *parts.values()], axis=1)


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
                return evaluation.sums(table, weights, division, first_row, advance=advance)
        if not evaluation.prepared:
            evaluation = replace(evaluation, model=prepare(evaluation.model, table), prepared=True)
        rows = BLOCK * -(-max(LEAST_ROWS, -(-n // MOST_PIECES)) // BLOCK)
        starts = range(0, n, rows)

        def arguments(number: int) -> tuple[Table, Array, Division | None, int]:
            start, stop = starts[number], min(n, starts[number] + rows)
            own = None if division is None else division.taken(slice(start, stop))
            return table.part(start, stop), weights[start:stop], own, first_row + start

        began = time.perf_counter()
        with self.progress.stage("row", n) as advance, one_piece(warns=True):
            first = evaluation.sums(*arguments(0), advance=advance)
        rest = (time.perf_counter() - began) * (len(starts) - 1)
        others = run_pieces(
            _further_block,
            len(starts) - 1,
            lambda number: arguments(number + 1),
            shared=(evaluation,),
            n_jobs=self.n_jobs if rest > WORTH_IT else 1,
            progress=self.progress,
            noun="block",
        )
        return sum(others, start=first)

    def over_chunks(self, chunks: Chunks, asked: ChunkOptions) -> Sums:
        """The sums over the rows of all chunks. Which are added to which depends on the files alone."""
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
        with one_piece(warns=warns):
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


@contextmanager
def one_piece(*, warns: bool = False) -> Iterator[None]:
    """One thread, for a piece of work. Only the first piece warns: the others would repeat it."""
    with one_thread(), warnings.catch_warnings():
        for kind in () if warns else quiet():
            warnings.simplefilter("ignore", kind)
        yield


def _further_block(evaluation: RowEvaluation, *block: Any) -> Sums:
    with one_piece():
        return evaluation.sums(*block, watch=False)


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
