"""The level that an irrelevant variable reaches, found with probes.

Wherever a model is unsure of its function, irrelevant inputs score above zero: the width of the prediction depends on
them (paper, Figure 2). How far above zero depends on the model and the data, so we measure it. A probe is made like a
real column but has nothing to do with y (`_probes.py`). The model is refitted with a few probes next to the real
columns (many would change the model), again and again until there are enough probes.

1. In each refit we read R-sens of the real terms and of the probes, on the same rows and per standard deviation. R_j is
   the root mean square over the refits for the real term j. The value of the model itself would not do: it has fewer
   columns to fit the noise with, and its search may have had more starts.
2. A column that others explain reaches higher, relevant or not: s_j = VIF_j^e, with e = ½ for a model that is linear on
   its link scale (there the standard error of a slope grows like this) and e = ¼ for others.
3. L is the 95 % quantile of probe/s of its source, at rank q(N + 1) of N probes: one more irrelevant variable lies
   above it with chance 1/20. Term j is above the level where R_j/s_j > L.
4. On the scale of the value: null_j = L s_j · value_j/R_j. So value_j > null_j is equivalent to R_j/s_j > L, in any
   unit.

Numbers share their probes. Categories are compared with probes of categories: with two levels or six, even ones or
rare ones, they reach 1.2 to 2.4 times as far as numbers, and with less spread, so one quantile for all would mark too
many of some and too few of others. For the same reason s_j of a category also has a factor: how far its own probes
reach, relative to all probes of categories. Numbers with two values, which are contrasts too but which the model knows
as numbers, are a third kind, with that factor.
A group has its own probes, because several columns together reach higher.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil
from typing import Any

import numpy as np
import pandas as pd

from rsens._arguments import child
from rsens._contents import OwnOrder
from rsens._errors import Argument, InputError, Sentence, warn
from rsens._explain._context import PROBES, Context
from rsens._explain._evaluate import sums_of
from rsens._explain._probes import ProbeSource, sources_of
from rsens._explain._query import Query, Reader
from rsens._meaning import DISCOVERY_RATE, FAMILYWISE, PER_VARIABLE
from rsens._refits import FAILURES, Fit, Kept, quietly, run_pieces, take_rows
from rsens._results import Part, stored
from rsens._table import Table, is_pandas
from rsens._typing import Array, Flags, Positions

#: How many probes, and as many again for every group; with more rows a refit costs more and its values vary less.
N_PROBES, N_PROBES_OF_MANY, MANY_ROWS = 60, 42, 600
#: With more rows than this, the refits take this many at random. The level holds, as real terms and probes are
#: compared in the same refits; and effects that this many rows do not separate from noise are small.
MOST_ROWS = 100_000
#: With fewer rows than this, more than 5 % of the irrelevant variables may pass: docs/calibration.md goes down to 40.
FEW_ROWS = 60
NULL_KIND = "conditional probes, 5 % per variable"
#: Probe columns in one refit: half as many as there are real columns, but within these bounds.
FEWEST_PROBE_COLUMNS, MOST_PROBE_COLUMNS = 3, 6
#: Probes of each column with levels: how far they reach differs from one to the next.
FEWEST_OF_CONTRAST = 3
#: Rows on which the values of a refit are read.
VALUE_ROWS = 300
#: A probe below this share of the largest value is not used by the model: contrasts of equal predictions have rounding.
NEGLIGIBLE = 1e-6
#: The kinds of terms that share their probes.
SINGLE, CATEGORICAL, TWO_VALUED = -1, -2, -3


@dataclass(frozen=True, eq=False, kw_only=True)
class NullLevel(Part):
    """Levels and marks by term, and the probes they come from."""

    null_kind: str = stored("How the null level was found, and its error rate.")
    null: Array = stored(
        "The level that an irrelevant variable passes once in twenty times, by term, on the scale of its value. NaN "
        "where the unit of a term has nothing to do with its spread, or the refitted model never uses such columns.",
        "terms",
    )  # fmt: skip
    p_value: Array = stored(
        "How rarely an irrelevant variable made like this one gets as far, estimated from the probes.", "terms"
    )
    discovery: Flags = stored(
        "Whether a term is among the discoveries: at most one in ten of these is irrelevant, on average (Benjamini and "
        "Hochberg, on `p_value`).", "terms",
    )  # fmt: skip
    familywise: Flags = stored(
        "Whether `p_value` is at most 0.05 divided by the number of terms: with a chance of 95 % none of these is "
        "irrelevant.", "terms",
    )  # fmt: skip
    probe_terms: tuple[str, ...] = stored("The term that each probe is made like.")
    probe_values: Array = stored(
        "The value that each probe reached in its refit, per standard deviation, divided by the factor of its "
        "collinearity (VIF^¼; VIF^½ in linear models), and for columns with levels by how far probes of the same term "
        "reach, relative to all of their kind.", "probe_terms",
    )  # fmt: skip


def find_null_level(context: Context, value: Array, *, linear: bool) -> NullLevel | None:
    """Compare terms, of R-sens `value`, with probes in refits; None if that fails, with a warning or an error."""
    if len(context.query) > MOST_ROWS:
        context = _random_rows(context)
    query, order, plan = context.query, context.order, probe_plan(context)
    if not plan:
        return _unavailable(context, "no column of X varies")
    clusters = None if order.clusters is None else order.clusters[order.rows]
    sources = sources_of(query.table.values[order.rows], query.terms.members, query.categorical, clusters)
    try:
        refitted, probes, made_like = refit_with_probes(context, sources, plan)
    except FAILURES as error:
        return _unavailable(context, f"refitting with {len(plan[0])} more columns failed ({error})", error)
    if not probes.any():  # a kernel with fixed dims, for example: with its zero everything would matter
        return _unavailable(context, "the refitted model does not use the columns that were added")
    if len(query) < FEW_ROWS:
        warn(
            f"The null level is only approximate: with {len(query)} rows, somewhat more than 5 % of irrelevant "
            f"variables may pass it. Rely on clear cases only, or use at least {FEW_ROWS} rows."
        )
    inflation = np.array([source.inflation for source in sources]) ** (0.5 if linear else 0.25)
    return _compare(refitted, probes, made_like, inflation, query, value)


def _random_rows(context: Context) -> Context:
    """`MOST_ROWS` rows at random among those that count; of clusters about as many, whole ones."""
    order, rng = context.order, np.random.default_rng(child(context.seed, PROBES, 2))
    if order.clusters is None:
        counted = order.rows[context.query.weights[order.rows] > 0.0]
        rows = np.sort(rng.choice(counted, min(MOST_ROWS, len(counted)), replace=False))
    else:
        drawn = rng.permutation(int(order.clusters.max()) + 1)
        total = np.cumsum(np.bincount(order.clusters)[drawn])
        rows = np.flatnonzero(np.isin(order.clusters, drawn[: max(1, int(np.sum(total <= MOST_ROWS)))]))
    return replace(context, query=context.query.taken(rows), y=take_rows(context.y, rows), own_order=order.taken(rows))


def _unavailable(context: Context, reason: str, error: Exception | None = None) -> NullLevel | None:
    """None, with a warning; an error if the level is required."""
    sentence = Sentence(
        f"The null level is not known: {reason}. Pass ",
        Argument("refit"),
        ", a function (X, y) -> model that takes any columns, or ",
        Argument("null", False),
    )
    if context.null is True or context.asked.refit is not None:
        raise InputError(sentence, ".") from error
    warn(sentence, " to skip it.")
    return None


# ---- plan of the refits ---------------------------------------------------------------------------------------------


def probe_plan(context: Context) -> list[list[int]]:
    """The terms that the probes of each refit are made like; none where no column varies."""
    query, values = context.query, context.query.table.values
    varies = (np.ptp(values, axis=0) > 0.0) & (query.deviations > 0.0)
    members = query.terms.members
    varying = [int(t) for t in context.order.of_terms(members) if varies[list(members[t])].any()]
    n_probes = N_PROBES if len(values) <= MANY_ROWS else N_PROBES_OF_MANY
    return probes_of_refits(
        members, _kinds(query), varying, n_probes, np.random.default_rng(child(context.seed, PROBES, 0))
    )


def _kinds(query: Query) -> Positions:
    """The kind of each term: of numbers, of levels, of numbers with two values, or else a group: its own position."""
    of_column = dict.fromkeys(query.categorical, CATEGORICAL) | dict.fromkeys(query.two_valued, TWO_VALUED)
    members = enumerate(query.terms.members)
    return np.array([t if len(m) > 1 else of_column.get(m[0], SINGLE) for t, m in members])


def probes_of_refits(
    members: tuple[tuple[int, ...], ...], kinds: Positions, varying: list[int], n_probes: int, rng: np.random.Generator
) -> list[list[int]]:
    """The terms that the probes of each refit are made like.

    Each kind has at least half of `n_probes`, or its level would depend on the seed; a group has all of them.
    """
    by_kind = {kind: [t for t in varying if kinds[t] == kind] for kind in (SINGLE, CATEGORICAL, TWO_VALUED)}
    n_single, copies = max(sum(map(len, by_kind.values())), 1), []
    for kind, terms in by_kind.items():
        least = 0 if kind == SINGLE else FEWEST_OF_CONTRAST * len(terms)
        count = max(ceil(n_probes / 2), ceil(n_probes * len(terms) / n_single), least)
        copies.append(_in_turn(terms, count, rng))
    # Each kind is spread evenly from the first refit to the last.
    places = [((k + 0.5) / len(entries), t) for entries in copies for k, t in enumerate(entries)]
    probed = [t for _, t in sorted(places, key=lambda place: place[0])]
    probed += [t for t in varying if kinds[t] >= 0 for _ in range(n_probes)]
    room = max(FEWEST_PROBE_COLUMNS, min(MOST_PROBE_COLUMNS, ceil(sum(map(len, members)) / 2)))
    plan: list[list[int]] = []
    used = room
    for t in probed:
        if used + len(members[t]) > room:
            plan.append([])
            used = 0
        plan[-1].append(t)
        used += len(members[t])
    return plan


def _in_turn(terms: list[int], count: int, rng: np.random.Generator) -> list[int]:
    """The terms again and again, each time in a new random order."""
    turns: list[int] = []
    while terms and len(turns) < count:
        turns += [int(t) for t in rng.permutation(terms)]
    return turns[:count]


# ---- refits with probes ----------------------------------------------------------------------------------------------


def refit_with_probes(
    context: Context, sources: list[ProbeSource], plan: list[list[int]]
) -> tuple[Array, Array, Positions]:
    """The values of the terms in each refit of `plan`, of all probes, and the term that each probe is made like."""
    assert context.fit is not None
    measured = run_pieces(
        _refit,
        len(plan),
        lambda k: ([sources[t] for t in plan[k]], child(context.seed, PROBES, 1, k)),
        shared=(context.fit.quick(), replace(context.query, training=None), context.y, context.order),
        n_jobs=context.n_jobs,
        progress=context.progress,
        noun="refit",
        stage="probes",
        kept=None if context.checkpoint is None else Kept(context.checkpoint, "refit-probes", required=False),
    )
    t = len(context.query.terms)
    real, probes = np.stack([main[:t] for main in measured]), np.concatenate([main[t:] for main in measured])
    made_like = np.array([t for terms in plan for t in terms], dtype=np.intp)
    return real, np.where(probes > NEGLIGIBLE * real.max(), probes, 0.0), made_like


def _refit(
    fit: Fit, query: Query, y: Any, order: OwnOrder, sources: list[ProbeSource], seed: np.random.SeedSequence
) -> Array:
    """R-sens of the real terms, and of one probe from each of these sources, in one refit."""
    rng, table = np.random.default_rng(seed), query.table
    probes = [source.probe(rng)[order.row_ranks] for source in sources]
    rows = np.sort(rng.permutation(order.rows[query.weights[order.rows] > 0.0])[:VALUE_ROWS])
    origin = [*range(len(table.names)), *(d for source in sources for d in source.columns)]
    ends = np.cumsum([len(table.names), *(len(source.columns) for source in sources)])
    members = tuple(tuple(range(start, end)) for start, end in pairwise(ends.tolist()))
    X = _like(table, np.concatenate([table.values, *probes], axis=1), origin)
    with quietly():
        fitted = fit.for_columns(X, y, origin)(X, y, child(seed, 0))
        reader = Reader(compared=tuple(k for k, d in enumerate(origin) if d in query.two_valued))
        model, extended, training, _ = reader.rows(fitted, X)
        asked = Query(
            source=model,
            table=extended,
            training=training,
            weights=query.weights,
            terms=query.terms.extended(tuple(f"probe {k}" for k in range(len(sources))), members),
            units=query.deviations[origin],
            deviations=query.deviations[origin],
        )
        return sums_of(asked.taken(rows)).main.mean


def _like(table: Table, values: Array, origin: list[int]) -> Any:
    """The values as X was given, with new names for probes; categories are in a data frame, whose types tell them."""
    source, coding = table.source, table.coding
    columns = [] if coding is None else [coding.column(values[:, k], d, source) for k, d in enumerate(origin)]
    if not is_pandas(source) and (coding is None or all(column.numeric for column in coding.columns)):
        return np.column_stack(columns) if columns else values  # numbers of two values, and no labels
    names = list(table.names)
    for k in range(values.shape[1] - len(names)):
        name = f"probe_{k}"
        while name in names:
            name += "_"
        names.append(name)
    index = source.index if is_pandas(source) else pd.RangeIndex(len(values))
    if coding is None:
        return pd.DataFrame(values, index=index, columns=names)
    return pd.DataFrame(dict(zip(names, columns, strict=True)), columns=names).set_axis(index)


# ---- comparison -----------------------------------------------------------------------------------------------------


def _compare(
    refitted: Array, probes: Array, made_like: Positions, inflation: Array, query: Query, value: Array
) -> NullLevel:
    """The level of each term on the scale of its value, and its place among its probes (N,), made like terms (N,).

    `refitted` (refits, T) and `probes` are per standard deviation.
    """
    t, kinds = len(query.terms), _kinds(query)
    level, p = np.full((2, t), np.nan)
    scale, probe_scale = inflation.copy(), inflation[made_like]  # s_j; of a probe, s of its term
    for kind in (CATEGORICAL, TWO_VALUED):
        own = np.flatnonzero(kinds[made_like] == kind)
        reach, without = _reach_of_terms(probes[own] / probe_scale[own], made_like[own], t)
        scale *= reach
        probe_scale[own] *= without
    real = np.sqrt(np.mean(refitted**2, axis=0)) / scale  # R_j/s_j
    probes = probes / probe_scale
    for kind in np.unique(kinds):
        of_terms = kinds == kind
        own = probes[of_terms[made_like]]
        if not own.any():
            continue
        level[of_terms] = np.quantile(own, 1.0 - PER_VARIABLE, method="weibull")
        p[of_terms] = tail_p_values(real[of_terms], own)
    # Where the model itself gives 0, nothing is left to mark; where only the refits do, the value is not above either.
    steps = _steps(query)
    with np.errstate(divide="ignore", invalid="ignore"):
        null = np.where(real > 0.0, level / real * value, np.maximum(level * scale * steps, value))
    null = np.where(value == 0.0, level * scale * steps, null)
    p = np.where(np.isnan(null), np.nan, np.where(value == 0.0, 1.0, p))
    return NullLevel(
        null_kind=NULL_KIND,
        null=null,
        p_value=p,
        discovery=discoveries(p, DISCOVERY_RATE),
        familywise=familywise(p, FAMILYWISE),
        probe_terms=tuple(query.terms.names[t] for t in made_like),
        probe_values=probes,
    )


def _reach_of_terms(values: Array, terms: Positions, t: int) -> tuple[Array, Array]:
    """How far the probes of each of T terms reach: their root mean square c_j, relative to c of all these together.

    Also the same for each probe without itself, since a real value does not count in its c_j either. Few probes are
    drawn towards all: c_j² = (Σ_j probe² + c²)/(m_j + 1). Terms without probes get 1.
    """
    if not values.any():
        return np.ones(t), np.ones(len(values))
    squares = values**2 / np.mean(values**2)
    sums, counts = np.bincount(terms, squares, minlength=t), np.bincount(terms, minlength=t)
    return np.sqrt((sums + 1.0) / (counts + 1.0)), np.sqrt((sums[terms] - squares + 1.0) / counts[terms])


def _steps(query: Query) -> Array:
    """The unit of each term in standard deviations; NaN without spread, and where the columns of a group differ."""
    units, deviations = query.units, query.deviations
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = np.where(deviations > 0.0, units / deviations, np.where(units == 0.0, 1.0, np.nan))
    return np.array([steps[list(m)].max() if np.ptp(steps[list(m)]) == 0.0 else np.nan for m in query.terms.members])


# ---- p-values --------------------------------------------------------------------------------------------------------

#: The share of the probes that the tail of p-values is fitted to, and the least number of them.
TAIL, LEAST_IN_TAIL = 0.25, 5


def tail_p_values(values: Array, probes: Array) -> Array:
    """The share of irrelevant variables that reach each value, from N values of probes.

    Among the probes it is (1 + #{probe ≥ value}) / (N + 1). Above the k = N/4 largest ones it is the tail of an
    exponential distribution, k/N · exp(−(value − u)/m), where u is the largest probe below these k and m their mean
    excess over u (Pickands, 1975, with shape 0): counting alone cannot give less than 1/(N + 1).
    """
    n = len(probes)
    k = int(TAIL * n)
    p = (1.0 + np.sum(probes >= values[:, np.newaxis], axis=1)) / (n + 1.0)
    if k < LEAST_IN_TAIL:
        return np.asarray(p)
    ordered = np.sort(probes)
    u = ordered[n - k - 1]
    m = float(np.mean(ordered[n - k :])) - u
    if m <= 0.0:  # all of them the same
        return np.asarray(p)
    return np.where(values > u, k / n * np.exp(-np.maximum(values - u, 0.0) / m), p)


def discoveries(p: Array, rate: float) -> Flags:
    """Which p-values are discoveries (Benjamini and Hochberg, 1995): to the last p₍ᵢ₎ ≤ i/T · rate; NaN never is."""
    tested = np.flatnonzero(~np.isnan(p))
    ordered = np.sort(p[tested])
    below = np.flatnonzero(ordered <= np.arange(1, len(tested) + 1) / max(len(tested), 1) * rate)
    found = np.zeros(len(p), dtype=np.bool_)
    if len(below):
        found[tested] = p[tested] <= ordered[below[-1]]
    return found


def familywise(p: Array, level: float) -> Flags:
    """Which of T p-values are at most level/T: a false one among them has a chance of at most `level` (Bonferroni)."""
    return np.asarray(p <= level / max(int(np.sum(~np.isnan(p))), 1), dtype=np.bool_)
