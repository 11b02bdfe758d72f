"""Hyperparameters: their priors, and L-BFGS-B from several starts, or from one that is near with known curvature."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from numbers import Real
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError
from scipy.optimize import Bounds, OptimizeResult, minimize

from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.kernels import Kernel
from rsens.likelihoods import Likelihood

#: θ ↦ value and gradient.
Objective = Callable[[Array], tuple[float, Array]]

#: A gain in log posterior that makes no difference in practice.
GAIN = 1e-3
#: We add this to the known curvature, so that a step is finite in directions without any.
LEAST_CURVATURE = 0.01
#: A first step may change no hyperparameter by more than a factor of exp(LEAP).
LEAP = 2.0
#: The shortest unit of the coordinates; L-BFGS-B measures slopes in it when it decides to stop.
SHORT = 0.1
#: A gain so small that it is time to look for entries of θ that only run away.
EARLY = 0.3
#: The step for a difference of gradients.
STEP = 1e-4
#: How far from the mean of its prior a search may go, on the log scale.
REACH = 18.0


@dataclass(frozen=True, eq=False)
class Optimum:
    """The end of a search: θ, the value there, whether it converged, and the steps it took."""

    theta: Array
    value: float
    converged: bool
    message: str
    steps: int


@dataclass(frozen=True, eq=False)
class Optimizer:
    """Limits of θ (hyperparameters, 2), the most steps per run, and the relative gain at which to stop."""

    limits: Array
    max_iter: int
    tolerance: float

    def best_of(self, objective: Objective, starts: Sequence[Array]) -> Optimum:
        """The highest point that any of the starts leads to."""
        runs: list[Optimum] = []
        for start in starts:
            try:
                runs.append(self._climb(objective, start))
            except InputError:
                if not runs:  # the first start must work; random ones may fail
                    raise
        return replace(max(runs, key=lambda run: run.value), steps=sum(run.steps for run in runs))

    def refined(self, objective: Objective, start: Array, curvature: Array, far: Array | None = None) -> Optimum:
        """The summit of a `remembered` objective near the start; `curvature` is minus the Hessian as far as known.

        Entries of θ beyond `far` may have no summit: the objective rises, ever flatter, as they grow, and to follow
        them takes most of the steps. They go to their upper limits at once, if the slope there agrees.
        """
        eigenvalues, U = np.linalg.eigh(curvature)
        A = U / np.sqrt(np.maximum(eigenvalues, 0.0) + LEAST_CURVATURE)
        all_free = np.ones(len(start), dtype=bool)
        found, spread = self._along(objective, start, A, all_free, far)
        if far is None or not (found.theta > far).any():
            return found
        idle = self._idle(objective, found.theta, found.theta > far)
        runs = [found]
        if idle.any():
            aside = np.where(idle, self.limits[:, 1], found.theta)
            runs.append(self._along(objective, aside, _root(spread[~idle][:, ~idle]), ~idle)[0])
        best = max(runs, key=lambda run: run.value)
        if best is found or (objective(best.theta)[1][idle] < 0.0).any():  # then all entries count again
            again = np.where(idle, np.minimum(best.theta, far), best.theta)
            runs.append(self._along(objective, again, _root(spread), all_free)[0])
        return replace(max(runs, key=lambda run: run.value), steps=sum(run.steps for run in runs))

    def _idle(self, objective: Objective, theta: Array, idle: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The idle entries that stay at their upper limits if they are put there: no slope calls them back."""
        while idle.any():
            slope = objective(np.where(idle, self.limits[:, 1], theta))[1]
            if (slope[idle] >= 0.0).all():
                break
            idle = idle & (slope >= 0.0)
        return idle

    def _along(
        self, objective: Objective, start: Array, A: Array, free: NDArray[np.bool_], far: Array | None = None
    ) -> tuple[Optimum, Array]:
        """A summit in coordinates z, θ = start + Az for the free entries; and the inverse curvature there.

        A makes the objective about as steep in all directions; without it, most steps would go into finding that out.
        """
        slope = A.T @ objective(start)[1][free]
        step = A @ slope  # Newton's. The first step of L-BFGS-B has length 1, so let that be the unit, but no leap.
        unit = max(SHORT, float(np.linalg.norm(slope)) * LEAP / max(LEAP, float(np.max(np.abs(step), initial=0.0))))
        A = A * unit

        def theta_of(z: Array) -> Array:
            theta = start.copy()
            theta[free] += A @ z
            return theta

        def of_z(z: Array) -> tuple[float, Array]:
            theta = theta_of(z)
            inside = np.clip(theta, *self.limits.T)  # flat beyond the limits
            value, gradient = objective(inside)
            return value, A.T @ np.where(theta == inside, gradient, 0.0)[free]

        def left(slope: Array) -> float:
            """With unit curvature, half the squared slope is left to gain."""
            return 0.5 * float(np.sum((slope / unit) ** 2))

        def may_end(z: Array, gain: float) -> bool:
            value, slope = of_z(z)
            if left(slope) < self.tolerance * max(1.0, abs(value)):
                return True  # before rounding hides the rest from the line search
            return gain < EARLY and far is not None and bool((theta_of(z) > far).any())

        run, slope, spread = self._run(of_z, np.zeros(A.shape[1]), None, may_end)
        converged = run.converged or left(slope) < GAIN
        theta = np.clip(theta_of(run.theta), *self.limits.T)
        return replace(run, theta=theta, converged=converged), A @ spread @ A.T

    def _climb(self, objective: Objective, start: Array) -> Optimum:
        """One run, and another from its end if the line search failed there, as it does where float64 shows no gain."""
        low, high = self.limits.T
        # If all variables have two limits, the first step of L-BFGS-B is as long as the gradient: into a corner, from
        # which it may not come back. With one limit less, the first step has length 1.
        bounds = Bounds(low, np.append(high[:-1], np.inf))
        run, *_ = self._run(objective, np.clip(start, *self.limits.T), bounds)
        if run.converged or run.steps >= self.max_iter:
            return run
        again, *_ = self._run(objective, run.theta, bounds)
        nothing_left = again.value - run.value < GAIN
        return replace(again, converged=again.converged or nothing_left, steps=run.steps + again.steps)

    def _run(
        self,
        objective: Objective,
        start: Array,
        bounds: Bounds | None,
        may_end: Callable[[Array, float], bool] = lambda theta, gain: False,
    ) -> tuple[Optimum, Array, Array]:
        """Run L-BFGS-B; returns the slope at its end too, and its estimate of the inverse curvature.

        Where the objective cannot be computed, it counts as very low, and the line search backs off.
        """
        lowest = np.inf

        def descent(theta: Array) -> tuple[float, Array]:
            nonlocal lowest
            try:
                value, gradient = objective(theta)
            except (LinAlgError, InputError):
                if lowest == np.inf:
                    raise
                value, gradient = np.nan, np.zeros_like(theta)
            if np.isfinite(value) and np.isfinite(gradient).all():
                lowest = min(lowest, -value)
                return -value, -gradient
            if lowest == np.inf:
                raise InputError(
                    "the marginal likelihood cannot be computed where the search starts. "
                    "Give a kernel whose variance and length-scales suit the data, or ",
                    Argument("standardize", True),
                    ".",
                )
            return lowest + 1e3 * (1.0 + abs(lowest)), np.zeros_like(theta)

        last = np.inf

        def end_early(intermediate_result: OptimizeResult) -> None:
            nonlocal last
            gain, last = last - intermediate_result.fun, intermediate_result.fun
            if may_end(intermediate_result.x, gain):
                raise StopIteration

        run = minimize(
            descent,
            start,
            jac=True,
            callback=end_early,
            method="L-BFGS-B",
            bounds=bounds,
            options={"maxiter": self.max_iter, "ftol": self.tolerance, "gtol": 1e-5, "maxcor": 20},
        )
        optimum = Optimum(run.x, -float(run.fun), bool(run.success), str(run.message), int(run.nit))
        return optimum, run.jac, run.hess_inv @ np.eye(len(start))


def remembered(objective: Objective) -> Objective:
    """The objective, computed once for every θ that it is asked for."""
    known = cache(lambda key: objective(np.frombuffer(key)))
    return lambda theta: known(theta.tobytes())


def _root(spread: Array) -> Array:
    """A with AAᵀ = spread."""
    eigenvalues, U = np.linalg.eigh(spread)
    return U * np.sqrt(np.maximum(eigenvalues, 0.0))


def curvature(objective: Objective, theta: Array) -> Array:
    """Minus the Hessian of the objective, symmetric, from differences of its gradient."""
    _, here = objective(theta)
    rows = [(here - objective(theta + STEP * unit)[1]) / STEP for unit in np.eye(len(theta))]
    return 0.5 * (np.array(rows) + np.array(rows).T)


@dataclass(frozen=True, eq=False)
class LogNormals:
    """θ ~ N(mean, deviation²), independent: logs of hyperparameters; `GPRegressor` has the table of weak priors."""

    mean: Array
    deviation: Array

    def log_density(self, theta: Array) -> tuple[float, Array]:
        """log p(θ) up to a constant, and its gradient."""
        z = (theta - self.mean) / self.deviation
        return float(-0.5 * np.sum(z**2)), -z / self.deviation

    def start(self, rng: np.random.Generator, order: Sequence[int]) -> Array:
        """A random draw, at most a factor of e away per standard deviation; numbers are drawn in this order of θ."""
        z = np.empty(len(self.mean))
        z[order] = rng.standard_normal(len(z))
        return self.mean + np.minimum(self.deviation, 1.0) * z

    def limits(self, start: Array) -> Array:
        """Wide limits for a search, (hyperparameters, 2), with the start inside."""
        return np.column_stack([np.minimum(self.mean - REACH, start), np.maximum(self.mean + REACH, start)])


def log_normals(
    kernel: Kernel,
    likelihood: Likelihood,
    input_scale: Array,
    output_scale: float,
    given: Mapping[str, tuple[float, float]] = MappingProxyType({}),
) -> LogNormals:
    """The priors in the order of the `theta` of kernel and likelihood; `given` has (median, sd of the log) by name."""
    entries = [*kernel.priors(input_scale, output_scale), *likelihood.priors(output_scale)]
    names = (*kernel.hyperparameter_names, *likelihood.hyperparameter_names)
    fields = [name.rpartition(".")[2].partition("[")[0] for name in names]
    unknown = sorted(set(given) - set(fields))
    if unknown:
        known = ", ".join(map(repr, dict.fromkeys(fields)))
        raise InputError(Argument("priors"), f" names {unknown[0]!r}, but the hyperparameters are {known}.")
    logs = {name: (float(np.log(c)), spread) for name, (c, spread) in given.items()}
    entries = [logs.get(field, entry) for field, entry in zip(fields, entries, strict=True)]
    mean, deviation = np.array(entries).reshape(-1, 2).T
    return LogNormals(mean, deviation)


def check_priors(priors: Any) -> Mapping[str, tuple[float, float]] | None:
    """The priors that replace weak ones, {} if none does; None for no priors at all."""
    if priors is None:
        return None
    given = {} if isinstance(priors, str) and priors == "weak" else priors
    if not isinstance(given, Mapping) or not all(map(_is_prior, given.values())):
        raise InputError(
            Argument("priors"),
            " must be 'weak', None or a dict with two positive numbers for each name, the median and the standard "
            f"deviation of the logarithm, like {{'lengthscale': (4.0, 1.0)}}; got {priors!r}.",
        )
    return {str(name): (float(c), float(s)) for name, (c, s) in given.items()}


def _is_prior(prior: Any) -> bool:
    pair = isinstance(prior, tuple | list) and len(prior) == 2
    return pair and all(isinstance(number, Real) and 0.0 < float(number) < np.inf for number in prior)
