"""Mixtures held as arrays (draws, rows): the same distribution as a list of components, and the same numbers."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
from scipy.stats import poisson

from rsens import distributions as ds

S, N = 7, 3
HALF = [0.5, 0.5]
rng = np.random.default_rng(0)
Z = rng.normal(size=(S, N))
WEIGHTS = rng.dirichlet(np.ones(S))
P = np.exp(Z)[..., None] * np.array([1.0, 2.0, 3.0]) ** Z[..., None]
FAMILIES: dict[str, Any] = {
    "Normal": ds.Normal(Z, np.exp(0.3 * Z)),
    "Normal, one variance": ds.Normal(Z, 0.7),
    "StudentT": ds.StudentT(Z, np.exp(0.3 * Z), 4.0),
    "LogNormal": ds.LogNormal(Z, np.exp(0.3 * Z)),
    "Gamma": ds.Gamma(np.exp(0.4 * Z), 3.0),
    "Exponential": ds.Exponential(np.exp(0.4 * Z)),
    "Beta": ds.Beta(2.0 * np.exp(0.4 * Z), 3.0),
    "Weibull": ds.Weibull(1.5, np.exp(0.4 * Z)),
    "Bernoulli": ds.Bernoulli(1.0 / (1.0 + np.exp(-Z))),
    "Bernoulli, logit": ds.Bernoulli(logit=Z),
    "Binomial": ds.Binomial(5.0, logit=Z),
    "Poisson": ds.Poisson(3.0 * np.exp(0.4 * Z)),
    "NegativeBinomial": ds.NegativeBinomial(3.0 * np.exp(0.4 * Z), 2.0),
    "Categorical": ds.Categorical(P / P.sum(axis=-1, keepdims=True)),
    "MultivariateNormal": ds.MultivariateNormal(
        np.stack([Z, -Z], -1), np.exp(0.3 * Z)[..., None, None] * np.array([[1.0, 0.3], [0.3, 1.0]])
    ),
}
each = pytest.mark.parametrize("name", FAMILIES)


def both(name: str) -> tuple[ds.Mixture, ds.Mixture]:
    held = ds.Mixture(FAMILIES[name], WEIGHTS)
    listed = ds.Mixture([held.checked().components._taken(s) for s in range(S)], WEIGHTS)
    return held, listed


def change(mixture: ds.Mixture, *further: int) -> Any:
    λ = mixture.checked().parameters
    u = np.random.default_rng(1).normal(size=(*λ.shape, *further))
    return u * 0.3 if mixture.support != "classes" else u - u.reshape(N, S, 3, *further).mean(2).repeat(3, axis=1)


@each
def test_the_two_spellings_are_one_distribution(name: str) -> None:
    held, listed = both(name)
    np.testing.assert_array_equal(held.checked().parameters, listed.checked().parameters)
    assert held.checked().parameter_names == listed.checked().parameter_names
    np.testing.assert_allclose(held.mean, listed.mean, rtol=1e-14)
    np.testing.assert_allclose(held.variance, listed.variance, rtol=1e-13)
    y = held.sample(np.random.default_rng(2), 4)
    np.testing.assert_allclose(held.log_prob(y), listed.log_prob(y), rtol=1e-13)
    np.testing.assert_allclose(held.score(y), listed.score(y), rtol=1e-12, atol=1e-300)
    if held.support not in ("classes", "vector"):
        np.testing.assert_allclose(held.cdf(y), listed.cdf(y), rtol=1e-13)
    u = change(held, 2)
    np.testing.assert_allclose(held.fisher_norm(u), listed.fisher_norm(u), rtol=1e-13)
    np.testing.assert_allclose(np.linalg.norm(held.whiten(u), axis=1), held.fisher_norm(u), rtol=1e-9)
    np.testing.assert_allclose(held.prediction(), listed.prediction(), rtol=1e-14)
    np.testing.assert_allclose(held.prediction_gradient(), listed.prediction_gradient(), rtol=1e-14)
    np.testing.assert_allclose(held.matched().parameters, listed.matched().parameters, rtol=1e-14)


def test_counts_against_the_plain_sum() -> None:
    """Every count up to 400 in place of strides that are halved."""
    rates = 60.0 * np.exp(0.3 * Z[:, :1])
    u, y = np.random.default_rng(5).normal(size=(1, S)), np.arange(400.0)
    p = poisson.pmf(y[:, None], rates[:, 0])
    density, slope = p @ WEIGHTS, (p * (y[:, None] / rates[:, 0] - 1.0)) @ (WEIGHTS * u[0])
    want = np.sqrt(np.sum(slope[density > 0] ** 2 / density[density > 0]))
    np.testing.assert_allclose(ds.Mixture(ds.Poisson(rates), WEIGHTS).fisher_norm(u), want, rtol=1e-10)


def test_events_and_classes_collapse() -> None:
    π = FAMILIES["Bernoulli"].probability
    u = change(ds.Mixture(FAMILIES["Bernoulli"], WEIGHTS))
    whole = ds.Bernoulli(WEIGHTS @ π)
    np.testing.assert_allclose(
        ds.Mixture(FAMILIES["Bernoulli"], WEIGHTS).fisher_norm(u), whole.fisher_norm((u @ WEIGHTS)[:, None]), rtol=1e-13
    )
    near_one = ds.Mixture(ds.Bernoulli(logit=np.array([[40.0], [42.0]])), [0.5, 0.5])
    rest = 0.5 * (np.exp(-40.0) + np.exp(-42.0))  # 1 − π, which π itself has lost
    np.testing.assert_allclose(near_one.fisher_norm([[1e-20, 1e-20]]), 1e-20 / np.sqrt(rest), rtol=1e-10)


def test_shares_add_up_and_follow_the_change() -> None:
    n = 4
    normal = ds.Normal(np.linspace(-1.0, 1.0, n)[:, None], 1.0)
    mixture = ds.Mixture(normal, np.full(n, 1 / n), draws=True).checked()
    u = np.zeros((1, n, 2, 3))
    u[..., 0, 0] = 1.0  # all means together
    u[..., 1, 1] = 1.0  # all variances
    u[0, :, 0, 2] = np.linspace(-1.0, 1.0, n)  # apart
    shares = mixture.shares(u.reshape(1, -1, 3))
    table = np.stack([shares[name][0] for name in ("prediction", "noise", "knowledge")])
    np.testing.assert_allclose(table, np.eye(3), atol=1e-12)
    mixed = mixture.shares(np.random.default_rng(0).normal(size=(1, 2 * n, 5)))
    np.testing.assert_allclose(sum(mixed.values()), 1.0, rtol=1e-13)
    assert all((share >= 0.0).all() for share in mixed.values())
    assert ds.Mixture(normal, np.full(n, 1 / n)).shares(u.reshape(1, -1, 3)) == {}  # components that are no draws


def test_memory_of_thousands_of_draws_is_bounded() -> None:
    """2,000 draws: densities are held for a few nodes at a time, not for all of them."""
    means = rng.normal(size=(2000, 4))
    mixture = ds.Mixture(ds.Normal(means, 1.0), np.full(2000, 1 / 2000)).checked()
    u = rng.normal(size=(4, 4000, 3))
    mixture.fisher_norm(u[:, :, :1])
    tracemalloc.start()
    mixture.fisher_norm(u)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 12e6  # four arrays of 2^16 densities, and copies of u of one row; all nodes of a row would be 20 MB
