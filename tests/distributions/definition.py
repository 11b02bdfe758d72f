"""Expectations and Rényi divergences straight from their definitions, in many digits.

D_α[p ‖ q] = log ∫ p^α q^{1−α} / (α − 1), D_1 = ∫ p log(p/q), for densities on a line, a half-line, the unit interval,
the counts, or a finite set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from functools import cache
from typing import Any

from tests.distributions.exact_base import Exact
from tests.distributions.integrals import integral, line_range, log_line_integral, series
from tests.distributions.precision import exact, mp


class Chart:
    """y as a function of t on the whole line, its inverse, and log dy/dt: densities fall off exponentially in t."""

    def __init__(self, support: str, around: Iterable[Any]) -> None:
        points = sorted(around)
        centre, width = points[len(points) // 2], (points[-1] - points[0]) / 16
        self.y, self.t, self.log_slope = {
            "line": (
                lambda t: centre + width * mp.sinh(t),
                lambda y: mp.asinh((y - centre) / width),
                lambda t: mp.log(width * mp.cosh(t)),
            ),
            "positive": (mp.exp, mp.log, lambda t: t),
            "unit": (
                lambda t: 1 / (1 + mp.exp(-t)),
                lambda y: mp.log(y) - mp.log1p(-y),
                lambda t: -mp.log(2 + 2 * mp.cosh(t)),
            ),
        }[support]


def expectation(p: Exact, g: Callable[[Any], Any]) -> Any:
    """E_p[g(y)]."""
    if isinstance(p.support, list):
        return mp.fsum(mp.exp(p.log_prob(y)) * g(y) for y in p.support if not mp.isinf(p.log_prob(y)))
    if p.support == "counts":
        return series(lambda y: mp.exp(p.log_prob(y)) * g(y), p.where())
    chart = Chart(p.support, p.where())

    def log_weight(t: Any) -> Any:
        return p.log_prob(chart.y(t)) + chart.log_slope(t)

    breaks, _ = line_range(log_weight, [chart.t(y) for y in p.where()])
    return integral(lambda t: mp.exp(log_weight(t)) * g(chart.y(t)), breaks)


def information(p: Exact) -> Any:
    """The Fisher information E[score scoreᵀ]."""
    m = len(p.parameters)
    result = mp.matrix(m)
    p = copy(p)
    p.log_prob, p.score = cache(p.log_prob), cache(p.score)  # the entries share their nodes
    for i in range(m):
        for j in range(i + 1):
            result[i, j] = result[j, i] = expectation(p, lambda y, i=i, j=j: p.score(y)[i] * p.score(y)[j])
    return result


def fisher_norm(p: Exact, u: list[float]) -> Any:
    """sqrt(E[(score·u)²])."""
    vector = [exact(x) for x in u]
    return mp.sqrt(expectation(p, lambda y: mp.fdot(vector, p.score(y)) ** 2))


def renyi(p: Exact, q: Exact, alpha: float, extra: Iterable[Any] = ()) -> Any:
    """D_α[p ‖ q] for 0 < α < ∞ where it is finite and both have the same support; `extra` y-values to look around."""
    a = exact(alpha)
    if a == 1:
        return expectation_of_log_ratio(p, q)
    if abs(a - 1) < 1e-3 or close(p, q):  # ∫ p^α q^{1−α} − 1 is small: integrate it without the 1
        excess = expectation(p, lambda y: mp.expm1((1 - a) * (q.log_prob(y) - p.log_prob(y))))
        if abs(excess) < 0.5:
            return mp.log1p(excess) / (a - 1)

    def log_f(y: Any) -> Any:
        return a * p.log_prob(y) + (1 - a) * q.log_prob(y)

    if isinstance(p.support, list):
        return mp.log(mp.fsum(mp.exp(log_f(y)) for y in p.support)) / (a - 1)
    knots = sorted({*p.where(), *q.where(), *extra})
    if p.support == "counts":
        # The peak of the integrand may lie beyond either distribution: scale by the largest value at the knots.
        return mp.log(series(lambda y: mp.exp(log_f(y)), knots)) / (a - 1)
    chart = Chart(p.support, p.where())
    return log_line_integral(lambda t: log_f(chart.y(t)) + chart.log_slope(t), [chart.t(y) for y in knots]) / (a - 1)


def close(p: Exact, q: Exact) -> bool:
    points = p.support if isinstance(p.support, list) else p.where()
    return all(abs(p.log_prob(y) - q.log_prob(y)) < 0.01 for y in points)


def expectation_of_log_ratio(p: Exact, q: Exact) -> Any:
    p = copy(p)
    p.log_prob = cache(p.log_prob)  # it is the weight as well
    return expectation(p, lambda y: p.log_prob(y) - q.log_prob(y))
