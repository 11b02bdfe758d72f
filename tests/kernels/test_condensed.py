"""Sums of kernels of distances, worked out at the pairs of different rows only: the same numbers, faster."""

import numpy as np
import pytest

from rsens.kernels import EQ, Categorical, Linear, Matern12, Matern32, RationalQuadratic, additive
from tests.kernels.cases import rows

ROWS = rows(30, seed=5)
SUMS = (
    additive(4),
    additive(4, [(0, 1), (3, 2)], Matern32),
    EQ(1.3, 0.8) + EQ(0.4, (0.5, 1.5), dims=(2, 0)),
    RationalQuadratic(1.2, (0.5, 2.0), 0.7, dims=(0, 1)) + Matern12(0.3, 0.9, dims=(2, 1)),
    Categorical(0.8, 0.6, dims=(3,)) + EQ(1.0, 0.9, dims=(0,)) * Categorical(1.5, (1.1, 0.4), dims=(3, 1)),
    EQ(0.7, dims=(0,)) * Matern32(0.9, dims=(1,)) * RationalQuadratic(1.1, 0.8, 1.5, dims=(2,)) + EQ(0.2, dims=(0,)),
)


@pytest.mark.parametrize("kernel", SUMS, ids=repr)
def test_same_as_the_sum_of_matrices(kernel):
    M = np.random.default_rng(0).normal(size=(len(ROWS), len(ROWS)))
    M += M.T
    assert kernel.condenses(ROWS)
    fast = kernel.on(ROWS)
    assert fast.value.flags.f_contiguous
    np.testing.assert_array_equal(fast.value, fast.value.T)
    np.testing.assert_allclose(fast.value, sum(term(ROWS) for term in kernel.terms), rtol=1e-13, atol=1e-14)
    expected = np.concatenate([term.hyper_gradient(ROWS, None, M) for term in kernel.terms])
    np.testing.assert_allclose(fast.hyper_gradient(M), expected, rtol=1e-11, atol=1e-11)


def test_others_are_sums_of_matrices():
    for other in (EQ() + Linear(), EQ(dims=(0,)) * Linear(dims=(1,)) + EQ(), (EQ() + Matern32()) * EQ() + EQ()):
        assert not other.condenses(ROWS)


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_squares_of_tiny_and_huge_columns(size):
    kernel = EQ(1.0, (0.7 * size,), dims=(0,)) + EQ(1.0, 1.0, dims=(1,))
    of_one = EQ(1.0, 0.7, dims=(0,)) + EQ(1.0, 1.0, dims=(1,))
    np.testing.assert_allclose(kernel(ROWS * [size, 1, 1, 1]), of_one(ROWS), rtol=1e-12)
