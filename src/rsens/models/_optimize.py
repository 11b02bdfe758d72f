"""L-BFGS-B for hyperparameters, from several starts."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError
from scipy.optimize import Bounds, minimize

from rsens._errors import InputError, RsensWarning
from rsens.distributions._base import Array

#: θ ↦ value and gradient.
Objective = Callable[[Array], tuple[float, Array]]

#: A slope, in log posterior per unit of a log hyperparameter, below which the place is good for every use.
FLAT = 0.05


@dataclass(frozen=True)
class Optimizer:
    """Limits (hyperparameters, 2), steps per start, the relative gain at which to stop, and a bar to move."""

    bounds: Array
    max_iter: int
    tolerance: float
    bar: Any

    def best_of(self, objective: Objective, starts: Sequence[Array]) -> Optimum:
        """The highest place that is reached from any of the starts."""
        runs = [self._climb(objective, start) for start in starts]
        best = max(runs, key=lambda run: run.value)
        return Optimum(best.theta, best.value, best.converged, best.message, sum(run.steps for run in runs))

    def _climb(self, objective: Objective, start: Array) -> Optimum:
        """One run. Where the objective cannot be computed it counts as very low, and the line search backs off."""
        lowest = np.inf

        def descent(theta: Array) -> tuple[float, Array]:
            nonlocal lowest
            self.bar.update()
            try:
                value, gradient = objective(theta)
            except (LinAlgError, InputError):
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

        start = np.clip(start, *self.bounds.T)
        run = minimize(
            descent,
            start,
            jac=True,
            method="L-BFGS-B",
            bounds=Bounds(*self.bounds.T),
            options={"maxiter": self.max_iter, "ftol": self.tolerance, "gtol": 1e-5},
        )
        # At the limit of float64 the line search gives up where nothing is left to gain: that is no failure.
        step = np.clip(run.x - run.jac, *self.bounds.T) - run.x
        converged = bool(run.success) or float(np.abs(step).max()) < FLAT
        return Optimum(run.x, -float(run.fun), converged, str(run.message), int(run.nit))


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
