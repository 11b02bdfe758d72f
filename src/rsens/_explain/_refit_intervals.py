"""Intervals that hold for which data were drawn, from refits of the model to parts of the rows.

The delete-a-group jackknife (Kott, 2001, "The delete-a-group jackknife", Journal of Official Statistics 17): the rows
are divided into K folds at random, and v_k is the value without fold k. Then

    se² = (K − 1)/K Σ_k (v_k − v̄)²,

the mean of it over several rounds of folds, and the interval is value ± t se, with t of rounds · (K − 1) degrees of
freedom and a lower end of at least 0.

Everything that depends on the data is computed again without the fold: the fit, the rows that are averaged over, and
the units. With the rows and units of all data, the intervals would leave out that X varies too.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from rsens._arguments import child
from rsens._errors import Argument, InputError, RsensWarning, Sentence
from rsens._explain._explanation import Explanation
from rsens._explain._intervals import REFITS, Intervals
from rsens._explain._link_pairs import evaluate_on_link
from rsens._explain._query import Query, query_of
from rsens._explain._values import Values, evaluate
from rsens._refits import (
    LOOKS,
    Failed,
    Fit,
    read_targets,
    refit_folds,
    rounds_of_folds,
    rows_with_levels,
    stratified,
    take_rows,
)
from rsens._table import Table, is_pandas
from rsens._typing import Array, Flags, Positions
from rsens.adapters import as_contrasts, read_for
from rsens.derivatives import Model, rows_of
from rsens.measures import training_inputs

FOLDS = 5
#: One round of folds says little about a standard error (4 degrees of freedom, t = 2.8). As many refits as two rounds
#: of five are enough.
REFITS_ENOUGH = 10
#: With fewer folds the parts are too unlike the whole, and t is too large to be of use.
LEAST_FOLDS = 3
#: The most rows that R-sens₂ is averaged over in a refit: second derivatives take most of the time.
PAIR_ROWS = 300


# ---- what is looked at -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class RefitValues:
    """R-sens of each term, and R-sens₂ of each pair, in one refit."""

    main: Array
    pairs: Array | None


@dataclass(frozen=True, eq=False)
class ValuesOfRefits:
    """The values of a model that was fitted to some rows, averaged over these: a look, for `refit_folds`.

    ask: `query_of` with the arguments that are the same for all rows.
    """

    X: Any
    weights: Array | None  # (n,)
    pair_rows: Flags | None  # (n,) the rows that pairs are averaged over; None without pairs
    compared: tuple[int, ...]  # numeric columns of two values, which are compared
    on_link: bool  # whether pairs are on the link scale
    ask: Callable[..., Query]

    @classmethod
    def of(
        cls,
        X: Any,
        *,
        pairs: bool,
        seed: np.random.SeedSequence,
        weights: Array | None = None,
        compared: tuple[int, ...] = (),
        on_link: bool = False,
        groups: Any = None,
        scale: Any = "sd",
        alpha: float = 1.0,
        aggregate: str = "mean",
        max_memory_mb: float = 256.0,
    ) -> ValuesOfRefits:
        """What `explain` is asked about the rows X, all arguments checked; `pairs` says whether it has pairs."""
        ask = partial(
            query_of,
            groups=groups,
            scale=scale,
            alpha=alpha,
            aggregate=aggregate,
            keep_local_pairs=False,
            max_memory_mb=max_memory_mb,
        )
        return cls(X, weights, _some_rows(len(X), child(seed, LOOKS)) if pairs else None, compared, on_link, ask)

    def __call__(self, model: Any, train: Positions, test: Positions) -> RefitValues:
        """The rows and units are those of the fit. Pairs take the units of all its rows, and fewer rows."""
        weights = np.ones(len(train)) if self.weights is None else self.weights[train]
        if not weights.any():
            raise InputError("none of its training rows counts: their weights are 0.")
        shares = weights / weights.sum()
        source, table, training = self.read(model, take_rows(self.X, train), shares)
        query = self.ask(model, table, training, weights=shares, pairs=False)
        if self.pair_rows is None:
            return RefitValues(self.evaluate(model, source, table, query).main, None)
        chosen = self.pair_rows[train] & (weights > 0.0)
        if chosen.all():
            values = self.evaluate(model, source, table, replace(query, pairs=True))
            return RefitValues(values.main, values.pairs)
        some = rows_of(source, take_rows(self.X, train[chosen]))
        query_of_some = replace(query, weights=weights[chosen] / weights[chosen].sum(), pairs=True)
        main = self.evaluate(model, source, table, query).main
        return RefitValues(main, self.evaluate(model, source, some, query_of_some).pairs)

    def read(self, model: Any, rows: Any, shares: Array) -> tuple[Model, Table, Array | None]:
        """The one place where a refitted model and its rows are read, as `explain` reads all rows."""
        source, table = read_for(model, rows)
        if self.weights is not None and table.coding is not None:
            source, table = read_for(model, rows, shares)
        training = training_inputs(model, table.values.shape[1])
        return *as_contrasts(source, table, self.compared, training=training, weights=shares), training

    def evaluate(self, model: Any, source: Model, table: Table, query: Query) -> Values:
        """The one place where a refitted model is evaluated."""
        if self.on_link and query.pairs:
            return evaluate_on_link(model, source, table, query)[0]
        return evaluate(source, table, query)[0]


def _some_rows(n: int, seed: np.random.SeedSequence) -> Flags:
    """All rows, or `PAIR_ROWS` of them at random."""
    chosen = np.zeros(n, dtype=np.bool_)
    chosen[np.random.default_rng(seed).permutation(n)[:PAIR_ROWS]] = True
    return chosen


# ---- from what was seen to intervals ---------------------------------------------------------------------------------


def intervals_of(values: Values, rounds: Sequence[Sequence[RefitValues]], level: float) -> Intervals:
    """The intervals of values, from the refits of each round."""

    def around(value: Array, name: str) -> Array:
        by_round = [np.array([getattr(refit, name) for refit in refits]) for refits in rounds]
        reach = student.ppf(0.5 + level / 2.0, degrees) * jackknife(by_round)
        return np.array([np.maximum(value - reach, 0.0), value + reach])

    degrees = sum(len(refits) - 1 for refits in rounds)
    return Intervals(
        intervals=around(values.main, "main"),
        pair_intervals=None if values.pairs is None else around(values.pairs, "pairs"),
        interval_kind=REFITS,
        interval_refits=sum(map(len, rounds)),
    )


def jackknife(rounds: Sequence[Array]) -> Array:
    """The standard error of each value, from (K, values) without each of K folds in every round.

    se² = (K − 1)/K Σ_k (v_k − v̄)², averaged over rounds. Since Σ_k (v_k − v̄)² = K · var, this is (K − 1) var.
    """
    return np.sqrt(np.mean([(len(v) - 1) * np.var(v, axis=0) for v in rounds], axis=0))


def refit_intervals(
    values: Values, rounds: Sequence[Sequence[Any]], level: float, *, required: bool = False, stacklevel: int = 3
) -> Intervals | None:
    """The intervals, from what `ValuesOfRefits` saw. A failure is an error if `required`, else a warning and None."""
    seen = [fold for folds in rounds for fold in folds]
    failed = next((fold for fold in seen if isinstance(fold, Failed)), None)
    if failed is not None:
        unavailable(failed.sentence, required=required, error=failed.error, stacklevel=stacklevel + 1)
        return None
    return intervals_of(values, rounds, level)


def unavailable(reason: str, *, required: bool, error: Exception | None = None, stacklevel: int = 3) -> None:
    """Say why intervals are not from refits: as an error if they are required, else as a warning."""
    end = "" if reason.endswith((".", "!", "?")) else "."
    text = Sentence("Intervals for which data were drawn are not known: ", reason, end)
    if required:
        raise InputError(text, " Use ", Argument("intervals", "rows"), ".") from error
    warnings.warn(RsensWarning(text, " They hold only for which rows are explained."), stacklevel=stacklevel)


def with_refits(explanation: Explanation, rounds: Sequence[Sequence[Any]]) -> Explanation:
    """The explanation with intervals from refits; as it was, with a warning, if one of them failed."""
    found = refit_intervals(explanation._values, rounds, explanation.level)
    if found is None:
        return explanation
    same = copy(explanation)
    same._intervals = found
    return same


# ---- the folds -------------------------------------------------------------------------------------------------------


def rounds_for(n_folds: int) -> int:
    """How many rounds of so many folds: two, or one if that has as many refits as two rounds of five."""
    return 2 if n_folds < REFITS_ENOUGH else 1


def most_folds(y: NDArray[Any], stratify: bool, clusters: Positions | None) -> tuple[int, str]:
    """How many folds there can be at most, and of what there are so many: every fold must leave some in the rest."""
    if clusters is not None:
        return int(clusters.max()) + 1, "clusters"
    if stratify:
        return int(np.unique(y, return_counts=True)[1].min()), "rows of the smallest class"
    return len(y), "rows"


def find_refit_intervals(
    fit: Fit,
    X: Any,
    y: Any,
    look: Callable[[Any], ValuesOfRefits],
    values: Values,
    level: float,
    *,
    clusters: Positions | None,
    n_jobs: int | None,
    seed: np.random.SeedSequence,
    required: bool,
    progress: Callable[..., Any],
) -> Intervals | None:
    """Refit to all but a fold, in two rounds, and measure how far the values vary.

    What is not possible is an error if `required`, else a warning and None.
    """
    rows = rows_with_levels(fit.estimator, X)
    targets = read_targets(y, len(rows), several=True)
    stratify = targets.ndim == 1 and stratified(fit.estimator, targets)
    most, of_what = most_folds(targets, stratify, clusters)
    if most < LEAST_FOLDS:
        unavailable(f"that takes {LEAST_FOLDS} {of_what}; got {most}.", required=required, stacklevel=4)
        return None
    count = min(FOLDS, most)
    rounds = rounds_of_folds(rounds_for(count), count, targets, stratify, seed, clusters)
    given = y if is_pandas(y) else targets  # a function of the user gets y as it was given
    [seen] = refit_folds(fit.quick(), rows, given, rounds, [look(rows)], n_jobs=n_jobs, seed=seed, progress=progress)
    return refit_intervals(values, seen, level, required=required, stacklevel=4)
