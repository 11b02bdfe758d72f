"""torch.distributions, and GPyTorch's Gaussian over rows."""

from __future__ import annotations

from typing import Any

from rsens._conversions._conversion import Builder, Conversion, builder_for, has_ancestor
from rsens._conversions._shapes import independent, mixture, multivariate_normal
from rsens._conversions._torch_like import SHARED, failures_before, softmax, transformed
from rsens.distributions import Bernoulli, Binomial, Categorical, Distribution, Normal


def is_torch(obj: Any) -> bool:
    return has_ancestor(obj, "torch.Distribution")


def from_torch(obj: Any) -> Distribution:
    return builder_for(obj, "torch", BUILDERS)(obj)


def _by_logits(obj: Any) -> bool:
    """Whether it was built from logits. Both are attributes, and the other is computed on first use."""
    return obj._param is vars(obj).get("logits")


def _bernoulli(obj: Any) -> Distribution:
    return Bernoulli(logit=obj.logits) if _by_logits(obj) else Bernoulli(obj.probs)


def _binomial(obj: Any) -> Distribution:
    return Binomial(obj.total_count, logit=obj.logits) if _by_logits(obj) else Binomial(obj.total_count, obj.probs)


def _negative_binomial(obj: Any) -> Distribution:
    if _by_logits(obj):
        return failures_before(obj.total_count, logit=obj.logits)
    return failures_before(obj.total_count, probability=obj.probs)


def _geometric(obj: Any) -> Distribution:
    """The failures before the first success: `probs` is the probability of a success."""
    if "logits" in vars(obj) and "probs" not in vars(obj):
        return failures_before(1.0, logit=-obj.logits)
    return failures_before(1.0, probability=1.0 - obj.probs)


def _categorical(obj: Any) -> Categorical:
    return Categorical(softmax(obj.logits) if _by_logits(obj) else obj.probs)


BUILDERS: dict[str, Builder] = {
    **SHARED,
    "Bernoulli": _bernoulli,
    "Binomial": _binomial,
    "NegativeBinomial": _negative_binomial,
    "Geometric": _geometric,
    "Categorical": _categorical,
    "OneHotCategorical": lambda d: _categorical(d._categorical),
    "MultivariateNormal": lambda d: multivariate_normal(d.loc, d.covariance_matrix),
    "LowRankMultivariateNormal": lambda d: multivariate_normal(d.loc, d.covariance_matrix),
    "Independent": lambda d: independent(from_torch(d.base_dist), d.reinterpreted_batch_ndims),
    "MixtureSameFamily": lambda d: mixture(
        _categorical(d.mixture_distribution).probabilities, from_torch(d.component_distribution)
    ),
    "TransformedDistribution": lambda d: transformed(from_torch(d.base_dist), d.transforms),
}
TORCH = Conversion("torch.distributions", is_torch, from_torch, BUILDERS)

#: A Gaussian over all rows at once: each row has its own marginal.
GPYTORCH_BUILDERS: dict[str, Builder] = {"MultivariateNormal": lambda d: Normal(d.mean, d.variance)}
GPYTORCH = Conversion(
    "gpytorch.distributions",
    lambda obj: has_ancestor(obj, "gpytorch.Distribution"),
    lambda obj: builder_for(obj, "gpytorch", GPYTORCH_BUILDERS)(obj),
    GPYTORCH_BUILDERS,
)
