"""Histogram: bins with fixed borders, and predictions that are given as quantiles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from rsens import RsensWarning, from_function, from_jax, from_torch
from rsens import rsens as local
from rsens.distributions import Categorical, Histogram, Mixture, Normal

B = np.array([-1.0, 0.5, 1.0, 4.0])
P = np.array([[0.25, 0.25, 0.5], [0.125, 0.625, 0.25]])
Q = np.array([[0.5, 0.125, 0.375], [0.25, 0.5, 0.25]])


def test_density_and_borders() -> None:
    """A border belongs to the bin above it, the last one to the last bin."""
    y = np.array([-1.1, -1.0, 0.4, 0.5, 0.9, 1.0, 4.0, 4.1])
    want = [0.0, 0.25 / 1.5, 0.25 / 1.5, 0.5, 0.5, 0.5 / 3, 0.5 / 3, 0.0]
    np.testing.assert_allclose(np.exp(Histogram(B, P[0]).log_prob(y[:, None])).ravel(), want, rtol=1e-14)


def test_quantiles_and_tails() -> None:
    family = Histogram(B, P[:1])
    levels = np.array([[0.0], [0.25], [0.5], [0.75], [1.0]])
    np.testing.assert_allclose(family.quantile(levels).ravel(), [-1.0, 0.5, 1.0, 2.5, 4.0])
    upper = family.checked()._quantile(levels, upper=True)
    np.testing.assert_allclose(upper.ravel(), [4.0, 2.5, 1.0, 0.5, -1.0])


def test_empty_bins() -> None:
    family = Histogram([0.0, 1.0, 2.0, 3.0], [[0.5, 0.0, 0.5]])
    assert family.log_prob([1.5]) == -np.inf
    np.testing.assert_allclose(family.cdf([[0.5], [1.0], [1.5], [2.0], [2.5]]).ravel(), [0.25, 0.5, 0.5, 0.5, 0.75])
    np.testing.assert_allclose(family.quantile([0.5 + 1e-12]), 2.0, rtol=1e-9)
    draws = family.sample(np.random.default_rng(0), 1000)
    assert not ((draws > 1.0) & (draws < 2.0)).any()
    # A change that leaves the empty bin empty has a length; one that fills it has none that is finite.
    assert np.isfinite(family.fisher_norm([[0.1, 0.0, -0.1]])).all()
    assert np.isinf(family.fisher_norm([[0.1, 0.1, -0.2]])).all()


def test_small_tails_keep_their_digits() -> None:
    family = Histogram([0.0, 1.0, 2.0, 3.0], [[1e-20, 1.0 - 2e-17, 1e-17]])
    np.testing.assert_allclose(family.survival([[2.0], [2.5]]).ravel(), [1e-17, 0.5e-17], rtol=1e-12)
    np.testing.assert_allclose(family.cdf([[0.5], [1.0]]).ravel(), [0.5e-20, 1e-20], rtol=1e-12)


@pytest.mark.parametrize("make", [lambda p: Histogram(B, p), Categorical], ids=["bins", "classes"])
def test_a_mixture_over_the_same_bins_or_classes_collapses(make: Any) -> None:
    w = np.array([0.25, 0.75])
    one, two = Mixture([make(P), make(Q)], w), make(0.25 * P + 0.75 * Q)
    other, whole = Mixture([make(Q), make(P)], w), make(0.25 * Q + 0.75 * P)
    for alpha in (0.0, 0.3, 1.0, 2.0, np.inf):
        np.testing.assert_allclose(one.renyi(other, alpha), two.renyi(whole, alpha), rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose([one.mean, one.variance], [two.mean, two.variance], rtol=1e-14)
    change = np.array([[0.1, 0.2, -0.3], [0.0, 0.1, -0.1]])
    both = np.concatenate([change, -2.0 * change], axis=1)
    np.testing.assert_allclose(one.fisher_norm(both), two.fisher_norm((0.25 - 1.5) * change), rtol=1e-12)
    np.testing.assert_allclose(one.log_prob([0.0, 1.0]), two.log_prob([0.0, 1.0]), rtol=1e-14)


LEVELS = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
Z = stats.norm.ppf(LEVELS)


def test_probabilities_by_hand() -> None:
    """Quartiles 1, 2, 3: density ¼ between them; beyond, e^{−r} with r = ¼/¼ = 1 and mass ¼."""
    family = Histogram.from_quantiles([0.25, 0.5, 0.75], [[1.0, 2.0, 3.0]], [-3.0, 0.0, 1.5, 3.0, 4.0, 9.0])
    tail = 0.25 * np.exp(-1.0)
    np.testing.assert_allclose(family.probabilities, [[tail, 0.375 - tail, 0.375, 0.25 - tail, tail]], rtol=1e-14)


@pytest.mark.filterwarnings("error")
def test_equal_quantiles_are_a_point() -> None:
    """All of the mass at 1, or a quarter of it; the tail beyond then begins at the row's average density, ½."""
    family = Histogram.from_quantiles([0.25, 0.5, 0.75], [[1.0, 1.0, 1.0], [0.0, 1.0, 1.0]], [-1.0, 0.5, 1.5, 2.0])
    np.testing.assert_allclose(family.probabilities[0], [0.0, 1.0, 0.0], atol=1e-15)
    below = 0.25 + 0.25 * 0.5
    np.testing.assert_allclose(family.probabilities[1], [below, 0.75 - 0.25 / np.e + 0.25 - below, 0.25 / np.e])


def test_crossing_quantiles_are_sorted_with_a_warning() -> None:
    crossed = [[1.0, 3.0, 2.0], [1.0, 2.0, 3.0]]
    with pytest.warns(RsensWarning, match="the quantiles of 1 rows cross"):
        family = Histogram.from_quantiles([0.25, 0.5, 0.75], crossed, [-9.0, 0.0, 1.5, 3.0, 19.0])
    np.testing.assert_array_equal(family.probabilities[0], family.probabilities[1])


def test_borders_that_miss_the_predictions_are_warned_of() -> None:
    with pytest.warns(RsensWarning, match="% of the predicted probability lies outside the borders"):
        Histogram.from_quantiles([0.25, 0.5, 0.75], [[1.0, 2.0, 3.0]], [1.5, 2.0, 2.5])


@pytest.mark.parametrize("quantiles", [9, 19, 99])
def test_r_sens_of_quantiles_is_close_to_that_of_the_family(quantiles: int) -> None:
    """Within 10 % of the Normal for bins as wide as the standard deviation, as promised on the page on bins."""
    levels = np.linspace(0.0, 1.0, quantiles + 2)[1:-1]
    z, borders = stats.norm.ppf(levels), np.linspace(-5.0, 5.0, 11)
    X = 0.3 * np.random.default_rng(0).normal(size=(40, 2))
    got = local(
        from_function(lambda X: Histogram.from_quantiles(levels, X[:, :1] + np.exp(X[:, 1:]) * z, borders)), X
    ).mean(axis=0)
    want = local(from_function(lambda X: Normal(X[:, 0], np.exp(2.0 * X[:, 1]))), X).mean(axis=0)
    np.testing.assert_allclose(got, want, rtol=0.1)


def test_derivatives_go_through() -> None:
    """The same function in NumPy, JAX and torch: differences, and both kinds of automatic derivatives."""
    torch, jnp = pytest.importorskip("torch"), pytest.importorskip("jax.numpy")
    borders = np.linspace(-4.0, 4.0, 9)
    X = np.random.default_rng(0).normal(size=(6, 2))
    models = [
        from_function(lambda X: Histogram.from_quantiles(LEVELS, X[:, :1] + np.exp(0.3 * X[:, 1:]) * Z, borders)),
        from_jax(lambda X: Histogram.from_quantiles(LEVELS, X[:, :1] + jnp.exp(0.3 * X[:, 1:]) * Z, borders)),
        from_torch(
            lambda X: Histogram.from_quantiles(LEVELS, X[:, :1] + torch.exp(0.3 * X[:, 1:]) * torch.tensor(Z), borders)
        ),
    ]
    differences, jax, by_torch = (model.derivatives(X, 1).first for model in models)
    np.testing.assert_allclose(jax, by_torch, atol=1e-13)
    np.testing.assert_allclose(jax, differences, atol=1e-8)
    assert np.abs(jax).max() > 0.05
