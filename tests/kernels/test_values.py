"""Values: equal to scikit-learn's, positive semi-definite, symmetric, exact where they can be."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from rsens.kernels import EQ, Matern12, Matern32, Matern52, RationalQuadratic
from tests.kernels.cases import KERNELS, rows


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_positive_semi_definite_and_symmetric(kernel):
    rows_ = np.vstack([rows(150, seed=7), rows(30, seed=7)])  # the last thirty occur twice
    K = kernel(rows_)
    assert K.flags.f_contiguous
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_allclose(np.diag(K), kernel.diag(rows_), rtol=1e-14)
    eigenvalues = np.linalg.eigvalsh(K)
    assert eigenvalues[0] > -1e-13 * eigenvalues[-1]


@pytest.mark.parametrize("kind", [EQ, Matern12, Matern32, Matern52, RationalQuadratic])
@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_equal_rows_have_distance_zero(kind, shift):
    """Also far from the origin, and with an outlier."""
    x = np.random.default_rng(0).normal(size=(200, 3)) + shift
    x[0] = 1e9
    K = kind(2.0, 0.1)(np.vstack([x, x]))
    np.testing.assert_array_equal(np.diag(K, k=len(x)), 2.0)
    np.testing.assert_array_equal(np.diag(K), 2.0)


@pytest.mark.parametrize("n", [1, 2, 300])
def test_blocks_make_no_difference(n):
    rng = np.random.default_rng(n)
    x, z = rng.normal(size=(n, 3)), rng.normal(size=(701, 3))
    kernel = Matern52(1.3, (0.5, 1.0, 2.0))
    r = np.sqrt(5.0) * cdist(x / kernel.lengthscale, z / kernel.lengthscale)
    expected = 1.3 * (1 + r + r**2 / 3) * np.exp(-r)
    np.testing.assert_allclose(kernel(x, z), expected, rtol=1e-12)
    np.testing.assert_allclose(kernel(z, x), expected.T, rtol=1e-12)
    np.testing.assert_allclose(kernel(np.vstack([x, z]))[:n, n:], expected, rtol=1e-12)
