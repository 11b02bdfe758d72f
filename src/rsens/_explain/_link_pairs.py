"""Pairs on the link scale in place of pairs of parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from rsens._explain._evaluate import Watcher, evaluate
from rsens._explain._query import Query
from rsens._explain._values import Averages
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
    keep_local: bool = True,
    keep_local_pairs: bool = False,
    advance: Callable[[int], Any] = lambda rows: None,
    watchers: Sequence[Watcher] = (),
    **rows: Any,
) -> Averages:
    """`evaluate`, with the pairs of η; see `rsens.measures.on_link`. They have no parts: η is the prediction."""
    found = evaluate(
        source,
        table,
        replace(query, pairs=False),
        output_names=output_names,
        keep_local=keep_local,
        advance=advance,
        watchers=watchers,
        **rows,
    )
    linked = on_link(model, source)
    pairs = evaluate(linked, table, query, keep_local=False, keep_local_pairs=keep_local_pairs, **rows)
    sums = replace(found.sums, sum_pairs=pairs.sums.sum_pairs, replicate_pairs=pairs.sums.replicate_pairs)
    return replace(found, sums=sums, local_pairs=pairs.local_pairs)
