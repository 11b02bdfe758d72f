"""Do two terms add up, on the scale of the model? A score test for every pair, given the pairs already found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isqrt
from typing import Any

import numpy as np
from scipy.special import logit

from rsens import distributions as ds
from rsens import likelihoods, models
from rsens._arguments import child
from rsens._errors import Argument, InputError
from rsens._interactions._score import Pair, ScoreTest, cauchy_combination
from rsens._progress import Progress
from rsens._refits import read_targets
from rsens._threads import one_thread
from rsens._typing import Array, Positions
from rsens.adapters import classes_of
from rsens.kernels import EQ, Categorical, Kernel, Product, Sum
from rsens.likelihoods import Likelihood
from rsens.models import LatentFit, fit_latent

#: A pair enters the null model if its p-value times the number of pairs is at most FAMILYWISE; MOST_FOUND pairs may.
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
#: The test needs at least this many rows.
FEWEST_ROWS = 10
#: Hyperparameters come from at most this many rows: they need fewer than the test does. With 1,000 rows and 12 columns,
#: p-values with 300 and with 400 rows differ by a few hundredths, and 300 take half of the time.
SEARCH_ROWS = 300
TOLERANCE = 1e-4
#: A column of numbers enters as the first principal components of a smooth function of it.
COMPONENTS = 4
LENGTHSCALE = 1.5  # in standard deviations
KNOTS = 25
CLIP = 3.0
#: Levels beyond this many enter through the most frequent ones.
LEVEL_COMPONENTS = 24
#: Components with less than this part of the variance of the first are rounding.
LEAST = 1e-10
#: Above this variance inflation, the test of a pair that is not marked is inconclusive.
MOST_INFLATION = 5.0


@dataclass(frozen=True, eq=False)
class Additivity:
    """p-values of pairs of terms, in the order of np.triu_indices(T, 1); NaN where a term does not vary."""

    p_values: Array
    found: tuple[Pair, ...]
    scale: str
    n_rows: int
    notes: tuple[str, ...] = ()


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
    """Test every pair of terms, whose columns are `members`, on rows (n, D) with level codes in `categorical` columns.

    The null model takes up clear pairs: without a strong one, pairs that share a term with it look clear.
    """
    if rows.ndim != 2 or len(rows) != len(target.y):
        raise InputError(f"There are {len(target.y)} targets for rows of shape {rows.shape}.")
    design = Design(members, categorical)
    order = np.arange(len(rows)) if order is None else order
    most = _most_rows(design, rows[order])
    notes: tuple[str, ...] = ()
    if len(rows) > most:
        chosen = np.random.default_rng(child(seed, 0)).choice(len(rows), most, replace=False)
        order, notes = order[np.sort(chosen)], (f"Interactions are tested on {most:,} random rows of {len(rows):,}.",)
    target, clusters = replace(target, y=target.y[order]), None if clusters is None else clusters[order]
    problems, more = _problems(design, rows[order], target, clusters)
    pairs = list(combinations(range(len(members)), 2))
    p = np.full(len(pairs), np.nan)
    if not problems or not pairs:
        return Additivity(p, (), target.scale, len(order), (*notes, *more))
    found: list[Pair] = []
    left = list(range(len(pairs)))
    with progress.doing("testing pairs"), one_thread():
        while left:
            rng = np.random.default_rng(child(seed, 1))  # the same rows for the search every time
            scores = [problem.p_values(design, found, [pairs[k] for k in left], rng) for problem in problems]
            robust, classical = cauchy_combination(np.array(scores))
            p[left] = robust
            clear = np.where(robust <= FAMILYWISE, classical, np.nan)
            if len(found) == MOST_FOUND or np.isnan(clear).all() or np.nanmin(clear) * len(pairs) > FAMILYWISE:
                break
            found.append(pairs[left.pop(int(np.nanargmin(clear)))])
    return Additivity(p, tuple(found), target.scale, len(order), (*notes, *more))


@dataclass(frozen=True, eq=False)
class _Problem:
    """Some rows, standardised, with their targets: for several classes there is one problem per class."""

    rows: Array
    y: Array
    likelihood: Likelihood
    clusters: Positions | None
    features: list[Array]

    def p_values(self, design: Design, found: Sequence[Pair], pairs: Sequence[Pair], rng: np.random.Generator) -> Array:
        """p-values of pairs (2, pairs), given the pairs already found."""
        fit = fit_null(design, self.rows, self.y, self.likelihood, self.clusters, found, rng)
        return ScoreTest(fit, self.features).p_values(pairs)


def _most_rows(design: Design, rows: Array) -> int:
    """How many rows the test can use without taking too long."""
    widths = np.array([each.shape[1] for each in design.features(rows[:LEAST_ROWS])], dtype=float)
    work = max(1.0, 0.5 * (widths.sum() ** 2 - np.sum(widths**2)))
    return min(MOST_ROWS, max(LEAST_ROWS, isqrt(int(MOST_WORK / work))))


def _problems(
    design: Design, rows: Array, target: Target, clusters: Positions | None
) -> tuple[list[_Problem], tuple[str, ...]]:
    """One problem, or for K > 2 classes K − 1: each class against the most frequent one (Begg and Gray, 1984)."""

    def problem(some: Positions, y: Array) -> _Problem:
        X, together = design.standardized(rows[some]), None if clusters is None else clusters[some]
        return _Problem(X, y, target.likelihood, together, design.features(X))

    if len(rows) < FEWEST_ROWS:
        return [], (f"Interactions are not tested: {len(rows)} rows are too few.",)
    if target.n_classes <= 2:
        return [problem(np.arange(len(rows)), target.y)], ()
    sizes = np.bincount(target.y.astype(np.intp), minlength=target.n_classes)
    reference = int(sizes.argmax())
    others = [k for k in range(target.n_classes) if k != reference]
    enough = [k for k in others if sizes[k] + sizes[reference] >= LEAST_CLASS_ROWS and 4 * sizes[k] >= LEAST_CLASS_ROWS]
    notes: tuple[str, ...] = ()
    if left_out := len(others) - len(enough):
        notes = (
            f"The test of interactions leaves out {left_out} of {target.n_classes} classes, which have fewer than "
            f"{LEAST_CLASS_ROWS // 4} rows.",
        )
    of_two = {k: np.flatnonzero((target.y == k) | (target.y == reference)) for k in enough}
    return [problem(some, (target.y[some] == k).astype(np.float64)) for k, some in of_two.items()], notes


@dataclass(frozen=True, eq=False)
class Design:
    """The columns of each term, and the number of levels of the columns that are treated as levels, by position."""

    members: Sequence[Sequence[int]]
    categorical: Mapping[int, int]

    def standardized(self, rows: Array) -> Array:
        """Numbers with mean 0 and standard deviation 1; level codes unchanged, and 0 for constant columns."""
        X = rows.copy()
        for d in range(rows.shape[1]):
            if d not in self.categorical:
                centred = rows[:, d] - rows[:, d].mean()
                size = float(np.max(np.abs(centred))) or 1.0
                deviation = float(np.std(centred / size))
                X[:, d] = centred / size / deviation if deviation > 1e-9 else 0.0
        return X

    def features(self, rows: Array) -> list[Array]:
        """Centred features (n, r) of every term; of a group, principal components. r = 0 where all is constant."""
        columns = [
            _of_levels(column, self.categorical[d]) if d in self.categorical else _of_numbers(column)
            for d, column in enumerate(rows.T)
        ]
        return [
            columns[group[0]]
            if len(group) == 1
            else _components(np.concatenate([columns[d] for d in group], axis=1), COMPONENTS * len(group))
            for group in self.members
        ]

    def null_kernel(self, pairs: Sequence[Pair], cluster: int | None) -> Kernel:
        """Σ_t k_t + Σ_{(s, t) found} k_st, plus a random intercept per cluster, whose codes are in column `cluster`."""
        terms = [self._kernel(columns) for columns in self.members]
        terms += [self._kernel((*self.members[s], *self.members[t])) for s, t in pairs]
        if cluster is not None:
            terms.append(Categorical(dims=(cluster,)))
        return terms[0] if len(terms) == 1 else Sum(tuple(terms))

    def _kernel(self, columns: Sequence[int]) -> Kernel:
        """A function of these columns: EQ of the numbers times Categorical of the levels, a length-scale for each."""
        numbers = tuple(d for d in columns if d not in self.categorical)
        levels = tuple(d for d in columns if d in self.categorical)
        kinds: tuple[tuple[type[EQ | Categorical], tuple[int, ...]], ...] = ((EQ, numbers), (Categorical, levels))
        factors = [
            kind(lengthscale=1.0 if len(dims) == 1 else (1.0,) * len(dims), dims=dims) for kind, dims in kinds if dims
        ]
        return factors[0] if len(factors) == 1 else Product(tuple(factors))


def fit_null(
    design: Design,
    rows: Array,
    y: Array,
    likelihood: Likelihood,
    clusters: Positions | None,
    pairs: Sequence[Pair],
    rng: np.random.Generator,
) -> LatentFit:
    """The null model of y given the rows, whose numeric columns are standardised."""
    cluster = None if clusters is None else rows.shape[1]
    X = rows if clusters is None else np.column_stack([rows, clusters])
    kernel = design.null_kernel(pairs, cluster)
    return fit_latent(kernel, likelihood, X, y, most_rows=SEARCH_ROWS, tolerance=TOLERANCE, rng=rng)


def _of_numbers(x: Array) -> Array:
    """Nyström's features of the EQ kernel: k(x, z) k(z, z)^{−½} at knots z, centred, as principal components u·s."""
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


def variance_inflation(rows: Array, categorical: Mapping[int, int], members: Sequence[Sequence[int]]) -> Array:
    """VIF_t = 1/(1 − R²_t), with the adjusted R² of all columns of a term given the others; 1 if it is constant."""
    n = len(rows)
    terms = [np.concatenate([_block(rows[:, d], categorical.get(d)) for d in columns], axis=1) for columns in members]
    inflation = np.ones(len(terms))
    for d, block in enumerate(terms):
        total = float(np.sum(block**2))
        if total == 0.0:
            continue
        others = np.concatenate([np.zeros((n, 1)), *(other for e, other in enumerate(terms) if e != d)], axis=1)
        U, s, _ = np.linalg.svd(others, full_matrices=False)
        rank = int(np.count_nonzero(s > 1e-9 * max(s[0], 1e-300)))
        unexplained = max(0.0, 1.0 - float(np.sum((U[:, :rank].T @ block) ** 2)) / total)
        if rank >= n - 1:
            continue  # as many columns as rows: everything is explained, which means nothing
        adjusted = min(1.0, unexplained * (n - 1) / (n - 1 - rank))
        inflation[d] = np.inf if adjusted < 1e-12 else 1.0 / adjusted
    return inflation


def _block(column: Array, n_levels: int | None) -> Array:
    """A column as the regression sees it, centred and scaled: itself, or indicators of its levels."""
    values = column[:, None] if n_levels is None else (column[:, None] == np.arange(n_levels)).astype(np.float64)
    centred = values - values.mean(axis=0)
    size = float(np.sqrt(np.sum(centred**2)))
    return np.asarray(centred / size if size > 1e-12 * (float(np.sqrt(np.sum(values**2))) or 1.0) else 0.0 * centred)


#: Where the search for the noise starts, in variances of y.
NOISE = 0.1
_SCALES = {"logit": "logit", "probit": "probit", "poisson": "log", "negative_binomial": "log"}


@dataclass(frozen=True, eq=False)
class Target:
    """y, the likelihood of the additive model, and the scale on which terms add up: identity, log, logit or probit."""

    y: Array
    likelihood: likelihoods.Likelihood
    scale: str
    n_classes: int = 0  # 0 for numbers and counts


class Untested(Exception):
    """The reason for leaving out the test."""


def likelihood_for(model: Any, family: ds.Distribution, y: Any) -> Target:
    """The target for a model that predicts this family: with its own likelihood if it is ours, else by the family."""
    if isinstance(family, ds.Mixture):
        return likelihood_for(model, family.member, y)
    if family.support == "vector":
        raise Untested("the model predicts several numbers per row")
    targets = read_targets(y, len(y) if hasattr(y, "__len__") else 0)
    if isinstance(family, ds.Binomial) and not isinstance(family, ds.Bernoulli):
        raise Untested("the model predicts how many of several trials succeed")
    if isinstance(family, ds.Bernoulli | ds.Categorical):
        return _classes(model, family, targets)
    likelihood: likelihoods.Likelihood = likelihoods.GaussianLikelihood(NOISE)
    if isinstance(model, models.GPRegressor):
        fitted = model.likelihood_  # with the start that a search always has, not where this one ended
        likelihood = fitted.with_theta(type(fitted).start(NOISE).theta)
    elif isinstance(model, models.BayesianPoissonRegression) or isinstance(family, ds.Poisson):
        likelihood = likelihoods.PoissonLikelihood()
    elif family.support == "counts":
        likelihood = likelihoods.NegativeBinomialLikelihood()
    y, scale = likelihood.checked_target(targets), _SCALES.get(likelihood.name, "identity")
    if likelihood.target != "counts" and family.additive_on in ("log", "logit"):
        scale = family.additive_on
        low, high, where = (0.0, np.inf, "above 0") if scale == "log" else (0.0, 1.0, "between 0 and 1")
        if (outside := ~((y > low) & (y < high))).any():
            row = int(outside.argmax())
            raise InputError(
                Argument("y"), f" must be {where}, as the model predicts; got {y[row]:g} at row {row}. Drop such rows."
            )
        y = np.log(y) if scale == "log" else logit(y)
    size = float(np.max(np.abs(y)))
    deviation = float(np.std(y / size)) if size > 0.0 else 0.0
    if deviation < 1e-12:
        raise Untested("y is constant")
    if likelihood.target != "counts":
        y = (y / size - np.mean(y / size)) / deviation
    return Target(y, likelihood, scale)


def _classes(model: Any, family: ds.Bernoulli | ds.Categorical, targets: Any) -> Target:
    known = classes_of(model)
    plain = targets.astype(str) if targets.dtype == object else targets
    codes = plain if known is None else models.read_labels(targets, np.asarray(known), len(targets))
    present, numbered = np.unique(codes, return_inverse=True)
    most = 2 if isinstance(family, ds.Bernoulli) else np.shape(family.probabilities)[-1]
    if len(present) > most:
        raise InputError(
            Argument("y"), f" must have at most {most} different values, the classes of the model; got {len(present)}."
        )
    if len(present) < 2:
        raise Untested("y has one class only")
    likelihood: likelihoods.Likelihood = likelihoods.LogitLikelihood()
    if len(present) == 2:
        if isinstance(model, models.GPClassifier):
            likelihood = model.likelihood_
        elif type(model) is models.BayesianProbitRegression:
            likelihood = likelihoods.ProbitLikelihood()
    return Target(numbered.astype(np.float64), likelihood, _SCALES[likelihood.name], len(present))


def scale_text(scale: str) -> str:
    """The scale in words, for use after "on"."""
    return "the scale of y" if scale == "identity" else f"the {scale} scale"
