"""One GP from data to posterior: its hyperparameters, and the inference that its likelihood and size call for."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._errors import Argument, RsensWarning
from rsens._threads import one_thread
from rsens._typing import Array, Positions
from rsens.kernels import Kernel
from rsens.likelihoods import GaussianLikelihood, Likelihood
from rsens.models import _exact, _laplace, _sparse, _sparse_laplace
from rsens.models._data import Data
from rsens.models._fit_warnings import warn_at_limits, warn_of_unknown_counts, ways_out
from rsens.models._inducing import NOTHING, choose_inducing
from rsens.models._laplace import LaplaceApproximation
from rsens.models._optimize import Objective, Optimizer, curvature, remembered
from rsens.models._priors import log_normals
from rsens.models._sparse import VariationalApproximation
from rsens.models._sparse_laplace import SparseLaplaceApproximation
from rsens.models._subset_search import SEARCH_ROWS, inducing_inputs, searched_rows
from rsens.models._thinned import ThinnedDensity
from rsens.posteriors import LatentPosterior

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


@dataclass(frozen=True)
class Search:
    """How to learn the hyperparameters, and with how many inducing inputs (None: exact); see GPRegressor."""

    optimize: bool
    n_restarts: int
    priors: Mapping[str, tuple[float, float]] | None  # all others have their weak prior; None: no priors
    n_inducing: int | None
    max_iter: int
    tolerance: float
    bar: Callable[..., Any]
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
    jitter: float
    inducing: Array | None
    steps: int
    #: The log marginal likelihood plus the log prior density, which the search maximised, of the rows that it looked
    #: at. NaN if there was no search.
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
            warn_of_unknown_counts(posterior, data.X, data.y, ways_out(likelihood, inducing))
    return FittedGP(kernel, likelihood, posterior, value, posterior.jitter, inducing, steps, reached)


def _learned(
    kernel: Kernel, likelihood: Likelihood, data: Data, search: Search
) -> tuple[Kernel, Likelihood, Array | None, int, float]:
    n_kernel, N = len(kernel.theta), len(data.y)
    prior = log_normals(kernel, likelihood, _sizes(data.X), _output_size(likelihood, data.y), search.priors or {})

    def split(theta: Array) -> tuple[Kernel, Likelihood]:
        return kernel.with_theta(theta[:n_kernel]), likelihood.with_theta(theta[n_kernel:])

    def log_posterior_of(data: Data, inducing: Array | None, with_priors: bool) -> Objective:
        log_likelihood = objective_of(data, inducing)

        def log_posterior(theta: Array) -> tuple[float, Array]:
            value, gradient = log_likelihood(*split(theta))
            if not with_priors:
                return value, gradient
            log_prior, prior_gradient = prior.log_density(theta)
            return value + log_prior, gradient + prior_gradient

        return log_posterior

    start = np.concatenate([kernel.theta, likelihood.theta])
    names = (*kernel.hyperparameter_names, *likelihood.hyperparameter_names)
    lengthscales = np.array(["lengthscale" in name for name in names])
    # Without priors, the length-scale of a column that does not matter grows for ever.
    endless = search.priors is None and search.n_inducing is None
    far = np.where(lengthscales, prior.mean + IDLE, np.inf) if endless else None
    order = _start_order(names, data.column_ranks) if search.n_restarts else []
    starts = [start, *(prior.start(search.rng, order) for _ in range(search.n_restarts))]
    with search.bar(desc="fit", unit=" evaluations") as bar:
        optimizer = Optimizer(prior.limits(start), search.max_iter, search.tolerance, bar)
        if N <= MANY_ROWS and search.n_inducing is None:
            found = optimizer.best_of(log_posterior_of(data, None, search.priors is not None), starts)
            found.warn_if_not_converged(search.max_iter)
            if search.priors is not None:
                warn_at_limits(found.theta, optimizer.limits, kernel.hyperparameter_names, ways_out(likelihood, None))
            return *split(found.theta), None, found.steps, found.value
        data = data.ordered  # the result must not depend on the order in which the rows came
        drawn, greedy = search.rng.spawn(2)  # not from the generator of the starts: their number changes neither
        some = data if N <= SUBSET else data.rows(np.sort(drawn.choice(N, SUBSET, replace=False)))
        # Always with priors: without them, a hyperparameter that these few rows do not determine may run so far away
        # that all the rows cannot bring it back.
        of_some = log_posterior_of(some, None, True)
        with one_thread("blas"):
            near = optimizer.best_of(of_some, starts)
        theta, steps, inducing = near.theta, near.steps, None
        for _ in range(1 if search.n_inducing is None else ROUNDS):
            if search.n_inducing is not None:
                chosen = choose_inducing(data.X, split(theta)[0], search.n_inducing, greedy, enough=search.enough)
                inducing = chosen.inputs
            of_all = remembered(log_posterior_of(data, inducing, search.priors is not None))
            theta = _with_second_chance(of_all, theta, start, lengthscales)
            known = N / len(some.y) * curvature(of_some, theta)
            found = optimizer.refined(of_all, theta, known, far)
            theta, steps = found.theta, steps + found.steps
    found.warn_if_not_converged(search.max_iter)
    if search.priors is not None:
        warn_at_limits(theta, optimizer.limits, kernel.hyperparameter_names, ways_out(likelihood, inducing))
    return *split(theta), inducing, steps, found.value


def _start_order(names: Sequence[str], ranks: Positions) -> list[int]:
    """θ in the order in which a start is drawn: `lengthscale[3]` stands where column 3 has its rank, not its place."""
    parts = [name.rpartition("[") for name in names]
    first = {field: i for i, (field, _, _) in reversed(list(enumerate(parts)))}

    def key(i: int) -> tuple[int, int]:
        field, _, column = parts[i]
        return (first[field], int(ranks[int(column[:-1])])) if names[i].endswith("]") else (i, 0)

    return sorted(range(len(names)), key=key)


def _with_second_chance(objective: Objective, theta: Array, start: Array, lengthscales: NDArray[np.bool_]) -> Array:
    """θ, or θ with no length-scale longer than at the start: a column may matter even if a subset does not show it."""
    chance = np.where(lengthscales, np.minimum(theta, start), theta)
    return chance if objective(chance)[0] > objective(theta)[0] else theta


def objective_of(data: Data, inducing: Array | None) -> Callable[[Kernel, Likelihood], tuple[float, Array]]:
    """(kernel, likelihood) ↦ log marginal likelihood and its gradient."""
    warm = _laplace.WarmStart()

    def value_and_gradient(kernel: Kernel, likelihood: Likelihood) -> tuple[float, Array]:
        if isinstance(likelihood, GaussianLikelihood) and inducing is None:
            return _exact.objective(kernel, likelihood, data.X, data.residual)
        approximation = _approximate(kernel, likelihood, data, inducing, warm)
        return approximation.log_marginal_likelihood, approximation.gradient()

    return value_and_gradient


def posterior_of(
    kernel: Kernel, likelihood: Likelihood, data: Data, inducing: Array | None, some: Data | None = None
) -> tuple[LatentPosterior, float]:
    """f given y, and the log marginal likelihood. A mode is first looked for with some of the rows, if they are given.

    The passes over all rows then start near the mode, and few are needed.
    """
    if isinstance(likelihood, GaussianLikelihood) and inducing is None:
        exact, value = _exact.posterior_and_value(kernel, likelihood, data.X, data.residual)
        return replace(exact, mean=data.mean), value
    warm = None
    if some is not None and some is not data and not isinstance(likelihood, GaussianLikelihood):
        warm = _laplace.WarmStart()
        _approximate(kernel, likelihood, some, inducing, warm)
        warm.near = True
    approximation = _approximate(kernel, likelihood, data, inducing, warm)
    if not approximation.converged:
        warnings.warn(
            RsensWarning(
                "Newton's method did not reach the mode of the latent values, so predictions may be off. Use ",
                Argument("priors", "weak"),
                ", or a kernel with a smaller variance.",
            ),
            stacklevel=4,
        )
    return approximation.posterior(), approximation.log_marginal_likelihood


def _approximate(
    kernel: Kernel,
    likelihood: Likelihood,
    data: Data,
    inducing: Array | None,
    warm: _laplace.WarmStart | None = None,
) -> VariationalApproximation | LaplaceApproximation | SparseLaplaceApproximation:
    """The approximation for inducing inputs, for a likelihood other than the Gaussian, or for both."""
    if isinstance(likelihood, GaussianLikelihood) and inducing is not None:
        return _sparse.approximate(kernel, likelihood, data.X, data.residual, inducing, mean=data.mean)
    given: dict[str, Any] = {"mean": data.mean, "offset": data.offset, "warm": warm}
    density = likelihood if data.thinned is None else ThinnedDensity(likelihood, *data.thinned)
    if inducing is None:
        return _laplace.approximate(kernel, density, data.X, data.y, **given)
    return _sparse_laplace.approximate(kernel, density, data.X, data.y, inducing, **given)


def _threads_for(n_rows: int, n_inducing: int | None) -> Any:
    """One thread if a step of the search has little work."""
    return one_thread("blas") if n_rows * min(n_rows, n_inducing or n_rows) ** 2 <= FEW_ROWS**3 else nullcontext()


def _sizes(X: Array) -> Array:
    """The standard deviation of each column, the unit of its length-scale; 1 for a constant column."""
    deviation = X.std(axis=0)
    return np.where(deviation > 0.0, deviation, 1.0)


def _output_size(likelihood: Likelihood, y: Array) -> float:
    """The unit of f: the standard deviation of y if y is f plus noise, else 1."""
    if likelihood.target != "numbers":
        return 1.0
    return float(np.std(y)) or 1.0
