"""Σ λ χ²: against exact tails, an inverted characteristic function and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import chi2

from rsens._interactions import cauchy_combination, upper_tail

WEIGHTS = [(1.0,), (3.0, 1.0), (1.0, 0.5, 0.25, 0.1), tuple(1.0 / np.arange(1, 17))]


def imhof(q: float, weights: tuple[float, ...]) -> float:
    """P(Σ λ χ²₁ ≥ q) by inverting the characteristic function (Imhof, 1961)."""
    w = np.array(weights)

    def integrand(u: float) -> float:
        angle = 0.5 * np.sum(np.arctan(w * u)) - 0.5 * q * u
        return float(np.sin(angle) / (u * np.prod((1.0 + (w * u) ** 2) ** 0.25)))

    value, _ = quad(integrand, 0.0, np.inf, limit=2000)
    return 0.5 + value / np.pi


@pytest.mark.parametrize("k", [1, 3, 16])
def test_equal_weights_are_a_chi_square(k):
    q = chi2.isf([0.9, 0.5, 0.05, 1e-6], k)
    np.testing.assert_allclose([upper_tail(2.0 * x, 2.0 * np.eye(k)) for x in q], [0.9, 0.5, 0.05, 1e-6], rtol=1e-8)


@pytest.mark.parametrize("size", [1.0, 2.0, 3.0])
def test_tails_by_imhof(size):
    """Four moments give a tail near 5 % to within a tenth of it, and the middle to within 0.03."""
    q = size * sum(WEIGHTS[3])
    exact = imhof(q, WEIGHTS[3])
    assert upper_tail(q, np.diag(WEIGHTS[3])) == pytest.approx(exact, rel=0.1 if exact < 0.3 else 0.06)


@pytest.mark.parametrize("size", [1.0, 2.0, 3.0])
def test_tails_of_exponentials(size):
    """With every weight twice, Q is a sum of exponentials: P = Σ_k e^{−q/2λ_k} Π_{j≠k} λ_k/(λ_k − λ_j)."""
    weights = np.array([1.0, 0.5, 0.25, 0.1])
    q = size * 2.0 * weights.sum()
    ratios = [np.prod([w / (w - v) for v in weights if v != w]) for w in weights]
    exact = float(np.sum(ratios * np.exp(-0.5 * q / weights)))
    found = upper_tail(q, np.diag(np.repeat(weights, 2)))
    assert found == pytest.approx(exact, rel=0.1 if exact < 0.3 else 0.06)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_level_by_simulation(weights):
    draws = np.random.default_rng(1).chisquare(1, (200_000, len(weights))) @ np.array(weights)
    q = float(np.quantile(draws, 0.95))
    assert upper_tail(q, np.diag(weights)) == pytest.approx(0.05, abs=0.006)  # 0.055 at the worst


def test_only_eigenvalues_matter():
    rng = np.random.default_rng(2)
    rotation, _ = np.linalg.qr(rng.standard_normal((4, 4)))
    weights = np.array([2.0, 1.0, 0.3, 0.0])
    turned = rotation @ np.diag(weights) @ rotation.T
    assert upper_tail(7.0, turned) == pytest.approx(upper_tail(7.0, np.diag(weights)), rel=1e-10)
    assert upper_tail(70.0, 10.0 * turned) == pytest.approx(upper_tail(7.0, turned), rel=1e-10)


def test_nothing_says_nothing():
    assert np.isnan(upper_tail(0.0, np.zeros((3, 3))))


def test_cauchy_combination():
    np.testing.assert_allclose(cauchy_combination(np.array([[0.03, 0.7, 1e-40]])), [0.03, 0.7, 1e-40], rtol=1e-6)
    np.testing.assert_allclose(cauchy_combination(np.array([[0.02], [0.02], [0.02]])), [0.02])
    np.testing.assert_allclose(cauchy_combination(np.array([[0.2, np.nan], [np.nan, np.nan]])), [0.2, np.nan])
    p = np.random.default_rng(0).random((3, 100_000))
    assert np.mean(cauchy_combination(p) <= 0.05) == pytest.approx(0.05, abs=0.003)
