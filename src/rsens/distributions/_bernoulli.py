"""Bernoulli and Binomial, λ = the success probability, given directly or as its logit; Categorical, λ = p."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy.special import expit, log_expit

from rsens._errors import Argument, InputError
from rsens._special import HALF_LOG_TWO_PI, expm1mx, log_ratio, stirling_error
from rsens._typing import Array, Positions
from rsens.distributions._base import (
    REAL,
    SHARES,
    UNIT,
    Distribution,
    Domain,
    Link,
    Reach,
    RowShaper,
    Univariate,
    scalar_link,
    sigmoid,
)
from rsens.distributions._counts import beta_cdf, count_quantile
from rsens.distributions._jensen import finite_renyi


class _Success(Univariate):
    """The base of Bernoulli and Binomial: `trials` repetitions of an event of probability π.

    The probability of failure is kept alongside π: near π = 1 it cannot be recovered from π, only from the logit.
    """

    probability: Any
    logit: Any
    trials: Any
    support: ClassVar[Literal["counts"]] = "counts"
    same_support: ClassVar[bool] = False
    additive_on: ClassVar[Literal["logit"]] = "logit"
    optional_fields: ClassVar[tuple[str, ...]] = ("probability", "logit")

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return ("probability",)

    def columns(self) -> tuple[Any, ...]:
        return (self.probability if self.logit is None else sigmoid(self.logit),)

    @property
    def mean(self) -> Array:
        me = self._checked
        return me.trials * me._pair()[0]

    @property
    def variance(self) -> Array:
        me, (pi, rest) = self._checked, self._checked._pair()
        return me.trials * pi * rest

    def _matched(self, average: Callable[..., Any]) -> Self:
        fields = {name: average(getattr(self, name)) for name in self.fixed_fields}
        return type(self)(**fields, **{"probability": average(self.columns()[0])})

    def _check_given(self) -> None:
        if (self.probability is None) == (self.logit is None):
            got = "neither" if self.logit is None else "both"
            start = f"{type(self).__name__}: give either "
            raise InputError(start, Argument("probability"), " or ", Argument("logit"), f"; got {got}.")

    def _pair(self) -> tuple[Array, Array]:
        """(π, 1 − π)."""
        if self.logit is None:
            return self.probability, 1.0 - self.probability
        return expit(self.logit), expit(-self.logit)

    def _log_pair(self) -> tuple[Array, Array]:
        """(log π, log(1 − π))."""
        if self.logit is None:
            return np.log(self.probability), np.log1p(-self.probability)
        return log_expit(self.logit), log_expit(-self.logit)

    def _log_ratios(self, other: Self) -> tuple[Array, Array]:
        """(log π'/π, log (1 − π')/(1 − π))."""
        if self.logit is None and other.logit is None:
            pi, pi1 = self.probability, other.probability
            fall = (pi - pi1) / (1.0 - pi)
            failures = np.where(np.abs(fall) < 0.5, np.log1p(fall), np.log1p(-pi1) - np.log1p(-pi))
            return log_ratio(pi, pi1), failures
        (success, failure), (success1, failure1) = self._log_pair(), other._log_pair()
        if self.logit is None or other.logit is None:
            return success1 - success, failure1 - failure
        # (1 + e^{−z'})/(1 + e^{−z}) = 1 + (1 − π)(e^{z − z'} − 1), which keeps the digits of close logits.
        step = np.clip(self.logit - other.logit, -1.0, 1.0)
        far = np.abs(self.logit - other.logit) > 1.0
        pi, rest = self._pair()
        return (
            np.where(far, success1 - success, -np.log1p(rest * np.expm1(step))),
            np.where(far, failure1 - failure, -np.log1p(pi * np.expm1(-step))),
        )

    def _reach(self) -> Reach:
        reach = super()._reach()
        return reach._replace(low=np.maximum(reach.low, 0.0), high=np.fmin(reach.high, self.trials))

    def _renyi(self, other: Self, alpha: float) -> Array:
        pairs = self._log_pair(), other._log_pair(), self._log_ratios(other)
        log_p, log_q, d = (np.stack(pair, -1) for pair in pairs)
        return self.trials * finite_renyi(log_p, log_q, d, alpha)

    def _whiten(self, u: Array, row: RowShaper) -> list[Array]:
        pi, rest = self._pair()
        whitened = u[0] / row(np.sqrt(pi)) / row(np.sqrt(rest)) * row(np.sqrt(self.trials))
        return [np.where(u[0] == 0.0, 0.0, whitened)]

    def _score(self, y: Array) -> Array:
        pi, rest = self._pair()
        success = np.where(y == 0.0, 0.0, y / pi)
        failure = np.where(y == self.trials, 0.0, (self.trials - y) / rest)
        return (success - failure)[..., None]

    def _link(self) -> Link:
        """logit π: with s = π(1 − π), ∂η/∂π = 1/s and ∂²η/∂π² = (2π − 1)/s² = tanh(η/2)/s²."""
        π = self.parameters[:, 0]
        eta = np.log(π) - np.log1p(-π) if self.logit is None else self.logit
        slope = expit(eta) * expit(-eta)
        safe = np.where(slope > 0.0, slope, np.inf)  # beyond float64 nothing moves
        return scalar_link(eta, (1.0 / safe,), (np.tanh(0.5 * eta) / safe**2,), (slope,))


@dataclass(frozen=True, eq=False)
class Bernoulli(_Success):
    """Bernoulli(probability) or Bernoulli(logit=…): y = 1 with probability π, else 0.

    λ = π either way, I = 1/(π(1 − π)). Give the logit where you have it: near π = 1 it keeps digits that π has lost.

    Args:
        probability: π, between 0 and 1; one value per row, shape (n,), or one for all rows.
        logit: log(π/(1 − π)) instead of π; same shape.

    Example:
        >>> from rsens import Bernoulli
        >>> Bernoulli([0.2, 0.5]).variance.round(6).tolist()
        [0.16, 0.25]
        >>> Bernoulli(logit=[0.0]).mean.tolist()
        [0.5]
    """

    probability: Any = None
    logit: Any = field(default=None, kw_only=True)
    domains: ClassVar[dict[str, Domain]] = {"probability": UNIT, "logit": REAL}

    @property
    def trials(self) -> Array:
        return np.ones(self._pair()[0].shape)

    def _collapsed(self, weights: Array) -> Bernoulli:
        success, failure = (np.einsum("ns,sn->n", weights, share) for share in self._pair())
        if self.logit is None or not ((success > 0.0) & (failure > 0.0)).all():
            return Bernoulli(np.minimum(success, 1.0)).checked()
        return Bernoulli(logit=np.log(success) - np.log(failure)).checked()

    def _log_prob(self, y: Array) -> Array:
        success, failure = self._log_pair()
        return np.where(y == 1.0, success, np.where(y == 0.0, failure, -np.inf))

    def _sample(self, rng: np.random.Generator, size: tuple[int, ...]) -> Array:
        pi, _ = self._pair()
        return (rng.random(size + pi.shape) < pi).astype(np.float64)

    def _quantile(self, q: Array, upper: bool = False) -> Array:
        pi, rest = self._pair()
        return (q < pi if upper else q > rest).astype(np.float64)

    def _cdf(self, y: Array, upper: bool) -> Array:
        pi, rest = self._pair()
        return np.where(y < 1.0, pi if upper else rest, 0.0 if upper else 1.0)


@dataclass(frozen=True, eq=False)
class Binomial(_Success):
    """Binomial(n, probability) or Binomial(n, logit=…): y counts the successes in n trials, each of probability π.

    λ = π, I = n/(π(1 − π)); n is fixed.

    Args:
        n: The number of trials, whole and at least 1; one value per row, or one for all rows. It may not depend on x.
        probability: π, between 0 and 1; one value per row, or one for all rows.
        logit: log(π/(1 − π)) instead of π; same shape.

    Example:
        >>> from rsens import Binomial
        >>> Binomial(n=10, probability=[0.2, 0.5]).mean.tolist()
        [2.0, 5.0]
    """

    n: Any
    probability: Any = None
    logit: Any = field(default=None, kw_only=True)
    domains: ClassVar[dict[str, Domain]] = {"n": Domain(1.0, closed=True), "probability": UNIT, "logit": REAL}
    fixed_fields: ClassVar[tuple[str, ...]] = ("n",)

    @property
    def trials(self) -> Array:
        return self.n

    def _check_jointly(self) -> None:
        if (self.n != np.round(self.n)).any():
            wrong = self.n[self.n != np.round(self.n)][0]
            raise self._refused("n", f" must be whole numbers; got {wrong:g}.")

    def _log_prob(self, y: Array) -> Array:
        # Loader's saddle-point form: no factorial is ever subtracted from another one.
        n = self.n
        pi, rest = self._pair()
        log_pi, log_rest = self._log_pair()
        inside = (y > 0.0) & (y < n)
        k = np.where(inside, y, 0.5 * n)
        successes, failures = _log_expected(k, n, pi, log_pi), _log_expected(n - k, n, rest, log_rest)
        deviance = k * expm1mx(successes) + (n - k) * expm1mx(failures)
        error = stirling_error(n) - stirling_error(k) - stirling_error(n - k)
        middle = error - deviance + 0.5 * (np.log(n) - np.log(k) - np.log(n - k)) - HALF_LOG_TWO_PI
        ends = np.where(y == 0.0, n * log_rest, np.where(y == n, n * log_pi, -np.inf))
        return np.where(inside, middle, ends)

    def _sample(self, rng: np.random.Generator, size: tuple[int, ...]) -> Array:
        pi, _ = self._pair()
        return rng.binomial(self.n.astype(np.int64), pi, size + pi.shape).astype(np.float64)

    def _quantile(self, q: Array, upper: bool = False) -> Array:
        return count_quantile(self, q, upper, self.n)

    def _cdf(self, y: Array, upper: bool) -> Array:
        below = np.minimum(y, self.n - 1.0)
        pi, rest = self._pair()
        return np.where(y < self.n, beta_cdf(self.n - below, below + 1.0, rest, pi, upper), 0.0 if upper else 1.0)

    def _prediction_gradient(self) -> Array:
        return np.asarray(self.n)[..., None, None]

    def _variance_gradient(self) -> tuple[Array]:
        return (self.n * (1.0 - 2.0 * self.mean / self.n),)


def _log_expected(count: Array, n: Array, share: Array, log_share: Array) -> Array:
    """log(n·share/count), also where the share underflows."""
    return np.where(share > 1e-290, log_ratio(count, n * share), np.log(n) + log_share - np.log(count))


@dataclass(frozen=True, eq=False)
class Categorical(Distribution):
    """Categorical(probabilities): y is one of the class codes 0, …, K − 1, and y = k with probability p_k.

    λ = (p_0, …, p_{K−1}), I = diag(1/p) on changes that keep Σp = 1, which the changes of a model always do. `mean` is
    the mean of the K class indicators, so the prediction has K outputs.

    Args:
        probabilities: p, shape (n, K), or (K,) for all rows; between 0 and 1, each row adding up to 1.

    Example:
        >>> from rsens import Categorical
        >>> Categorical([[0.5, 0.25, 0.25]]).log_prob([0]).round(6).tolist()
        [-0.693147]
    """

    probabilities: Any
    domains: ClassVar[dict[str, Domain]] = {"probabilities": SHARES}
    support: ClassVar[Literal["classes"]] = "classes"
    same_support: ClassVar[bool] = False
    output_weight: ClassVar[float] = 0.5
    additive_on: ClassVar[Literal["logit"]] = "logit"

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return tuple(f"p{k}" for k in range(self.probabilities.shape[-1]))

    def columns(self) -> tuple[Any, ...]:
        return tuple(self.probabilities[..., k] for k in range(self.probabilities.shape[-1]))

    @property
    def mean(self) -> Array:
        return self._checked.probabilities

    @property
    def variance(self) -> Array:
        p = self._checked.probabilities
        return p * (1.0 - p)

    def _check_jointly(self) -> None:
        self._check_sums("probabilities", "Normalise them, for example with a softmax.")

    def _log_prob(self, y: Array) -> Array:
        p = self.probabilities
        inside = (y >= 0.0) & (y < p.shape[-1]) & (y == np.round(y))
        code = np.where(inside, y, 0.0).astype(np.intp)
        return np.where(inside, np.log(chosen(p, code)), -np.inf)

    def _sample(self, rng: np.random.Generator, size: tuple[int, ...]) -> Array:
        edges = np.cumsum(self.probabilities[..., :-1], axis=-1)
        draws = rng.random(size + self.probabilities.shape[:-1])
        return (draws[..., None] >= edges).sum(axis=-1).astype(np.float64)

    def with_parameters(self, λ: Any) -> Categorical:
        return Categorical(λ)

    def _collapsed(self, weights: Array) -> Categorical:
        return self._with({"probabilities": np.einsum("ns,snk->nk", weights, self.probabilities)})

    def _renyi(self, other: Self, alpha: float) -> Array:
        log_p, log_q = np.log(self.probabilities), np.log(other.probabilities)
        return finite_renyi(log_p, log_q, log_ratio(self.probabilities, other.probabilities), alpha)

    def _whiten(self, u: Array, row: RowShaper) -> list[Array]:
        columns = [u[k] / row(np.sqrt(self.probabilities[..., k])) for k in range(len(u))]
        return [np.where(u[k] == 0.0, 0.0, column) for k, column in enumerate(columns)]

    def _score(self, y: Array) -> Array:
        classes = np.arange(self.probabilities.shape[-1])
        return np.where(y[..., None] == classes, 1.0 / self.probabilities, 0.0)

    def _prediction_gradient(self) -> Array:
        k = self.probabilities.shape[-1]
        return np.broadcast_to(np.eye(k), (*self.probabilities.shape[:-1], k, k))

    def _link(self) -> Link:
        """log p_k minus its mean over the classes: of a softmax of effects that add up, η adds up too.

        J = diag(p) − ppᵀ is the derivative of the softmax, and I_η = Jᵀ diag(1/p) J = diag(p) − ppᵀ.
        """
        π = np.maximum(self.parameters, np.finfo(float).tiny)
        k = π.shape[1]
        centring = np.eye(k) - 1.0 / k
        first = centring / π[:, None, :]
        second = np.zeros((*first.shape, k))
        second[:, :, range(k), range(k)] = -centring / π[:, None, :] ** 2
        log_p = np.log(π)
        jacobian = π[:, :, None] * (np.eye(k) - π[:, None, :])
        return Link(log_p - log_p.mean(axis=1, keepdims=True), first, second, jacobian)


def chosen(values: Array, number: Positions) -> Array:
    """values[…, number]: one entry of the last axis for each number."""
    shape = np.broadcast_shapes(values.shape[:-1], number.shape)
    index = np.broadcast_to(number, shape)[..., None]
    return np.take_along_axis(np.broadcast_to(values, shape + values.shape[-1:]), index, axis=-1)[..., 0]
