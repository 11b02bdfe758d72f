"""Rows that come in chunks: each is looked at and added, and only a chunk is in memory at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from rsens._arguments import one_of
from rsens._chunks import chunks_of, comes_in_chunks
from rsens._errors import Argument, InputError
from rsens._explain._in_blocks import look_at
from rsens._explain._pieces import Piece, RowLook, join
from rsens._explain._reading import ReadRows
from rsens._explain._rows import Rows, extrapolates, index_of, index_together
from rsens._explain._subgroups import Division, division_of
from rsens._frames import as_pandas
from rsens._progress import Progress
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


def opened(model: Any, X: Any, y: Any, *, clusters: Any, training: Any) -> tuple[Iterator[Any] | None, Any, Any]:
    """The chunks but the first if X comes in chunks, else None; the table, or the first chunk; and y."""
    if not comes_in_chunks(X):
        return None, as_pandas(X), as_pandas(y, "y")
    for value, name in ((y, "y"), (clusters, "clusters")):
        if value is not None:
            raise InputError(
                Argument(name),
                " is for refits, which need a table in memory, and X comes in chunks. Leave it out; for marks, explain "
                "the training rows with y, and join both with Explanation.merge.",
            )
    names = getattr(model, "feature_names_in_", None)
    names = getattr(training, "columns", None) if names is None else names
    chunks = chunks_of(X, None if names is None else list(map(str, names)))
    first = next(chunks, None)
    if first is None:
        raise InputError(Argument("X"), " has no rows; give at least one.")
    return chunks, first, None


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
    chunks: Iterable[Any],
    *,
    keep_local: bool | None,
    weights: Any,
    by: Any,
    first_row: int,
    n_jobs: int | None,
    progress: Progress,
) -> RowsSeen:
    """What the rows of all chunks add. `keep_local` None: values of single rows are kept if these are not too many."""
    rows: list[Rows] = []
    indices: list[pd.Index] = []
    seen = 0

    def pieces() -> Iterator[Piece]:
        nonlocal seen
        for X in chunks:
            here = reading.of_rows(X)
            n, start = len(here.plain), seen
            seen += n
            kept = seen <= AUTO_LOCAL_ROWS if keep_local is None else keep_local
            outside = extrapolates(here.plain, here.training)
            own = _slice(weights, start, n, "weights")
            rows.append(
                Rows.of(here.plain, outside, None if own is None else _weights(own, n))
                if kept
                else Rows.only_counted(n, int(outside.sum()))
            )
            indices.append(index_of(here.plain) if kept else pd.RangeIndex(0))
            groups = by if isinstance(by, str) else _slice(by, start, n, "by")
            yield look_at(
                look.keeping(kept),
                here.table,
                _weights(own, n),
                first_row=first_row + start,
                division=None if groups is None else division_of(groups, X, here.plain),
                n_jobs=n_jobs,
                progress=progress,
            )

    whole = join(pieces())
    for values, name in ((weights, "weights"), (by, "by")):
        if values is not None and not isinstance(values, str) and len(values) != seen:
            raise InputError(Argument(name), f": expected one entry for each of the {seen} rows; got {len(values)}.")
    if not whole.averages.sums.sum_weight > 0.0:
        check_weights(np.zeros(1), 1)  # the error for weights that are all 0
    shares = [part.n / seen for part in rows]
    if weights is not None:
        total = whole.averages.sums.sum_weight
        shares = [1.0 / total] * len(rows)
    joined = Rows.together(rows, indices, None, shares)
    return RowsSeen(whole, joined, joined.index if joined.extrapolation is None else index_together(indices, None))


def _slice(values: Any, start: int, n: int, name: str) -> Any:
    """The entries of these rows, for values of all rows."""
    if values is None:
        return None
    if isinstance(values, str) or not hasattr(values, "__len__"):
        raise InputError(Argument(name), f" must have one entry per row of all chunks; got {type(values).__name__}.")
    return values.iloc[start : start + n] if hasattr(values, "iloc") else values[start : start + n]


def _weights(given: Any, n: int) -> Array:
    """The weights of some rows as they were given, checked; all may be 0."""
    if given is None:
        return np.ones(n)
    values = np.asarray(given, dtype=np.float64)
    if values.any() or values.shape != (n,):
        check_weights(given, n)
    return values
