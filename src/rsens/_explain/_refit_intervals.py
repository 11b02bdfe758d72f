"""Intervals that hold for which data were drawn, from refits of the model to parts of the rows.

The delete-a-group jackknife (Kott, 2001, "The delete-a-group jackknife", Journal of Official Statistics 17): the rows
are divided into K folds at random, and v_k is the value without fold k. Then

    se² = (K − 1)/K Σ_k (v_k − v̄)²,

the mean of it over several rounds of folds, and the interval is value ± t se, with t of rounds · (K − 1) degrees of
freedom and a lower end of at least 0. Effects have a sign, and their intervals no such end.

Everything that depends on the data is computed again without the fold: the fit, the rows that are averaged over, and
the units. With the rows and units of all data, the intervals would leave out that X varies too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rsens import _refits as refit
from rsens._arguments import child
from rsens._contents import OwnOrder
from rsens._errors import Argument, InputError, Sentence, warn
from rsens._explain._context import FOLDS, Context
from rsens._explain._effects import Key, line_values
from rsens._explain._evaluate import sums_of
from rsens._explain._explanation import Explanation
from rsens._explain._query import Reader, Step
from rsens._explain._subgroups import Division, within_and_rest
from rsens._explain._values import REFITS, Intervals, KeptRefits, Spread
from rsens._files import fingerprint
from rsens._table import is_pandas
from rsens._typing import Array, Flags, Positions
from rsens.measures import on_link

N_FOLDS = 5
#: One round of folds determines a standard error poorly (4 degrees of freedom, t = 2.8). As many refits as two rounds
#: of five are enough. With more rows than this one round will do: it holds as often, intervals are a fifth wider, and
#: with that many rows they are narrow.
REFITS_ENOUGH, ONE_ROUND_ROWS = 10, 2_000
#: With fewer folds the parts are too unlike the whole, and t is too large to be of use.
LEAST_FOLDS = 3
#: The most rows that R-sens₂ is averaged over in a refit: second derivatives take most of the time.
PAIR_ROWS = 300


@dataclass(frozen=True, eq=False)
class RefitValues:
    """R-sens of each term, R-sens₂ of each pair, and the effects, in one refit; its units, and the rows it left out."""

    main: Array
    pairs: Array | None
    effects: dict[Key, Array]  # the effect of each line, per unit for slopes
    units: Array
    left_out: str  # a fingerprint
    subgroups: Array | None = None  # (2, subgroups, terms) within each subgroup and outside of it


@dataclass(frozen=True, eq=False)
class ValuesOfRefits:
    """The values of a model that was fitted to some rows, averaged over these: a look, for `refit_folds`."""

    sees: ClassVar[type] = RefitValues
    reader: Reader
    X: Any
    pair_rows: Flags | None  # (n,) the rows that pairs are averaged over; None without pairs
    weights: Array | None  # (n,)
    steps: Mapping[int, Step] | None  # of effects: the same in every refit
    division: Division | None  # of the n rows into subgroups
    on_link: bool  # whether pairs are on the link scale

    @classmethod
    def of(cls, context: Context, X: Any, seed: np.random.SeedSequence, order: OwnOrder) -> ValuesOfRefits:
        """The same values as in the explanation; X are its rows in a type that parts can be taken from."""
        query = context.query
        some = None
        if query.pairs:
            some = np.zeros(len(query), dtype=np.bool_)
            some[np.random.default_rng(child(seed, refit.LOOKS)).permutation(order.rows)[:PAIR_ROWS]] = True
        weights = None if context.asked.weights is None else query.weights
        return cls(context.reader, X, some, weights, query.steps, query.division, on_link=query.link is not None)

    def __call__(self, model: Any, train: Positions, test: Positions) -> RefitValues:
        """The fit determines rows and units. Pairs take the units of all its rows, and fewer rows."""
        weights = None if self.weights is None else self.weights[train]
        if weights is not None and not weights.any():
            raise InputError("none of its training rows counts: their weights are 0.")
        query = replace(
            self.reader.query(model, *self.reader.rows(model, refit.take_rows(self.X, train), weights)),
            link=partial(on_link, model) if self.on_link else None,
            steps=self.steps,
            division=None if self.division is None else self.division.taken(train),
        )
        some = None if self.pair_rows is None else self.pair_rows[train] & (query.weights > 0.0)
        all_have_pairs = some is not None and bool(some.all())
        sums = sums_of(replace(query, pairs=all_have_pairs))
        pairs = sums.pairs
        if some is not None and not all_have_pairs:
            fewer = replace(query.taken(np.flatnonzero(some)), pairs=True, steps=None, division=None)
            pairs = sums_of(fewer).pairs
        return RefitValues(
            main=sums.main.mean,
            pairs=None if pairs is None else pairs.mean,
            effects={key: value for key, (value, _) in line_values(sums).items()},
            units=query.units,
            left_out=fingerprint(test),
            subgroups=None if self.division is None else within_and_rest(sums, self.division.labels),
        )


def with_refits(explanation: Explanation, rounds: Sequence[Sequence[Any]], *, required: bool = False) -> Explanation:
    """The explanation with intervals from refits; one that failed is an error if `required`, else a warning."""
    failed = next((fold for folds in rounds for fold in folds if isinstance(fold, refit.Failed)), None)
    if failed is not None:
        _unavailable(failed.sentence, required=required, error=failed.error)
        return explanation
    same, values, level = copy(explanation), explanation._values, explanation._setup.level

    def ends(value: Array, name: str) -> Array:
        seen = [np.array([getattr(refit, name) for refit in refits]) for refits in rounds]
        return np.maximum(Spread.of_refits(seen).around(value, level), 0.0)

    same._intervals = Intervals(
        intervals=ends(values.main, "main"),
        pair_intervals=None if values.pairs is None else ends(values.pairs, "pairs"),
        interval_kind=REFITS,
        interval_refits=sum(map(len, rounds)),
    )
    if same._effects is not None:
        same._effects = same._effects.with_refits(rounds, level)
    if same._subgroups is not None:
        same._subgroups = same._subgroups.with_refits(rounds, level)
    same._refits = KeptRefits.of(rounds)
    return same


def _unavailable(reason: str, *, required: bool, error: Exception | None = None) -> None:
    """State why intervals are not from refits: as an error if they are required, else as a warning."""
    end = "" if reason.endswith((".", "!", "?")) else "."
    text = Sentence("Intervals for which data were drawn are not known: ", reason, end)
    if required:
        raise InputError(text, " Use ", Argument("intervals", "rows"), ".") from error
    warn(text, " They hold only for which rows are explained.")


def rounds_for(n_folds: int, n_rows: int) -> int:
    """The number of rounds of folds: two, or one if there are many folds or many rows."""
    return 2 if n_folds < REFITS_ENOUGH and n_rows <= ONE_ROUND_ROWS else 1


def most_folds(y: NDArray[Any], stratify: bool, clusters: Positions | None) -> tuple[int, str]:
    """The largest number of folds, and the units that limit it: every fold must leave some in the rest."""
    if clusters is not None:
        return int(clusters.max()) + 1, "clusters"
    if stratify:
        return int(np.unique(y, return_counts=True)[1].min()), "rows of the smallest class"
    return len(y), "rows"


def refit_without_folds(context: Context) -> list[list[Any]] | None:
    """The values of refits to all but a fold of the rows, by round and fold; None if there are too few rows."""
    assert context.fit is not None
    fit, order, y = context.fit, context.order, context.y
    seed, rows = child(context.seed, FOLDS), refit.rows_with_levels(fit.estimator, context.X)
    targets = refit.read_targets(y, len(rows), several=True)
    stratify = targets.ndim == 1 and refit.stratified(fit.estimator, targets)
    most, units = most_folds(targets, stratify, order.clusters)
    if most < LEAST_FOLDS:
        _unavailable(f"that takes {LEAST_FOLDS} {units}; got {most}.", required=context.intervals == "refits")
        return None
    count = min(N_FOLDS, most)
    n_rounds = rounds_for(count, len(rows))
    rounds = refit.rounds_of_folds(n_rounds, count, targets, stratify, seed, order.clusters, order.rows)
    [seen] = refit.refit_folds(
        fit.quick(),
        rows,
        y if is_pandas(y) else targets,  # a function of the user gets y in its own type
        rounds,
        [ValuesOfRefits.of(context, rows, seed, order)],
        n_jobs=context.n_jobs,
        seed=seed,
        progress=context.progress,
    )
    return seen
