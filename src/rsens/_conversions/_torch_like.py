"""Distributions with the names and attributes of torch.distributions, which NumPyro and TensorFlow Probability share.

Only arithmetic is done with the parameters, so they may be tracers and tensors with gradients.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rsens._conversions._conversion import Builder
from rsens._conversions._transforms import affine, exponential, squared
from rsens._errors import InputError
from rsens.distributions import (
    Beta,
    Distribution,
    Exponential,
    Gamma,
    LogNormal,
    NegativeBinomial,
    Normal,
    Poisson,
    StudentT,
    Weibull,
    namespace,
)

SHARED: dict[str, Builder] = {
    "Normal": lambda d: Normal(d.loc, squared(d.scale)),
    "StudentT": lambda d: StudentT(d.loc, squared(d.scale), d.df),
    "Cauchy": lambda d: StudentT(d.loc, squared(d.scale), 1.0),
    "LogNormal": lambda d: LogNormal(d.loc, squared(d.scale)),
    "Gamma": lambda d: Gamma(d.concentration / d.rate, d.concentration),
    "Exponential": lambda d: Exponential(1.0 / d.rate),
    "Beta": lambda d: Beta(d.concentration1, d.concentration0),
    "Weibull": lambda d: Weibull(d.concentration, d.scale),
    "Poisson": lambda d: Poisson(d.rate),
}


def failures_before(size: Any, *, probability: Any = None, logit: Any = None) -> NegativeBinomial:
    """The count of events of this probability before `size` non-events: mean = size·p/(1 − p) = size·e^logit."""
    odds = namespace(logit).exp(logit) if probability is None else probability / (1.0 - probability)
    return NegativeBinomial(size * odds, size + 0.0 * odds)


def softmax(logits: Any) -> Any:
    """Class probabilities from unnormalised log probabilities on the last axis."""
    xp = namespace(logits)
    if xp.__name__ == "torch":
        return xp.softmax(logits, -1)
    scaled = xp.exp(logits - xp.max(logits, -1, keepdims=True))
    return scaled / xp.sum(scaled, -1, keepdims=True)


def transformed(family: Distribution, transforms: Iterable[Any]) -> Distribution:
    """The family of transforms(y), one after the other, by the names of their classes."""
    for transform in transforms:
        match type(transform).__name__:
            case "AffineTransform":
                family = affine(family, transform.loc, transform.scale)
            case "ExpTransform":
                family = exponential(family)
            case "ComposeTransform":
                family = transformed(family, transform.parts)
            case "IdentityTransform":
                pass
            case name:
                raise InputError(
                    f"a {type(family).__name__} transformed by {name} is none of rsens' families. Known are "
                    "AffineTransform, and ExpTransform of a Normal. Explain the distribution before the transform."
                )
    return family
