"""What skpro predicts: tables of distributions, with one row per row and one column per output."""

from __future__ import annotations

from typing import Any

import numpy as np

from rsens._conversions._conversion import Builder, Conversion, builder_for, has_ancestor
from rsens._conversions._transforms import squared
from rsens._typing import Array
from rsens.distributions import (
    Beta,
    Binomial,
    Distribution,
    Exponential,
    Gamma,
    LogNormal,
    Mixture,
    NegativeBinomial,
    Normal,
    Poisson,
    StudentT,
    Weibull,
)


def from_skpro(obj: Any) -> Distribution:
    return builder_for(obj, "skpro", BUILDERS)(obj)


def _read(obj: Any, *names: str) -> list[Array]:
    """Parameters as arrays of the table's shape. A list of numbers is a row of outputs there, not a column."""
    given = obj.get_params(deep=False)
    return [np.broadcast_to(np.asarray(given[name], dtype=np.float64), obj.shape) for name in names]


def _normal(obj: Any) -> Distribution:
    mu, sigma = _read(obj, "mu", "sigma")
    return Normal(mu, squared(sigma))


def _student_t(obj: Any) -> Distribution:
    mu, sigma, df = _read(obj, "mu", "sigma", "df")
    return StudentT(mu, squared(sigma), df)


def _cauchy(obj: Any) -> Distribution:
    mu, scale = _read(obj, "mu", "scale")
    return StudentT(mu, squared(scale), 1.0)


def _log_normal(obj: Any) -> Distribution:
    mu, sigma = _read(obj, "mu", "sigma")
    return LogNormal(mu, squared(sigma))


def _gamma(obj: Any) -> Distribution:
    shape, rate = _read(obj, "alpha", "beta")
    return Gamma(shape / rate, shape)


def _exponential(obj: Any) -> Distribution:
    (rate,) = _read(obj, "rate")
    return Exponential(1.0 / rate)


def _beta(obj: Any) -> Distribution:
    return Beta(*_read(obj, "alpha", "beta"))


def _weibull(obj: Any) -> Distribution:
    return Weibull(*_read(obj, "k", "scale"))


def _binomial(obj: Any) -> Distribution:
    return Binomial(*_read(obj, "n", "p"))


def _poisson(obj: Any) -> Distribution:
    return Poisson(*_read(obj, "mu"))


def _negative_binomial(obj: Any) -> Distribution:
    return NegativeBinomial(*_read(obj, "mu", "alpha"))


def _mixture(obj: Any) -> Distribution:
    """Weights need not add up to 1 there; none are equal ones."""
    parts = [part[-1] if isinstance(part, tuple) else part for part in obj.distributions]
    weights = np.ones(len(parts)) if obj.weights is None else np.asarray(obj.weights, dtype=np.float64)
    return Mixture([from_skpro(part) for part in parts], weights / weights.sum())


BUILDERS: dict[str, Builder] = {
    "Normal": _normal,
    "TDistribution": _student_t,
    "Cauchy": _cauchy,
    "LogNormal": _log_normal,
    "Gamma": _gamma,
    "Exponential": _exponential,
    "Beta": _beta,
    "Weibull": _weibull,
    "Binomial": _binomial,
    "Poisson": _poisson,
    "NegativeBinomial": _negative_binomial,
    "Mixture": _mixture,
}
SKPRO = Conversion("skpro", lambda obj: has_ancestor(obj, "skpro.BaseDistribution"), from_skpro, BUILDERS)
