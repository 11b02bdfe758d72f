"""Intervals over rows: what the Poisson bootstrap sums, its seeds, and how often it covers."""

from __future__ import annotations

import numpy as np
import pytest
from rsens._explain._bootstrap import BLOCK, percentiles, row_sums

from rsens._explain import explain
from tests.explain.models import Heteroscedastic, Linear


def chunked(values, size):
    return (values[i : i + size] for i in range(0, len(values), size))


@pytest.mark.parametrize("n", [1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK])
@pytest.mark.parametrize("size", [1, 7, BLOCK, 1000])
def test_sums_do_not_depend_on_chunks(n, size):
    rng = np.random.default_rng(n)
    values, weights = rng.normal(size=(n, 3)), rng.random(n)
    options = {"bootstrapped": 2, "n_bootstrap": 20, "seed": np.random.SeedSequence(1)}
    whole = row_sums([values], weights, **options)
    pieces = row_sums(chunked(values, size), weights, **options)
    np.testing.assert_allclose(whole.mean(), weights @ values / weights.sum(), rtol=1e-12, atol=1e-14)
    for name in ("mass", "total", "replicate_mass", "replicate_total"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(pieces, name))


def test_rows_are_drawn_like_a_bootstrap():
    """Over many replicates every row is drawn once on average, with variance 1, independently of the others."""
    n, b = 5, 20_000
    sums = row_sums([np.eye(n)], np.ones(n), bootstrapped=n, n_bootstrap=b, seed=np.random.SeedSequence(2))
    counts = sums.replicate_total
    assert set(np.unique(counts)) <= set(range(9))
    # Standard errors: 1/sqrt(b) = 0.007 for means and correlations, sqrt(3/b) = 0.012 for variances; five of them.
    np.testing.assert_allclose(counts.mean(axis=0), 1.0, atol=0.036)
    np.testing.assert_allclose(np.cov(counts.T), np.eye(n), atol=0.062)
    np.testing.assert_array_equal(sums.replicate_mass, counts.sum(axis=1))


def test_replicates_without_a_row_are_left_out():
    sums = row_sums([np.ones((1, 1))], np.ones(1), bootstrapped=1, n_bootstrap=400, seed=np.random.SeedSequence(3))
    assert (sums.replicate_mass == 0.0).any()
    assert len(sums.replicate_means()) == (sums.replicate_mass > 0.0).sum()
    np.testing.assert_array_equal(sums.replicate_means(), 1.0)


def test_percentiles_without_replicates_are_missing():
    assert np.isnan(percentiles(np.empty((0, 3)), 0.9)).all()
    assert percentiles(np.empty((0, 3)), 0.9).shape == (2, 3)


def interval(seed, **options):
    X = np.random.default_rng(0).normal(size=(400, 3))
    return explain(Heteroscedastic(), X, random_state=seed, **options).intervals


def test_seeds():
    np.testing.assert_array_equal(interval(0), interval(0))
    np.testing.assert_array_equal(interval(np.int64(0)), interval(0))
    assert (interval(0) != interval(1)).any(axis=None)
    assert (interval(None) != interval(None)).any(axis=None)
    generator = np.random.default_rng(7)
    first = interval(generator)
    assert (first != interval(generator)).any(axis=None)  # a Generator moves on
    np.testing.assert_array_equal(first, interval(np.random.default_rng(7)))


def test_the_global_generator_is_left_alone():
    state = np.random.get_state()[1].copy()  # noqa: NPY002  (the point of the test)
    interval(0)
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


def test_intervals_surround_the_value_and_widen_with_the_level():
    X = np.random.default_rng(1).normal(size=(300, 3))
    narrow = explain(Heteroscedastic(), X, random_state=0, level=0.5)
    wide = explain(Heteroscedastic(), X, random_state=0, level=0.99)
    assert ((wide.intervals["lower"] < wide.main) & (wide.main < wide.intervals["upper"])).all()
    assert (
        (wide.intervals["lower"] < narrow.intervals["lower"]) & (narrow.intervals["upper"] < wide.intervals["upper"])
    ).all()
    assert (
        wide.pair_intervals.loc[("x1", "x2"), "lower"]
        < wide.pairs["x1", "x2"]
        < wide.pair_intervals.loc[("x1", "x2"), "upper"]
    )
    assert wide.level == 0.99
    none = explain(Heteroscedastic(), X, n_bootstrap=0)
    assert none.intervals is None
    assert none.pair_intervals is None
    assert none.to_frame()["lower"].isna().all()


def test_equal_rows_have_an_interval_of_no_width():
    """A sensitivity that is the same everywhere does not depend on which rows are explained."""
    result = explain(Linear([1.0, 2.0]), np.random.default_rng(2).normal(size=(50, 2)))
    np.testing.assert_allclose(result.intervals["lower"], result.main, rtol=1e-12)
    np.testing.assert_allclose(result.intervals["upper"], result.main, rtol=1e-12)


@pytest.mark.parametrize("aggregate", ["mean", "rms"])
def test_coverage(aggregate):
    """R = |x_1|/σ for x_0 in Normal(x_0 x_1, σ²): E|x_1| = sqrt(2/π), root mean square 1; 90 % intervals, 100 rows.

    400 repetitions: three standard errors are 0.045, and the percentile bootstrap is a little short at n = 100.
    """
    truth = np.sqrt(2.0 / np.pi) if aggregate == "mean" else 1.0
    rng = np.random.default_rng(11)
    covered = 0
    for seed in range(400):
        X = rng.normal(size=(100, 2))
        result = explain(
            Linear([0.0, 0.0], sigma=1.0, gamma=1.0), X, scale="raw", level=0.9, random_state=seed, aggregate=aggregate,
            pairs=False, n_bootstrap=300,
        )  # fmt: skip
        lower, upper = result.intervals.loc["x0"]
        covered += lower <= truth <= upper
    assert 0.84 <= covered / 400 <= 0.945
