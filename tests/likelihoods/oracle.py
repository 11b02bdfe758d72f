"""Exact values that take too long to compute in every test run: `python -m tests.likelihoods.oracle` stores them.

Densities written down from the textbook, differentiated and integrated over the latent in 30 digits or more.
"""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import mpmath as mp

from rsens.likelihoods import Likelihood
from tests.likelihoods.cases import CASES, LINK_POINTS, PREDICTIVE

STORED = Path(__file__).with_name("oracle.json")
Real = mp.mpf
Link = Callable[[Real], Real]


def gaussian(y: Real, f: Real, noise_variance: Real) -> Real:
    return -((y - f) ** 2) / (2 * noise_variance) - mp.log(2 * mp.pi * noise_variance) / 2


def student_t(y: Real, f: Real, scale2: Real, df: Real) -> Real:
    constant = mp.loggamma((df + 1) / 2) - mp.loggamma(df / 2) - mp.log(df * mp.pi * scale2) / 2
    return constant - (df + 1) / 2 * mp.log(1 + (y - f) ** 2 / (df * scale2))


def poisson(y: Real, f: Real) -> Real:
    return y * f - mp.exp(f) - mp.loggamma(y + 1)


def negative_binomial(y: Real, f: Real, size: Real) -> Real:
    mean = mp.exp(f)
    choose = mp.loggamma(y + size) - mp.loggamma(size) - mp.loggamma(y + 1)
    return choose + size * mp.log(size / (size + mean)) + y * (f - mp.log(size + mean))


def probit_link(f: Real) -> Real:
    return mp.erfc(-f / mp.sqrt(2)) / 2


def logit_link(f: Real) -> Real:
    return 1 / (1 + mp.exp(-f))


def probit(y: Real, f: Real) -> Real:
    return mp.log(probit_link(f if y == 1 else -f))


def logit(y: Real, f: Real) -> Real:
    return mp.log(logit_link(f if y == 1 else -f))


DENSITIES: dict[str, Callable[..., Real]] = {
    "gaussian": gaussian,
    "student_t": student_t,
    "poisson": poisson,
    "negative_binomial": negative_binomial,
    "probit": probit,
    "logit": logit,
}


def log_density(likelihood: Likelihood, y: float, f: Real, theta_step: Real = 0) -> Real:
    """log p(y | f), with the logarithm of the hyperparameter (there is at most one) moved by `theta_step`."""
    values = [mp.mpf(getattr(likelihood, name)) * mp.exp(theta_step) for name in likelihood.hyperparameter_names]
    if likelihood.name == "student_t":
        values.append(mp.mpf(likelihood.df))
    return DENSITIES[likelihood.name](mp.mpf(y), mp.mpf(f), *values)


def density(likelihood: Likelihood, y: float, f: float) -> list[float]:
    """log p and its first three derivatives in f. A class probability of 1 − 1e-282 needs its digits."""
    with mp.workdps(400 if likelihood.name in ("probit", "logit") else 60):
        exact = [mp.diff(lambda g: log_density(likelihood, y, g), mp.mpf(f), k) for k in range(4)]
        return [float(mp.chop(value, mp.eps ** mp.mpf(0.9))) for value in exact]


def theta_density(likelihood: Likelihood, y: float, f: float) -> list[float]:
    """∂/∂θ of log p and of its first two derivatives in f."""
    with mp.workdps(60):
        at = (mp.mpf(0), mp.mpf(f))
        return [float(mp.diff(lambda t, g: log_density(likelihood, y, g, t), at, (1, k))) for k in range(3)]


def log_predictive_density(likelihood: Likelihood, y: float, m: float, v: float) -> float:
    """log ∫ p(y | f) N(f | m, v) df by the trapezoid rule; halving the step must not change it."""
    with mp.workdps(30):
        mean, variance = mp.mpf(m), mp.mpf(v)

        def log_integrand(d: Real) -> Real:
            return log_density(likelihood, y, mean + d) - d**2 / (2 * variance) - mp.log(2 * mp.pi * variance) / 2

        low, high, step = (wide_window if likelihood.name == "student_t" else concave_window)(
            likelihood, y, mean, variance, log_integrand
        )
        count = int((high - low) / step) + 1
        coarse = mp.fsum(mp.exp(log_integrand(low + i * step)) for i in range(count))
        between = mp.fsum(mp.exp(log_integrand(low + (i + mp.mpf(0.5)) * step)) for i in range(count))
        if abs(coarse / between - 1) > 1e-13:
            raise ArithmeticError(f"{likelihood}, y = {y}, m = {m}, v = {v}: the step {step} is too wide.")
        return float(mp.log((coarse + between) * step / 2))


def wide_window(likelihood: Any, y: float, m: Real, v: Real, log_integrand: Link) -> tuple[Real, Real, Real]:
    """The whole window of a Student-t, in steps that see both its poles and the Gaussian."""
    loss = log_density(likelihood, y, mp.mpf(y)) - log_density(likelihood, y, m)
    reach = mp.sqrt(2 * v * (40 + loss))
    return -reach, reach, min(mp.sqrt(v) / 4, mp.sqrt(likelihood.scale2 * min(likelihood.df, 9)) / 8)


def concave_window(likelihood: Likelihood, y: float, m: Real, v: Real, log_integrand: Link) -> tuple[Real, Real, Real]:
    """From the summit outwards until e^{−40} of it is left."""
    sd = mp.sqrt(v)

    def slope(d: Real) -> Real:
        return mp.diff(log_integrand, d)

    low, high, reach = mp.mpf(0), mp.mpf(0), sd
    while slope(low) < 0:
        low, reach = low - reach, 2 * reach
    while slope(high) > 0:
        high, reach = high + reach, 2 * reach
    for _ in range(70):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    summit, width = low, 1 / mp.sqrt(-mp.diff(log_integrand, low, 2))
    ends = []
    for sign in (-1, 1):
        reach = width
        while log_integrand(summit + sign * reach) > log_integrand(summit) - 40:
            reach *= mp.mpf(1.2)
        ends.append(summit + sign * reach)
    return ends[0], ends[1], min(width / 3, mp.mpf(0.15))


def link_moments(link: Link, m: float, v: float) -> list[Real]:
    """∂_m^k E[h(f)], k = 0 … 4, from derivatives of the Gaussian instead of the link: ∂_m^k N = He_k(z) N/v^{k/2}."""
    with mp.workdps(250):
        mean, sd = mp.mpf(m), mp.sqrt(mp.mpf(v))
        step = min(mp.mpf(0.15), sd / 8)
        totals = [mp.mpf(0)] * 5
        for i in range(int(-40 * sd / step), int(40 * sd / step) + 1):
            z = i * step / sd
            value = link(mean + i * step) * mp.npdf(z) * step / sd
            hermite = 1, z, z**2 - 1, z**3 - 3 * z, z**4 - 6 * z**2 + 3
            totals = [total + value * h for total, h in zip(totals, hermite, strict=True)]
        return [mp.chop(total, mp.mpf(10) ** -235) / sd**k for k, total in enumerate(totals)]


@cache
def read() -> dict[str, Any]:
    return json.loads(STORED.read_text())


def stored(kind: str, name: object) -> Any:
    return read()[kind][str(name)]


def main() -> None:
    values = {
        "density": {str(c): [density(c.likelihood, y, f) for y, f in zip(c.y, c.f, strict=True)] for c in CASES},
        "theta": {
            str(c): [theta_density(c.likelihood, y, f) for y, f in zip(c.y, c.f, strict=True)]
            for c in CASES
            if c.likelihood.hyperparameter_names
        },
        "predictive": {str(k): [log_predictive_density(k, *point) for point in points] for k, points in PREDICTIVE},
        "link": {
            name: [[float(moment) for moment in link_moments(link, *point)[1:]] for point in LINK_POINTS]
            for name, link in (("probit", probit_link), ("logit", logit_link))
        },
    }
    STORED.write_text(json.dumps(values, indent=0) + "\n")


if __name__ == "__main__":
    main()
