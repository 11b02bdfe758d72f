"""One-vs-rest: the quotient rule against autodiff, and binary GPs put together."""

import jax.numpy as jnp
import numpy as np
import pytest

from rsens._errors import InputError
from rsens.derivatives import Derivatives, from_jax, normalized, normalized_derivatives
from rsens.distributions import Bernoulli, Categorical, Normal


def logits(X):
    """Three functions of three columns, from rare to nearly sure."""
    return [
        jnp.sin(X[:, 0]) * X[:, 1] - 1.0,
        X[:, 2] ** 2 - 3.0 * X[:, 0],
        8.0 * jnp.tanh(X[:, 1] + X[:, 2]) + 0.5 * X[:, 0] * X[:, 2],
    ]


def test_the_quotient_rule_is_that_of_autodiff():
    def joint(X):
        pi = 1.0 / (1.0 + jnp.exp(-jnp.stack(logits(X), axis=1)))
        return Categorical(pi / pi.sum(axis=1, keepdims=True))

    X = np.random.default_rng(0).normal(size=(9, 3))
    expected = from_jax(joint).derivatives(X, 2)
    members = [from_jax(lambda X, k=k: Bernoulli(logit=logits(X)[k])) for k in range(3)]
    record = normalized_derivatives([member.derivatives(X, 2) for member in members])
    np.testing.assert_allclose(record.distribution.probabilities, expected.distribution.probabilities, rtol=1e-13)
    np.testing.assert_allclose(record.first, expected.first, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(record.second, expected.second, rtol=1e-11, atol=1e-12)


def test_classes_that_are_all_improbable_keep_their_ratio():
    # π = e^{−800} is 0 in float64; its ratios are not.
    alone = normalized([Bernoulli(logit=np.array([z])) for z in (-800.0, -801.0, -803.0)])
    expected = np.exp([0.0, -1.0, -3.0])
    np.testing.assert_allclose(alone.probabilities[0], expected / expected.sum(), rtol=1e-12)
    flat = [
        Derivatives(Bernoulli(logit=np.array([z])), np.zeros((1, 1, 2)), np.zeros((1, 1, 2, 2)))
        for z in (-800.0, -801.0, 2.0)
    ]
    record = normalized_derivatives(flat)
    np.testing.assert_array_equal(record.first, 0.0)
    np.testing.assert_array_equal(record.second, 0.0)
    with pytest.raises(InputError, match="Bernoulli per class; got Normal"):
        normalized([Bernoulli(np.array([0.5])), Normal(np.zeros(1), np.ones(1))])
