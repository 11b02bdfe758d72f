"""L-BFGS-B for hyperparameters: from several starts, or from one start that is near, with known curvature."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError
from scipy.optimize import Bounds, minimize

from rsens._errors import Argument, InputError, RsensWarning
from rsens._typing import Array

#: θ ↦ value and gradient.
Objective = Callable[[Array], tuple[float, Array]]

#: A gain in log posterior that makes no difference in practice.
GAIN = 1e-3
#: We add this to the known curvature, so that a step is finite in directions without any.
LEAST_CURVATURE = 0.01
#: The step for a difference of gradients.
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
                RsensWarning(
                    f"The hyperparameters did not converge within {max_iter} steps of L-BFGS-B ({self.message}). The "
                    "model can be used, but a better one may exist: raise ",
                    Argument("max_iter"),
                    " or ",
                    Argument("n_restarts"),
                    ", or give a kernel with fewer hyperparameters.",
                ),
                stacklevel=5,
            )


@dataclass(frozen=True, eq=False)
class Optimizer:
    """Limits of θ (hyperparameters, 2), the most steps per run, the relative gain at which to stop, a progress bar."""

    limits: Array
    max_iter: int
    tolerance: float
    bar: Any

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

    def refined(self, objective: Objective, start: Array, curvature: Array) -> Optimum:
        """The summit near the start, in coordinates z, θ = start + Az, that make it about as steep in all directions.

        `curvature` is minus the Hessian, as far as it is known. Without it, most steps would go into finding it out.
        """
        eigenvalues, U = np.linalg.eigh(curvature)
        A = U / np.sqrt(np.maximum(eigenvalues, 0.0) + LEAST_CURVATURE)

        def of_z(z: Array) -> tuple[float, Array]:
            theta = start + A @ z
            inside = np.clip(theta, *self.limits.T)  # flat beyond the limits
            value, gradient = objective(inside)
            return value, A.T @ np.where(theta == inside, gradient, 0.0)

        run, slope = self._run(of_z, np.zeros(len(start)), None)
        # With unit curvature, half the squared slope is left to gain. Rounding may hide it from a line search.
        converged = run.converged or 0.5 * float(np.sum(slope**2)) < GAIN
        return replace(run, theta=np.clip(start + A @ run.theta, *self.limits.T), converged=converged)

    def _climb(self, objective: Objective, start: Array) -> Optimum:
        """One run, and another from its end if the line search failed there.

        At the limit of float64 the line search gives up although nothing is left to gain: that is no failure.
        """
        low, high = self.limits.T
        # If all variables have two limits, the first step of L-BFGS-B is as long as the gradient: into a corner, from
        # which it may not come back. With one limit less, the first step has length 1.
        bounds = Bounds(low, np.append(high[:-1], np.inf))
        run, _ = self._run(objective, np.clip(start, *self.limits.T), bounds)
        if run.converged or run.steps >= self.max_iter:
            return run
        again, _ = self._run(objective, run.theta, bounds)
        nothing_left = again.value - run.value < GAIN
        return replace(again, converged=again.converged or nothing_left, steps=run.steps + again.steps)

    def _run(self, objective: Objective, start: Array, bounds: Bounds | None) -> tuple[Optimum, Array]:
        """Run L-BFGS-B; the slope at its end is returned too.

        Where the objective cannot be computed, it counts as very low, and the line search backs off.
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
                    "Give a kernel whose variance and length-scales suit the data, or ",
                    Argument("standardize", True),
                    ".",
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
