"""The rows of one table, looked at in one go, or in blocks that run at the same time.

Where blocks start and stop depends on the number of rows alone, and every block is evaluated with one thread. So how
many run at once, and where, changes nothing.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from rsens._chunks import LEAST_ROWS, MOST_PIECES
from rsens._explain._bootstrap import BLOCK
from rsens._explain._pieces import Piece, RowLook, join
from rsens._explain._subgroups import Division
from rsens._progress import Progress
from rsens._refits import quiet, run_pieces
from rsens._table import Table
from rsens._threads import one_thread
from rsens._typing import Array
from rsens.derivatives import prepare

#: Starting processes, which import all that the model needs, takes seconds: with less work left, rows stay here.
WORTH_IT = 10.0


def look_at(
    look: RowLook,
    table: Table,
    weights: Array,
    *,
    first_row: int,
    division: Division | None,
    n_jobs: int | None,
    progress: Progress,
) -> Piece:
    """What the rows add. The first block is timed, to see if the others are worth processes."""
    n = len(table)
    if n < 2 * LEAST_ROWS:
        with progress.stage("row", n) as advance:
            return look(table, weights, first_row, division, advance)
    if not look.prepared:
        look = replace(look, source=prepare(look.source, table), prepared=True)
    rows = BLOCK * -(-max(LEAST_ROWS, -(-n // MOST_PIECES)) // BLOCK)
    starts = range(0, n, rows)

    def arguments(number: int) -> tuple[Table, Array, int, Division | None]:
        start, stop = starts[number], min(n, starts[number] + rows)
        own = None if division is None else replace(division, codes=division.codes[start:stop])
        return table.part(start, stop), weights[start:stop], first_row + start, own

    began = time.perf_counter()
    with progress.stage("row", n) as advance:
        first = _one_block(look, *arguments(0), watch=True, advance=advance)
    rest = (time.perf_counter() - began) * (len(starts) - 1)
    others = run_pieces(
        partial(_one_block, watch=False),
        len(starts) - 1,
        lambda number: arguments(number + 1),
        shared=(look,),
        n_jobs=n_jobs if rest > WORTH_IT else 1,
        progress=progress,
        noun="block",
    )
    return join([first, *others])


def _one_block(
    look: RowLook,
    table: Table,
    weights: Array,
    first_row: int,
    division: Division | None,
    *,
    watch: bool,
    advance: Callable[[int], Any] = lambda rows: None,
) -> Piece:
    """One block. Warnings of the others would say again what the first has said."""
    with one_thread(), warnings.catch_warnings():
        for kind in () if watch else quiet():
            warnings.simplefilter("ignore", kind)
        return look(table, weights, first_row, division, advance, watch)
