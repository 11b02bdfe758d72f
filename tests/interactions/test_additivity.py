"""The test as a whole: what it finds, what it leaves alone, and what must not matter."""

from __future__ import annotations

import numpy as np
import pytest

from rsens._interactions import Target, find_interactions, variance_inflation
from rsens._progress import progress_of
from rsens.likelihoods import GaussianLikelihood, LogitLikelihood, PoissonLikelihood

SEED = np.random.SeedSequence(0)


def singles(n_columns: int) -> list[tuple[int, ...]]:
    return [(d,) for d in range(n_columns)]


def additive(n: int, D: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows, and y = x₀ + sin 1.5x₁ + 0.5x₂ + noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, D))
    return X, X[:, 0] + np.sin(1.5 * X[:, 1]) + 0.5 * X[:, 2] + 0.5 * rng.standard_normal(n)


def gaussian(y: np.ndarray) -> Target:
    return Target((y - y.mean()) / y.std(), GaussianLikelihood(0.1), "identity")


def run(X, target, members=None, categorical=None, clusters=None, seed=SEED):
    return find_interactions(
        X,
        target,
        members=members or singles(X.shape[1]),
        categorical=categorical or {},
        clusters=clusters,
        seed=seed,
        progress=progress_of(False),
    )


def test_level_and_power():
    """Additive data: about 5 % of the pairs; an interaction of 0.5 x₀x₂ always, and it alone enters the null model."""
    false, found = [], []
    for seed in range(25):
        X, y = additive(80, 4, seed)
        false.append(run(X, gaussian(y)).p_values)
        found.append(run(X, gaussian(y + 0.8 * X[:, 0] * X[:, 2])))
    share = np.mean(np.concatenate(false) <= 0.05)
    assert share < 0.05 + 3.0 * np.sqrt(0.05 * 0.95 / 150)
    assert np.mean(np.concatenate(false)) == pytest.approx(0.5, abs=0.08)
    assert all(each.p_values[1] <= 0.05 for each in found)
    assert np.mean([each.found[:1] == ((0, 2),) for each in found]) > 0.9
    beside = np.array([np.delete(each.p_values, 1) for each in found])
    assert np.mean(beside <= 0.05) < 0.12  # without the found pair in the null model: 0.18


def test_noise_that_depends_on_x():
    """The noise of x₀ is no interaction with x₀: the classical test marks twice as many."""
    marked = []
    for seed in range(25):
        rng = np.random.default_rng([seed, 5])
        X = rng.standard_normal((120, 4))
        y = X[:, 0] + np.sin(1.5 * X[:, 1]) + 0.5 * np.exp(X[:, 0]) * rng.standard_normal(120)
        marked.append(run(X, gaussian(y)).p_values[:3] <= 0.05)
    assert np.mean(marked) < 0.05 + 3.0 * np.sqrt(0.05 * 0.95 / 75)


def test_what_must_not_matter():
    X, y = additive(70, 4, 1)
    p = run(X, gaussian(y)).p_values
    order = np.random.default_rng(0).permutation(70)
    np.testing.assert_allclose(run(X[order], gaussian(y[order])).p_values, p, rtol=1e-4)
    np.testing.assert_allclose(run(3.0 - 1e3 * X, gaussian(5.0 * y - 2.0)).p_values, p, rtol=1e-4)
    np.testing.assert_allclose(run(X, gaussian(y), seed=np.random.SeedSequence(9)).p_values, p)
    swapped = run(X[:, [1, 0, 2, 3]], gaussian(y)).p_values
    np.testing.assert_allclose(swapped[[0, 3, 4, 1, 2, 5]], p, rtol=1e-4)


def test_levels_numbers_and_groups():
    rng = np.random.default_rng(4)
    X = rng.standard_normal((150, 5))
    X[:, 1] = rng.integers(3, size=150)
    y = X[:, 0] * (X[:, 1] == 2) + X[:, 3] * X[:, 4] + 0.2 * rng.standard_normal(150)
    single = run(X, gaussian(y), categorical={1: 3})
    assert set(single.found[:2]) == {(0, 1), (3, 4)}
    grouped = run(X, gaussian(y), members=[(0,), (1,), (2,), (3, 4)], categorical={1: 3})
    assert grouped.found == ((0, 1),)  # inside a group everything is allowed
    # labels of levels have no order
    renamed = X.copy()
    renamed[:, 1] = np.array([2, 0, 1])[X[:, 1].astype(int)]
    np.testing.assert_allclose(run(renamed, gaussian(y), categorical={1: 3}).p_values, single.p_values, rtol=1e-3)


def test_counts_and_classes():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 3))
    f = 0.5 * X[:, 0] + X[:, 1] * X[:, 2]
    counts = run(X, Target(rng.poisson(np.exp(f)).astype(float), PoissonLikelihood(), "log"))
    assert counts.found == ((1, 2),)
    assert counts.scale == "log"
    events = (rng.random(200) < 1.0 / (1.0 + np.exp(-3.0 * f))).astype(float)
    assert run(X, Target(events, LogitLikelihood(), "logit", 2)).p_values.argmin() == 2
    latent = np.stack([0.0 * f, 3.0 * f, -2.0 * X[:, 0]], axis=1) + rng.gumbel(size=(200, 3))
    three = run(X, Target(latent.argmax(axis=1).astype(float), LogitLikelihood(), "logit", 3))
    assert three.p_values.argmin() == 2
    assert three.p_values[2] < 0.01


def test_a_class_with_few_rows_is_left_out():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    y = np.repeat([0.0, 1.0, 2.0], [30, 27, 3])
    found = run(X, Target(y, LogitLikelihood(), "logit", 3))
    assert "leaves out 1 of 3 classes" in found.notes[0]
    two = y < 2.0
    np.testing.assert_allclose(found.p_values, run(X[two], Target(y[two], LogitLikelihood(), "logit", 2)).p_values)


@pytest.mark.slow
def test_rows_of_a_cluster():
    """A random intercept takes up what rows of a cluster share; columns that are constant in a cluster show it."""
    marked, ignored = [], []
    for seed in range(20):
        rng = np.random.default_rng([seed, 8])
        clusters = np.repeat(np.arange(30), 4)
        X = rng.standard_normal((30, 3))[clusters]
        y = X[:, 0] + 1.5 * rng.standard_normal(30)[clusters] + 0.3 * rng.standard_normal(120)
        marked.append(run(X, gaussian(y), clusters=clusters).p_values <= 0.05)
        ignored.append(run(X, gaussian(y)).p_values <= 0.05)
    assert np.mean(marked) < 0.1
    assert np.mean(ignored) > 0.1


def test_a_function_without_noise():
    X, _ = additive(60, 3, 0)
    y = X[:, 0] + np.sin(1.5 * X[:, 1])
    found = run(X, gaussian(y + X[:, 1] * X[:, 2]))
    assert found.found[0] == (1, 2)
    assert np.isfinite(run(X, gaussian(y)).p_values).all()


def test_many_rows_are_sampled(monkeypatch):
    monkeypatch.setattr("rsens._interactions._additivity.MOST_ROWS", 100)
    X, y = additive(300, 3, 0)
    found = run(X, gaussian(y + X[:, 0] * X[:, 2]))
    assert found.n_rows == 100
    assert found.notes == ("Interactions are tested on 100 random rows of 300.",)
    assert found.found == ((0, 2),)


def test_hyperparameters_from_fewer_rows(monkeypatch):
    X, y = additive(200, 3, 0)
    target = gaussian(y + 0.5 * X[:, 0] * X[:, 2])
    whole = run(X, target)
    monkeypatch.setattr("rsens._interactions._additivity.SEARCH_ROWS", 120)
    some = run(X, target)
    assert some.found == whole.found
    np.testing.assert_allclose(some.p_values[[0, 2]], whole.p_values[[0, 2]], atol=0.2)
    np.testing.assert_array_equal(run(X, target).p_values, some.p_values)  # the seed decides


def test_columns_that_do_not_vary_and_too_few_rows():
    X, y = additive(50, 4, 0)
    X[:, 3] = 7.0
    p = run(X, gaussian(y)).p_values
    assert np.isnan(p).tolist() == [False, False, True, False, True, True]
    X[:, 3] = X[:, 0]  # a copy
    p = run(X, gaussian(y)).p_values
    assert ((p >= 0.0) & (p <= 1.0)).all()
    few = run(X[:6], gaussian(y[:6]))
    assert np.isnan(few.p_values).all()
    assert "too few" in few.notes[0]


def test_collinear_columns():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 5))
    X[:, 1] = X[:, 0] + 0.3 * rng.standard_normal(400)  # VIF 1/(1 − ρ²) with ρ² = 1/1.09
    X[:, 2] = (X[:, 3] > 0).astype(float)
    X[:, 4] = 1.0
    inflation = variance_inflation(X, {2: 2}, singles(5))
    assert inflation[:2] == pytest.approx([1.09 / 0.09] * 2, rel=0.2)
    assert inflation[4] == 1.0
    assert variance_inflation(np.column_stack([X[:, 0], X[:, 0]]), {}, singles(5)[:2]).tolist() == [np.inf, np.inf]
    assert variance_inflation(X[:4], {}, singles(5)).tolist() == [1.0] * 5  # as many columns as rows: nothing to say
    assert variance_inflation(X, {2: 2}, [[0, 1], [2], [3], [4]])[0] < 1.1  # as a group they determine nothing else
