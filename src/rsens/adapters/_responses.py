"""What an observation is, given its linear predictor η ~ N(m, v), beyond the likelihoods of rsens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from rsens._errors import InputError
from rsens._typing import Array
from rsens.distributions import Distribution, StudentT
from rsens.likelihoods import Likelihood


@dataclass(frozen=True)
class StudentTResponse:
    """A linear model with an estimated noise: StudentT(m, noise + v, ν), as in `BayesianLinearRegression`."""

    noise_variance: float
    degrees_of_freedom: float

    def predictive(self, m: Array, v: Array) -> StudentT:
        return StudentT(m, self.noise_variance + v, self.degrees_of_freedom).checked(len(m))

    def predictive_derivatives(self, m: Array, v: Array, order: int) -> tuple[Array, Array | None]:
        first = np.broadcast_to(np.eye(2), (len(m), 2, 2)).copy()
        return first, np.zeros((len(m), 2, 2, 2)) if order == 2 else None


class MeanMap(Protocol):
    """E[h(η)], the mean of an observation over η ~ N(m, v), with its derivatives in (m, v)."""

    def __call__(self, m: Array, v: Array) -> tuple[Array, Array, Array]:
        """The mean (n,), its gradient (n, 2) and its Hessian (n, 2, 2)."""
        ...


@dataclass(frozen=True)
class MeanResponse:
    """A family whose parameters are linear in the mean: λ = `slopes` μ + what does not depend on η."""

    mean: MeanMap
    family: Callable[[Array], Distribution]
    slopes: tuple[float, ...]

    def predictive(self, m: Array, v: Array) -> Distribution:
        μ, _, _ = self.mean(m, v)
        return self.family(μ).checked(len(m))

    def predictive_derivatives(self, m: Array, v: Array, order: int) -> tuple[Array, Array | None]:
        _, gradient, hessian = self.mean(m, v)
        slopes = np.array(self.slopes)
        first = slopes[:, None] * gradient[:, None, :]
        return first, slopes[:, None, None] * hessian[:, None] if order == 2 else None


def identity_mean(m: Array, v: Array) -> tuple[Array, Array, Array]:
    """h(η) = η."""
    return m, np.tile([1.0, 0.0], (len(m), 1)), np.zeros((len(m), 2, 2))


def log_mean(m: Array, v: Array) -> tuple[Array, Array, Array]:
    """h(η) = e^η: the mean is exp(m + v/2)."""
    with np.errstate(over="ignore"):
        μ = np.exp(m + 0.5 * v)
    if np.isinf(μ).any():
        raise InputError(f"the mean exp(m + v/2) overflows at a linear predictor of {np.max(m):g}. Check the rows.")
    direction = np.array([1.0, 0.5])
    return μ, μ[:, None] * direction, μ[:, None, None] * np.outer(direction, direction)


@dataclass(frozen=True)
class ProbabilityMean:
    """The probability that a likelihood of two classes gives."""

    likelihood: Likelihood

    def __call__(self, m: Array, v: Array) -> tuple[Array, Array, Array]:
        first, second = self.likelihood.predictive_derivatives(m, v, 2)
        assert second is not None
        return self.likelihood.predictive(m, v).mean, first[:, 0], second[:, 0]


@dataclass(frozen=True)
class PlugInMean:
    """h(m), with an inverse link of statsmodels: the coefficients are taken for the truth, so v does not matter."""

    link: Any

    def __call__(self, m: Array, v: Array) -> tuple[Array, Array, Array]:
        gradient, hessian = np.zeros((len(m), 2)), np.zeros((len(m), 2, 2))
        gradient[:, 0] = self.link.inverse_deriv(m)
        hessian[:, 0, 0] = self.link.inverse_deriv2(m)
        return np.asarray(self.link.inverse(m)), gradient, hessian
