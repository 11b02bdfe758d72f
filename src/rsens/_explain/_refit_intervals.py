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

import warnings
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rsens._arguments import child
from rsens._contents import OwnOrder
from rsens._errors import Argument, InputError, RsensWarning, Sentence
from rsens._explain._effects import Key, Step, line_values, numeric_columns, steps_of
from rsens._explain._evaluate import RowEvaluation
from rsens._explain._explanation import Explanation
from rsens._explain._query import FOLDS, Context, Query, query_of, read_compared
from rsens._explain._subgroups import Division, within_and_rest
from rsens._explain._values import REFITS, Intervals, KeptRefits, Spread
from rsens._files import fingerprint
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
from rsens.adapters import read_for
from rsens.derivatives import rows_of
from rsens.measures import on_link

N_FOLDS = 5
#: One round of folds says little about a standard error (4 degrees of freedom, t = 2.8). As many refits as two rounds
#: of five are enough. With more rows than this one round will do: it holds as often, intervals are a fifth wider, and
#: with so many rows they are narrow.
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
    X: Any
    pair_rows: Flags | None  # (n,) the rows that pairs are averaged over; None without pairs
    weights: Array | None = None  # (n,)
    compared: tuple[int, ...] = ()  # numeric columns of two values, which are compared
    on_link: bool = False  # whether pairs are on the link scale
    groups: Any = None
    scale: Any = "sd"
    alpha: float = 1.0
    steps: Mapping[int, Step] | None = None  # of effects; None: those of all rows of X
    division: Division | None = None  # of the n rows into subgroups

    @classmethod
    def of(
        cls, X: Any, *, pairs: bool, seed: np.random.SeedSequence, order: OwnOrder, **asked: Any
    ) -> ValuesOfRefits:  # fmt: skip
        """What `explain` is asked about the rows X, all arguments checked; `pairs` says whether it has pairs."""
        return cls(X, _some_rows(order.rows, child(seed, LOOKS)) if pairs else None, **asked)

    def __call__(self, model: Any, train: Positions, test: Positions) -> RefitValues:
        """The rows and units are those of the fit. Pairs take the units of all its rows, and fewer rows."""
        weights = np.ones(len(train)) if self.weights is None else self.weights[train]
        if not weights.any():
            raise InputError("none of its training rows counts: their weights are 0.")
        shares = weights / weights.sum()
        given = None if self.weights is None else shares
        source, table, training = read_compared(model, take_rows(self.X, train), self.compared, given)
        asked: dict[str, Any] = {"groups": self.groups, "scale": self.scale, "alpha": self.alpha}
        query = query_of(model, table, training, weights=shares, pairs=False, **asked)
        division = None if self.division is None else self.division.taken(train)
        some = None if self.pair_rows is None else self.pair_rows[train] & (weights > 0.0)
        if some is not None and some.all():
            query = replace(query, pairs=True)
        link = partial(on_link, model) if self.on_link else None
        evaluation = RowEvaluation(source, query, link=link, steps=self._steps(model, table, query))
        sums = evaluation.sums(table, division=division)
        pairs = sums.pairs
        if some is not None and pairs is None:
            fewer = replace(query, pairs=True, weights=shares[some] / shares[some].sum())
            rows = rows_of(source, take_rows(self.X, train[some]))
            pairs = replace(evaluation, query=fewer, steps=None).sums(rows).pairs
        return RefitValues(
            main=sums.main.mean,
            pairs=None if pairs is None else pairs.mean,
            effects={key: value for key, (value, _) in line_values(sums).items()},
            units=query.units,
            left_out=fingerprint(test),
            subgroups=None if division is None else within_and_rest(sums, division.labels),
        )

    def _steps(self, model: Any, table: Table, query: Query) -> Mapping[int, Step]:
        """The steps that effects are stated for: the same in every refit."""
        if self.steps is not None:
            return self.steps
        columns = numeric_columns(query.terms, table)
        return steps_of(read_for(model, self.X)[1].values, columns, self.weights) if columns else {}


def _some_rows(rows: Positions, seed: np.random.SeedSequence) -> Flags:
    """All of the rows, which stand in an order of their own, or `PAIR_ROWS` of them at random."""
    chosen = np.zeros(len(rows), dtype=np.bool_)
    chosen[np.random.default_rng(seed).permutation(rows)[:PAIR_ROWS]] = True
    return chosen


def with_refits(explanation: Explanation, rounds: Sequence[Sequence[Any]], *, required: bool = False) -> Explanation:
    """The explanation with intervals from refits; one that failed is an error if `required`, else a warning."""
    failed = next((fold for folds in rounds for fold in folds if isinstance(fold, Failed)), None)
    if failed is not None:
        _unavailable(failed.sentence, required=required, error=failed.error)
        return explanation
    same, values, level = copy(explanation), explanation._values, explanation.level

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
    """Say why intervals are not from refits: as an error if they are required, else as a warning."""
    end = "" if reason.endswith((".", "!", "?")) else "."
    text = Sentence("Intervals for which data were drawn are not known: ", reason, end)
    if required:
        raise InputError(text, " Use ", Argument("intervals", "rows"), ".") from error
    warnings.warn(RsensWarning(text, " They hold only for which rows are explained."), stacklevel=4)


def rounds_for(n_folds: int, n_rows: int) -> int:
    """How many rounds of so many folds: two, or one if there are many folds or many rows."""
    return 2 if n_folds < REFITS_ENOUGH and n_rows <= ONE_ROUND_ROWS else 1


def most_folds(y: NDArray[Any], stratify: bool, clusters: Positions | None) -> tuple[int, str]:
    """How many folds there can be at most, and of what there are so many: every fold must leave some in the rest."""
    if clusters is not None:
        return int(clusters.max()) + 1, "clusters"
    if stratify:
        return int(np.unique(y, return_counts=True)[1].min()), "rows of the smallest class"
    return len(y), "rows"


def refit_without_folds(
    context: Context, fit: Fit, X: Any, look: Callable[..., ValuesOfRefits], *, required: bool
) -> list[list[Any]] | None:
    """Look at refits to all but a fold of X; what is impossible is an error if `required`, else a warning and None."""
    y, order, seed = context.y, context.order, child(context.seed, FOLDS)
    rows = rows_with_levels(fit.estimator, X)
    targets = read_targets(y, len(rows), several=True)
    stratify = targets.ndim == 1 and stratified(fit.estimator, targets)
    most, of_what = most_folds(targets, stratify, order.clusters)
    if most < LEAST_FOLDS:
        _unavailable(f"that takes {LEAST_FOLDS} {of_what}; got {most}.", required=required)
        return None
    count = min(N_FOLDS, most)
    n_rounds = rounds_for(count, len(rows))
    rounds = rounds_of_folds(n_rounds, count, targets, stratify, seed, order.clusters, order.rows)
    given = y if is_pandas(y) else targets  # a function of the user gets y as it was given
    looks = [look(rows, seed=seed, order=order)]
    [seen] = refit_folds(
        fit.quick(), rows, given, rounds, looks, n_jobs=context.n_jobs, seed=seed, progress=context.progress
    )  # fmt: skip
    return seen
