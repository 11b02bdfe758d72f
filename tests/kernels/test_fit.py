"""Speed and memory of the fit of a Gaussian process: one triangle is enough, no large arrays, terms recomputed."""

import tracemalloc

import numpy as np
import pytest

from rsens.kernels import EQ, Linear, Matern52, additive
from rsens.kernels import _compose as compose
from tests.kernels.cases import KERNELS, rows

ROWS = rows(40, seed=11)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("order", ["C", "F"])
def test_only_the_lower_triangle_is_read(kernel, order):
    M = np.random.default_rng(0).normal(size=(len(ROWS), len(ROWS)))
    M += M.T
    lower = np.array(np.tril(M) + np.triu(np.full_like(M, 1e3), 1), order=order)
    on = kernel.on(ROWS)
    expected = kernel.on(ROWS, ROWS).hyper_gradient(M)
    np.testing.assert_allclose(on.hyper_gradient(lower), expected, rtol=1e-11, atol=1e-11)
    np.testing.assert_array_equal(on.value, kernel(ROWS))


def test_no_array_per_column():
    """Value and gradient at N = 400, D = 30 stay within a few matrices (N, N); (N, N, D) would be thirty."""
    x = np.random.default_rng(1).normal(size=(400, 30))
    for kernel, most in ((EQ(1.0, np.full(30, 5.0)), 3.5), (Matern52(1.0, np.full(30, 5.0)), 4.5)):
        M = np.eye(400, order="F")
        tracemalloc.start()
        kernel.on(x).hyper_gradient(M)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < most * 8 * 400**2


def test_terms_that_do_not_fit_are_computed_again(monkeypatch):
    kernel = additive(3, [(0, 1)]) + Linear(0.5)  # Linear is not a kernel of distances
    M = np.eye(len(ROWS)) + 0.1
    kept = kernel.on(ROWS)
    monkeypatch.setattr(compose, "KEEP_BYTES", 0)
    calls, original = [], Linear.on
    monkeypatch.setattr(Linear, "on", lambda *args: calls.append(args) or original(*args))
    again = kernel.on(ROWS)
    np.testing.assert_array_equal(again.value, kept.value)
    np.testing.assert_array_equal(again.hyper_gradient(M), kept.hyper_gradient(M))
    assert len(calls) == 2


@pytest.mark.parametrize("kernel", [k for k in KERNELS if "Matern12" not in repr(k)], ids=repr)
def test_memory_of_derivatives_is_as_announced(kernel):
    x, z = rows(30, seed=2), rows(300, seed=3)
    W = np.ones((30, 300))
    tracemalloc.start()
    at = kernel.at(x, z)
    first = at.first_by_column()
    at.second(W)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # the slopes are a result; 64 kB for the small things: features, indices, objects
    assert peak - first.nbytes < 8 * kernel.arrays_at(4) * W.size + 2**16
