"""numpyro.distributions, also inside jit, vmap and other traces: only arithmetic is done with the parameters."""

from __future__ import annotations

from typing import Any

from rsens._conversions._conversion import Builder, Conversion, builder_for, has_ancestor
from rsens._conversions._shapes import expanded, independent, mixture, multivariate_normal
from rsens._conversions._torch_like import SHARED, failures_before, softmax, transformed
from rsens.distributions import Bernoulli, Binomial, Categorical, Distribution, Mixture, NegativeBinomial


def from_numpyro(obj: Any) -> Distribution:
    return builder_for(obj, "numpyro", BUILDERS)(obj)


def _probabilities(obj: Any) -> Any:
    """Of a Categorical. Its own `probs` would be kept on the object, and must not be if it is made inside a trace."""
    return softmax(obj.logits) if has_ancestor(obj, "numpyro.CategoricalLogits") else obj.probs


BUILDERS: dict[str, Builder] = {
    **SHARED,
    "BernoulliProbs": lambda d: Bernoulli(d.probs),
    "BernoulliLogits": lambda d: Bernoulli(logit=d.logits),
    "BinomialProbs": lambda d: Binomial(d.total_count, d.probs),
    "BinomialLogits": lambda d: Binomial(d.total_count, logit=d.logits),
    "GeometricProbs": lambda d: failures_before(1.0, probability=1.0 - d.probs),
    "GeometricLogits": lambda d: failures_before(1.0, logit=-d.logits),
    "GammaPoisson": lambda d: NegativeBinomial(d.concentration / d.rate, d.concentration),
    "CategoricalProbs": lambda d: Categorical(d.probs),
    "CategoricalLogits": lambda d: Categorical(softmax(d.logits)),
    "MultivariateNormal": lambda d: multivariate_normal(d.loc, d.covariance_matrix),
    "LowRankMultivariateNormal": lambda d: multivariate_normal(d.loc, d.covariance_matrix),
    "Independent": lambda d: independent(from_numpyro(d.base_dist), d.reinterpreted_batch_ndims),
    "ExpandedDistribution": lambda d: expanded(from_numpyro(d.base_dist), d.batch_shape),
    "MaskedDistribution": lambda d: from_numpyro(d.base_dist),
    "MixtureSameFamily": lambda d: mixture(
        _probabilities(d.mixing_distribution), from_numpyro(d.component_distribution)
    ),
    "MixtureGeneral": lambda d: Mixture(
        [from_numpyro(component) for component in d.component_distributions], _probabilities(d.mixing_distribution)
    ),
    "TransformedDistribution": lambda d: transformed(from_numpyro(d.base_dist), d.transforms),
}
NUMPYRO = Conversion(
    "numpyro.distributions", lambda obj: has_ancestor(obj, "numpyro.Distribution"), from_numpyro, BUILDERS
)
