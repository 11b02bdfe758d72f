"""The posterior of importances: R-sens of each draw's own predictive."""

import numpy as np
import pytest

from rsens import Normal, explain, from_draws, from_function, rsens
from rsens._errors import InputError

rng = np.random.default_rng(0)
X = rng.normal(size=(12, 3))
B = rng.normal(size=(40, 3)) * [0.3, 0.3, 0.1] + [1.0, 0.9, 0.0]


def fn(p, X):
    return Normal(X @ p["b"], p["v"] * np.exp(0.2 * X[:, 2]))


V = np.exp(0.2 * rng.normal(size=40))


@pytest.fixture(scope="module")
def explanation():
    return explain(from_draws(fn, {"b": B, "v": V}), X, pairs=False, scale="raw")


def test_each_draw_alone(explanation):
    """Against the mean R-sens of a model of that draw only."""
    own = [rsens(from_function(lambda X, s=s: fn({"b": B[s], "v": V[s]}, X)), X).mean(axis=0) for s in range(40)]
    np.testing.assert_allclose(explanation.posterior.draws, own, rtol=1e-7)


def test_probabilities(explanation):
    posterior, values = explanation.posterior, explanation.posterior.draws.to_numpy()
    np.testing.assert_allclose(posterior.p_first, np.bincount(values.argmax(axis=1), minlength=3) / 40)
    assert posterior.p_first.sum() == pytest.approx(1.0)
    assert posterior.p_larger("x0", "x1") == pytest.approx(np.mean(values[:, 0] > values[:, 1]))
    assert posterior.p_larger("x0", "x1") + posterior.p_larger("x1", "x0") == pytest.approx(1.0)
    assert posterior.p_larger("x0", "x0") == pytest.approx(0.5)
    with pytest.raises(InputError, match="must be one of"):
        posterior.p_larger("x0", "x9")


def test_frame(explanation):
    frame, values = explanation.posterior.frame(0.5), explanation.posterior.draws
    np.testing.assert_allclose(frame["mean"], values.mean()[frame.index])
    np.testing.assert_allclose(frame["lower"], values.quantile(0.25)[frame.index], rtol=0.05)  # other midpoints
    assert (frame["lower"] <= frame["median"]).all()
    assert frame["mean"].is_monotonic_decreasing
    assert "40 draws" in repr(explanation.posterior)


def test_weights_of_draws_and_rows():
    weights = rng.uniform(size=40)
    rows = rng.uniform(size=12)
    e = explain(from_draws(fn, {"b": B, "v": V}, weights=weights), X, pairs=False, scale="raw", weights=rows)
    np.testing.assert_allclose(e.posterior.weights, weights / weights.sum())
    own = [rsens(from_function(lambda X, s=s: fn({"b": B[s], "v": V[s]}, X)), X) for s in range(40)]
    want = np.einsum("s,n,snd->d", weights / weights.sum(), rows / rows.sum(), np.array(own))
    frame = e.posterior.frame()
    np.testing.assert_allclose(frame["mean"].loc[["x0", "x1", "x2"]], want, rtol=1e-7)


def test_at_most_a_thousand_draws_are_kept():
    b = np.linspace(0.5, 1.5, 2500)[:, None]
    e = explain(from_draws(lambda p, X: Normal(X[:, :1] @ p["b"], 1.0), {"b": b}), X[:2, :1], pairs=False, scale="raw")
    values = e.posterior.draws["x0"]
    assert len(values) == 1000
    np.testing.assert_allclose([values.min(), values.mean(), values.max()], [0.5, 1.0, 1.5], rtol=1e-3)


def test_draws_are_averaged_over_rows():
    e = explain(from_draws(fn, {"b": B, "v": V}), X, pairs=False, scale="raw")
    own = rsens(from_function(lambda X: fn({"b": B[0], "v": V[0]}, X)), X)
    np.testing.assert_allclose(e.posterior.draws.iloc[0], own.mean(axis=0), rtol=1e-7)
    np.testing.assert_allclose(e.parts.sum(axis=1), e.main, rtol=1e-12)
