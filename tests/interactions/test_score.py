"""The score test, against its formula with explicit inverses."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import chi2

from rsens._interactions import cauchy_combination, upper_tail
from rsens._interactions._additivity import Design, fit_null
from rsens._interactions._score import ScoreTest
from rsens.likelihoods import GaussianLikelihood, LogitLikelihood, PoissonLikelihood, StudentTLikelihood
from tests.interactions.test_additivity import additive, singles

LIKELIHOODS = [GaussianLikelihood(0.1), StudentTLikelihood.start(0.1), PoissonLikelihood(), LogitLikelihood()]


def fitted(likelihood, n=60, D=4):
    X, y = additive(n, D, 3)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = (y - y.mean()) / y.std()
    if likelihood.target == "classes":
        y = (y > 0.2).astype(float)
    if likelihood.target == "counts":
        y = np.floor(np.exp(y))
    return X, y, fit_null(Design(singles(D), {}), X, y, likelihood, None, [], np.random.default_rng(0))


@pytest.mark.parametrize("likelihood", LIKELIHOODS, ids=lambda each: each.name)
def test_by_explicit_inverses(likelihood, monkeypatch):
    X, y, fit = fitted(likelihood)
    n = len(y)
    features = Design(singles(4), {}).features(X)
    C = fit.kernel(X) + np.diag(1.0 / fit.precision)
    inverse = np.linalg.inv(C)
    np.testing.assert_allclose(fit.unwhiten(fit.whiten(np.eye(n))), inverse, atol=1e-8 * np.abs(inverse).max())
    if likelihood.name == "gaussian":
        np.testing.assert_allclose(fit.score, inverse @ (y - y.mean()), atol=1e-9)
    pairs, expected = [(0, 1), (2, 3)], []
    for i, j in pairs:
        Phi = np.stack([a * b for a in features[i].T for b in features[j].T], axis=1)
        Phi -= Phi.mean(axis=0)
        F = np.column_stack([np.ones(n), features[i], features[j]])
        middle = np.linalg.pinv(F.T @ inverse @ F)
        P = inverse - inverse @ F @ middle @ F.T @ inverse
        a = fit.score - inverse @ F @ middle @ F.T @ fit.score
        A, Q = Phi.T @ P @ Phi, float(np.sum((Phi.T @ a) ** 2))
        noise = a**2 / np.maximum(np.diag(P), 0.05 * np.diag(inverse)) / fit.precision
        believed = Phi.T @ P @ (C - np.diag(1.0 / fit.precision)) @ P @ Phi
        robust = believed + Phi.T @ P @ np.diag(noise) @ P @ Phi
        expected.append([upper_tail(Q, robust), upper_tail(Q, A)])
    found = ScoreTest(fit, features).p_values(pairs)
    assert pytest.approx(np.array(expected), rel=1e-5) == found.T
    monkeypatch.setattr("rsens._interactions._score.BATCH", 1)
    np.testing.assert_allclose(ScoreTest(fit, features).p_values(pairs)[0], found[0], rtol=1e-9)


def test_the_score_of_laplace_is_the_slope_of_the_likelihood():
    """At the mode α = ∂ log p(y | f)/∂f, with f = mean + Kα."""
    X, y, fit = fitted(PoissonLikelihood())
    f = np.log(y.mean()) + fit.kernel(X) @ fit.score
    np.testing.assert_allclose(fit.score, y - np.exp(f), atol=1e-8)
    np.testing.assert_allclose(fit.precision, np.exp(f), rtol=1e-8)


def test_features():
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.standard_normal(80), rng.integers(5, size=80), np.ones(80), rng.integers(2, size=80)])
    numbers, levels, constant, two, group = Design([(0,), (1,), (2,), (3,), (0, 1)], {1: 7}).features(rows)
    assert [each.shape[1] for each in (numbers, levels, constant, two)] == [4, 4, 0, 1]
    assert group.shape[1] == 8
    for each in (numbers, levels, two, group):
        np.testing.assert_allclose(each.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(levels.var(axis=0).sum(), 1.0)
    # all centred functions of the levels lie in their features
    effect = rng.standard_normal(5)[rows[:, 1].astype(int)]
    effect -= effect.mean()
    np.testing.assert_allclose(levels @ np.linalg.lstsq(levels, effect)[0], effect, atol=1e-10)
    # neither the unit of a column nor its zero matters
    np.testing.assert_allclose(
        np.abs(Design([(0,)], {}).features(1e6 + 50.0 * rows[:, :1])[0]), np.abs(numbers), rtol=1e-5, atol=1e-8
    )


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


@pytest.mark.parametrize("weights", WEIGHTS)
def test_level_by_simulation(weights):
    draws = np.random.default_rng(1).chisquare(1, (200_000, len(weights))) @ np.array(weights)
    q = float(np.quantile(draws, 0.95))
    assert upper_tail(q, np.diag(weights)) == pytest.approx(0.05, abs=0.006)  # 0.055 at the worst


def test_only_eigenvalues_matter():
    rotation, _ = np.linalg.qr(np.random.default_rng(2).standard_normal((4, 4)))
    weights = np.diag([2.0, 1.0, 0.3, 0.0])
    for size in (1.0, 10.0):
        turned = upper_tail(7.0 * size, size * rotation @ weights @ rotation.T)
        assert turned == pytest.approx(upper_tail(7.0, weights), rel=1e-10)
    assert np.isnan(upper_tail(0.0, np.zeros((3, 3))))


def test_cauchy_combination():
    np.testing.assert_allclose(cauchy_combination(np.array([[0.03, 0.7, 1e-40]])), [0.03, 0.7, 1e-40], rtol=1e-6)
    np.testing.assert_allclose(cauchy_combination(np.array([[0.02], [0.02], [0.02]])), [0.02])
    np.testing.assert_allclose(cauchy_combination(np.array([[0.2, np.nan], [np.nan, np.nan]])), [0.2, np.nan])
    p = np.random.default_rng(0).random((3, 100_000))
    assert np.mean(cauchy_combination(p) <= 0.05) == pytest.approx(0.05, abs=0.003)
