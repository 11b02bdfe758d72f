"""Which families are events."""

from __future__ import annotations

import pytest

from rsens.distributions import Bernoulli, Binomial, Categorical, Distribution, Mixture, Normal, Poisson, is_event

EVENTS = {
    "Bernoulli": (Bernoulli([0.3]), True),
    "Bernoulli by logit": (Bernoulli(logit=[0.3]), True),
    "mixture of Bernoullis": (Mixture([Bernoulli([0.3]), Bernoulli(logit=[1.0])], [0.5, 0.5]), True),
    "Binomial": (Binomial(1, [0.3]), False),  # 0 or 1 only as long as n is 1
    "two classes": (Categorical([[0.3, 0.7]]), False),
    "Poisson": (Poisson([0.3]), False),
    "Normal": (Normal([0.3], 1.0), False),
    "mixture of counts": (Mixture([Bernoulli([0.3]), Poisson([0.3])], [0.5, 0.5]), False),
}


@pytest.mark.parametrize("name", EVENTS)
def test_events(name: str) -> None:
    family: Distribution
    family, expected = EVENTS[name]
    assert is_event(family) is expected
    assert is_event(family.checked()) is expected
