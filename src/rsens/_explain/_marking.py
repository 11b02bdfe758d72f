"""The marks of terms and pairs: the null level by refits with probes, and the test of pairs."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from rsens._arguments import child, seed_sequence
from rsens._contents import OwnOrder, own_order
from rsens._explain._explanation import Explanation
from rsens._explain._interaction_marks import Interactions, find_interaction_marks
from rsens._explain._null_level import NullLevel, find_null_level, probe_plan, refitter
from rsens._explain._query import Query, query_of
from rsens._explain._values import Values
from rsens._files import Checkpoint
from rsens._progress import Progress
from rsens._refits import Fit, read_clusters
from rsens._table import Table
from rsens.adapters import as_contrasts, read_for
from rsens.derivatives import Model
from rsens.measures import adds_up, check_weights, is_linear, training_inputs

#: What random numbers of `explain` are for.
PROBES, FOLDS, INTERACTIONS = range(1, 4)


@dataclass(frozen=True, eq=False, kw_only=True)
class Marking:
    """All that the marks need; the work is done by `run`.

    order: An order of rows, columns and clusters that does not depend on how they come.
    fit: How to refit for the null level; None for no level.
    level_required, test_required: Whether what is not possible is an error; else it is a warning.
    keep: Where finished refits are kept, and read from.
    """

    model: Any
    source: Model
    table: Table
    y: Any
    query: Query
    order: OwnOrder
    fit: Fit | None
    n_jobs: int | None
    seed: np.random.SeedSequence
    progress: Progress
    level_required: bool = False
    test_required: bool = False
    keep: Checkpoint | None = None

    def expect(self) -> None:
        """Let the refits count from now on, whatever is refitted before them."""
        if self.fit is not None:
            plan = probe_plan(self.table, self.query, self.order, child(self.seed, PROBES))
            self.progress.expect("refit", "probes", len(plan))

    def run(self, values: Values) -> tuple[NullLevel | None, Interactions | None]:
        """The null level for these values, and the test of pairs; None for what is not possible."""
        asked = (self.model, self.source, self.table, self.query.terms)
        additive = adds_up(*asked) if self.query.pairs else None
        level = None
        if self.fit is not None:
            level = find_null_level(
                self.fit,
                self.table,
                self.y,
                self.query,
                values.main,
                order=self.order,
                linear=is_linear(*asked) if additive is None else bool(additive.all()),
                n_jobs=self.n_jobs,
                seed=child(self.seed, PROBES),
                required=self.level_required,
                progress=self.progress,
                keep=self.keep,
            )
        if additive is None:
            return level, None
        return level, find_interaction_marks(
            self.model,
            self.source,
            self.table,
            self.y,
            self.query,
            additive=additive,
            order=self.order,
            seed=child(self.seed, INTERACTIONS),
            required=self.test_required,
            progress=self.progress,
        )


def marking_of(
    explanation: Explanation,
    y: Any,
    *,
    clusters: Any,
    n_jobs: int | None,
    random_state: Any,
    progress: Progress,
    keep: Checkpoint | None = None,
) -> Marking:
    """How `explain` would mark what it found without marks, with all else as it was; for rows that count the same."""
    model, setup = explanation.model, explanation._setup
    source, table = read_for(model, explanation.data)
    n, n_columns = table.values.shape
    weights, training = check_weights(None, n), training_inputs(model, n_columns)
    source, table = as_contrasts(source, table, setup.two_valued, training=training, weights=weights)
    query = query_of(
        model,
        table,
        training,
        groups=explanation.groups,
        scale=setup.units if setup.scale == "given" else setup.scale,
        weights=weights,
        alpha=setup.alpha,
        pairs=explanation.order == 2,
        keep_local_pairs=False,
    )
    return Marking(
        model=model,
        source=source,
        table=table,
        y=y,
        query=query,
        order=own_order(table.values, y, clusters=read_clusters(clusters, n), names=table.names),
        fit=refitter(model, None),
        n_jobs=n_jobs,
        seed=seed_sequence(random_state),
        progress=progress,
        keep=keep,
    )


def with_marks(explanation: Explanation, marking: Marking) -> Explanation:
    """The explanation with a null level and tests of pairs, as far as that is possible."""
    same = copy(explanation)
    same._null_level, same._interactions = marking.run(explanation._values)
    return same
