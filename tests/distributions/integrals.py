"""Integrals and sums in many digits: globally adaptive Gauss–Legendre, and Euler–Maclaurin for series."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from functools import cache
from itertools import count, pairwise
from typing import Any

from tests.distributions.precision import mp

#: exp(-DROP) of the peak is where an integrand is cut off.
DROP = 110
NODES = 20
RELATIVE = mp.mpf(10) ** -26


@cache
def _gauss_legendre(n: int) -> list[tuple[Any, Any]]:
    """Nodes and weights on (-1, 1): roots of the Legendre polynomial by Newton's method."""
    rule = []
    for i in range(1, n + 1):
        x = mp.cos(mp.pi * (i - mp.mpf(1) / 4) / (n + mp.mpf(1) / 2))
        for _ in range(100):
            p0, p1 = mp.one, x
            for k in range(2, n + 1):
                p0, p1 = p1, ((2 * k - 1) * x * p1 - (k - 1) * p0) / k
            slope = n * (x * p1 - p0) / (x * x - 1)
            step = p1 / slope
            x -= step
            if abs(step) < mp.mpf(10) ** (-mp.dps + 5):
                break
        rule.append((x, 2 / ((1 - x * x) * slope**2)))
    return rule


def _panel(f: Callable[[Any], Any], a: Any, b: Any) -> Any:
    half, middle = (b - a) / 2, (a + b) / 2
    return half * mp.fsum(w * f(middle + half * x) for x, w in _gauss_legendre(NODES))


def integral(f: Callable[[Any], Any], breaks: Iterable[Any], scale: Any = None) -> Any:
    """∫ f over the range of `breaks`: the panel with the largest error is halved until the sum of errors is small.

    `scale` is the size that errors are compared with (default: the sum of the absolute panel values).
    """
    breaks = sorted(set(breaks))
    heap: list[tuple[Any, int, Any, Any, Any, Any]] = []
    order = count()

    def push(a: Any, b: Any, whole: Any) -> None:
        middle = (a + b) / 2
        left, right = _panel(f, a, middle), _panel(f, middle, b)
        heapq.heappush(heap, (-abs(left + right - whole), next(order), a, b, left, right))

    for a, b in pairwise(breaks):
        push(a, b, _panel(f, a, b))
    for _ in range(4000):
        size = mp.fsum(abs(left) + abs(right) for *_, left, right in heap) if scale is None else scale
        if -mp.fsum(error for error, *_ in heap) <= RELATIVE * size:
            return mp.fsum(left + right for *_, left, right in heap)
        _, _, a, b, left, right = heapq.heappop(heap)
        middle = (a + b) / 2
        push(a, middle, left)
        push(middle, b, right)
    raise ArithmeticError("the integral did not converge")


def line_range(log_f: Callable[[Any], Any], knots: Iterable[Any]) -> tuple[list[Any], Any]:
    """Break points that cover where exp(log_f) matters, and the largest log_f seen; log_f must fall at both ends."""
    knots = sorted(set(knots))
    heights = [log_f(t) for t in knots]
    peak = max(heights)
    ends = []
    for end, sign in ((knots[0], -1), (knots[-1], 1)):
        step = mp.mpf(1) / 4
        t = end
        extra = []
        while (height := log_f(t)) > peak - DROP:
            peak = max(peak, height)
            t += sign * step
            step *= mp.mpf(3) / 2
            extra.append(t)
            if len(extra) > 200:
                raise ArithmeticError("the integrand does not fall off")
        ends.append(extra)
    kept = [i for i, height in enumerate(heights) if height > peak - DROP] or [0, len(knots) - 1]
    return sorted({*ends[0], *knots[max(kept[0] - 1, 0) : kept[-1] + 2], *ends[1]}), peak


def log_line_integral(log_f: Callable[[Any], Any], knots: Iterable[Any]) -> Any:
    """log ∫ exp(log_f(t)) dt over the line."""
    breaks, peak = line_range(log_f, knots)
    return peak + mp.log(integral(lambda t: mp.exp(log_f(t) - peak), breaks))


HEAD = 100
TERMS = 14


def series(f: Callable[[Any], Any], knots: Iterable[Any]) -> Any:
    """Σ_{y≥0} f(y) for f analytic right of 0: the first terms one by one, the rest by Euler–Maclaurin.

    Σ_{y≥N} f(y) = ∫_a^∞ f − Σ_k B_2k(½)/(2k)! f^(2k−1)(a), a = N − ½. The integral is taken in t = log y; derivatives
    come from Cauchy's formula on a circle. f may be complex-valued off the axis.
    """
    head = mp.fsum(f(mp.mpf(y)) for y in range(HEAD))
    a = mp.mpf(HEAD) - mp.mpf(1) / 2
    start = mp.log(a)

    def tail(t: Any) -> Any:
        y = mp.exp(t)
        return f(y) * y

    breaks = [start] + [t for y in knots if y > a and (t := mp.log(y)) > start]
    largest = max([abs(head)] + [abs(tail(t)) for t in breaks])
    if largest == 0:
        return head
    step = mp.mpf(1) / 2
    while abs(tail(breaks[-1])) > largest * mp.exp(-DROP):
        largest = max(largest, abs(tail(breaks[-1])))
        breaks.append(breaks[-1] + step)
        if len(breaks) > 400:
            raise ArithmeticError("the series does not converge")
    smooth = integral(tail, breaks, scale=largest) if len(breaks) > 1 else mp.zero
    correction = mp.zero
    if abs(f(a)) > largest * mp.mpf(10) ** -40:
        # A small circle: away from the axis a narrow peak grows like the inverse of what it falls off like on it.
        points, radius = 96, a / 16
        circle = [mp.expjpi(2 * mp.mpf(j) / points) for j in range(points)]
        values = [f(a + radius * z) for z in circle]
        for k in range(1, TERMS + 1):
            m = 2 * k - 1
            derivative_over_factorial = mp.re(mp.fsum(v * z ** (-m) for v, z in zip(values, circle, strict=True))) / (
                points * radius**m
            )
            correction += mp.bernpoly(2 * k, mp.mpf(1) / 2) / (2 * k) * derivative_over_factorial
    return head + smooth - correction
