"""The marks of terms and pairs: the null level by refits with probes, and the test of pairs."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any

from rsens._arguments import seed_sequence
from rsens._contents import own_order
from rsens._explain._explanation import Explanation
from rsens._explain._interaction_marks import Interactions, find_interaction_marks
from rsens._explain._null_level import NullLevel, find_null_level, probe_plan, refitter
from rsens._explain._query import Context, query_of
from rsens._explain._reading import read_compared
from rsens._explain._values import Values
from rsens._files import Checkpoint
from rsens._progress import Progress
from rsens._refits import Fit, read_clusters
from rsens.measures import adds_up, check_weights, is_linear


@dataclass(frozen=True, eq=False, kw_only=True)
class Marking:
    """The marks that are asked for; the work is done by `run`.

    fit: How to refit for the null level; None for no level.
    level_required, test_required: Whether what is not possible is an error; else it is a warning.
    """

    context: Context
    fit: Fit | None
    level_required: bool = False
    test_required: bool = False

    def expect(self) -> None:
        """Let the refits count from now on, whatever is refitted before them."""
        if self.fit is not None:
            self.context.progress.expect("refit", "probes", len(probe_plan(self.context)))

    def run(self, values: Values) -> tuple[NullLevel | None, Interactions | None]:
        """The null level for these values, and the test of pairs; None for what is not possible."""
        c = self.context
        asked = (c.model, c.source, c.table, c.query.terms)
        additive = adds_up(*asked) if c.query.pairs else None
        level = None
        if self.fit is not None:
            linear = is_linear(*asked) if additive is None else bool(additive.all())
            level = find_null_level(c, self.fit, values.main, linear=linear, required=self.level_required)
        if additive is None:
            return level, None
        return level, find_interaction_marks(c, additive, required=self.test_required)


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
    source, table, training = read_compared(model, explanation.data, setup.two_valued)
    n = len(table)
    query = query_of(
        model,
        table,
        training,
        groups=explanation.groups,
        scale=setup.units if setup.scale == "given" else setup.scale,
        weights=check_weights(None, n),
        alpha=setup.alpha,
        pairs=explanation.order == 2,
    )
    context = Context(
        model=model,
        source=source,
        table=table,
        y=y,
        query=query,
        order=own_order(table.values, y, clusters=read_clusters(clusters, n), names=table.names),
        n_jobs=n_jobs,
        seed=seed_sequence(random_state),
        progress=progress,
        keep=keep,
    )
    return Marking(context=context, fit=refitter(model, None))


def with_marks(explanation: Explanation, marking: Marking) -> Explanation:
    """The explanation with a null level and tests of pairs, as far as that is possible."""
    same = copy(explanation)
    same._null_level, same._interactions = marking.run(explanation._values)
    return same
