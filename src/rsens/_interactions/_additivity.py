"""Do two terms add up, on the scale of the model? A score test for every pair, beside the pairs already found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isqrt

import numpy as np

from rsens._arguments import child
from rsens._errors import InputError
from rsens._interactions._score import Pair, PairScores, ScoreTest, cauchy_combination, fit_null
from rsens._interactions._target import Target
from rsens._progress import Progress
from rsens._threads import one_thread
from rsens._typing import Array, Positions
from rsens.likelihoods import Likelihood

#: A pair enters the null model if its p-value times the number of pairs is at most this, and at most so many pairs do.
FAMILYWISE = 0.05
MOST_FOUND = 5
#: The test uses at most this many rows: its matrices are rows × rows.
MOST_ROWS = 2000
#: Rows² × features of all pairs is at most this, but never with fewer than `LEAST_ROWS` rows: 30 terms have about
#: 1,200 rows, 60 have 600.
MOST_WORK = 10**10
LEAST_ROWS = 500
#: Two classes are compared if they have this many rows together, and each has at least a quarter of it.
LEAST_CLASS_ROWS = 20
#: Fewer rows say nothing.
FEWEST_ROWS = 10


@dataclass(frozen=True, eq=False)
class Additivity:
    """p-values of pairs of terms, in the order of np.triu_indices(T, 1); NaN where a term does not vary.

    A small one says that the data contradict a model in which the two add up on `scale`, other pairs allowed. `found`
    are the pairs that the null model took up on the way, in their order. `n_rows` is how many rows were used.
    """

    p_values: Array
    found: tuple[Pair, ...]
    scale: str
    n_rows: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class _Problem:
    """Some rows with what is observed there: for several classes there is one problem per class."""

    rows: Array
    y: Array
    likelihood: Likelihood
    clusters: Positions | None
    features: list[Array]


def find_interactions(
    rows: Array,
    target: Target,
    *,
    members: Sequence[Sequence[int]],
    categorical: Mapping[int, int],
    clusters: Positions | None = None,
    order: Positions | None = None,
    seed: np.random.SeedSequence,
    progress: Progress,
) -> Additivity:
    """Test every pair of terms.

    The null model adds up the terms and the pairs already found. It takes up the pair with the smallest p-value as long
    as that is small for this many pairs, and the others are tested again: beside a strong interaction that the null
    model does not know, pairs that share a term with it look like interactions too.

    Args:
        rows: The rows (n, D), with level codes in categorical columns.
        target: y with its likelihood; see `likelihood_for`.
        members: The columns of each of the T terms.
        categorical: The number of levels of the columns that are treated as levels, by position.
        clusters: The cluster of each row: rows of one cluster share a random intercept.
        order: The rows in an order that does not depend on how they come; None: as they come.
        seed: For the choice of rows, where there are many.
        progress: Says what is going on.
    """
    if rows.ndim != 2 or len(rows) != len(target.y):
        raise InputError(f"There are {len(target.y)} targets for rows of shape {rows.shape}.")
    if order is not None:
        rows, target, clusters = rows[order], _taken(target, order), _of(clusters, order)
    pairs = list(zip(*(axis.tolist() for axis in np.triu_indices(len(members), 1)), strict=True))
    some, notes = _chosen(rows, members, categorical, seed)
    problems, more = _problems(rows[some], _taken(target, some), members, categorical, _of(clusters, some))
    p = np.full(len(pairs), np.nan)
    if not problems or not pairs:
        return Additivity(p, (), target.scale, len(some), (*notes, *more))
    found: list[Pair] = []
    left = list(range(len(pairs)))
    with progress.doing("testing pairs"), one_thread():
        while True:
            rng = np.random.default_rng(child(seed, 1))  # the same rows for the search every time
            scores = [
                _scores(problem, members, found, categorical, [pairs[k] for k in left], rng) for problem in problems
            ]
            both = PairScores(
                cauchy_combination(np.array([each.robust for each in scores])),
                cauchy_combination(np.array([each.classical for each in scores])),
            )
            p[left] = both.robust
            clear = np.where(both.robust <= FAMILYWISE, both.classical, np.nan)
            if len(found) == MOST_FOUND or np.isnan(clear).all() or np.nanmin(clear) * len(pairs) > FAMILYWISE:
                break
            found.append(pairs[left.pop(int(np.nanargmin(clear)))])
            if not left:
                break
    return Additivity(p, tuple(found), target.scale, len(some), (*notes, *more))


def _scores(
    problem: _Problem,
    members: Sequence[Sequence[int]],
    found: Sequence[Pair],
    categorical: Mapping[int, int],
    pairs: Sequence[Pair],
    rng: np.random.Generator,
) -> PairScores:
    fit = fit_null(problem.rows, problem.y, problem.likelihood, members, found, categorical, problem.clusters, rng)
    return ScoreTest(fit, problem.features).p_values(pairs)


def _chosen(
    rows: Array, members: Sequence[Sequence[int]], categorical: Mapping[int, int], seed: np.random.SeedSequence
) -> tuple[Positions, tuple[str, ...]]:
    """The rows to test with: all, or random ones if that would take too long."""
    n = len(rows)
    widths = np.array([each.shape[1] for each in term_features(rows[:LEAST_ROWS], members, categorical)], dtype=float)
    work = max(1.0, 0.5 * (widths.sum() ** 2 - np.sum(widths**2)))
    most = min(MOST_ROWS, max(LEAST_ROWS, isqrt(int(MOST_WORK / work))))
    if n <= most:
        return np.arange(n), ()
    chosen = np.sort(np.random.default_rng(child(seed, 0)).choice(n, most, replace=False))
    return chosen, (f"Interactions are tested on {most:,} random rows of {n:,}.",)


def _problems(
    rows: Array,
    target: Target,
    members: Sequence[Sequence[int]],
    categorical: Mapping[int, int],
    clusters: Positions | None,
) -> tuple[list[_Problem], tuple[str, ...]]:
    """One problem, or for K > 2 classes K − 1: each class against the most frequent one, on the rows of these two.

    If log odds add up between all classes (an additive softmax), they do so between any two, given that it is one of
    them (Begg and Gray, 1984).
    """

    def problem(some: Positions, y: Array) -> _Problem:
        X = _standardized(rows[some], categorical)
        return _Problem(X, y, target.likelihood, _of(clusters, some), term_features(X, members, categorical))

    everything = np.arange(len(rows))
    if len(rows) < FEWEST_ROWS:
        return [], (f"Interactions are not tested: {len(rows)} rows are too few.",)
    if target.n_classes <= 2:
        return [problem(everything, target.y)], ()
    sizes = np.bincount(target.y.astype(np.intp), minlength=target.n_classes)
    reference = int(sizes.argmax())
    others = [k for k in range(target.n_classes) if k != reference]
    enough = [k for k in others if sizes[k] + sizes[reference] >= LEAST_CLASS_ROWS and 4 * sizes[k] >= LEAST_CLASS_ROWS]
    notes: tuple[str, ...] = ()
    if len(enough) < len(others):
        left_out = len(others) - len(enough)
        notes = (
            f"The test of interactions leaves out {left_out} of {target.n_classes} classes, which have fewer than "
            f"{LEAST_CLASS_ROWS // 4} rows.",
        )
    of_two = {k: np.flatnonzero((target.y == k) | (target.y == reference)) for k in enough}
    return [problem(some, (target.y[some] == k).astype(np.float64)) for k, some in of_two.items()], notes


def _standardized(rows: Array, categorical: Mapping[int, int]) -> Array:
    """Numbers with mean 0 and standard deviation 1; level codes and constant columns as they are."""
    X = rows.copy()
    for d in range(rows.shape[1]):
        if d not in categorical:
            centred = rows[:, d] - rows[:, d].mean()
            size = float(np.max(np.abs(centred))) or 1.0
            deviation = float(np.std(centred / size))
            X[:, d] = centred / size / deviation if deviation > 1e-9 else 0.0
    return X


def _taken(target: Target, some: Positions) -> Target:
    return replace(target, y=target.y[some])


def _of(clusters: Positions | None, some: Positions) -> Positions | None:
    return None if clusters is None else clusters[some]


# ----------------------------------------------------------------------------------------------------------------------
# Features of a term, whose products with the features of another are the functions that an interaction is made of.


#: A column of numbers enters as the first principal components of a smooth function of it.
COMPONENTS = 4
LENGTHSCALE = 1.5  # in standard deviations
KNOTS = 25
CLIP = 3.0
#: Levels beyond this many enter through the most frequent ones.
LEVEL_COMPONENTS = 24
#: Components with less than this part of the variance of the first are rounding.
LEAST = 1e-10


def term_features(rows: Array, members: Sequence[Sequence[int]], categorical: Mapping[int, int]) -> list[Array]:
    """Centred features (n, r) of every term; r = 0 where all its columns are constant.

    A group has the principal components of the features of its columns, at most `COMPONENTS` per column.
    """
    columns = [
        _of_levels(column, categorical[d]) if d in categorical else _of_numbers(column)
        for d, column in enumerate(rows.T)
    ]
    return [_joined([columns[d] for d in group]) for group in members]


def _joined(parts: Sequence[Array]) -> Array:
    return parts[0] if len(parts) == 1 else _components(np.concatenate(parts, axis=1), COMPONENTS * len(parts))


def _of_numbers(x: Array) -> Array:
    """Nyström's features of the EQ kernel: k(x, z) k(z, z)^{−½} at knots z, centred, as principal components u·s.

    A column of two values has only one centred function.
    """
    if not np.ptp(x) > 0.0:
        return np.empty((len(x), 0))
    x = np.ldexp(x, -int(np.frexp(np.abs(x).max())[1]))  # so that squares neither overflow nor vanish; exact
    x = np.clip((x - x.mean()) / x.std(), -CLIP, CLIP)
    z = np.unique(np.quantile(x, np.linspace(0.01, 0.99, KNOTS)))
    eigenvalues, U = np.linalg.eigh(_eq(z, z))
    keep = eigenvalues > LEAST * eigenvalues[-1]
    return _components(_eq(x, z) @ (U[:, keep] / np.sqrt(eigenvalues[keep])), COMPONENTS)


def _of_levels(codes: Array, n_levels: int) -> Array:
    """Centred indicators of the levels that occur, as principal components, with variance 1 in all."""
    indicators = (codes[:, None] == np.arange(n_levels)).astype(np.float64)
    components = _components(indicators, LEVEL_COMPONENTS)
    return components / (np.sqrt(components.var(axis=0).sum()) or 1.0)


def _components(features: Array, most: int) -> Array:
    """The first principal components u·s of the centred features."""
    u, s, _ = np.linalg.svd(features - features.mean(axis=0), full_matrices=False)
    r = min(most, int(np.count_nonzero(s**2 > LEAST * max(s[0] ** 2, np.finfo(float).tiny)))) if len(s) else 0
    return np.asarray(u[:, :r] * s[:r])


def _eq(x: Array, z: Array) -> Array:
    return np.asarray(np.exp(-0.5 * ((x[:, None] - z) / LENGTHSCALE) ** 2))
