"""One-vs-rest: the quotient rule against autodiff, and binary GPs put together."""

import jax.numpy as jnp
import numpy as np
import pytest

from rsens._errors import InputError
from rsens.derivatives import Derivatives, chain_rule, from_jax, normalized, normalized_derivatives
from rsens.distributions import Bernoulli, Categorical, Normal
from rsens.kernels import EQ
from rsens.likelihoods import LogitLikelihood, ProbitLikelihood
from rsens.models._gp import GPClassifier
from tests.models.inference import posterior


def logits(X):
    """Three functions of three columns, from rare to nearly sure."""
    return [
        jnp.sin(X[:, 0]) * X[:, 1] - 1.0,
        X[:, 2] ** 2 - 3.0 * X[:, 0],
        8.0 * jnp.tanh(X[:, 1] + X[:, 2]) + 0.5 * X[:, 0] * X[:, 2],
    ]


def sigmoid(z):
    return 1.0 / (1.0 + jnp.exp(-z))


MEMBERS = [from_jax(lambda X, k=k: Bernoulli(logit=logits(X)[k])) for k in range(3)]


def members(X, order):
    return [member.derivatives(X, order) for member in MEMBERS]


def rows(n=9):
    return np.random.default_rng(0).normal(size=(n, 3))


def test_the_quotient_rule_is_that_of_autodiff():
    def joint(X):
        pi = jnp.stack([sigmoid(z) for z in logits(X)], axis=1)
        return Categorical(pi / pi.sum(axis=1, keepdims=True))

    expected = from_jax(joint).derivatives(rows(), 2)
    record = normalized_derivatives(members(rows(), 2))
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


def test_members_must_be_bernoulli():
    with pytest.raises(InputError, match="Bernoulli per class; got Normal"):
        normalized([Bernoulli(np.array([0.5])), Normal(np.zeros(1), np.ones(1))])


# ---- with binary GPs ----------------------------------------------------------------------------------------------


def classes(n, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, 2))
    score = np.stack([np.sin(X[:, 0]) * k + X[:, 1] * (k == 1) for k in range(n_classes)], axis=1)
    return X, (score + rng.gumbel(size=score.shape)).argmax(axis=1)


def gp_members(kernel, likelihood, X, codes, n_classes, rows, order=2):
    records = []
    for k in range(n_classes):
        latent = posterior(kernel, likelihood, X, (codes == k).astype(float)).derivatives(rows, order)
        outer = likelihood.predictive_derivatives(latent.mean, latent.variance, order)
        first, second = chain_rule(latent.first, latent.second, *outer)
        records.append(Derivatives(likelihood.predictive(latent.mean, latent.variance), first, second))
    return records


def test_the_estimator_normalises_one_gp_per_class():
    X, codes = classes(30, 3)
    labels = np.array(["red", "green", "blue"])[codes]
    kernel = EQ(2.0, 1.0)
    model = GPClassifier(kernel, link="logit", standardize=False, optimize=False).fit(X, labels)
    order = np.argsort(np.array(["red", "green", "blue"]))  # the classes are sorted
    new = np.random.default_rng(1).uniform(-3.0, 3.0, (5, 2))
    expected = normalized_derivatives(gp_members(kernel, LogitLikelihood(), X, codes, 3, new))
    record = model.derivatives(new, 2)
    np.testing.assert_allclose(
        record.distribution.probabilities, expected.distribution.probabilities[:, order], rtol=1e-12
    )
    np.testing.assert_allclose(record.first, expected.first[:, order], rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(record.second, expected.second[:, order], rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("likelihood", [LogitLikelihood(), ProbitLikelihood()], ids=repr)
def test_two_classes_give_the_binary_classifier(likelihood):
    X, codes = classes(30, 2)
    new = np.vstack([X[:4], np.random.default_rng(1).uniform(-3.0, 3.0, (5, 2))])
    records = gp_members(EQ(2.0, 1.0), likelihood, X, codes, 2, new)
    both, one = normalized_derivatives(records), records[1]
    np.testing.assert_allclose(both.distribution.probabilities[:, 1], one.distribution.mean, rtol=1e-10)
    np.testing.assert_allclose(both.first[:, 1], one.first[:, 0], rtol=1e-8, atol=1e-11)
    np.testing.assert_allclose(both.first[:, 0], -one.first[:, 0], rtol=1e-8, atol=1e-11)
    np.testing.assert_allclose(both.second[:, 1], one.second[:, 0], rtol=1e-8, atol=1e-10)


def test_far_from_the_data_every_class_is_equally_probable():
    record = normalized_derivatives(
        gp_members(EQ(2.0, 1.0), LogitLikelihood(), *classes(30, 4), 4, np.full((1, 2), 50.0))
    )
    np.testing.assert_allclose(record.distribution.probabilities, 0.25, rtol=1e-14)
    np.testing.assert_array_equal(record.first, 0.0)
