"""Mixtures held as arrays (draws, rows): the same distribution as a list of components, and the same numbers."""

import tracemalloc
from typing import Any

import mpmath
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
    np.testing.assert_allclose(held.prediction(), listed.prediction(), rtol=1e-14)
    np.testing.assert_allclose(held.prediction_gradient(), listed.prediction_gradient(), rtol=1e-14)
    np.testing.assert_allclose(held.matched().parameters, listed.matched().parameters, rtol=1e-14)


@each
def test_lengths_and_angles_of_whitened_changes(name: str) -> None:
    """The Gram matrix of whitened changes gives the same norms, also for sums of changes."""
    held, _ = both(name)
    u = change(held, 2)
    whitened = held.whiten(u)
    np.testing.assert_allclose(np.linalg.norm(whitened, axis=1), held.fisher_norm(u), rtol=1e-9)
    np.testing.assert_allclose(
        np.linalg.norm(whitened.sum(axis=-1), axis=1), held.fisher_norm(u.sum(axis=-1)), rtol=1e-7
    )


def exact(log_p: Any, parameters: Any, weights: Any, u: Any, ends: list[float]) -> float:
    """sqrt ∫ (∂p · u)²/p by mpmath's own quadrature and numerical derivative: nothing is shared with the code."""
    with mpmath.workdps(18):
        h = mpmath.mpf(10) ** -6
        λ, v = mpmath.matrix(parameters.tolist()), mpmath.matrix(u.tolist())
        before, here, after = ([log_p(draw) for draw in (λ + t * v).tolist()] for t in (-h, 0, h))

        def density(y: Any, draws: Any) -> Any:
            return mpmath.fsum(w * mpmath.exp(draw(y)) for w, draw in zip(weights, draws, strict=True))

        def integrand(y: Any) -> Any:
            return ((density(y, after) - density(y, before)) / (2 * h)) ** 2 / density(y, here)

        return float(mpmath.sqrt(mpmath.quad(integrand, ends)))


def normal(λ: Any) -> Any:
    constant = mpmath.log(2 * mpmath.pi * λ[1]) / 2
    return lambda y: -((y - λ[0]) ** 2) / (2 * λ[1]) - constant


def gamma(λ: Any) -> Any:
    constant = λ[1] * mpmath.log(λ[1] / λ[0]) - mpmath.loggamma(λ[1])
    return lambda y: (λ[1] - 1) * mpmath.log(y) - y * λ[1] / λ[0] + constant


def student_t(λ: Any) -> Any:
    constant = mpmath.loggamma(2.5) - mpmath.loggamma(2) - mpmath.log(4 * mpmath.pi * λ[1]) / 2
    return lambda y: constant - mpmath.mpf(5) / 2 * mpmath.log(1 + (y - λ[0]) ** 2 / (4 * λ[1]))


#: λ ↦ (y ↦ log p), and where to look at it.
ORACLES: dict[str, tuple[Any, list[float]]] = {
    "Normal": (normal, [-12.0, -4.0, -1.0, 0.0, 1.0, 4.0, 12.0]),
    "Gamma": (gamma, [1e-12, 0.1, 0.5, 1.0, 2.0, 5.0, 20.0, 60.0]),
    "StudentT": (student_t, [-1e5, -100.0, -10.0, -2.0, 0.0, 2.0, 10.0, 100.0, 1e5]),
}


@pytest.mark.parametrize("name", ORACLES)
def test_against_quadrature_of_the_definition(name: str) -> None:
    held = ds.Mixture(FAMILIES[name], WEIGHTS).checked()
    log_p, ends = ORACLES[name]
    u = change(held).reshape(N, S, -1)[0]
    want = exact(log_p, held.parameters[0].reshape(S, -1), WEIGHTS, u, ends)
    np.testing.assert_allclose(held.fisher_norm(change(held))[0], want, rtol=1e-8)


def test_counts_against_the_plain_sum() -> None:
    """Every count up to 400 in place of strides that are halved."""
    rates = 60.0 * np.exp(0.3 * Z[:, :1])
    u, y = np.random.default_rng(5).normal(size=(1, S)), np.arange(400.0)
    p = poisson.pmf(y[:, None], rates[:, 0])
    density, slope = p @ WEIGHTS, (p * (y[:, None] / rates[:, 0] - 1.0)) @ (WEIGHTS * u[0])
    want = np.sqrt(np.sum(slope[density > 0] ** 2 / density[density > 0]))
    np.testing.assert_allclose(ds.Mixture(ds.Poisson(rates), WEIGHTS).fisher_norm(u), want, rtol=1e-10)


def test_two_modes_far_apart() -> None:
    """12 sd apart each mode counts for itself: R² is the average of the two."""
    mixture = ds.Mixture(ds.Normal([[-6.0], [6.0]], 1.0), [0.5, 0.5])
    np.testing.assert_allclose(mixture.fisher_norm([[2.0, 0.0, -1.0, 0.0]]), np.sqrt(0.5 * 4.0 + 0.5 * 1.0), rtol=1e-7)


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
