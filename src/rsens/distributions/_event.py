"""Events: families whose y is 0 or 1."""

from __future__ import annotations

from rsens.distributions._base import Distribution
from rsens.distributions._bernoulli import Bernoulli
from rsens.distributions._mixture import Mixture


def is_event(family: Distribution) -> bool:
    """Whether y is 0 or 1, so that the probability of 1 says it all: a Bernoulli, or a mixture of them."""
    kinds = family.kinds if isinstance(family, Mixture) else {type(family)}
    return all(issubclass(kind, Bernoulli) for kind in kinds)
