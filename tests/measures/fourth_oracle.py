"""Exact fourth derivatives of the divergence: `python -m tests.measures.fourth_oracle` stores them.

From the definition of D_α alone: densities in 40 digits, summed or integrated over y, and differenced in x'.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mpmath import mp

STORED = Path(__file__).with_name("fourth_oracle.json")
POINT = (0.4, -0.7)
ALPHAS = (1.0, 2.5)
PAIRS = {"00": (4, 0), "01": (2, 2), "11": (0, 4)}

mp.dps = 40


def f(a: Any, b: Any) -> Any:
    """One surface for all families; + and * only, so that it works for mpmath and JAX alike."""
    return 0.3 + 0.5 * a - 0.4 * b + 0.6 * a * b + 0.2 * a * a * b


def g(a: Any, b: Any) -> Any:
    """The logarithm of the other one."""
    return 0.2 * a - 0.3 * b + 0.25 * a * b


LogDensity = Callable[[Any, Any], Callable[[Any], Any]]  # x ↦ (y ↦ log p(y | x))


def normal(a: Any, b: Any) -> Callable[[Any], Any]:
    return _gaussian(f(a, b), mp.exp(g(a, b)))


def _gaussian(m: Any, v: Any) -> Callable[[Any], Any]:
    constant = -mp.log(2 * mp.pi * v) / 2
    return lambda y: constant - (y - m) ** 2 / (2 * v)


def lognormal(a: Any, b: Any) -> Callable[[Any], Any]:
    of_log = _gaussian(f(a, b), mp.exp(g(a, b)))
    return lambda y: of_log(mp.log(y)) - mp.log(y)


def gamma(a: Any, b: Any) -> Callable[[Any], Any]:
    mean, k = mp.exp(f(a, b)), 2 * mp.exp(g(a, b))
    constant = k * mp.log(k / mean) - mp.loggamma(k)
    return lambda y: constant + (k - 1) * mp.log(y) - k / mean * y


def exponential(a: Any, b: Any) -> Callable[[Any], Any]:
    mean = mp.exp(f(a, b))
    return lambda y: -mp.log(mean) - y / mean


def beta(a: Any, b: Any) -> Callable[[Any], Any]:
    p, q = 2 * mp.exp(f(a, b)), 3 * mp.exp(g(a, b))
    constant = mp.loggamma(p + q) - mp.loggamma(p) - mp.loggamma(q)
    return lambda y: constant + (p - 1) * mp.log(y) + (q - 1) * mp.log1p(-y)


def bernoulli(a: Any, b: Any) -> Callable[[Any], Any]:
    z = f(a, b)
    return lambda y: y * z - mp.log1p(mp.exp(z))


def binomial(a: Any, b: Any) -> Callable[[Any], Any]:
    z = f(a, b)
    return lambda y: mp.log(mp.binomial(7, y)) + y * z - 7 * mp.log1p(mp.exp(z))


def categorical(a: Any, b: Any) -> Callable[[Any], Any]:
    scores = (f(a, b), g(a, b), mp.mpf(0))
    total = mp.log(sum(mp.exp(s) for s in scores))
    return lambda y: scores[int(y)] - total


def poisson(a: Any, b: Any) -> Callable[[Any], Any]:
    rate = 3 * mp.exp(f(a, b))
    return lambda y: y * mp.log(rate) - rate - mp.loggamma(y + 1)


def line() -> list[tuple[Any, Any]]:
    """y = sinh t: densities that fall off as a power fall off exponentially in t, and the trapezoid rule converges."""
    step = mp.mpf(1) / 20
    return [(mp.sinh(step * i), step * mp.cosh(step * i)) for i in range(-460, 461)]


def positive() -> list[tuple[Any, Any]]:
    step = mp.mpf(1) / 20
    return [(mp.exp(step * i), step * mp.exp(step * i)) for i in range(-1600, 401)]


def unit() -> list[tuple[Any, Any]]:
    step = mp.mpf(1) / 20
    ys = [1 / (1 + mp.exp(-step * i)) for i in range(-1000, 601)]
    return [(y, step * y * (1 - y)) for y in ys]


def counts(most: int) -> Callable[[], list[tuple[Any, Any]]]:
    return lambda: [(mp.mpf(y), mp.mpf(1)) for y in range(most)]


FAMILIES: dict[str, tuple[LogDensity, Callable[[], list[tuple[Any, Any]]]]] = {
    "Normal": (normal, line),
    "LogNormal": (lognormal, positive),
    "Gamma": (gamma, positive),
    "Exponential": (exponential, positive),
    "Beta": (beta, unit),
    "Bernoulli": (bernoulli, counts(2)),
    "Binomial": (binomial, counts(8)),
    "Categorical": (categorical, counts(3)),
    "Poisson": (poisson, counts(120)),
}

#: Central differences on seven points, error O(h⁶).
STENCILS = {
    0: {0: 1},
    2: {0: mp.mpf(-49) / 18, 1: mp.mpf(3) / 2, 2: mp.mpf(-3) / 20, 3: mp.mpf(1) / 90},
    4: {0: mp.mpf(28) / 3, 1: mp.mpf(-13) / 2, 2: mp.mpf(2), 3: mp.mpf(-1) / 6},
}
STEP = mp.mpf(1) / 1000


def divergences(name: str) -> Callable[[int, int], dict[float, Any]]:
    """D_α of the point against its neighbour (i, j) on a grid, for every α."""
    density, nodes = FAMILIES[name]
    points = nodes()
    x = [mp.mpf(value) for value in POINT]
    here = density(*x)
    log_p = [here(y) for y, _ in points]
    weights = [w * mp.exp(value) for (_, w), value in zip(points, log_p, strict=True)]
    assert abs(sum(weights) - 1) < mp.mpf(10) ** -25, (name, sum(weights))
    stored: dict[tuple[int, int], dict[float, Any]] = {}

    def at(i: int, j: int) -> dict[float, Any]:
        if (i, j) not in stored:
            there = density(x[0] + i * STEP, x[1] + j * STEP)
            d = [there(y) - value for (y, _), value in zip(points, log_p, strict=True)]
            stored[i, j] = {
                alpha: -sum(w * r for w, r in zip(weights, d, strict=True))
                if alpha == 1
                else mp.log(sum(w * mp.exp((1 - alpha) * r) for w, r in zip(weights, d, strict=True))) / (alpha - 1)
                for alpha in ALPHAS
            }
        return stored[i, j]

    return at


def fourth_derivatives(name: str) -> dict[str, str]:
    """By α and pair of columns."""
    at = divergences(name)

    def signed(order: int) -> list[tuple[int, Any]]:
        return [(s * i, c) for i, c in STENCILS[order].items() for s in ((1,) if i == 0 else (1, -1))]

    values = {}
    for pair, (order, other) in PAIRS.items():
        for alpha in at(0, 0):
            total = sum(c * k * at(i, j)[alpha] for i, c in signed(order) for j, k in signed(other))
            values[f"{alpha} {pair}"] = mp.nstr(total / STEP**4, 16)
    return values


def main() -> None:
    values = {}
    for name in FAMILIES:
        values[name] = fourth_derivatives(name)
        sys.stdout.write(f"{name}: {values[name]}\n")
        STORED.write_text(json.dumps(values, indent=1) + "\n")


if __name__ == "__main__":
    main()
