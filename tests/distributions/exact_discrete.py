"""Discrete families in 60 digits, from their definitions: log probability, score, Fisher information."""

from __future__ import annotations

from typing import Any

from tests.distributions.exact_base import STEPS, Exact
from tests.distributions.integrals import series
from tests.distributions.precision import constant, exact, mp


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

    def score(self, y: Any) -> list[Any]:
        return [1 / p if k == int(y) else mp.zero for k, p in enumerate(self.p)]

    def information(self) -> Any:
        return mp.diag([1 / p for p in self.p])


class Poisson(Exact):
    support = "counts"
    parameters = ("rate",)

    def __init__(self, rate: float) -> None:
        self.rate = exact(rate)

    def log_prob(self, y: Any) -> Any:
        return y * constant(mp.log, self.rate) - self.rate - mp.loggamma(y + 1)

    def score(self, y: Any) -> list[Any]:
        return [y / self.rate - 1]

    def information(self) -> Any:
        return mp.diag([1 / self.rate])

    def where(self) -> list[Any]:
        s = mp.sqrt(self.rate)
        return [y for k in STEPS if (y := self.rate + k * s) > 0]


class NegativeBinomial(Exact):
    support = "counts"
    parameters = ("mean", "size")

    def __init__(self, mean: float, size: float) -> None:
        self.mean, self.size = exact(mean), exact(size)
        self.success = self.mean / (self.mean + self.size)

    def log_prob(self, y: Any) -> Any:
        m, k = self.mean, self.size
        ways = mp.loggamma(y + k) - constant(mp.loggamma, k) - mp.loggamma(y + 1)
        return ways - k * constant(mp.log1p, m / k) + y * constant(mp.log, m / (m + k))

    def score(self, y: Any) -> list[Any]:
        m, k = self.mean, self.size
        return [
            k * (y - m) / (m * (m + k)),
            mp.psi(0, y + k) - constant(mp.psi, 0, k) + (m - y) / (m + k) - constant(mp.log1p, m / k),
        ]

    def information(self) -> Any:
        """I_mm = k/(m (m + k)); I_kk = E[score²], whose terms cancel only inside the score."""
        m, k = self.mean, self.size
        with mp.workdps(110):
            square = series(lambda y: mp.exp(self.log_prob(y)) * self.score(y)[1] ** 2, self.where())
        return mp.diag([k / (m * (m + k)), square])

    def where(self) -> list[Any]:
        s = mp.sqrt(self.mean + self.mean**2 / self.size)
        return [y for x in STEPS if (y := self.mean + x * s) > 0] + [s / 100, s / 10]
