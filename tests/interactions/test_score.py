"""The score test, against its formula with explicit inverses."""

from __future__ import annotations

import numpy as np
import pytest

from rsens._interactions._additivity import Design, fit_null
from rsens._interactions._score import ScoreTest, upper_tail
from rsens.likelihoods import GaussianLikelihood, LogitLikelihood, PoissonLikelihood, StudentTLikelihood
from tests.interactions.data import additive, singles

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
def test_by_explicit_inverses(likelihood):
    X, y, fit = fitted(likelihood)
    n = len(y)
    features = Design(singles(4), {}).features(X)
    C = fit.kernel(X) + np.diag(1.0 / fit.precision)
    inverse = np.linalg.inv(C)
    np.testing.assert_allclose(fit.unwhiten(fit.whiten(np.eye(n))), inverse, atol=1e-8 * np.abs(inverse).max())
    if likelihood.name == "gaussian":
        np.testing.assert_allclose(fit.score, inverse @ (y - y.mean()), atol=1e-9)
    for i, j in [(0, 1), (2, 3)]:
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
        (found,) = ScoreTest(fit, features).p_values([(i, j)]).T
        assert found == pytest.approx([upper_tail(Q, robust), upper_tail(Q, A)], rel=1e-5)


def test_the_score_of_laplace_is_the_slope_of_the_likelihood():
    """At the mode α = ∂ log p(y | f)/∂f, with f = mean + Kα."""
    X, y, fit = fitted(PoissonLikelihood())
    f = np.log(y.mean()) + fit.kernel(X) @ fit.score
    np.testing.assert_allclose(fit.score, y - np.exp(f), atol=1e-8)
    np.testing.assert_allclose(fit.precision, np.exp(f), rtol=1e-8)


def test_batches_change_nothing(monkeypatch):
    _, _, fit = fitted(GaussianLikelihood(0.1))
    X, _ = additive(60, 4, 3)
    features = Design(singles(4), {}).features(X)
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    at_once = ScoreTest(fit, features).p_values(pairs)
    monkeypatch.setattr("rsens._interactions._score.BATCH", 1)
    np.testing.assert_allclose(ScoreTest(fit, features).p_values(pairs)[0], at_once[0], rtol=1e-9)


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
