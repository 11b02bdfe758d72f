"""The level that an irrelevant variable reaches, found with probes.

Wherever a model is unsure of its function, irrelevant inputs score above zero: the width of the prediction depends on
them (paper, Figure 2). How far above zero depends on the model and the data, so we measure it. A probe is a copy of a
real term with its rows shuffled: it keeps the distribution and loses any relation with y. The model is refitted with a
few probes beside the real columns (many would change the model), again and again until there are enough probes.

The level is the 95 % quantile of what the probes reach, estimated so that one more irrelevant variable passes it with
probability 1/20 (it is near the largest of 20 probes, and is the largest of fewer than 19). The mean over probes would
be too low: half of all irrelevant variables pass it.

Single columns share their probes, since one standard deviation means the same for all of them. Categorical columns
share theirs, and so do numeric ones of two values. A group has probes of its own, because several columns together
reach higher. A pair is compared with pairs in which one of the two is irrelevant: we put probes in the place of the
second term, then of the first, and take the larger of the two quantiles of R-sens₂.

A quantile of few probes is uncertain, so the share of probes that reach the value of a term is kept beside it. A term
that none of 60 probes reaches is above the level with 95 % confidence (0.95⁶⁰ < 0.05); one that 3 reach is about at it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._arguments import child
from rsens._errors import Argument, InputError, RsensWarning, Sentence
from rsens._explain._query import Query
from rsens._explain._values import Values, evaluate
from rsens._files import number, number_or_nan, text, tuple_of
from rsens._refits import Fit, check_refit
from rsens._results import Part, stored
from rsens._table import Table, is_pandas
from rsens._typing import Array
from rsens.adapters import as_contrasts, read_for
from rsens.measures import training_inputs

NULL_QUANTILE = 0.95
MOST_PROBE_COLUMNS = 5
#: The kind of a probe: of a single continuous or categorical column, or else the position of its group.
SINGLE, CATEGORICAL = -1, -2


@dataclass(frozen=True, eq=False, kw_only=True)
class NullLevel(Part):
    """Levels by term and by pair, and the probes they come from."""

    null: Array = stored(
        "The level that an irrelevant variable passes once in twenty times, by term. NaN where the unit of a term has "
        "nothing to do with its spread.",
        number_or_nan, "terms", column="null",
    )  # fmt: skip
    null_pairs: Array | None = stored(
        "The level that a pair reaches when one of its two variables is irrelevant, by pair.",
        number_or_nan, "pairs", optional=True, column="null",
    )  # fmt: skip
    reached: Array = stored(
        "The share of probes, which are irrelevant, that reach the value of a term: 0 for one that is clearly not.",
        number_or_nan, "terms", column="reached",
    )  # fmt: skip
    reached_pairs: Array | None = stored(
        "The share of probes that reach the value of a pair when they take the place of one of its two variables.",
        number_or_nan, "pairs", optional=True, column="reached",
    )  # fmt: skip
    probe_terms: tuple[str, ...] = stored("The term that each probe is a shuffled copy of.", tuple_of(text))
    probe_values: Array = stored("The value that each probe reached.", number, "probe_terms")

    def check(self) -> None:
        if (self.null_pairs is None) != (self.reached_pairs is None):
            raise InputError("null_pairs and reached_pairs belong together")


def refitter(model: Any, refit: Any) -> Fit | None:
    """How to refit the model: with the user's function, or as a copy of the estimator; None if neither works."""
    if refit is not None:
        check_refit(None, refit)
        return Fit(None, refit)
    if not (callable(getattr(model, "fit", None)) and callable(getattr(model, "get_params", None))):
        return None
    return Fit(model)


def find_null_level(
    refit: Fit,
    table: Table,
    y: Any,
    query: Query,
    found: Values,
    *,
    n_probes: int,
    n_jobs: int | None,
    seed: np.random.SeedSequence,
    required: bool,
    progress: Callable[..., Any],
) -> NullLevel | None:
    """Refit with probes and measure them against what was `found` for the real terms.

    A failing refit is an error if `required`, else a warning and None.
    """
    from joblib import Parallel, delayed

    plan = list(_plan(query, (np.ptp(table.values, axis=0) > 0.0) & (query.deviations > 0.0), n_probes, seed))
    if not plan:
        _unavailable("no column of X varies", None, required)
        return None
    run = Parallel(n_jobs=n_jobs, return_as="generator")
    tasks = (
        delayed(_measure)(refit, table, y, query, probes, child(seed, 1, number)) for number, probes in enumerate(plan)
    )
    try:
        measured = list(progress(run(tasks), total=len(plan), desc="refits", unit="fit"))
    except (ValueError, TypeError, ArithmeticError, LookupError, RuntimeError, AttributeError) as error:
        _unavailable(f"refitting with {len(plan[0])} more columns failed ({error})", error, required)
        return None
    kinds = np.array([_kind(query, t) for probes in plan for t in probes])
    values = np.concatenate([main for main, _ in measured])
    if not values.any():  # a kernel with fixed dims, say: its zero would say that everything matters
        _unavailable("the refitted model does not use the columns that were added", None, required)
        return None
    pair_values = np.concatenate([pairs for _, pairs in measured])
    names = tuple(query.terms.names[t] for probes in plan for t in probes)
    main, pairs = _levels(query, kinds, values, pair_values)
    reached, reached_pairs = _reached(query, kinds, values, pair_values, found)
    return NullLevel(
        null=main,
        null_pairs=pairs if query.pairs else None,
        reached=reached,
        reached_pairs=reached_pairs,
        probe_terms=names,
        probe_values=values,
    )


def _unavailable(reason: str, error: Exception | None, required: bool) -> None:
    sentence = Sentence(
        f"The null level is not known: {reason}. Pass ",
        Argument("refit"),
        ", a function (X, y) -> model that takes any columns, or ",
        Argument("null", False),
    )
    if required:
        raise InputError(sentence, ".") from error
    warnings.warn(RsensWarning(sentence, " to skip it."), stacklevel=4)


def _kind(query: Query, term: int) -> int:
    members = query.terms.members[term]
    if len(members) > 1:
        return term
    return CATEGORICAL if members[0] in query.categorical else SINGLE


def _plan(query: Query, varies: NDArray[np.bool_], n_probes: int, seed: np.random.SeedSequence) -> Iterator[list[int]]:
    """The terms to copy in each refit: `n_probes` columns of each kind, then every group `n_probes` times."""
    terms = query.terms
    rng = np.random.default_rng(child(seed, 0))
    varying = [t for t, members in enumerate(terms.members) if varies[list(members)].any()]
    copies: list[int] = []
    for kind in (SINGLE, CATEGORICAL):
        singles = [t for t in varying if _kind(query, t) == kind]
        of_kind: list[int] = []
        while singles and len(of_kind) < n_probes:
            of_kind += [int(t) for t in rng.permutation(singles)]
        copies += of_kind[:n_probes]
    copies += [t for t in varying if _kind(query, t) >= 0 for _ in range(n_probes)]
    room = min(MOST_PROBE_COLUMNS, ceil(len(varies) / 2))
    batch: list[int] = []
    used = 0
    for t in copies:
        width = len(terms.members[t])
        if batch and used + width > room:
            yield batch
            batch, used = [], 0
        batch, used = [*batch, t], used + width
    if batch:
        yield batch


def _measure(
    refit: Fit,
    table: Table,
    y: Any,
    query: Query,
    probes: list[int],
    seed: np.random.SeedSequence,
) -> tuple[Array, Array]:
    """Values (probes,) of some probes in one refit, and of their pairs with the real terms (probes, T)."""
    rng = np.random.default_rng(seed)
    n, d = table.values.shape
    terms, t = query.terms, len(query.terms)
    columns, sources, units, members = [table.values], list(range(d)), [query.units], []
    for probe in probes:
        source = list(terms.members[probe])
        columns.append(table.values[rng.permutation(n)[:, np.newaxis], source])
        sources += source
        # Single columns are compared across terms, so in standard deviations; a group only with itself.
        units.append((query.units if len(source) > 1 else query.deviations)[source])
        members.append(tuple(range(d, d + len(source))))
        d += len(source)
    X = _like(table, np.concatenate(columns, axis=1), sources)
    names = tuple(f"probe {k}" for k in range(len(probes)))
    extended = replace(query, terms=terms.extended(names, tuple(members)), units=np.concatenate(units))
    fit = refit.for_more_columns(d - table.values.shape[1])
    model = fit(X, y, child(seed, 0))
    compared = [k for k, source in enumerate(sources) if source in query.two_valued]
    two_valued = as_contrasts(*read_for(model, X), compared, training=training_inputs(model, d))
    values, _ = evaluate(*two_valued, extended)
    pairs = np.zeros((t + len(probes), t + len(probes)))
    if values.pairs is not None:
        pairs[np.triu_indices(len(pairs), 1)] = values.pairs
    return values.main[t:], pairs[:t, t:].T


def _like(table: Table, values: Array, sources: list[int]) -> Any:
    """The values as a data frame if X was one, with names for the probes that no column has.

    Column k is a copy of the column `sources[k]` of X. With categorical columns it is a data frame in any case: the
    copies of these have a type that says what they are, even if a model knows its own only by name or position.
    """
    source = table.source
    if not is_pandas(source) and (table.coding is None or all(column.numeric for column in table.coding.columns)):
        return (
            values
            if table.coding is None
            else np.stack(
                [table.coding.column(values[:, k], sources[k], source) for k in range(values.shape[1])], axis=1
            )
        )
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
    copies = {name: table.coding.column(values[:, k], sources[k], source) for k, name in enumerate(names)}
    return pd.DataFrame(copies, columns=names).set_axis(index)


def _levels(query: Query, kinds: NDArray[np.intp], values: Array, pair_values: Array) -> tuple[Array, Array]:
    """Quantiles over the probes of each kind, brought to the unit of each term."""
    t = len(query.terms)
    level, pair_level = np.full(t, np.nan), np.full((t, t), np.nan)  # pair_level[a, b]: of a with a probe for b
    for b, of_kind, factor in _probes_of_terms(query, kinds):
        level[b] = factor * _quantile(values[of_kind])
        pair_level[:, b] = factor * _quantile(pair_values[of_kind])
    return level, np.fmax(pair_level, pair_level.T)[np.triu_indices(t, 1)]


def _reached(
    query: Query, kinds: NDArray[np.intp], values: Array, pair_values: Array, found: Values
) -> tuple[Array, Array | None]:
    """The share of probes that reach the value of each term, and of each pair: the larger of its two shares."""
    t = len(query.terms)
    real = np.zeros((t, t))
    upper = np.triu_indices(t, 1)
    if found.pairs is not None:
        real[upper] = found.pairs
        real += real.T
    share, pair_share = np.full(t, np.nan), np.full((t, t), np.nan)
    for b, of_kind, factor in _probes_of_terms(query, kinds):
        if np.isfinite(factor):
            share[b] = np.mean(factor * values[of_kind] >= found.main[b])
            pair_share[:, b] = np.mean(factor * pair_values[of_kind] >= real[:, b], axis=0)
    return share, None if found.pairs is None else np.fmax(pair_share, pair_share.T)[upper]


def _probes_of_terms(query: Query, kinds: NDArray[np.intp]) -> Iterator[tuple[int, NDArray[np.bool_], float]]:
    """For every term that has them: the probes of its kind, and what turns their values into its unit."""
    for b, members in enumerate(query.terms.members):
        kind = _kind(query, b)
        of_kind = kinds == kind
        if of_kind.any():
            yield b, of_kind, 1.0 if kind >= 0 else float(_steps(query.units, query.deviations)[members[0]])


def _quantile(values: Array) -> Array:
    """Over the first axis. At rank q(k + 1) of k values: one more value of their kind lies above with chance 1 − q."""
    return np.asarray(np.quantile(values, NULL_QUANTILE, axis=0, method="weibull"))


def _steps(units: Array, deviations: Array) -> Array:
    """Units in standard deviations. A constant column has no level in other units: NaN."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(deviations > 0.0, units / deviations, np.where(units == 0.0, 1.0, np.nan))
