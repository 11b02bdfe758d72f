"""Continuous families in 60 digits, from their definitions: log density, score, Fisher information."""

from __future__ import annotations

from typing import Any

from tests.distributions.exact_base import STEPS, Exact
from tests.distributions.precision import constant, exact, mp


class Normal(Exact):
    support = "line"
    parameters = ("mean", "variance")

    def __init__(self, mean: float, variance: float) -> None:
        self.mean, self.variance = exact(mean), exact(variance)

    def log_prob(self, y: Any) -> Any:
        return -constant(mp.log, 2 * mp.pi * self.variance) / 2 - (y - self.mean) ** 2 / (2 * self.variance)

    def score(self, y: Any) -> list[Any]:
        r = y - self.mean
        return [r / self.variance, (r * r / self.variance - 1) / (2 * self.variance)]

    def information(self) -> Any:
        return mp.diag([1 / self.variance, 1 / (2 * self.variance**2)])

    def where(self) -> list[Any]:
        s = mp.sqrt(self.variance)
        return [self.mean + k * s for k in STEPS]


class StudentT(Exact):
    support = "line"
    parameters = ("location", "scale2")

    def __init__(self, location: float, scale2: float, df: float) -> None:
        self.location, self.scale2, self.df = exact(location), exact(scale2), exact(df)

    def log_prob(self, y: Any) -> Any:
        nu = self.df
        gammas = constant(mp.loggamma, (nu + 1) / 2) - constant(mp.loggamma, nu / 2)
        scale = constant(mp.log, nu * mp.pi * self.scale2) / 2
        return gammas - scale - (nu + 1) / 2 * mp.log1p((y - self.location) ** 2 / (nu * self.scale2))

    def score(self, y: Any) -> list[Any]:
        r = y - self.location
        weight = (self.df + 1) / (self.df * self.scale2 + r * r)
        return [weight * r, (weight * r * r - 1) / (2 * self.scale2)]

    def information(self) -> Any:
        nu = self.df
        return mp.diag([(nu + 1) / ((nu + 3) * self.scale2), nu / (2 * (nu + 3) * self.scale2**2)])

    def where(self) -> list[Any]:
        s, far = mp.sqrt(self.scale2), mp.sqrt(self.df)
        steps = [*STEPS, -50, 50, -8 * far, -far, -far / 8, far / 8, far, 8 * far]
        return [self.location + k * s for k in steps]


class LogNormal(Exact):
    support = "positive"
    parameters = ("mu", "sigma2")

    def __init__(self, mu: float, sigma2: float) -> None:
        self.log = Normal(mu, sigma2)

    def log_prob(self, y: Any) -> Any:
        return self.log.log_prob(mp.log(y)) - mp.log(y)

    def score(self, y: Any) -> list[Any]:
        return self.log.score(mp.log(y))

    def information(self) -> Any:
        return self.log.information()

    def where(self) -> list[Any]:
        return [mp.exp(t) for t in self.log.where()]


class Gamma(Exact):
    support = "positive"
    parameters = ("mean", "shape")

    def __init__(self, mean: float, shape: float) -> None:
        self.mean, self.shape = exact(mean), exact(shape)
        self.rate = self.shape / self.mean

    def log_prob(self, y: Any) -> Any:
        k = self.shape
        return k * constant(mp.log, self.rate) - constant(mp.loggamma, k) + (k - 1) * mp.log(y) - self.rate * y

    def score(self, y: Any) -> list[Any]:
        k, m = self.shape, self.mean
        return [k * (y - m) / m**2, constant(mp.log, k / m) + 1 - constant(mp.psi, 0, k) + mp.log(y) - y / m]

    def information(self) -> Any:
        return mp.diag([self.shape / self.mean**2, mp.psi(1, self.shape) - 1 / self.shape])

    def where(self) -> list[Any]:
        width = 1 / mp.sqrt(self.shape)
        low = [mp.exp(-k / self.shape) for k in (1, 8, 64)] if self.shape < 4 else []
        return [self.mean * x for x in (*low, *(mp.exp(k * width) for k in STEPS if abs(k * width) < 9))]


class Exponential(Exact):
    support = "positive"
    parameters = ("mean",)

    def __init__(self, mean: float) -> None:
        self.mean = exact(mean)

    def log_prob(self, y: Any) -> Any:
        return -constant(mp.log, self.mean) - y / self.mean

    def score(self, y: Any) -> list[Any]:
        return [(y / self.mean - 1) / self.mean]

    def information(self) -> Any:
        return mp.diag([1 / self.mean**2])

    def where(self) -> list[Any]:
        return [self.mean * x for x in (mp.mpf(1) / 1000, mp.mpf(1) / 10, mp.one, mp.mpf(4))]


class Beta(Exact):
    support = "unit"
    parameters = ("a", "b")

    def __init__(self, a: float, b: float) -> None:
        self.a, self.b = exact(a), exact(b)

    def log_prob(self, y: Any) -> Any:
        return (self.a - 1) * mp.log(y) + (self.b - 1) * mp.log1p(-y) - constant(log_beta, self.a, self.b)

    def score(self, y: Any) -> list[Any]:
        total = constant(mp.psi, 0, self.a + self.b)
        return [mp.log(y) - constant(mp.psi, 0, self.a) + total, mp.log1p(-y) - constant(mp.psi, 0, self.b) + total]

    def information(self) -> Any:
        shared = mp.psi(1, self.a + self.b)
        return mp.matrix([[mp.psi(1, self.a) - shared, -shared], [-shared, mp.psi(1, self.b) - shared]])

    def where(self) -> list[Any]:
        centre = mp.log(self.a / self.b)
        width = mp.sqrt(1 / self.a + 1 / self.b)
        return [1 / (1 + mp.exp(-centre - k * width)) for k in STEPS]


def log_beta(a: Any, b: Any) -> Any:
    return mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)


class Weibull(Exact):
    support = "positive"
    parameters = ("shape", "scale")

    def __init__(self, shape: float, scale: float) -> None:
        self.shape, self.scale = exact(shape), exact(scale)

    def log_prob(self, y: Any) -> Any:
        z = mp.log(y / self.scale)
        return constant(mp.log, self.shape / self.scale) + (self.shape - 1) * z - mp.exp(self.shape * z)

    def score(self, y: Any) -> list[Any]:
        k, z = self.shape, mp.log(y / self.scale)
        e = mp.exp(k * z)
        return [1 / k + z * (1 - e), k / self.scale * (e - 1)]

    def information(self) -> Any:
        k, c, gamma = self.shape, self.scale, mp.euler
        return mp.matrix(
            [[(mp.pi**2 / 6 + (1 - gamma) ** 2) / k**2, -(1 - gamma) / c], [-(1 - gamma) / c, (k / c) ** 2]]
        )

    def where(self) -> list[Any]:
        return [self.scale * mp.exp(t / self.shape) for t in (-40, -12, -4, -1, 0, 1, 2, 3)]


class MultivariateNormal(Exact):
    """λ = (mean, lower triangle of the covariance row by row); an entry off the diagonal moves both mirror places."""

    support = "vectors"

    def __init__(self, mean: list[float], covariance: list[list[float]]) -> None:
        self.mean = mp.matrix([exact(x) for x in mean])
        self.covariance = mp.matrix([[exact(x) for x in row] for row in covariance])
        with mp.workdps(700):  # variances of 1e150 next to 1e-150
            self.precision = self.covariance**-1
            self.log_det = mp.log(mp.det(self.covariance))
        self.k = len(mean)

    def log_prob(self, y: list[Any]) -> Any:
        r = mp.matrix([exact(x) for x in y]) - self.mean
        return -(self.k * mp.log(2 * mp.pi) + self.log_det + (r.T * self.precision * r)[0]) / 2

    def norm_of(self, change_of_mean: Any, change_of_covariance: Any) -> Any:
        """sqrt(δᵀ Σ⁻¹ δ + ½ tr(Σ⁻¹ Δ Σ⁻¹ Δ)) for a change δ of the mean and Δ (symmetric) of the covariance."""
        delta = mp.matrix([exact(x) for x in change_of_mean])
        scaled = self.precision * mp.matrix([[exact(x) for x in row] for row in change_of_covariance])
        square = scaled * scaled
        return mp.sqrt((delta.T * self.precision * delta)[0] + mp.fsum(square[i, i] for i in range(self.k)) / 2)
