"""Samples of rows and of whole clusters."""

import numpy as np
import pytest

from rsens._errors import InputError
from rsens._stability import Sampling, stability
from rsens._stability._stability import sampling
from tests.stability.models import LeastSquares

PERSON = np.repeat(np.arange(12), 4)
RNG = np.random.default_rng(0)
X = RNG.normal(size=(48, 3))
Y = X @ [2.0, 1.0, 0.0] + RNG.normal(size=48)


def draws(plan, count=200):
    return [plan.draw(np.random.SeedSequence(0, spawn_key=(k,))) for k in range(count)]


def test_the_bootstrap_repeats_rows():
    """A sample of n rows has 1 − (1 − 1/n)ⁿ of them, 0.634 for n = 100; the mean of 200 is that within 0.01."""
    found = [len(set(rows.tolist())) / 100 for rows in draws(sampling(100, True))]
    np.testing.assert_allclose(np.mean(found), 0.634, atol=0.01)


@pytest.mark.parametrize("replace", [True, False])
def test_every_row_is_as_likely_as_any_other(replace):
    """2000 draws of 5 of 20 rows: 500 each, with a standard deviation of at most 22."""
    counts = np.bincount(np.concatenate(draws(Sampling(20, 5, replace), 2000)), minlength=20)
    assert abs(counts - 500).max() < 5 * 22


def test_half_of_the_rows_or_clusters_without_repeats():
    for rows in draws(sampling(11, False)):
        assert len(rows) == len(set(rows.tolist())) == 6
    for a, b in zip(draws(sampling(48, False, np.arange(48))), draws(sampling(48, False)), strict=True):
        np.testing.assert_array_equal(a, b)  # clusters of one row are drawn like rows
    found = stability(LeastSquares(), X, Y, n_boot=5, methods="rsens", clusters=PERSON, replace=False, random_state=0)
    assert "5 samples of 6 clusters (about 24 rows), drawn without replacement" in " ".join(repr(found).split())
    with pytest.raises(InputError, match="at least 3 different labels") as raised:
        stability(LeastSquares(), X, Y, n_boot=2, methods="rsens", clusters=PERSON < 6, random_state=0)
    assert raised.value.argument == "clusters"


@pytest.mark.parametrize(("replace", "clusters"), [(True, 12), (False, 6)])
def test_a_sample_has_whole_clusters(replace, clusters):
    plan = sampling(48, replace, PERSON)
    assert plan.n_rows == 4 * clusters
    for rows in draws(plan):
        times = np.bincount(rows, minlength=48).reshape(12, 4)
        assert (times == times[:, :1]).all()
        assert times[:, 0].sum() == clusters
        assert replace or times.max() == 1


@pytest.mark.slow
def test_means_of_clusters_vary_as_the_theory_says():
    """Slopes from repeated rows: of clusters they vary √4 as much as of rows, for 4 equal rows in each cluster."""
    x = np.repeat(np.random.default_rng(1).normal(size=(40, 1)), 4, axis=0)
    x = np.column_stack([x, np.repeat(np.random.default_rng(2).normal(size=(40, 1)), 4, axis=0)])
    y = x[:, 0] + np.repeat(np.random.default_rng(3).normal(size=40), 4)
    options = {"n_boot": 300, "methods": "rsens", "scale": "raw", "random_state": 0, "replace": True}
    spread = {}
    for name, clusters in (("rows", np.arange(160)), ("persons", np.repeat(np.arange(40), 4))):
        ranks = stability(LeastSquares(), x, y, clusters=clusters, **options).ranks
        spread[name] = ranks[ranks["term"] == "x0"]["value"].std()
    # The standard deviation from 300 samples has an error of 4 %, and the ratio of two of 6 %.
    np.testing.assert_allclose(spread["persons"] / spread["rows"], 2.0, rtol=0.2)


def test_finished_samples_of_other_clusters_are_refused(tmp_path):
    options = {"n_boot": 2, "methods": "rsens", "random_state": 0, "folder": tmp_path}
    first = stability(LeastSquares(), X, Y, clusters=PERSON, **options)
    again = stability(LeastSquares(), X, Y, clusters=[f"person {k}" for k in PERSON], **options)
    assert again.ranks.equals(first.ranks)  # other names for the same clusters
    with pytest.raises(InputError, match="another question"):
        stability(LeastSquares(), X, Y, clusters=PERSON // 2, **options)
    with pytest.raises(InputError, match="another question"):
        stability(LeastSquares(), X, Y, **options)
