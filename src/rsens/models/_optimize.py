"""L-BFGS-B for hyperparameters: from several starts, or from one that is near, with known curvature."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError
from scipy.optimize import Bounds, minimize

from rsens._errors import InputError, RsensWarning
from rsens._typing import Array

#: θ ↦ value and gradient.
Objective = Callable[[Array], tuple[float, Array]]

#: A gain in log posterior that makes no difference to any use.
GAIN = 1e-3
#: Curvature that is added to a known one, so that a step is finite where there is none.
LEAST_CURVATURE = 0.01
#: Of a difference of gradients.
STEP = 1e-4


@dataclass(frozen=True, eq=False)
class Optimum:
    """Where a search ended: θ, the value there, whether it converged, and the steps it took."""

    theta: Array
    value: float
    converged: bool
    message: str
    steps: int

    def warn_if_not_converged(self, max_iter: int) -> None:
        if not self.converged:
            warnings.warn(
                f"The hyperparameters did not converge within {max_iter} steps of L-BFGS-B ({self.message}). The model "
                "can be used, but a better one may exist: raise max_iter or n_restarts, or give a kernel with fewer "
                "hyperparameters.",
                RsensWarning,
                stacklevel=5,
            )


@dataclass(frozen=True, eq=False)
class Optimizer:
    """Limits of θ (hyperparameters, 2), steps per run, the relative gain at which to stop, and a bar to move."""

    limits: Array
    max_iter: int
    tolerance: float
    bar: Any

    def best_of(self, objective: Objective, starts: Sequence[Array]) -> Optimum:
        """The highest place that is reached from any of the starts."""
        runs: list[Optimum] = []
        for start in starts:
            try:
                runs.append(self._climb(objective, start))
            except InputError:
                if not runs:  # the start that was given; a random one may fail
                    raise
        return replace(max(runs, key=lambda run: run.value), steps=sum(run.steps for run in runs))

    def refined(self, objective: Objective, start: Array, curvature: Array) -> Optimum:
        """The top near the start, in coordinates z, θ = start + Az, in which it is about as steep in all directions.

        `curvature` is minus the Hessian, as far as it is known. Without it most steps go into finding it out.
        """
        eigenvalues, U = np.linalg.eigh(curvature)
        A = U / np.sqrt(np.maximum(eigenvalues, 0.0) + LEAST_CURVATURE)

        def of_z(z: Array) -> tuple[float, Array]:
            theta = start + A @ z
            inside = np.clip(theta, *self.limits.T)  # beyond the limits it is level
            value, gradient = objective(inside)
            return value, A.T @ np.where(theta == inside, gradient, 0.0)

        run, slope = self._run(of_z, np.zeros(len(start)), None)
        # With unit curvature, half the squared slope is what is left to gain. Rounding may hide it from a line search.
        converged = run.converged or 0.5 * float(np.sum(slope**2)) < GAIN
        return replace(run, theta=np.clip(start + A @ run.theta, *self.limits.T), converged=converged)

    def _climb(self, objective: Objective, start: Array) -> Optimum:
        """One run, and another from its end if the line search failed there.

        At the limit of float64 the line search gives up where nothing is left to gain: that is no failure.
        """
        low, high = self.limits.T
        # If all variables have two limits, L-BFGS-B begins with a step as long as the gradient, into a corner; from
        # there it may not come back. With one limit less, its first step has length 1.
        bounds = Bounds(low, np.append(high[:-1], np.inf))
        run, _ = self._run(objective, np.clip(start, *self.limits.T), bounds)
        if run.converged or run.steps >= self.max_iter:
            return run
        again, _ = self._run(objective, run.theta, bounds)
        nothing_left = again.value - run.value < GAIN
        return replace(again, converged=again.converged or nothing_left, steps=run.steps + again.steps)

    def _run(self, objective: Objective, start: Array, bounds: Bounds | None) -> tuple[Optimum, Array]:
        """L-BFGS-B; also returns the slope at its end.

        Where the objective cannot be computed it counts as very low, and the line search backs off.
        """
        lowest = np.inf

        def descent(theta: Array) -> tuple[float, Array]:
            nonlocal lowest
            self.bar.update()
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
                    "Give a kernel whose variance and length-scales suit the data, or standardize=True."
                )
            return lowest + 1e3 * (1.0 + abs(lowest)), np.zeros_like(theta)

        run = minimize(
            descent,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=bounds,
            options={"maxiter": self.max_iter, "ftol": self.tolerance, "gtol": 1e-5, "maxcor": 20},
        )
        return Optimum(run.x, -float(run.fun), bool(run.success), str(run.message), int(run.nit)), run.jac


def curvature(objective: Objective, theta: Array) -> Array:
    """Minus the Hessian of the objective, symmetric, from differences of its gradient."""
    _, here = objective(theta)
    rows = [(here - objective(theta + STEP * unit)[1]) / STEP for unit in np.eye(len(theta))]
    return 0.5 * (np.array(rows) + np.array(rows).T)
