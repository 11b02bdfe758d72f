"""Tables, text and files of a result."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import entropy as scipy_entropy
from scipy.stats import rankdata

from rsens._errors import InputError
from rsens._stability import Stability
from rsens._stability._result import entropy, rank_shares, ranks_of
from tests.stability.results import noisy, result_of

#: Two methods, four samples, three terms; the second method fails in sample 1.
VALUES = [
    [[3.0, 2.0, 1.0], [3.0, 2.0, 1.0], [3.0, 1.0, 2.0], [2.0, 3.0, 1.0]],
    [[1.0, 2.0, 3.0], [np.nan] * 3, [1.0, 2.0, 3.0], [1.0, 3.0, 2.0]],
]
NAMES = ["plain", "<script>\x1b[31m\n", "🚲 " * 100]
RESULT = result_of(VALUES, NAMES, ["rsens", "ead"], failures=[(1, "ead", "no reason")])


def test_tables_by_hand():
    np.testing.assert_allclose(RESULT.mean_rank, [[5 / 4, 3.0], [2.0, 5 / 3], [11 / 4, 4 / 3]])
    np.testing.assert_allclose(RESULT.top(1), [[0.75, 0.0], [0.25, 1 / 3], [0.0, 2 / 3]])
    np.testing.assert_allclose(RESULT.top(2), [[1.0, 0.0], [0.75, 1.0], [0.25, 1.0]])
    assert (RESULT.top(9) == 1.0).all(axis=None)
    np.testing.assert_allclose(RESULT.rank_shares("ead"), [[0, 0, 1], [1 / 3, 2 / 3, 0], [2 / 3, 1 / 3, 0]])
    pd.testing.assert_frame_equal(RESULT.rank_shares(), RESULT.rank_shares("rsens"))
    assert RESULT.rank_shares().columns.tolist() == [1, 2, 3]
    h = 2 / 3 * np.log(3 / 2) + 1 / 3 * np.log(3.0)
    np.testing.assert_allclose(RESULT.entropy["ead"], 2.0 * h / 3.0, rtol=1e-14)
    assert ranks_of(np.array([0.0, 5.0, 0.0, 0.0]), np.array([2, 3, 0, 1])).tolist() == [4, 1, 2, 3]  # ties
    ranks = RESULT.ranks
    assert list(ranks.columns) == ["sample", "method", "term", "value", "rank"]
    assert len(ranks) == 7 * 3
    assert ranks["sample"].is_monotonic_increasing
    assert ranks.query("sample == 3 and method == 'rsens'")["rank"].tolist() == [2, 1, 3]
    for call, text in (
        (lambda: RESULT.top(0), "k must be"),
        (lambda: RESULT.to_frame(1.0), "level must be"),
        (lambda: RESULT.rank_shares("kl"), "method must be one of 'rsens', 'ead'; got 'kl'"),
    ):
        with pytest.raises(InputError, match=text):
            call()


def test_one_line_per_method_and_term():
    frame = RESULT.to_frame(level=0.5)
    assert frame["term"].tolist() == [NAMES[0], NAMES[1], NAMES[2], NAMES[2], NAMES[1], NAMES[0]]
    assert frame["samples"].tolist() == [4] * 3 + [3] * 3
    np.testing.assert_allclose(frame["value"], [2.75, 2.0, 1.25, 8 / 3, 7 / 3, 1.0])
    # Ranks of the first term: 1, 1, 1, 2. Half of the samples lie within 1 … 1, all within 1 … 2.
    assert frame.loc[0, ["lower", "upper"]].tolist() == [1, 1]
    assert RESULT.to_frame(level=0.99).loc[0, ["lower", "upper"]].tolist() == [1, 2]


def test_intervals_hold_their_share():
    result = noisy([f"x{k}" for k in range(9)])
    frame = result.to_frame(level=0.8).set_index(["method", "term"])
    for (method, term), ranks in result.ranks.groupby(["method", "term"])["rank"]:
        row = frame.loc[(method, term)]
        assert ranks.between(row["lower"], row["upper"]).mean() >= 0.8
        assert row["lower"] <= row["mean_rank"] <= row["upper"]


def test_document():
    shown = repr(RESULT)
    assert shown.startswith("By rsens, plain is first in 3 of 4 samples.")
    assert "4 samples of 50 rows, drawn without replacement" in " ".join(shown.split())
    assert "Failures: 1" in shown
    assert "sample 1: no reason" in shown
    entropy = next(line for line in shown.splitlines() if line.startswith("  entropy "))
    assert entropy.split()[-2:] == [f"{value:.2f}" for value in RESULT.entropy]
    assert "\x1b" not in shown
    assert "… and 5 more in to_frame()" in repr(noisy([f"x{k}" for k in range(35)]))


def test_round_trip_is_exact(tmp_path):
    RESULT.save(tmp_path / "x.json")
    loaded = Stability.load(tmp_path / "x.json")
    for name in ("ranks", "mean_rank", "failures"):
        pd.testing.assert_frame_equal(getattr(loaded, name), getattr(RESULT, name), check_exact=True)
    assert (loaded.order, loaded.terms, loaded.methods) == (1, tuple(NAMES), ("rsens", "ead"))
    assert (loaded.n_boot, loaded.settings, repr(loaded)) == (4, RESULT.settings, repr(RESULT))
    loaded.save(tmp_path / "y.json")
    assert (tmp_path / "x.json").read_bytes() == (tmp_path / "y.json").read_bytes()


@given(st.integers(1, 6), st.integers(1, 20), st.integers(0, 10))
def test_per_rank_is_per_term(terms, samples, seed):
    """Rows and columns of the table add up to 1, and the mean entropy of either is the same."""
    rng = np.random.default_rng(seed)
    shares = rank_shares(np.array([rng.permutation(terms) + 1 for _ in range(samples)]))
    np.testing.assert_allclose(shares.sum(axis=0), 1.0, rtol=1e-12)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-12)
    for axis in (0, 1):
        np.testing.assert_allclose(entropy(shares), np.mean(scipy_entropy(shares, axis=axis)), rtol=1e-12, atol=1e-15)


@given(arrays(np.float64, (3, 5), elements=st.floats(-1e300, 1e300)))
def test_ranks_follow_the_values(values):
    ranks = ranks_of(values, np.arange(5))
    np.testing.assert_array_equal(np.sort(ranks, axis=-1), np.broadcast_to(np.arange(1, 6), (3, 5)))
    # Without ties these are scipy's; among equal values the first leads.
    np.testing.assert_array_equal(ranks, rankdata(-values, method="ordinal", axis=-1))
