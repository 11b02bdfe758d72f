"""The families in 60 digits, one row at a time, from their definitions: log density, score, Fisher information.

Each class takes the constructor arguments of the family of the same name as floats and turns them into the exact real
numbers they stand for. Divergences are in exact_renyi.py.
"""

from __future__ import annotations

from typing import Any

from tests.distributions.integrals import series
from tests.distributions.precision import constant, exact, mp

#: Distances from a centre, in standard deviations, at which an integrator should look: it would overlook the rest
#: of a narrow peak at the edge of a wide panel.
STEPS = (-20, -15, -10, -6, -3, -1, 0, 1, 3, 6, 10, 15, 20)


class Exact:
    """One distribution, with its arguments as attributes. `support` is line, positive, unit, counts, or a list of y."""

    support: Any
    #: λ, and the arguments that are not part of it.
    parameters: tuple[str, ...]
    fixed: tuple[str, ...] = ()

    def __init__(self, *values: float, **named: float) -> None:
        for name, value in {**dict(zip(self.parameters + self.fixed, values, strict=False)), **named}.items():
            setattr(self, name, exact(value))

    def log_prob(self, y: Any) -> Any: ...

    def score(self, y: Any) -> list[Any]:
        """∂ log p/∂λ by central differences, right to two thirds of the digits."""
        arguments = {name: getattr(self, name) for name in self.parameters + self.fixed}

        def slope(name: str) -> Any:
            h = (abs(arguments[name]) or mp.one) * mp.mpf(10) ** (-mp.dps // 3)
            ends = (type(self)(**{**arguments, name: arguments[name] + sign * h}).log_prob(y) for sign in (1, -1))
            return (next(ends) - next(ends)) / (2 * h)

        return [slope(name) for name in self.parameters]

    def information(self) -> Any: ...

    def where(self) -> list[Any]:
        """Values of y around which the distribution has its mass."""

    def norm(self, u: list[float]) -> Any:
        """sqrt(uᵀ I u)."""
        vector = mp.matrix([exact(x) for x in u])
        return mp.sqrt((vector.T * self.information() * vector)[0])


class Normal(Exact):
    support, parameters = "line", ("mean", "variance")

    def log_prob(self, y: Any) -> Any:
        return -constant(mp.log, 2 * mp.pi * self.variance) / 2 - (y - self.mean) ** 2 / (2 * self.variance)

    def information(self) -> Any:
        return mp.diag([1 / self.variance, 1 / (2 * self.variance**2)])

    def where(self) -> list[Any]:
        return [self.mean + k * mp.sqrt(self.variance) for k in STEPS]


class StudentT(Exact):
    support, parameters, fixed = "line", ("location", "scale2"), ("df",)

    def log_prob(self, y: Any) -> Any:
        nu = self.df
        gammas = constant(mp.loggamma, (nu + 1) / 2) - constant(mp.loggamma, nu / 2)
        scale = constant(mp.log, nu * mp.pi * self.scale2) / 2
        return gammas - scale - (nu + 1) / 2 * mp.log1p((y - self.location) ** 2 / (nu * self.scale2))

    def information(self) -> Any:
        nu = self.df
        return mp.diag([(nu + 1) / ((nu + 3) * self.scale2), nu / (2 * (nu + 3) * self.scale2**2)])

    def where(self) -> list[Any]:
        far = mp.sqrt(self.df)
        steps = [*STEPS, -50, 50, -8 * far, -far, -far / 8, far / 8, far, 8 * far]
        return [self.location + k * mp.sqrt(self.scale2) for k in steps]


class LogNormal(Exact):
    support, parameters = "positive", ("mu", "sigma2")

    @property
    def log(self) -> Normal:
        return Normal(self.mu, self.sigma2)

    def log_prob(self, y: Any) -> Any:
        return self.log.log_prob(mp.log(y)) - mp.log(y)

    def information(self) -> Any:
        return self.log.information()

    def where(self) -> list[Any]:
        return [mp.exp(t) for t in self.log.where()]


class Gamma(Exact):
    support, parameters = "positive", ("mean", "shape")

    @property
    def rate(self) -> Any:
        return self.shape / self.mean

    def log_prob(self, y: Any) -> Any:
        k = self.shape
        return k * constant(mp.log, self.rate) - constant(mp.loggamma, k) + (k - 1) * mp.log(y) - self.rate * y

    def information(self) -> Any:
        return mp.diag([self.shape / self.mean**2, mp.psi(1, self.shape) - 1 / self.shape])

    def where(self) -> list[Any]:
        width = 1 / mp.sqrt(self.shape)
        low = [mp.exp(-k / self.shape) for k in (1, 8, 64)] if self.shape < 4 else []
        return [self.mean * x for x in (*low, *(mp.exp(k * width) for k in STEPS if abs(k * width) < 9))]


class Exponential(Exact):
    support, parameters = "positive", ("mean",)

    def log_prob(self, y: Any) -> Any:
        return -constant(mp.log, self.mean) - y / self.mean

    def information(self) -> Any:
        return mp.diag([1 / self.mean**2])

    def where(self) -> list[Any]:
        return [self.mean * x for x in (mp.mpf(1) / 1000, mp.mpf(1) / 10, mp.one, mp.mpf(4))]


class Beta(Exact):
    support, parameters = "unit", ("a", "b")

    def log_prob(self, y: Any) -> Any:
        return (self.a - 1) * mp.log(y) + (self.b - 1) * mp.log1p(-y) - constant(log_beta, self.a, self.b)

    def information(self) -> Any:
        shared = mp.psi(1, self.a + self.b)
        return mp.matrix([[mp.psi(1, self.a) - shared, -shared], [-shared, mp.psi(1, self.b) - shared]])

    def where(self) -> list[Any]:
        centre, width = mp.log(self.a / self.b), mp.sqrt(1 / self.a + 1 / self.b)
        return [1 / (1 + mp.exp(-centre - k * width)) for k in STEPS]


def log_beta(a: Any, b: Any) -> Any:
    return mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)


class Weibull(Exact):
    support, parameters = "positive", ("shape", "scale")

    def log_prob(self, y: Any) -> Any:
        z = mp.log(y / self.scale)
        return constant(mp.log, self.shape / self.scale) + (self.shape - 1) * z - mp.exp(self.shape * z)

    def information(self) -> Any:
        k, c, rest = self.shape, self.scale, 1 - mp.euler
        return mp.matrix([[(mp.pi**2 / 6 + rest**2) / k**2, -rest / c], [-rest / c, (k / c) ** 2]])

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


class Binomial(Exact):
    parameters = ("probability",)

    def __init__(self, n: float, probability: float | None = None, logit: float | None = None) -> None:
        self.n = exact(n)
        with mp.workdps(700):  # so that 1 − p is exact at p = 1e-300 and at logits of ±700
            if logit is not None:
                self.p, self.q = 1 / (1 + mp.exp(-exact(logit))), 1 / (1 + mp.exp(exact(logit)))
            else:
                self.p, self.q = exact(probability), 1 - exact(probability)

    @property
    def support(self) -> list[Any]:
        return [mp.mpf(y) for y in range(int(self.n) + 1)]

    def log_prob(self, y: Any) -> Any:
        ways = mp.loggamma(self.n + 1) - mp.loggamma(y + 1) - mp.loggamma(self.n - y + 1)
        return ways + times_log(y, self.p) + times_log(self.n - y, self.q)

    def score(self, y: Any) -> list[Any]:
        return [y / self.p - (self.n - y) / self.q]

    def information(self) -> Any:
        return mp.diag([self.n / (self.p * self.q)])


def times_log(x: Any, p: Any) -> Any:
    """x log p with 0 log 0 = 0."""
    return mp.zero if x == 0 else (x * mp.log(p) if p > 0 else -mp.inf)


class Bernoulli(Binomial):
    def __init__(self, probability: float | None = None, logit: float | None = None) -> None:
        super().__init__(1, probability, logit)


class Categorical(Exact):
    def __init__(self, probabilities: list[float]) -> None:
        self.p = [exact(x) for x in probabilities]
        self.parameters = tuple(f"p{k}" for k in range(len(self.p)))

    @property
    def support(self) -> list[Any]:
        return [mp.mpf(y) for y in range(len(self.p))]

    def log_prob(self, y: Any) -> Any:
        return mp.log(self.p[int(y)]) if self.p[int(y)] > 0 else -mp.inf

    def information(self) -> Any:
        return mp.diag([1 / p for p in self.p])


class Poisson(Exact):
    support, parameters = "counts", ("rate",)

    def log_prob(self, y: Any) -> Any:
        return y * constant(mp.log, self.rate) - self.rate - mp.loggamma(y + 1)

    def information(self) -> Any:
        return mp.diag([1 / self.rate])

    def where(self) -> list[Any]:
        return [y for k in STEPS if (y := self.rate + k * mp.sqrt(self.rate)) > 0]


class NegativeBinomial(Exact):
    support, parameters = "counts", ("mean", "size")

    @property
    def success(self) -> Any:
        return self.mean / (self.mean + self.size)

    def log_prob(self, y: Any) -> Any:
        m, k = self.mean, self.size
        ways = mp.loggamma(y + k) - constant(mp.loggamma, k) - mp.loggamma(y + 1)
        return ways - k * constant(mp.log1p, m / k) + y * constant(mp.log, m / (m + k))

    def information(self) -> Any:
        """I_mm = k/(m (m + k)); I_kk = E[score²], whose terms cancel only inside the score."""
        m, k = self.mean, self.size

        def score(y: Any) -> Any:
            rest = (m - y) / (m + k) - constant(mp.log1p, m / k)
            return mp.psi(0, y + k) - constant(mp.psi, 0, k) + rest

        with mp.workdps(110):
            square = series(lambda y: mp.exp(self.log_prob(y)) * score(y) ** 2, self.where())
        return mp.diag([k / (m * (m + k)), square])

    def where(self) -> list[Any]:
        s = mp.sqrt(self.mean + self.mean**2 / self.size)
        return [y for x in STEPS if (y := self.mean + x * s) > 0] + [s / 100, s / 10]


class Mixture(Exact):
    """Components of one family, with fixed weights; λ stacks the components' λ, component by component."""

    def __init__(self, components: list[Exact], weights: list[float]) -> None:
        self.components, self.weights = components, [exact(w) for w in weights]
        self.support = components[0].support
        self.parameters = tuple(f"{name}_{s}" for s, c in enumerate(components) for name in c.parameters)

    def log_prob(self, y: Any) -> Any:
        terms = [mp.log(w) + c.log_prob(y) for w, c in zip(self.weights, self.components, strict=True) if w > 0]
        peak = max(terms, key=mp.re)
        return peak if mp.isinf(peak) else peak + mp.log(mp.fsum(mp.exp(t - peak) for t in terms))

    def score(self, y: Any) -> list[Any]:
        total = self.log_prob(y)
        shares = [w * mp.exp(c.log_prob(y) - total) for w, c in zip(self.weights, self.components, strict=True)]
        return [r * s for r, c in zip(shares, self.components, strict=True) for s in c.score(y)]

    def where(self) -> list[Any]:
        return sorted({y for c in self.components for y in c.where()})


FAMILIES: dict[str, type[Exact]] = {
    family.__name__: family
    for family in (
        Normal, StudentT, LogNormal, Gamma, Exponential, Beta, Weibull, Bernoulli, Binomial, Categorical, Poisson,
        NegativeBinomial, MultivariateNormal, Mixture,
    )
}  # fmt: skip
