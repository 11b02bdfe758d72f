"""Refits of a model with probes beside the real columns, and R-sens of both in each of them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np

from rsens._arguments import child
from rsens._contents import OwnOrder
from rsens._explain._evaluate import evaluate
from rsens._explain._probes import ProbeSource
from rsens._explain._query import Query
from rsens._files import Checkpoint
from rsens._progress import Progress
from rsens._refits import Fit, Kept, quiet, run_pieces, take_rows
from rsens._table import Table, is_pandas
from rsens._threads import one_thread
from rsens._typing import Array, Positions
from rsens.adapters import as_contrasts, read_for
from rsens.measures import training_inputs

#: Probes beside the real columns in one refit: half as many as there are columns, but within these.
FEWEST_PROBE_COLUMNS, MOST_PROBE_COLUMNS = 3, 6
#: Probes of each column with levels: how far they reach differs from one to the next.
FEWEST_OF_CONTRAST = 3
#: Rows on which the values of a refit are read.
MOST_ROWS = 300
#: A probe below this share of the largest value is not used by the model: contrasts of equal predictions have rounding.
NEGLIGIBLE = 1e-6
#: The kind of a term: a column of numbers, of levels, of numbers with two values, or else a group: its own position.
SINGLE, CATEGORICAL, TWO_VALUED = -1, -2, -3


@dataclass(frozen=True)
class Refits:
    """Values per standard deviation: of T terms in each refit, and of all probes, which are made like `terms`."""

    real: Array  # (refits, T)
    probes: Array  # (N,)
    terms: Positions  # (N,)


def probes_of_refits(
    members: tuple[tuple[int, ...], ...], kinds: Positions, varying: list[int], n_probes: int, rng: np.random.Generator
) -> list[list[int]]:
    """The terms that the probes of each refit are made like.

    Numbers, categories and numbers of two values share the `n_probes` by how many columns there are of each, but none
    of the three gets fewer than half: a level that few probes make depends on the seed. Every column with levels gets
    at least 3, every group `n_probes`.
    """
    by_kind = [[t for t in varying if kinds[t] == kind] for kind in (SINGLE, CATEGORICAL, TWO_VALUED)]
    n_single = max(sum(map(len, by_kind)), 1)
    counts = [max(ceil(n_probes / 2), ceil(n_probes * len(terms) / n_single)) for terms in by_kind]
    least = [0] + [FEWEST_OF_CONTRAST * len(terms) for terms in by_kind[1:]]
    copies = _mixed(*(_in_turn(*of, rng) for of in zip(by_kind, map(max, counts, least), strict=True)))
    copies += [t for t in varying if kinds[t] >= 0 for _ in range(n_probes)]
    n_columns = sum(map(len, members))
    room = max(FEWEST_PROBE_COLUMNS, min(MOST_PROBE_COLUMNS, ceil(n_columns / 2)))
    plan: list[list[int]] = []
    used = room
    for t in copies:
        width = len(members[t])
        if used + width > room:
            plan.append([])
            used = 0
        plan[-1].append(t)
        used += width
    return plan


def _in_turn(terms: list[int], count: int, rng: np.random.Generator) -> list[int]:
    """The terms again and again, each time in a new random order."""
    turns: list[int] = []
    while terms and len(turns) < count:
        turns += [int(t) for t in rng.permutation(terms)]
    return turns[:count]


def _mixed(*lists: list[int]) -> list[int]:
    """All entries, those of each list spread evenly from first to last."""
    places = [((k + 0.5) / len(entries), entry) for entries in lists for k, entry in enumerate(entries)]
    return [entry for _, entry in sorted(places, key=lambda place: place[0])]


def refit_with_probes(
    fit: Fit,
    table: Table,
    y: Any,
    query: Query,
    sources: list[ProbeSource],
    plan: list[list[int]],
    order: OwnOrder,
    *,
    n_jobs: int | None,
    seed: np.random.SeedSequence,
    progress: Progress,
    keep: Checkpoint | None = None,
) -> Refits:
    """Refit with the probes of each entry of `plan`. What is seen of a fit is kept in `keep`, and read from there.

    `order` is the rows' own order: in it the sources make their probes, and rows to look at are drawn.
    """

    measured = run_pieces(
        _measure,
        len(plan),
        lambda k: (plan[k], child(seed, 1, k)),
        shared=(fit, table, y, query, sources, order),
        n_jobs=n_jobs,
        progress=progress,
        noun="refit",
        stage="probes",
        kept=None if keep is None else Kept(keep, "refit-probes", required=False),
    )
    t = len(query.terms)
    real, probes = np.stack([main[:t] for main in measured]), np.concatenate([main[t:] for main in measured])
    return Refits(
        real,
        np.where(probes > NEGLIGIBLE * real.max(), probes, 0.0),
        np.array([t for probes in plan for t in probes], dtype=np.intp),
    )


def _with_probes(
    table: Table, query: Query, probes: list[ProbeSource], order: OwnOrder, seed: np.random.SeedSequence
) -> tuple[Any, list[int], Query, Positions, np.random.SeedSequence]:
    """X with probes, which column each is made like, what is asked, the rows for that, and the seed of the refit."""
    rng = np.random.default_rng(seed)
    n, d = table.values.shape
    columns, origin, members = [table.values], list(range(d)), []
    for source in probes:
        columns.append(source.probe(rng, n)[order.row_ranks])
        members.append(tuple(range(len(origin), len(origin) + len(source.columns))))
        origin += source.columns
    counted = order.rows[query.weights[order.rows] > 0.0]
    rows = np.sort(rng.permutation(counted)[:MOST_ROWS])
    asked = replace(
        query,
        two_valued=tuple(k for k, d in enumerate(origin) if d in query.two_valued),
        terms=query.terms.extended(tuple(f"probe {k}" for k in range(len(probes))), tuple(members)),
        units=query.deviations[origin],
        weights=query.weights[rows] / query.weights[rows].sum(),
        pairs=False,
    )
    return _like(table, np.concatenate(columns, axis=1), origin), origin, asked, rows, child(seed, 0)


def _measure(
    fit: Fit,
    table: Table,
    y: Any,
    query: Query,
    sources: list[ProbeSource],
    order: OwnOrder,
    terms: list[int],
    seed: np.random.SeedSequence,
) -> Array:
    """R-sens of the real terms, and of probes made like `terms`, in one refit."""
    X, origin, query, rows, seed = _with_probes(table, query, [sources[t] for t in terms], order, seed)
    with one_thread(), warnings.catch_warnings():
        for category in quiet():
            warnings.simplefilter("ignore", category)
        fitted = fit.for_columns(X, y, origin)(X, y, seed)
        model, table = read_for(fitted, X)
        training = training_inputs(fitted, len(table.names))
        model, table = as_contrasts(model, table, query.two_valued, training=training)
        part = Table(table.names, table.values[rows], take_rows(table.source, rows), table.coding)
        return evaluate(model, part, query).values.main


def _like(table: Table, values: Array, origin: list[int]) -> Any:
    """The values as a data frame if X was one, with names for the probes that no column has.

    Column k is made like the column `origin[k]` of X. With categorical columns it is a data frame in any case: probes
    of these have a type that says what they are, even if a model knows its own only by name or position.
    """
    source = table.source
    if not is_pandas(source):
        if table.coding is None:
            return values
        if all(column.numeric for column in table.coding.columns):  # numbers of two values, and no labels
            return np.column_stack([table.coding.column(values[:, k], d, source) for k, d in enumerate(origin)])
    import pandas as pd

    names = list(table.names)
    while len(names) < values.shape[1]:
        name = f"probe_{len(names) - len(table.names)}"
        while name in names:
            name += "_"
        names.append(name)
    if table.coding is None:
        return pd.DataFrame(values, index=source.index, columns=names)
    index = source.index if is_pandas(source) else pd.RangeIndex(len(values))
    copies = {name: table.coding.column(values[:, k], origin[k], source) for k, name in enumerate(names)}
    return pd.DataFrame(copies, columns=names).set_axis(index)
