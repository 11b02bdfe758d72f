"""What refits, probes and tests of `explain` work with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rsens._contents import OwnOrder
from rsens._explain._query import Query
from rsens._files import Checkpoint
from rsens._progress import Progress
from rsens._refits import take_rows
from rsens._table import Table
from rsens._typing import Positions
from rsens.derivatives import Model

#: What random numbers of `explain` are for.
PROBES, FOLDS, INTERACTIONS = range(1, 4)


@dataclass(frozen=True, eq=False, kw_only=True)
class Context:
    """The model, the rows with their targets, what is asked of both, and how to work.

    model, source: What was given to `explain`, and the same as a `Model`.
    table, y: The rows, whose two-valued columns are contrasts, and their targets.
    order: An order of rows, columns and clusters that does not depend on how they come: seeds draw in it.
    keep: Where finished refits are kept, and read from.
    """

    model: Any
    source: Model
    table: Table
    y: Any
    query: Query
    order: OwnOrder
    n_jobs: int | None
    seed: np.random.SeedSequence
    progress: Progress
    keep: Checkpoint | None = None

    def taken(self, rows: Positions) -> Context:
        """The same for some of the rows."""
        weights, table = self.query.weights[rows], self.table
        return replace(
            self,
            table=Table(table.names, table.values[rows], take_rows(table.source, rows), table.coding),
            y=take_rows(self.y, rows),
            query=replace(self.query, weights=weights / weights.sum()),
            order=self.order.taken(rows),
        )
