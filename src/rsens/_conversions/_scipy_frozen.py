"""Frozen distributions of scipy.stats: `norm(loc, scale)` and so on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rsens._conversions._conversion import Conversion, has_ancestor, unknown
from rsens._conversions._shapes import multivariate_normal
from rsens._conversions._transforms import affine, is_everywhere, squared
from rsens.distributions import (
    Bernoulli,
    Beta,
    Binomial,
    Distribution,
    Exponential,
    Gamma,
    LogNormal,
    NegativeBinomial,
    Normal,
    Poisson,
    StudentT,
    Weibull,
)

#: From the shape parameters, in SciPy's order, to the family with loc = 0 and scale = 1.
STANDARD: dict[str, Callable[..., Distribution]] = {
    "norm": lambda: Normal(0.0, 1.0),
    "t": lambda df: StudentT(0.0, 1.0, df),
    "cauchy": lambda: StudentT(0.0, 1.0, 1.0),
    "lognorm": lambda s: LogNormal(0.0, squared(s)),
    "gamma": lambda a: Gamma(a, a),
    "chi2": lambda df: Gamma(df, 0.5 * df),
    "expon": lambda: Exponential(1.0),
    "beta": lambda a, b: Beta(a, b),
    "weibull_min": lambda c: Weibull(c, 1.0),
    "bernoulli": lambda p: Bernoulli(p),
    "binom": lambda n, p: Binomial(n, p),
    "poisson": lambda mu: Poisson(mu),
    "nbinom": lambda n, p: NegativeBinomial(n * (1.0 - p) / p, n),
}


def from_frozen(obj: Any) -> Distribution:
    if has_ancestor(obj, "scipy.multivariate_normal_frozen"):
        return multivariate_normal(np.asarray(obj.mean), np.asarray(obj.cov))
    dist: Any = getattr(obj, "dist", None)
    name = getattr(dist, "name", None) or type(obj).__name__.removesuffix("_frozen")
    if name not in STANDARD or not type(dist).__module__.startswith("scipy."):
        raise unknown(obj, "scipy.stats", KNOWN, name)
    shapes, loc, scale = dist._parse_args(*obj.args, **obj.kwds)
    return affine(STANDARD[name](*map(as_array, shapes)), as_array(loc), _positive(as_array(scale)))


def as_array(values: Any) -> Any:
    """Numbers of any type as floats, so that whole numbers divide and square as such."""
    return np.asarray(values, dtype=np.float64)[()]


def _positive(scale: Any) -> Any:
    """A scale that is not positive becomes NaN, which every family refuses; its square would be a valid variance."""
    return 1.0 if is_everywhere(scale, 1.0) else np.where(scale > 0.0, scale, np.nan)[()]


KNOWN = (*STANDARD, "multivariate_normal")
SCIPY_FROZEN = Conversion(
    "frozen scipy.stats distributions",
    lambda obj: has_ancestor(obj, "scipy.rv_frozen", "scipy.multi_rv_frozen"),
    from_frozen,
    KNOWN,
)
