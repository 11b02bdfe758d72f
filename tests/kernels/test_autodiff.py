"""Every closed form is what automatic differentiation of the formula gives, away from x = z."""

import numpy as np
import pytest

from rsens.kernels import ALL_KERNELS
from tests.kernels.cases import COMPOSED, KERNELS, LEAVES, SMOOTH, X, Z
from tests.kernels.oracle import derived

every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=repr)
every_smooth_kernel = pytest.mark.parametrize("kernel", SMOOTH, ids=repr)
W = np.random.default_rng(3).normal(size=(len(X), len(Z)))


def assert_close(actual, expected):
    """Ten digits of each entry, or twelve of the largest: sums of terms of both signs lose digits."""
    assert actual.shape == expected.shape
    np.testing.assert_allclose(actual, expected, rtol=1e-10, atol=1e-12 * np.abs(expected).max())


def test_the_cases_cover_every_kernel():
    assert {type(kernel) for kernel in LEAVES} == set(ALL_KERNELS)
    assert all(any(kind.__name__ in repr(kernel) for kernel in COMPOSED) for kind in ALL_KERNELS)


@every_kernel
def test_value(kernel):
    expected = derived(kernel).value
    assert_close(kernel(X, Z), expected)
    assert_close(kernel(Z, X), expected.T)
    assert_close(kernel.at(X, Z).value, expected)
    assert_close(kernel.diag(X), derived(kernel).diag)


@every_smooth_kernel
def test_first_and_second(kernel):
    expected = derived(kernel).first
    at = kernel.at(X, Z)
    assert_close(at.first, expected)
    assert_close(at.first_by_column(), expected.transpose(0, 2, 1))
    assert_close(at.weighted_first(W), np.einsum("ij,ijd->id", W, expected))
    assert_close(at.weighted_first(W[0]), np.einsum("j,ijd->id", W[0], expected))
    expected = derived(kernel).second
    assert_close(at.second(W), np.einsum("ij,ijde->ide", W, expected))
    assert_close(at.second(W[0]), np.einsum("j,ijde->ide", W[0], expected))


@every_kernel
def test_hyper_gradients(kernel):
    assert_close(kernel.hyper_gradient(X, Z, W), np.einsum("ij,ijt->t", W, derived(kernel).hyper))
    assert_close(kernel.hyper_gradient_diag(X, W[:, 0]), W[:, 0] @ derived(kernel).diag_hyper)
    # For rows X and Z together: the blocks k(X, Z) come from above, those on the diagonal from their own gradient.
    both = np.vstack([X, Z])
    M = np.zeros((len(both), len(both)))
    M[: len(X), len(X) :] = W
    M += M.T + np.diag(np.r_[W[:, 0], np.zeros(len(Z))])
    expected = 2 * np.einsum("ij,ijt->t", W, derived(kernel).hyper) + W[:, 0] @ derived(kernel).diag_hyper
    assert_close(kernel.hyper_gradient(both, None, M), expected)


@every_kernel
def test_derivatives_of_the_diagonal(kernel):
    first, second = kernel.diag_derivatives(X, 2)
    assert_close(first, derived(kernel).diag_first)
    assert_close(second, derived(kernel).diag_second)
    alone, none = kernel.diag_derivatives(X, 1)
    np.testing.assert_array_equal(alone, first)
    assert none is None
