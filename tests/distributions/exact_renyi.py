"""Rényi divergences in 60 digits: closed forms where they exist, the definition elsewhere; α = 0, 1, ∞ included.

D_α[p ‖ q] = log ∫ p^α q^{1−α} / (α − 1), D_1 = ∫ p log(p/q), for densities on a line, a half-line, the unit interval,
the counts, or a finite set. The closed forms are tested against the definition in test_exact.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from functools import cache
from itertools import pairwise
from typing import Any

from tests.distributions.exact import STEPS, Exact, Exponential, log_beta
from tests.distributions.integrals import integral, line_range, log_line_integral, series
from tests.distributions.precision import exact, mp


def renyi(p: Any, q: Any, alpha: float) -> Any:
    """D_α[p ‖ q], one row; inf where it is infinite."""
    if vars(p) == vars(q):
        return mp.zero
    return FORMULAS[type(p).__name__](p, q, exact(alpha))


def jensen(p: Any, q: Any, a: Any) -> Any:
    """[A(αθ + βθ') − αA(θ) − βA(θ')]/(α − 1), β = 1 − α, of an exponential family; α = 1 and ∞ as limits.

    A is infinite outside the family. Where D_α still grows at huge α, it is infinite at ∞.
    """
    natural, log_partition = NATURAL[type(p).__name__]

    def at(a: Any) -> Any:
        first, last = natural(p), natural(q)
        mixed = log_partition(*(a * x + (1 - a) * y for x, y in zip(first, last, strict=True)))
        return (mixed - a * log_partition(*first) - (1 - a) * log_partition(*last)) / (a - 1)

    with mp.workdps(750):
        if a == 1:
            return at(1 + mp.mpf(10) ** -350)
        if not mp.isinf(a):
            return at(a)
        less, most = at(mp.mpf(10) ** 60), at(mp.mpf(10) ** 120)
        return most if abs(most - less) < mp.mpf(10) ** -30 * (1 + abs(most)) else mp.inf


def where_positive(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *θ: function(*θ) if all(x > 0 for x in θ) else mp.inf


#: θ of a distribution, and the log-partition function A(θ).
NATURAL: dict[str, tuple[Callable[[Any], tuple[Any, ...]], Callable[..., Any]]] = {
    "Normal": (
        lambda p: (p.mean / p.variance, 1 / p.variance),
        lambda x, y: x**2 / (2 * y) - mp.log(y) / 2 if y > 0 else mp.inf,
    ),
    "Gamma": (lambda p: (p.shape, p.rate), where_positive(lambda k, b: mp.loggamma(k) - k * mp.log(b))),
    "Exponential": (lambda p: (1 / p.mean,), where_positive(lambda b: -mp.log(b))),
    "Beta": (lambda p: (p.a, p.b), where_positive(log_beta)),
    "Poisson": (lambda p: (mp.log(p.rate),), mp.exp),
}


def discrete(pairs: list[tuple[Any, Any]], a: Any) -> Any:
    """Σ over a finite set of (p_y, q_y)."""
    if a == 0 and all(x > 0 or y == 0 for x, y in pairs):
        return mp.zero  # all of q's mass, although its sum is rounded
    pairs = [(x, y) for x, y in pairs if x > 0]
    if a == 0:
        return -mp.log(mp.fsum(y for _, y in pairs))
    if a >= 1 and any(y == 0 for _, y in pairs):
        return mp.inf
    if mp.isinf(a):
        return max(mp.log(x / y) for x, y in pairs)
    if a == 1:
        return mp.fsum(x * mp.log(x / y) for x, y in pairs)
    total = mp.fsum(x**a * y ** (1 - a) for x, y in pairs if y > 0)
    return mp.inf if total == 0 else mp.log(total) / (a - 1)


def binomial(p: Any, q: Any, a: Any) -> Any:
    """n times Bernoulli, in enough digits for a probability of 1 − 1e-304."""
    with mp.workdps(700):
        return p.n * discrete([(p.p, q.p), (p.q, q.q)], a)


def categorical(p: Any, q: Any, a: Any) -> Any:
    return discrete(list(zip(p.p, q.p, strict=True)), a)


def weibull(p: Any, q: Any, a: Any) -> Any:
    k1, k2, l1, l2 = p.shape, q.shape, mp.log(p.scale), mp.log(q.scale)
    if a == 0:
        return mp.zero
    if mp.isinf(a):
        if k1 < k2 or (k1 == k2 and l1 > l2):
            return mp.inf
        if k1 == k2:
            return k1 * (l2 - l1)

        def ratio(t: Any) -> Any:
            return mp.log(k1 / k2) - k1 * l1 + k2 * l2 + (k1 - k2) * t - mp.exp(k1 * (t - l1)) + mp.exp(k2 * (t - l2))

        def slope(t: Any) -> Any:
            return k1 - k2 - k1 * mp.exp(k1 * (t - l1)) + k2 * mp.exp(k2 * (t - l2))

        low = min(l1 - 60 / k1, l2 - 60 / k2)
        # Beyond `high` the first exponential outgrows the second.
        high = max(l1 + 5 / k1, l2 + 5 / k2, (k1 * l1 - k2 * l2 + 5) / (k1 - k2))
        return max(ratio(t) for t in maxima(slope, steps(low, high, 400)))
    if a == 1:
        mean_log = l1 - mp.euler / k1
        moment = mp.exp(k2 * (l1 - l2)) * mp.gamma(1 + k2 / k1)
        return mp.log(k1 / k2) - k1 * l1 + k2 * l2 + (k1 - k2) * mean_log - 1 + moment
    if k1 == k2:  # Exponential distributions of y^k with means scale^k
        return jensen(Exponential(mp.exp(k1 * l1)), Exponential(mp.exp(k1 * l2)), a)
    if a > 1 and k1 < k2:
        return mp.inf
    power = a * k1 + (1 - a) * k2

    def slope_of_integrand(t: Any) -> Any:
        return power - a * k1 * mp.exp(k1 * (t - l1)) - (1 - a) * k2 * mp.exp(k2 * (t - l2))

    low, high = min(l1 - 40 / k1, l2 - 40 / k2), max(l1 + 5 / k1, l2 + 5 / k2)
    if a > 1:
        high = max(high, (mp.log(a) + k1 * l1 - k2 * l2 + 5) / (k1 - k2))
    with mp.workdps(120):  # logarithms of up to 1e40 stand in the exponents
        return by_definition(p, q, a, [mp.exp(t) for t in around(slope_of_integrand, steps(low, high, 300))])


def student_t(p: Any, q: Any, a: Any) -> Any:
    """No closed form. Stationary points of the integrand are roots of a cubic; the largest ratio, of a quadratic."""
    if a == 0:
        return mp.zero
    if p.df != q.df:
        raise ValueError("written for equal df")
    nu, scale = p.df, mp.sqrt(p.scale2)
    # In z = (y − location₁)/scale₁: A = ν + z², B = ν r + (z − d)².
    r, d = q.scale2 / p.scale2, (q.location - p.location) / scale
    if mp.isinf(a):
        # sup B/(r A): the larger eigenvalue t of the pencil B − t A, quadratics in z.
        # det[[1 − t, −d], [−d, ν r + d² − t ν]] = 0
        half_sum, product = (nu * r + d * d + nu) / (2 * nu), r
        t = half_sum + mp.sqrt(half_sum**2 - product)
        return mp.log(r) / 2 + (nu + 1) / 2 * mp.log(t / r)
    if a == 1:
        return by_definition(p, q, 1)
    # d/dz [a log A + (1 − a) log B] = 0: a z B + (1 − a)(z − d) A = 0
    cubic = [mp.one, -2 * a * d - (1 - a) * d, a * (nu * r + d * d) + (1 - a) * nu, -(1 - a) * d * nu]
    points = []
    for root in mp.polyroots(cubic, maxsteps=500, extraprec=400):
        if abs(mp.im(root)) < mp.mpf(10) ** -20 * (1 + abs(root)):
            z = mp.re(root)
            aa, bb = nu + z * z, nu * r + (z - d) ** 2
            second = a * (2 / aa - (2 * z / aa) ** 2) + (1 - a) * (2 / bb - (2 * (z - d) / bb) ** 2)
            width = 1 / mp.sqrt(abs((nu + 1) / 2 * second) + mp.mpf(10) ** -40)
            points += [p.location + scale * (z + k * width) for k in STEPS]
    return by_definition(p, q, a, points)


def negative_binomial(p: Any, q: Any, a: Any) -> Any:
    if a == 0:
        return mp.zero
    s1, s2 = p.success, q.success
    if p.size == q.size and not mp.isinf(a) and a != 1:
        rest = s1**a * s2 ** (1 - a)
        if rest >= 1:
            return mp.inf
        return p.size * (a * mp.log1p(-s1) + (1 - a) * mp.log1p(-s2) - mp.log1p(-rest)) / (a - 1)
    if mp.isinf(a):
        if s1 > s2 or (s1 == s2 and p.size > q.size):
            return mp.inf

        def log_ratio(y: Any) -> Any:
            return p.log_prob(y) - q.log_prob(y)

        if p.size <= q.size:
            return log_ratio(mp.zero)
        # The step y → y + 1 multiplies the ratio by s1 (y + k1)/(s2 (y + k2)): above 1 up to a crossing.
        crossing = (s1 * p.size - s2 * q.size) / (s2 - s1)
        return log_ratio(mp.zero if crossing < 0 else mp.floor(crossing) + 1)
    if a == 1:
        return expectation_of_log_ratio(p, q)
    if a > 1 and s1**a * s2 ** (1 - a) >= 1:
        return mp.inf
    tilt = a * mp.log(s1) + (1 - a) * mp.log(s2)

    def slope_of_terms(t: Any) -> Any:
        """d log(y · term)/dt at y = e^t."""
        y = mp.exp(t)
        step = a * mp.psi(0, y + p.size) + (1 - a) * mp.psi(0, y + q.size) - mp.psi(0, y + 1) + tilt
        return 1 + y * step

    scale = mp.log(max(p.mean, q.mean, -1 / tilt))
    return by_definition(p, q, a, [mp.exp(t) for t in around(slope_of_terms, steps(mp.zero, scale + 6, 150))])


def multivariate_normal(p: Any, q: Any, a: Any) -> Any:
    if a == 0:
        return mp.zero
    d, s1, s2 = p.mean - q.mean, p.covariance, q.covariance

    def smallest(s: Any) -> Any:
        return min(mp.eigsy(s, eigvals_only=True))

    if mp.isinf(a):
        gap = s2 - s1
        if mp.norm(gap) == 0:
            return mp.zero if mp.norm(d) == 0 else mp.inf
        if smallest(gap) <= 0:
            return mp.inf
        return (q.log_det - p.log_det + (d.T * gap**-1 * d)[0]) / 2
    if a == 1:
        trace = q.precision * s1
        traces = mp.fsum(trace[i, i] for i in range(p.k)) - p.k
        return (q.log_det - p.log_det + traces + (d.T * q.precision * d)[0]) / 2
    mixed = a * s2 + (1 - a) * s1
    if smallest(mixed) <= 0:
        return mp.inf
    logs = a * q.log_det + (1 - a) * p.log_det - mp.log(mp.det(mixed))
    return a * (d.T * mixed**-1 * d)[0] / 2 + logs / (2 * (a - 1))


FORMULAS: dict[str, Callable[[Any, Any, Any], Any]] = {
    **dict.fromkeys(NATURAL, jensen),
    "StudentT": student_t,
    "LogNormal": lambda p, q, a: jensen(p.log, q.log, a),
    "Weibull": weibull,
    "Bernoulli": binomial,
    "Binomial": binomial,
    "Categorical": categorical,
    "NegativeBinomial": negative_binomial,
    "MultivariateNormal": multivariate_normal,
}


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


def by_definition(p: Exact, q: Exact, alpha: float, extra: Iterable[Any] = ()) -> Any:
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


def maxima(slope: Callable[[Any], Any], grid: list[Any]) -> list[Any]:
    """Where a slope goes from + to − between two points of the grid."""
    found = []
    for left, right in pairwise(grid):
        if slope(left) > 0 >= slope(right):
            lo, hi = left, right
            for _ in range(200):
                middle = (lo + hi) / 2
                lo, hi = (middle, hi) if slope(middle) > 0 else (lo, middle)
            found.append((lo + hi) / 2)
    return found


def around(slope: Callable[[Any], Any], grid: list[Any]) -> list[Any]:
    """Points around the maxima of a function of t, spaced by the widths of its peaks."""
    points = []
    for t in maxima(slope, grid):
        width = 1 / mp.sqrt(abs(mp.diff(slope, t)))
        points += [t + k * width for k in STEPS]
    return points


def steps(low: Any, high: Any, n: int) -> list[Any]:
    return [low + (high - low) * i / n for i in range(n + 1)]
