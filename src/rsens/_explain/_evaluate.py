"""R-sens and R-sens₂ of all terms, in one pass over rows: local values, and their sums.

Only a chunk is in memory at a time. Where blocks of rows start and stop depends on the rows alone, and every block is
evaluated with one thread. So how many run at once, and where, changes nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from rsens import measures
from rsens._chunks import LEAST_ROWS, MOST_PIECES, chunks_of, comes_in_chunks
from rsens._errors import Argument, InputError
from rsens._explain._effects import Quantities, line_changes, line_keys, step_moments
from rsens._explain._query import Query, read_further
from rsens._explain._rows import extrapolates, index_of
from rsens._explain._subgroups import division_of
from rsens._explain._values import LocalValues, RowMoments, Sums
from rsens._progress import Progress
from rsens._refits import one_target, quietly, run_pieces
from rsens._table import as_pandas
from rsens._threads import one_thread
from rsens._typing import Array
from rsens.derivatives import Derivatives, Model, iterate

if TYPE_CHECKING:
    from rsens._explain._context import Arguments

#: With `keep_local="auto"`, the most rows in chunks whose values are kept.
AUTO_LOCAL_ROWS = 200_000
#: The rows of a block are a multiple of this.
BLOCK = 256
#: Starting processes, which import the libraries of the model, takes seconds: with less work left, rows stay here.
WORTH_IT = 10.0
#: The order of the divergence: another one multiplies values by √α, except those of levels, which change otherwise.
ALPHA = 1.0


def sums_of(query: Query, *, watch: bool = True, advance: Callable[[int], Any] = lambda rows: None) -> Sums:
    """The sums over the rows of a query; `advance` gets how many rows are done."""
    if query.link is not None and query.pairs:
        return _with_link_pairs(query, watch=watch, advance=advance)
    total: Sums | None = None
    order = 2 if query.pairs else 1
    for rows, derivatives in iterate(query.source, query.table, order, watch=watch, prepared=query.prepared):
        sums = _of_chunk(derivatives, query.part(rows.start, rows.stop))
        total = sums if total is None else total + sums
        advance(len(derivatives))
    assert total is not None  # a table has at least one row
    if query.steps:
        total = replace(total, moments={**total.moments, **step_moments(query, total.quantities)})
    return total


def _with_link_pairs(query: Query, *, watch: bool, advance: Any) -> Sums:
    """Pairs on the link scale, without parts since η is the prediction, and the rest as usual."""
    assert query.link is not None
    with_pairs = query.keep == "pairs"
    found = sums_of(
        replace(query, pairs=False, link=None, keep="main" if query.keep else None), watch=watch, advance=advance
    )
    linked = replace(query, source=query.link(query.source), link=None, steps=None, details=False, division=None)
    of_pairs = sums_of(replace(linked, keep="pairs" if with_pairs else None), watch=watch)
    local = found.local
    if with_pairs and local is not None:
        local = (replace(local[0], pairs=of_pairs.local_pairs),)
    return replace(found, moments={**found.moments, "pairs": of_pairs.moments["pairs"]}, local=local)


def _of_chunk(derivatives: Derivatives, query: Query) -> Sums:
    """The sums of the local values of one chunk, whose derivatives are known."""
    terms, units, weights, division = query.terms, query.units, query.weights, query.division
    split, rows = query.details and query.pairs, slice(query.first_row, query.first_row + len(query))
    with np.errstate(over="ignore", invalid="ignore"):  # what does not fit in float64 is reported by `finite`
        switches = measures.switches_of(derivatives, ALPHA)
        main = measures.rsens_of(derivatives, ALPHA, units, terms, switches)
        pairs = measures.rsens2_of(derivatives, ALPHA, units, terms) if query.pairs else None
    measures.finite(main, rows, terms.names, 1, "R-sens")
    parts = measures.parts_of(derivatives, ALPHA, units, terms, switches)
    direction = _direction(derivatives, query)
    columns = {"main": main, "parts": _side_by_side(parts, main), "direction": direction, "size": np.abs(direction)}
    pair_parts: Mapping[str, Array] = {}
    if pairs is not None:
        measures.finite(pairs, rows, terms.names, 2, "R-sens₂")
        pair_parts = measures.pair_parts_of(derivatives, pairs, ALPHA, units, terms) if split else {}
        columns["pairs"] = pairs[:, *np.triu_indices(len(terms), 1)]
        columns["pair_parts"] = _side_by_side(pair_parts, main)
    if query.steps is not None:
        columns["effects"] = line_changes(query, derivatives)
    moments: dict[Any, RowMoments] = {name: RowMoments.of(values, weights) for name, values in columns.items()}
    if division is not None:
        moments |= division.moments(main, weights)
    # Parameters that are not separable are one part, the whole.
    part_names = tuple(parts) or (("joint",) if derivatives.first.shape[1] > 1 else ())
    return Sums(
        family=type(derivatives.distribution).__name__,
        quantities=Quantities.of(derivatives.distribution),
        part_names=part_names,
        pair_part_names=tuple(pair_parts) or (("joint",) if split and part_names else ()),
        lines={} if query.steps is None else line_keys(query),
        moments=moments,
        label_order=None if division is None else division.categories,
        local=None if query.keep is None else (LocalValues(main, pairs if query.keep == "pairs" else None),),
    )


def _direction(derivatives: Derivatives, query: Query) -> Array:
    """The derivative of the point prediction in each term, (rows, outputs · terms); NaN for groups and levels."""
    with np.errstate(over="ignore", invalid="ignore"):
        direction = query.terms.of_columns(measures.first_of_prediction(derivatives) * query.units, np.nan)
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


def _side_by_side(parts: Mapping[str, Array], like: Array) -> Array:
    """Parts as columns, (rows, parts · values); no columns without parts."""
    return np.concatenate([np.empty((len(like), 0)), *parts.values()], axis=1)


def over_table(query: Query, n_jobs: int | None, progress: Progress) -> Sums:
    """The sums over the rows of a table. The first block is timed, to see if the others are worth processes."""
    n = len(query)
    if n < 2 * LEAST_ROWS:
        with progress.stage("row", n) as advance:
            return sums_of(query, advance=advance)
    query = query.ready()
    rows = BLOCK * -(-max(LEAST_ROWS, -(-n // MOST_PIECES)) // BLOCK)
    starts = range(0, n, rows)

    def block(number: int) -> Query:
        return query.part(starts[number], min(n, starts[number] + rows))

    def arguments(number: int) -> tuple[Any, ...]:
        part = block(number + 1)
        return part.table, part.weights, part.division, part.first_row

    began = time.perf_counter()
    with progress.stage("row", n) as advance, one_thread():
        first = sums_of(block(0), advance=advance)
    rest = (time.perf_counter() - began) * (len(starts) - 1)
    others = run_pieces(
        _further_block,
        len(starts) - 1,
        arguments,
        shared=(replace(query.part(0, 1), training=None),),  # rows are sent block by block
        n_jobs=n_jobs if rest > WORTH_IT else 1,
        progress=progress,
        noun="block",
    )
    return sum(others, start=first)


def _further_block(query: Query, table: Any, weights: Array, division: Any, first_row: int) -> Sums:
    with quietly():
        return sums_of(
            replace(query, table=table, weights=weights, division=division, first_row=first_row), watch=False
        )


@dataclass(frozen=True, eq=False)
class Chunks:
    """X in chunks, and the arguments that go with its rows."""

    first: Any
    others: Iterator[Any]
    weights: Any
    by: Any
    keep_local: Literal["auto", "pairs"] | bool

    def sums(
        self, source: Model, compared: tuple[int, ...], like: Query, n_jobs: int | None, progress: Progress
    ) -> Sums:
        """The sums over the rows of all chunks, one after the other, of what a query for the first ones asks."""
        total: Sums | None = None
        n = 0
        for X in chain([self.first], self.others):
            rows = slice(n, n + len(X))
            given = _taken(self.weights, rows, "weights")
            plain, query = read_further(source, compared, like, X, _weights(given, len(X)))
            keep = rows.stop <= AUTO_LOCAL_ROWS if self.keep_local == "auto" else self.keep_local
            by = self.by if isinstance(self.by, str) else _taken(self.by, rows, "by")
            query = replace(
                query,
                keep="pairs" if keep == "pairs" else "main" if keep else None,
                division=None if by is None else division_of(by, X, plain),
                first_row=n,
            )
            outside = extrapolates(plain, query.training)
            sums = replace(over_table(query, n_jobs, progress), outside=int(outside.sum()))
            if (main := sums.local_main) is not None:
                counted = None if given is None else query.weights
                local = LocalValues(main, sums.local_pairs, index_of(plain), outside, counted)
                sums = replace(sums, local=(local,))
            total, n = sums if total is None else total + sums, rows.stop
        assert total is not None
        for values, name in ((self.weights, "weights"), (self.by, "by")):
            if values is not None and not isinstance(values, str) and len(values) != n:
                raise InputError(Argument(name), f": expected one entry for each of the {n} rows; got {len(values)}.")
        if not total.main.weight > 0.0:
            measures.check_weights(np.zeros(1), 1)  # the error for weights that are all 0
        return total


def opened(asked: Arguments) -> tuple[Chunks | None, Any, Any]:
    """The chunks if X comes in chunks, else None; the table, or the first chunk; and y."""
    if isinstance(asked.X, pd.DataFrame | np.ndarray) or not comes_in_chunks(asked.X):
        return None, as_pandas(asked.X), None if asked.y is None else one_target(asked.y)
    for value, name in ((asked.y, "y"), (asked.clusters, "clusters")):
        if value is not None:
            raise InputError(
                Argument(name),
                " is for refits, which need a table in memory, and X comes in chunks. Leave it out; for marks, explain "
                "the training rows with y.",
            )
    names = getattr(asked.model, "feature_names_in_", None)
    names = getattr(asked.training, "columns", None) if names is None else names
    columns = None if names is None else list(map(str, names))
    chunks = chunks_of(asked.X, columns)
    first = next(chunks, None)
    if first is None:
        raise InputError(Argument("X"), " has no rows; give at least one.")
    return Chunks(first, chunks, asked.weights, as_pandas(asked.by, "by"), asked.keep_local), first, None


def _taken(values: Any, rows: slice, name: str) -> Any:
    """The entries of these rows, for values of all rows."""
    if values is None:
        return None
    if isinstance(values, str) or not hasattr(values, "__len__"):
        raise InputError(Argument(name), f" must have one entry per row of all chunks; got {type(values).__name__}.")
    return values.iloc[rows] if hasattr(values, "iloc") else values[rows]


def _weights(given: Any, n: int) -> Array:
    """The given weights of some rows, checked; all may be 0."""
    if given is None:
        return np.ones(n)
    values = np.asarray(given, dtype=np.float64)
    if values.any() or values.shape != (n,):
        measures.check_weights(given, n)
    return values
