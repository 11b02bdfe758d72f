"""Pairs on the link scale in place of pairs of parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from rsens._explain._intervals import Intervals
from rsens._explain._query import Query
from rsens._explain._values import Values, Watcher, evaluate
from rsens._table import Table
from rsens.derivatives import Model
from rsens.measures import on_link

#: What pairs are measured on: the parameters of the family, as the paper has it, or the scale where a model adds up.
PAIR_SCALES = ("parameters", "link")


def evaluate_on_link(
    model: Any,
    source: Model,
    table: Table,
    query: Query,
    *,
    output_names: Callable[[int], tuple[str, ...]] | None = None,
    keep_local_pairs: bool = False,
    advance: Callable[[int], Any] = lambda rows: None,
    watchers: Sequence[Watcher] = (),
    **bootstrap: Any,
) -> tuple[Values, Intervals | None]:
    """`evaluate`, with the pairs of η; see `rsens.measures.on_link`. They have no parts: η is the prediction."""
    values, intervals = evaluate(
        source,
        table,
        replace(query, pairs=False),
        output_names=output_names,
        advance=advance,
        watchers=watchers,
        **bootstrap,
    )
    linked = on_link(model, source)
    pairs, spread = evaluate(linked, table, query, keep_local_pairs=keep_local_pairs, **bootstrap)
    values = replace(values, pairs=pairs.pairs, local_pairs=pairs.local_pairs)
    if intervals is None or spread is None:
        return values, None
    return values, replace(intervals, pair_intervals=spread.pair_intervals)
