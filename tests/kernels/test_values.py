"""Values: equal to scikit-learn's, positive semi-definite, symmetric, exact where they can be."""

import numpy as np
import pytest
import sklearn.gaussian_process.kernels as sk
from scipy.spatial.distance import cdist

from rsens.kernels import EQ, Categorical, Constant, Linear, Matern12, Matern32, Matern52, RationalQuadratic
from tests.kernels.cases import KERNELS, X, Z, rows

L = (0.5, 1.5, 2.0, 3.0)
PEERS = (
    (EQ(1.7, 0.8), 1.7 * sk.RBF(0.8)),
    (EQ(1.7, L), 1.7 * sk.RBF(L)),
    (Matern12(0.6, L), 0.6 * sk.Matern(L, nu=0.5)),
    (Matern32(0.6, L), 0.6 * sk.Matern(L, nu=1.5)),
    (Matern52(0.6, L), 0.6 * sk.Matern(L, nu=2.5)),
    (RationalQuadratic(1.1, 0.7, 2.3), 1.1 * sk.RationalQuadratic(0.7, alpha=2.3)),
    (Linear(0.4) + Constant(0.4 * 1.3**2), 0.4 * sk.DotProduct(sigma_0=1.3)),
    (Linear(1.0) * Linear(1.0), sk.DotProduct(sigma_0=0.0) ** 2),
)


@pytest.mark.parametrize(("kernel", "peer"), PEERS, ids=lambda k: repr(k))
def test_scikit_learn(kernel, peer):
    np.testing.assert_allclose(kernel(X, Z), peer(X, Z), rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(kernel(Z), peer(Z), rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(kernel.diag(Z), peer.diag(Z), rtol=1e-13)


def test_categorical():
    x = np.array([[0.0, 5.0], [1.0, 5.0], [1.0, 7.0]])
    a, b = np.exp(-1 / 0.5), np.exp(-1 / 2.0)
    expected = 1.5 * np.array([[1, a, a * b], [a, 1, b], [a * b, b, 1]])
    np.testing.assert_allclose(Categorical(1.5, (0.5, 2.0))(x), expected, rtol=1e-15)


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
    """Sizes around and far above one block of the matrix."""
    rng = np.random.default_rng(n)
    x, z = rng.normal(size=(n, 3)), rng.normal(size=(701, 3))
    kernel = Matern52(1.3, (0.5, 1.0, 2.0))
    r = np.sqrt(5.0) * cdist(x / kernel.lengthscale, z / kernel.lengthscale)
    expected = 1.3 * (1 + r + r**2 / 3) * np.exp(-r)
    np.testing.assert_allclose(kernel(x, z), expected, rtol=1e-12)
    np.testing.assert_allclose(kernel(z, x), expected.T, rtol=1e-12)
    np.testing.assert_allclose(kernel(np.vstack([x, z]))[:n, n:], expected, rtol=1e-12)
