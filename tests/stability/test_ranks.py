"""Ranks and their entropy."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import entropy as scipy_entropy
from scipy.stats import rankdata

from rsens._stability._result import entropy, rank_shares, ranks_of


@given(st.integers(1, 6), st.integers(1, 20), st.integers(0, 10))
def test_per_rank_is_per_term(terms, samples, seed):
    """Rows and columns of the table add up to 1, and the mean entropy of either is the same."""
    rng = np.random.default_rng(seed)
    shares = rank_shares(np.array([rng.permutation(terms) + 1 for _ in range(samples)]))
    np.testing.assert_allclose(shares.sum(axis=0), 1.0, rtol=1e-12)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, rtol=1e-12)
    for axis in (0, 1):
        np.testing.assert_allclose(entropy(shares), np.mean(scipy_entropy(shares, axis=axis)), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("terms", [1, 2, 3, 4])
def test_extremes(terms):
    same = rank_shares(np.tile(np.arange(1, terms + 1), (9, 1)))
    every = rank_shares(np.array(list(permutations(range(1, terms + 1)))))
    assert entropy(same) == 0.0
    np.testing.assert_allclose(entropy(every), np.log(terms), rtol=1e-14, atol=1e-15)


@given(arrays(np.float64, (3, 5), elements=st.floats(-1e300, 1e300)))
def test_ranks_follow_the_values(values):
    ranks = ranks_of(values, np.arange(5))
    np.testing.assert_array_equal(np.sort(ranks, axis=-1), np.broadcast_to(np.arange(1, 6), (3, 5)))
    # Without ties these are scipy's; among equal values the first leads.
    np.testing.assert_array_equal(ranks, rankdata(-values, method="ordinal", axis=-1))


def test_ties_follow_the_order_given():
    values = np.array([0.0, 5.0, 0.0, 0.0])
    assert ranks_of(values, np.array([2, 3, 0, 1])).tolist() == [4, 1, 2, 3]
