"""TensorFlow Probability, on TensorFlow or JAX, and objects that look like its distributions.

They are told by their `parameters`, a mapping, and by the names of their classes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rsens._conversions._conversion import Builder, Conversion, builder_for
from rsens._conversions._shapes import independent, mixture, multivariate_normal
from rsens._conversions._torch_like import SHARED, failures_before, softmax
from rsens._conversions._transforms import affine, exponential
from rsens._errors import InputError
from rsens.distributions import Bernoulli, Binomial, Categorical, Distribution, Gamma, Mixture, Poisson, namespace


def is_tfp(obj: Any) -> bool:
    return hasattr(type(obj), "log_prob") and isinstance(getattr(obj, "parameters", None), Mapping)


def from_tfp(obj: Any) -> Distribution:
    return builder_for(obj, "", BUILDERS)(obj)


def _rate(obj: Any) -> Any:
    """The rate, which may have been given by its logarithm."""
    rate, log_rate = obj.rate, getattr(obj, "log_rate", None)
    return namespace(log_rate).exp(log_rate) if rate is None else rate


def _bernoulli(obj: Any) -> Distribution:
    return Bernoulli(obj.probs) if obj.logits is None else Bernoulli(logit=obj.logits)


def _binomial(obj: Any) -> Distribution:
    if obj.logits is None:
        return Binomial(obj.total_count, obj.probs)
    return Binomial(obj.total_count, logit=obj.logits)


def _negative_binomial(obj: Any) -> Distribution:
    if obj.logits is None:
        return failures_before(obj.total_count, probability=obj.probs)
    return failures_before(obj.total_count, logit=obj.logits)


def _geometric(obj: Any) -> Distribution:
    """The failures before the first success."""
    if obj.logits is None:
        return failures_before(1.0, probability=1.0 - obj.probs)
    return failures_before(1.0, logit=-obj.logits)


def _probabilities(obj: Any) -> Any:
    return obj.probs if obj.logits is None else softmax(obj.logits)


def _transformed(obj: Any) -> Distribution:
    family = from_tfp(obj.distribution)
    for bijector in _steps(obj.bijector):
        match type(bijector).__name__:
            case "Shift":
                family = affine(family, bijector.shift, 1.0)
            case "Scale":
                family = affine(family, 0.0, bijector.scale)
            case "Exp":
                family = exponential(family)
            case "Identity":
                pass
            case name:
                raise InputError(
                    f"a {type(family).__name__} transformed by {name} is none of rsens' families. Known are Shift, "
                    "Scale, and Exp of a Normal. Explain the distribution before the bijector."
                )
    return family


def _steps(bijector: Any) -> Iterator[Any]:
    """The bijectors in the order in which they are applied: a chain lists the last one first."""
    if type(bijector).__name__.strip("_") == "Chain":
        for part in reversed(bijector.bijectors):
            yield from _steps(part)
    else:
        yield bijector


BUILDERS: dict[str, Builder] = {
    **SHARED,
    "Gamma": lambda d: Gamma(d.concentration / _rate(d), d.concentration),
    "Poisson": lambda d: Poisson(_rate(d)),
    "Bernoulli": _bernoulli,
    "Binomial": _binomial,
    "NegativeBinomial": _negative_binomial,
    "Geometric": _geometric,
    "Categorical": lambda d: Categorical(_probabilities(d)),
    "OneHotCategorical": lambda d: Categorical(_probabilities(d)),
    "MultivariateNormalLinearOperator": lambda d: multivariate_normal(d.mean(), d.covariance()),
    "Independent": lambda d: independent(from_tfp(d.distribution), int(d.reinterpreted_batch_ndims)),
    "MixtureSameFamily": lambda d: mixture(_probabilities(d.mixture_distribution), from_tfp(d.components_distribution)),
    "Mixture": lambda d: Mixture([from_tfp(component) for component in d.components], _probabilities(d.cat)),
    "TransformedDistribution": _transformed,
}
TFP = Conversion("TensorFlow Probability", is_tfp, from_tfp, BUILDERS)
