"""Posterior draws: the mixture of what a function gives for each draw."""

import tracemalloc

import jax.numpy as jnp
import numpy as np
import pandas as pd
import pytest
import torch
from scipy.special import betaln, digamma, expit, log_expit, softmax

from rsens import explain, rsens, rsens2
from rsens._errors import InputError
from rsens.derivatives import _draws, from_draws, from_function
from rsens.distributions import (
    Bernoulli,
    Beta,
    Categorical,
    Gamma,
    Histogram,
    Mixture,
    Normal,
    Poisson,
    StudentT,
)
from tests.small_chunks import rows_at_once

rng = np.random.default_rng(0)
X = rng.normal(size=(6, 3))


def linear(draws, noise=1.0):
    """Draws of slopes, and a noise that depends on the second column."""

    def fn(p, X):
        return Normal(X @ p["b"], noise * np.exp(0.4 * X[:, 1]))

    return from_draws(fn, {"b": draws})


def brute_force(density, x, d, grid):
    """sqrt ∫ (∂p/∂x_d)²/p dy on a dense grid, with ∂p by differences of the density itself."""
    step = np.zeros(len(x))
    step[d] = 1e-5
    p = density(x, grid)
    slope = (density(x + step, grid) - density(x - step, grid)) / 2e-5
    held = p > 1e-290
    return np.sqrt(np.sum(slope[held] ** 2 / p[held]) * (grid[1] - grid[0]))


def bimodal(S=400, spread=0.1):
    """Slopes around +2 and −2."""
    z = np.random.default_rng(1).normal(size=S)
    return np.where(np.arange(S) % 2, 2.0, -2.0) + spread * z


def test_two_modes_are_seen_as_they_are():
    """At x = 1.5 the modes are at ±3, far apart against the noise 0.3: moment matching takes them for one wide mode."""
    b = bimodal()
    model = from_draws(lambda p, X: Normal(p["b"] * X[:, 0], 0.09), {"b": b})
    grid = np.linspace(-8.0, 8.0, 4_001)

    def density(x, y):
        z = (y[:, None] - b * x[0]) / 0.3
        return np.exp(-0.5 * z**2).mean(axis=1) / (0.3 * np.sqrt(2.0 * np.pi))

    exact = rsens(model, [[1.5]])[0, 0]
    np.testing.assert_allclose(exact, brute_force(density, np.array([1.5]), 0, grid), rtol=1e-6)
    m, v = b.mean() * 1.5, 0.09 + b.var() * 2.25
    matched = Normal([m], [v]).fisher_norm([[b.mean(), 2.0 * b.var() * 1.5]])[0]
    assert 5.8 < exact < 6.2  # 2/√(0.09 + 1.5²·0.1²) = 5.96, and a little from the draws
    assert 0.9 < matched < 1.0


@pytest.mark.parametrize("order", [1, 2])
def test_one_draw_is_the_parametric_case(order):
    b = np.array([[1.0, -0.5, 0.3]])

    def plain(X):
        return Normal(np.sin(X @ b[0]), np.exp(0.4 * X[:, 1]))

    model = from_draws(lambda p, X: Normal(np.sin(X @ p["b"]), np.exp(0.4 * X[:, 1])), {"b": b})
    got, want = ((rsens, rsens2)[order - 1](m, X) for m in (model, from_function(plain)))
    # The same differences of the same numbers; the integral is right to 1e-10.
    np.testing.assert_allclose(got, want, rtol=1e-10, atol=1e-9 if order == 2 else 0.0)


def test_many_draws_reach_the_gaussian_limit_as_one_over_their_root():
    """Linear draws from a Gaussian: the mixture goes to Normal(xᵀμ, σ² + xᵀΣx)."""
    x, μ, τ, σ2 = np.array([[1.2]]), 0.7, 0.5, 0.6
    V = σ2 + τ**2 * 1.44
    limit = Normal([μ * 1.2], [V]).fisher_norm([[μ, 2.0 * τ**2 * 1.2]])[0]
    errors = {}
    for S in (50, 800):
        seeds = [np.random.default_rng(k).normal(μ, τ, S) for k in range(24)]
        values = [rsens(from_draws(lambda p, X: Normal(X @ p["b"], σ2), {"b": b[:, None]}), x)[0, 0] for b in seeds]
        errors[S] = np.sqrt(np.mean((np.array(values) - limit) ** 2))
    ratio = errors[50] / errors[800]
    assert 2.0 < ratio < 8.0  # √16 = 4, known from 24 repetitions to about 20 % each
    assert errors[800] < 0.05 * limit


def test_second_order_of_linear_draws_is_twice_their_covariance():
    """Every draw is linear, and the variance xᵀΣx of the mixture bends by 2Σ."""
    b = rng.normal(size=(50, 3)) @ np.array([[1.0, 0.5, 0.0], [0.0, 0.6, 0.2], [0.0, 0.0, 0.4]])
    fn, draws = (lambda p, X: Normal(X @ p["b"], 0.5)), {"b": b}
    Σ = np.cov(b.T, bias=True)
    V = 0.5 + np.einsum("nd,de,ne->n", X, Σ, X)
    want = np.sqrt(2.0) * np.abs(Σ) / V[:, None, None]
    np.testing.assert_allclose(rsens2(from_draws(fn, draws), X), want, atol=1e-6)  # second differences
    exact = from_draws(fn, draws, backend="jax")
    np.testing.assert_allclose(rsens2(exact, X), want, rtol=1e-12)


def test_events_are_their_average_probability():
    b = rng.normal(size=(30, 3))
    model = from_draws(lambda p, X: Bernoulli(logit=X @ p["b"]), {"b": b})

    def plain(X):
        return Bernoulli((1.0 / (1.0 + np.exp(-X @ b.T))).mean(axis=1))

    # Differences of logits and of probabilities: each right to 1e-10 of the largest value.
    np.testing.assert_allclose(rsens(model, X), rsens(from_function(plain), X), atol=1e-9)
    np.testing.assert_allclose(rsens2(model, X), rsens2(from_function(plain), X), atol=1e-6)


FAMILIES = {
    "Poisson": lambda p, X, xp: Poisson(xp.exp(0.5 * (X @ p["b"]))),
    "StudentT": lambda p, X, xp: StudentT(X @ p["b"], xp.exp(0.3 * X[:, 0]) * p["s"], 4.0),
    "Gamma": lambda p, X, xp: Gamma(xp.exp(0.3 * (X @ p["b"])), 3.0 * p["s"] + 0.0 * X[:, 0]),
    "Normal": lambda p, X, xp: Normal(xp.sin(X @ p["b"]), p["s"] * xp.exp(0.4 * X[:, 1])),
    "Bernoulli": lambda p, X, xp: Bernoulli(logit=X @ p["b"]),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_backends_agree(name):
    """Differences with JAX and PyTorch: 1e-9 for first derivatives, 1e-6 for second ones."""
    draws = {"b": rng.normal(size=(5, 3)), "s": np.exp(0.2 * rng.normal(size=5))}
    by = {
        backend: from_draws(lambda p, X, xp=xp: FAMILIES[name](p, X, xp), draws, backend=backend)
        for backend, xp in (("numpy", np), ("jax", jnp), ("torch", torch))
    }
    first, second = rsens(by["numpy"], X), rsens2(by["numpy"], X)
    for backend in ("jax", "torch"):
        np.testing.assert_allclose(rsens(by[backend], X), first, rtol=1e-8)
        np.testing.assert_allclose(rsens2(by[backend], X), second, atol=1e-6)


def test_parts_add_up_and_name_what_moves():
    """x0 moves the mean of all draws, x1 the noise; x2 has slopes around 0: only what is not known about it."""
    b = np.stack([np.full(60, 1.0), np.zeros(60), 0.5 * rng.normal(size=60)], axis=1)
    b[:, 2] -= b[:, 2].mean()
    rows = np.column_stack([X[:, :2], np.ones(len(X))])
    e = explain(linear(b), np.concatenate([rows, rows + 0.1]), scale="raw")
    np.testing.assert_allclose(e.parts.sum(axis=1), e.main, rtol=1e-12)
    shares = e.parts.div(e.main, axis=0)
    assert list(shares.columns) == ["prediction", "noise", "knowledge"]
    assert shares.loc["x0", "prediction"] > 0.99
    assert shares.loc["x1", "noise"] > 0.99
    assert shares.loc["x2", "knowledge"] > 0.99
    assert list(e.pair_parts.columns) == ["mean", "variance"]
    np.testing.assert_allclose(e.pair_parts.sum(axis=1), e.pairs, rtol=1e-12)


def test_levels_and_two_valued_columns_are_compared():
    """With one draw as the same function without draws; with several, categories and flags at both orders."""
    n = 24
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "flag": np.arange(n) % 2 * 1.0,
            "city": pd.Categorical(np.array(["u", "v", "w"])[np.arange(n) % 3]),
        }
    )

    def fn(p, X):
        return Normal(p["b"] * X[:, 0] * (1.0 + X[:, 1]) + p["c"] * X[:, 2], 1.0 + 0.2 * X[:, 1])

    one = explain(from_draws(fn, {"b": [0.7], "c": [0.4]}), frame)
    plain = explain(from_function(lambda X: fn({"b": 0.7, "c": 0.4}, X)), frame)
    np.testing.assert_allclose(one.main, plain.main, rtol=1e-8)
    np.testing.assert_allclose(one.pairs, plain.pairs, atol=1e-8)
    several = explain(from_draws(fn, {"b": [0.7, 0.2], "c": [0.4, -0.4]}), frame)
    assert several.main["city"] > 0.0
    assert several.pairs[("a", "flag")] > 0.0
    np.testing.assert_allclose(several.parts.sum(axis=1), several.main, rtol=1e-10)


@pytest.mark.slow
def test_blocks_of_rows_change_nothing_and_bound_memory():
    """∂λ of 400 draws and 80 rows at once takes 4 MB and copies; in blocks of a few rows it does not."""
    b, rows = rng.normal(size=(400, 8)), rng.normal(size=(80, 8))
    model = from_draws(lambda p, X: Normal(X @ p["b"], 1.0), {"b": b})
    found = []
    for at_once in (80, 5):
        tracemalloc.start()
        with rows_at_once(at_once):
            explanation = explain(model, rows, pairs=False, intervals=False)
        found.append((explanation.local_main, tracemalloc.get_traced_memory()[1]))
        tracemalloc.stop()
    (whole, much), (blocks, little) = found
    np.testing.assert_allclose(blocks, whole, rtol=1e-9)
    assert little < 0.7 * much  # the rest does not grow with the rows


MATCHED = {
    "Normal": lambda p, X: Normal(X @ p["b"], np.exp(X[:, 0] * p["c"])),
    "one variance": lambda p, X: Normal(X @ p["b"], 0.5),
    "Bernoulli": lambda p, X: Bernoulli(logit=X @ p["b"]),
    "Histogram": lambda p, X: Histogram([0.0, 1.0, 3.0], np.stack([s := expit(X @ p["b"]), 1.0 - s], -1)),
    "one df": lambda p, X: StudentT(X @ p["b"], np.exp(X[:, 0] * p["c"]), 5.0),
    "df differ": lambda p, X: StudentT(X @ p["b"], np.exp(X[:, 0] * p["c"]), 4.0 + p["c"] ** 2),
}


@pytest.mark.parametrize("name", MATCHED)
@pytest.mark.parametrize("block", [1, 30, 10**6])
def test_what_stands_for_the_draws_in_blocks(monkeypatch, name, block):
    """A few draws at a time, all at once, and with draws that do not count, is the mixture matched as a whole."""
    monkeypatch.setattr(_draws, "BLOCK", block)
    draw = np.random.default_rng(1)
    draws = {"b": draw.normal(size=(20, 3)), "c": draw.normal(size=20)}
    weights = np.where(np.arange(20) < 9, 0.0, np.arange(20))
    read = _draws.Draws.read(MATCHED[name], draws, weights)
    expected = read.mixture(X).matched().checked(len(X))
    np.testing.assert_allclose(read.matched(X).checked(len(X)).parameters, expected.parameters, rtol=1e-13)


def ok(p, X):
    return Normal(X @ p["b"], 1.0)


WRONG = {
    "no function": (lambda: from_draws(3, {"b": [1.0]}), "must be a function of"),
    "no mapping": (lambda: from_draws(ok, [1.0, 2.0]), "must map names"),
    "no draws": (lambda: from_draws(ok, {}), "must map names"),
    "different numbers": (lambda: from_draws(ok, {"b": [1.0], "c": [1.0, 2.0]}), "same number of draws"),
    "NaN": (lambda: from_draws(ok, {"b": [1.0, np.nan]}), "not finite in 1 of 2 draws, first in draw 1"),
    "text": (lambda: from_draws(ok, {"b": ["x"]}), "must be numbers"),
    "one number": (lambda: from_draws(ok, {"b": 1.0}), "draws on the first axis"),
    "backend": (lambda: from_draws(ok, {"b": [1.0]}, backend="numba"), "backend must be"),
    "step for jax": (lambda: from_draws(ok, {"b": [1.0]}, backend="jax", step=0.1), "differentiates exactly"),
    "weights": (lambda: from_draws(ok, {"b": [1.0]}, weights=[0.5, 0.5]), "must be 1 numbers"),
    "a mixture": (
        lambda: rsens(from_draws(lambda p, X: Mixture([ok(p, X)], [1.0]), {"b": np.ones((2, 3))}), X),
        "one distribution for each draw",
    ),
    "numbers of classes that differ": (
        lambda: rsens(
            from_draws(lambda p, X: Categorical(np.eye(2 + int(p["b"][0]))[0 * X[:, 0].astype(int)]), TWO), X
        ),
        "same family for all draws",
    ),
    "families that differ": (
        lambda: rsens(from_draws(lambda p, X: ok(p, X) if p["b"][0] else Poisson(X[:, 0] ** 2 + 1), TWO), X),
        "same family for all draws",
    ),
    "rows mixed": (
        lambda: rsens(from_draws(lambda p, X: Normal(X @ p["b"] - X[:, 0].mean(), 1.0), TWO), X),
        "mixes rows",
    ),
    "df of x": (
        lambda: rsens(from_draws(lambda p, X: StudentT(X @ p["b"], 1.0, 3.0 + X[:, 0] ** 2), TWO), X),
        "df depends on x",
    ),
    "negative variance": (lambda: rsens(from_draws(lambda p, X: Normal(X @ p["b"], -1.0), TWO), X), "variance must be"),
}
TWO = {"b": np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said(name):
    call, message = WRONG[name]
    with pytest.raises(InputError, match=message):
        call()


# ---- families at their edges -----------------------------------------------------------------------------------------


def test_beta_with_parameters_far_below_one():
    """Mass lies at y far below every float64; the oracle sums over an even grid of logit y."""
    draw = np.random.default_rng(1)
    a, k = draw.normal(-3.0, 1.0, 12), np.exp(draw.normal(-1.0, 0.2, 12))

    def beta(p, X):
        return Beta(p["k"] * expit(p["a"] + X[:, 0]), p["k"] * expit(-p["a"] - X[:, 0]))

    x = 0.5
    A, B, slope = k * expit(a + x), k * expit(-a - x), k * expit(a + x) * expit(-a - x)
    t = np.linspace(-9000.0, 400.0, 400_001)
    density, change = np.zeros_like(t), np.zeros_like(t)
    for A_s, B_s, slope_s in zip(A, B, slope, strict=True):
        log_p = A_s * log_expit(t) + B_s * log_expit(-t) - betaln(A_s, B_s)
        score = slope_s * (log_expit(t) - digamma(A_s) - log_expit(-t) + digamma(B_s))
        density += np.exp(log_p)
        change += np.exp(log_p) * score
    held = density > 0.0
    exact = np.sqrt((t[1] - t[0]) / 12.0 * np.sum(change[held] ** 2 / density[held]))
    # The steps of the oracle are 0.02 wide, its error falls exponentially; differences of λ are right to 1e-9.
    np.testing.assert_allclose(rsens(from_draws(beta, {"a": a, "k": k}), [[x]])[0, 0], exact, rtol=1e-7)


def test_histograms_collapse():
    """A mixture of histograms is the histogram of the averages, for pairs and spreads as well."""
    draw = np.random.default_rng(2)
    borders, slopes = np.linspace(-3.0, 3.0, 9), draw.normal(1.0, 0.2, 7)

    def bins(slope, X):
        return softmax(-0.5 * (borders[:-1] + 0.4 - slope * X[:, :1] * (1.0 + 0.2 * X[:, 1:])) ** 2, axis=1)

    drawn = from_draws(lambda p, X: Histogram(borders, bins(p["slope"], X)), {"slope": slopes})
    averaged = from_function(lambda X: Histogram(borders, np.mean([bins(slope, X) for slope in slopes], axis=0)))
    X = draw.normal(size=(10, 2))
    np.testing.assert_allclose(rsens(drawn, X), rsens(averaged, X), rtol=1e-7)
    np.testing.assert_allclose(rsens2(drawn, X), rsens2(averaged, X), rtol=1e-5, atol=1e-7)  # second differences
    spreads = [explain(model, X, random_state=0).effects["spread"] for model in (drawn, averaged)]
    np.testing.assert_allclose(*spreads, rtol=1e-6)
