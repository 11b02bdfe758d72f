"""One GP from data to posterior: its hyperparameters, and the inference that its likelihood and size call for."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rsens._contents import row_keys
from rsens._errors import Argument, RsensWarning, Sentence, warn
from rsens._threads import one_thread
from rsens._typing import Array, Positions
from rsens.kernels import Kernel
from rsens.likelihoods import GaussianLikelihood, Likelihood
from rsens.models._exact import ExactInference
from rsens.models._laplace import LaplaceApproximation, WarmStart
from rsens.models._optimize import Objective, Optimizer, Optimum, curvature, log_normals, remembered
from rsens.models._rows import SEARCH_ROWS, Data, searched_rows
from rsens.models._sparse import (
    NOTHING,
    SparseLaplaceApproximation,
    VariationalApproximation,
    choose_inducing,
    inducing_inputs,
)
from rsens.posteriors import LatentPosterior, TriangularRoot

#: The most steps of L-BFGS-B for each start.
MOST_STEPS = 500
#: Up to this many rows a fit runs on one thread. At 1000 rows two threads save a third of the time on two idle cores;
#: if one core is busy, a fit takes ten to fifty times as long: the threads wait for each other in every step of a
#: factorisation.
FEW_ROWS = 1500
#: A search on this many rows brings the hyperparameters near their place at a small part of the cost.
SUBSET = 300
#: Above this many rows the search begins on a subset.
MANY_ROWS = 600
#: A length-scale exp(IDLE) times as long as we expect it may belong to a column that does not matter.
IDLE = 4.0
#: The best inducing inputs depend on the kernel, and the kernel depends on them: choose and learn this many times.
ROUNDS = 2
#: A hyperparameter this near to its limit, on the log scale, is at its limit.
NEAR = 1e-6
#: The mean of a count exceeds its median by exp(v/2); above e^10 the mean has nothing to do with the data.
MOST_EXCESS = 10.0
#: The share of rows from which copies count.
COPIES = 0.05


@dataclass(frozen=True)
class Search:
    """The settings of a search for hyperparameters (`n_inducing` None: exact); see GPRegressor."""

    optimize: bool
    n_restarts: int
    priors: Mapping[str, tuple[float, float]] | None  # all others have their weak prior; None: no priors
    n_inducing: int | None
    tolerance: float
    rng: np.random.Generator
    #: The share of the prior variance that inducing inputs may leave at a row: with less, no more of them are chosen.
    enough: float = NOTHING
    #: The most rows for a search with inducing inputs.
    search_rows: int = SEARCH_ROWS


@dataclass(frozen=True, eq=False)
class FittedGP:
    """A kernel and a likelihood with their posterior, on the scale of the data they were fitted to."""

    kernel: Kernel
    likelihood: Likelihood
    posterior: LatentPosterior
    log_marginal_likelihood: float
    inducing: Array | None
    steps: int
    #: The log marginal likelihood plus the log prior density, which the search maximised, of the rows that it looked
    #: at. NaN without a search.
    log_posterior: float = float("nan")


def fit_gp(kernel: Kernel, likelihood: Likelihood, data: Data, search: Search) -> FittedGP:
    """The GP with the hyperparameters that maximise the marginal likelihood times their prior, or as given."""
    inducing, steps, reached = None, 0, float("nan")
    some = data if search.n_inducing is None else searched_rows(data, likelihood, search.search_rows, search.rng)
    if search.optimize and len(kernel.theta) + len(likelihood.theta):
        with _threads_for(len(some.y), search.n_inducing):
            kernel, likelihood, inducing, steps, reached = _learned(kernel, likelihood, some, search)
    with _threads_for(len(data.y), search.n_inducing):
        if search.n_inducing is not None and (inducing is None or some is not data):
            inducing = inducing_inputs(data, kernel, search.n_inducing, search.enough, search.rng)
        posterior, value = posterior_of(kernel, likelihood, data, inducing, some)
        if likelihood.target == "counts":
            warn_of_unknown_counts(posterior, data.X, data.y, advice_for(likelihood, inducing))
    return FittedGP(kernel, likelihood, posterior, value, inducing, steps, reached)


class Hyperparameters:
    """θ, the logarithms of all hyperparameters, the kernel's, then the likelihood's; and their log posterior."""

    def __init__(self, kernel: Kernel, likelihood: Likelihood, data: Data, priors: Any) -> None:
        self.kernel, self.likelihood, self.with_priors = kernel, likelihood, priors is not None
        deviation = data.X.std(axis=0)  # the unit of a length-scale; 1 for a constant column
        unit = (float(np.std(data.y)) or 1.0) if likelihood.target == "numbers" else 1.0  # of f
        self.prior = log_normals(kernel, likelihood, np.where(deviation > 0.0, deviation, 1.0), unit, priors or {})
        self.start = np.concatenate([kernel.theta, likelihood.theta])
        self.names = (*kernel.hyperparameter_names, *likelihood.hyperparameter_names)
        self.lengthscales = np.array(["lengthscale" in name for name in self.names])

    def at(self, theta: Array) -> tuple[Kernel, Likelihood]:
        """The kernel and the likelihood with these hyperparameters."""
        n = len(self.kernel.theta)
        return self.kernel.with_theta(theta[:n]), self.likelihood.with_theta(theta[n:])

    def log_posterior(self, data: Data, inducing: Array | None, with_priors: bool | None = None) -> Objective:
        """θ ↦ log marginal likelihood plus log prior density, and the gradient of the sum."""
        log_likelihood = objective_of(data, inducing)

        def value_and_gradient(theta: Array) -> tuple[float, Array]:
            value, gradient = log_likelihood(*self.at(theta))
            if not (self.with_priors if with_priors is None else with_priors):
                return value, gradient
            log_prior, prior_gradient = self.prior.log_density(theta)
            return value + log_prior, gradient + prior_gradient

        return value_and_gradient


def _learned(
    kernel: Kernel, likelihood: Likelihood, data: Data, search: Search
) -> tuple[Kernel, Likelihood, Array | None, int, float]:
    """The hyperparameters, the inducing inputs of the search, its steps, and the log posterior that it reached."""
    of = Hyperparameters(kernel, likelihood, data, search.priors)
    order = _start_order(of.names, data.column_ranks) if search.n_restarts else []
    starts = [of.start, *(of.prior.start(search.rng, order) for _ in range(search.n_restarts))]
    inducing = None
    optimizer = Optimizer(of.prior.limits(of.start), MOST_STEPS, search.tolerance)
    if len(data.y) <= MANY_ROWS and search.n_inducing is None:
        found = optimizer.best_of(of.log_posterior(data, None), starts)
    else:
        found, inducing = _learned_from_many(of, data.ordered, search, optimizer, starts)
    if not found.converged:
        warn(
            f"The hyperparameters did not converge within {MOST_STEPS} steps of L-BFGS-B ({found.message}). The "
            "model can be used, but a better one may exist: raise n_restarts, or give a kernel with fewer "
            "hyperparameters."
        )
    if of.with_priors:
        warn_at_limits(found.theta, optimizer.limits, kernel.hyperparameter_names, advice_for(likelihood, inducing))
    return *of.at(found.theta), inducing, found.steps, found.value


def _learned_from_many(
    of: Hyperparameters, data: Data, search: Search, optimizer: Optimizer, starts: Sequence[Array]
) -> tuple[Optimum, Array | None]:
    """A search on a subset, and from its end one on all rows; the rows are `ordered`, as a choice goes by places."""
    N, inducing = len(data.y), None
    drawn, greedy = search.rng.spawn(2)  # not from the generator of the starts: their number changes neither
    some = data if N <= SUBSET else data.rows(np.sort(drawn.choice(N, SUBSET, replace=False)))
    # Always with priors: without them, a hyperparameter that these few rows do not determine may run so far away that
    # all the rows cannot bring it back.
    of_some = of.log_posterior(some, None, True)
    with one_thread("blas"):
        found = optimizer.best_of(of_some, starts)
    # Without priors, the length-scale of a column that does not matter grows for ever.
    endless = not of.with_priors and search.n_inducing is None
    far = np.where(of.lengthscales, of.prior.mean + IDLE, np.inf) if endless else None
    for _ in range(1 if search.n_inducing is None else ROUNDS):
        if search.n_inducing is not None:
            near = of.at(found.theta)[0]
            rows, _ = choose_inducing(data.X, near, search.n_inducing, greedy, enough=search.enough)
            inducing = data.X[rows]
        of_all = remembered(of.log_posterior(data, inducing))
        # A column may matter even if a subset does not show it: try no length-scale longer than at the start.
        chance = np.where(of.lengthscales, np.minimum(found.theta, of.start), found.theta)
        theta = chance if of_all(chance)[0] > of_all(found.theta)[0] else found.theta
        refined = optimizer.refined(of_all, theta, N / len(some.y) * curvature(of_some, theta), far)
        found = replace(refined, steps=found.steps + refined.steps)
    return found, inducing


def _start_order(names: Sequence[str], ranks: Positions) -> list[int]:
    """θ in the order in which a start is drawn: `lengthscale[3]` comes by the rank of column 3, not by its place."""
    parts = [name.rpartition("[") for name in names]
    first = {field: i for i, (field, _, _) in reversed(list(enumerate(parts)))}

    def key(i: int) -> tuple[int, int]:
        field, _, column = parts[i]
        return (first[field], int(ranks[int(column[:-1])])) if names[i].endswith("]") else (i, 0)

    return sorted(range(len(names)), key=key)


def objective_of(data: Data, inducing: Array | None) -> Callable[[Kernel, Likelihood], tuple[float, Array]]:
    """(kernel, likelihood) ↦ log marginal likelihood and its gradient."""
    warm = WarmStart()

    def value_and_gradient(kernel: Kernel, likelihood: Likelihood) -> tuple[float, Array]:
        inference = _inference(kernel, likelihood, data, inducing, warm)
        return inference.log_marginal_likelihood, inference.gradient()

    return value_and_gradient


def posterior_of(
    kernel: Kernel, likelihood: Likelihood, data: Data, inducing: Array | None, some: Data | None = None
) -> tuple[LatentPosterior, float]:
    """f given y, and the log marginal likelihood. A mode is first looked for with `some` of the rows: fewer passes."""
    warm = None
    if some is not None and some is not data and not isinstance(likelihood, GaussianLikelihood):
        warm = WarmStart()
        _inference(kernel, likelihood, some, inducing, warm)
        warm.near = True
    inference = _inference(kernel, likelihood, data, inducing, warm)
    if not inference.converged:
        warn(
            "Newton's method did not reach the mode of the latent values, so predictions may be off. Use "
            "priors='weak', or a kernel with a smaller variance."
        )
    return inference.posterior(), inference.log_marginal_likelihood


def _inference(
    kernel: Kernel, likelihood: Likelihood, data: Data, inducing: Array | None, warm: WarmStart | None
) -> ExactInference | VariationalApproximation | LaplaceApproximation | SparseLaplaceApproximation:
    """The exact posterior for Gaussian noise, or the approximation for inducing inputs, another likelihood, or both."""
    if isinstance(likelihood, GaussianLikelihood):
        if inducing is None:
            return ExactInference(kernel, likelihood, data)
        return VariationalApproximation(kernel, likelihood, data, inducing)
    if inducing is None:
        return LaplaceApproximation(kernel, likelihood, data, warm)
    return SparseLaplaceApproximation(kernel, likelihood, data, inducing, warm)


def _threads_for(n_rows: int, n_inducing: int | None) -> Any:
    """A context with one thread if a step of the search has little work."""
    return one_thread("blas") if n_rows * min(n_rows, n_inducing or n_rows) ** 2 <= FEW_ROWS**3 else nullcontext()


def warn_at_limits(theta: Array, limits: Array, names: Sequence[str], advice: Sentence) -> None:
    """Name the kernel's hyperparameters at a limit, not the noise, which should go to 0 if y has none.

    The limits are so wide that a prior keeps the search away from them, unless the model does not suit the data.
    """
    at_limit = (theta <= limits[:, 0] + NEAR) | (theta >= limits[:, 1] - NEAR)
    found = [name for name, wrong in zip(names, at_limit, strict=False) if wrong]
    if found:
        warn(
            f"The search for hyperparameters ended at the limit of {', '.join(found)}: this model does not suit the "
            "data, and its predictions and sensitivities may mean nothing. ",
            advice,
        )


def warn_of_unknown_counts(posterior: LatentPosterior, X: Array, y: Array, advice: Sentence) -> None:
    """Name training rows where f is so uncertain that the mean count exp(m + v/2) means nothing."""
    if posterior.kernel.diag(X).max() <= 2.0 * MOST_EXCESS:  # v is never above the prior variance
        return
    latent = posterior.moments(X)
    bad, worst = latent.variance > 2.0 * MOST_EXCESS, int(latent.variance.argmax())
    if bad.any():
        m, v = latent.mean[worst], latent.variance[worst]
        warn(
            f"The model does not know the counts of {bad.sum()} of its {len(y)} training rows: at row {worst}, where y "
            f"is {y[worst]:g}, the log rate has mean {m:.3g} and variance {v:.3g}, so the predicted count exp(m + v/2) "
            f"is e^{m + 0.5 * v:.3g}. Predictions and sensitivities there mean nothing. ",
            advice,
        )


def advice_for(likelihood: Likelihood, inducing: Array | None) -> Sentence:
    """Advice for a GP that does not suit its data."""
    ways: list[str | Argument] = []
    if likelihood.overdispersed is not None:
        other = Argument("likelihood", likelihood.overdispersed)
        ways += ["use ", other, f", which lets counts vary more than {likelihood.name!r} does; or "]
    if inducing is not None:
        ways += ["raise ", Argument("inducing"), f" above {len(inducing)}; or "]
    return Sentence("To improve it, ", *ways, "try another kernel.")


def warn_of_copies(rows: Array, y: Array, offset: Array) -> None:
    """Warn of rows that repeat an x with the same y, unless as many repeat an x with another y, as coarse data do."""
    _, x, counts = np.unique(row_keys(rows, offset), return_inverse=True, return_counts=True)
    _, of_each_xy = np.unique(row_keys(x.astype(np.float64), y), return_index=True)
    one_y = np.bincount(x[of_each_xy]) == 1
    copies, noisy = int((counts - 1)[one_y].sum()), int((counts - 1)[~one_y].sum())
    if copies > max(COPIES * len(y), noisy):
        warn(
            f"{copies} of the {len(y)} rows are exact copies of others, in X and y. The same y at the same x looks "
            "like y without noise: the model learns too little noise, and sensitivities become too large. Drop the "
            "copies, for example with drop_duplicates, and resample rows without replacement (docs/stability.md)."
        )


@dataclass(frozen=True, eq=False)
class LatentFit:
    """f ~ GP(mean, kernel) and y | f, at the rows of the data, with C = K + W⁻¹ (W⁻¹ = σ²I for Gaussian noise).

    `score` is α = ∂log p(y | f)/∂f at the mode, for Gaussian noise C⁻¹(y − mean); `root` is R with C⁻¹ = RᵀR;
    `precision` is the diagonal of W.
    """

    kernel: Kernel
    likelihood: Likelihood
    score: Array
    precision: Array
    root: TriangularRoot

    def whiten(self, B: Array) -> Array:
        """R B for B (n, c), so that (RA)ᵀ(RB) = AᵀC⁻¹B."""
        return self.root.times(np.array(B, order="F"))

    def unwhiten(self, B: Array) -> Array:
        """Rᵀ B, so that Rᵀ(RB) = C⁻¹B."""
        return self.root.transposed_times(np.array(B, order="F"))


def fit_latent(
    kernel: Kernel,
    likelihood: Likelihood,
    X: Array,
    y: Array,
    *,
    most_rows: int,
    tolerance: float,
    rng: np.random.Generator,
) -> LatentFit:
    """Learn hyperparameters by one search on at most `most_rows` random rows, silently, then condition on all rows."""
    data = Data(X, y, np.zeros(len(y)), float(np.mean(y)) if likelihood.target == "numbers" else 0.0)
    if likelihood.target == "counts":
        data = replace(data, mean=float(np.log(np.sum(y) or 0.5) - np.log(len(y))))
    some = data if len(y) <= most_rows else data.rows(np.sort(rng.choice(len(y), most_rows, replace=False)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RsensWarning)
        fitted = fit_gp(kernel, likelihood, some, Search(True, 0, {}, None, tolerance, rng))
        posterior = fitted.posterior
        if some is not data:
            posterior, _ = posterior_of(fitted.kernel, fitted.likelihood, data, None)
    root = posterior.root
    assert isinstance(root, TriangularRoot)  # all rows, no inducing inputs
    precision = np.full(len(y), 1.0 / (fitted.likelihood.noise or 1.0)) if root.s is None else root.s**2  # s = √W
    return LatentFit(fitted.kernel, fitted.likelihood, posterior.weights, precision, root)
