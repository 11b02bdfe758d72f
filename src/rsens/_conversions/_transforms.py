"""Distributions of a + b·Y and exp(Y), where they are families again."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from rsens._errors import InputError
from rsens.distributions import (
    Distribution,
    Exponential,
    Gamma,
    LogNormal,
    Normal,
    StudentT,
    Weibull,
    namespace,
)


def squared(deviation: Any) -> Any:
    """The square of a standard deviation or scale. A negative one stays negative, so that the family refuses it."""
    return deviation * abs(deviation)


def affine(family: Distribution, shift: Any, factor: Any) -> Distribution:
    """The distribution of shift + factor·Y."""
    match family:
        case Normal():
            return Normal(shift + factor * family.mean, factor**2 * family.variance)
        case StudentT():
            return StudentT(shift + factor * family.location, factor**2 * family.scale2, family.df)
    if not is_everywhere(shift, 0.0):
        raise InputError(
            f"{type(family).__name__} starts at 0; got one that is shifted by {_shown(shift)}. "
            "Subtract the shift from y, and convert the distribution without it."
        )
    match family:
        case LogNormal():
            return LogNormal(family.mu + _log(factor), family.sigma2)
        case Gamma():
            return Gamma(factor * family.mean, family.shape)
        case Exponential():
            return Exponential(factor * family.mean)
        case Weibull():
            return Weibull(family.shape, factor * family.scale)
    if not is_everywhere(factor, 1.0):
        raise InputError(f"a {type(family).__name__} of y multiplied by {_shown(factor)} is none of rsens' families.")
    return family


def exponential(family: Distribution) -> Distribution:
    """The distribution of exp(Y)."""
    if not isinstance(family, Normal):
        raise InputError(f"exp of {type(family).__name__} is none of rsens' families; exp of a Normal is a LogNormal.")
    return LogNormal(family.mean, family.variance)


def is_everywhere(values: Any, number: float) -> bool:
    """Whether all values are known to be this number; False for what cannot be read while it is traced."""
    if isinstance(values, Real):
        return float(values) == number
    try:
        return bool((values == number).all())
    except (RuntimeError, TypeError, ValueError):  # inside jax.jit or torch.func
        return False


def _log(values: Any) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):  # a scale ≤ 0 is refused by the family, with its row
        return namespace(values).log(values)


def _shown(values: Any) -> str:
    return f"{float(values):g}" if isinstance(values, Real) else "a value or array other than the plain number"
