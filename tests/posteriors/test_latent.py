"""The latent posterior: its derivatives against automatic ones and differences, at training inputs and elsewhere."""

import tracemalloc
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rsens import posteriors
from rsens.derivatives import Inner, chain_rule
from rsens.kernels import EQ, Constant, Linear, Matern32, Matern52, Periodic, RationalQuadratic, additive
from rsens.posteriors import DenseRoot, LatentPosterior, TriangularRoot, jittered_cholesky
from tests.differences import of_rows
from tests.kernels.oracle import covariance

D, M, MEAN = 3, 12, 0.7
KERNELS = {
    "eq": EQ(1.3, (0.9, 1.4, 2.0)),
    "matern32": Matern32(1.1, 1.2),
    "matern52": Matern52(0.9, (1.5, 0.8), dims=(2, 0)),
    "rational": RationalQuadratic(1.0, 1.1, 0.7),
    "linear": Linear((0.6, 0.3, 0.9)) + Constant(0.5),
    "periodic": Periodic(0.8, 1.2, 2.5, dims=(1,)) * EQ(1.1, 1.6, dims=(0, 1)),
    "additive": additive(3, [(0, 2)], EQ) + Linear(0.2),
}


def rows(n, seed):
    return np.random.default_rng(seed).normal(size=(n, D))


Z, X = rows(M, 1), rows(6, 2)


def root(kind, kernel):
    """A root, and the matrix R that it stands for, such that Q = RᵀR is below the inverse of k(Z, Z)."""
    rng = np.random.default_rng(3)
    if kind == "dense":
        R = np.linalg.cholesky(np.linalg.inv(kernel(Z) + np.eye(M))).T
        return DenseRoot(np.asfortranarray(R)), R
    s = rng.uniform(0.5, 1.5, M) if kind == "scaled" else np.ones(M)
    L = np.linalg.cholesky(np.eye(M) + s[:, None] * kernel(Z) * s)
    R = np.linalg.solve(L, np.diag(s))
    L = np.asfortranarray(L)
    return TriangularRoot(L, s if kind == "scaled" else None), R


def latent_posterior(kernel, kind="triangular"):
    weights = np.random.default_rng(4).normal(size=M)
    given, R = root(kind, kernel)
    return LatentPosterior(kernel, Z, weights, given, mean=MEAN), R


@cache
def automatic(name):
    """(R, a, X) ↦ m and v with derivatives in x, from the formula of the kernel in JAX; compiled once."""
    kernel = KERNELS[name]

    def moments(x, R, a):
        k = jax.vmap(lambda z: covariance(kernel, kernel.theta, x, z))(Z)
        return jnp.stack([MEAN + k @ a, covariance(kernel, kernel.theta, x, x) - (R @ k) @ (R @ k)])

    def everything(x, R, a):
        def gradient(x):
            first = jax.jacfwd(moments)(x, R, a)
            return first, (moments(x, R, a), first)

        second, (value, first) = jax.jacfwd(gradient, has_aux=True)(x)
        return value, first, second

    return jax.jit(jax.vmap(everything, (0, None, None)))


def close(computed, expected, tolerance):
    """Relative to the largest entry, or to 1, the size of m and v: a derivative that is 0 has no size of its own."""
    np.testing.assert_allclose(computed, expected, rtol=0.0, atol=tolerance * max(1.0, np.abs(expected).max()))


@pytest.mark.parametrize("kind", ["triangular", "scaled", "dense"])
@pytest.mark.parametrize("name", KERNELS)
def test_derivatives_are_the_automatic_ones(name, kind):
    posterior, R = latent_posterior(KERNELS[name], kind)
    latent = posterior.derivatives(X, 2)
    with jax.enable_x64(True):
        value, first, second = (np.array(array) for array in automatic(name)(X, R, posterior.weights))
    close(latent.mean, value[:, 0], 1e-12)
    close(latent.variance, value[:, 1], 1e-12)
    for i in (0, 1):
        close(latent.first[:, i], first[:, i], 1e-10)
        close(latent.second[:, i], second[:, i], 1e-10)


@pytest.mark.parametrize("name", KERNELS)
def test_derivatives_at_training_inputs_are_the_limits_of_differences(name):
    posterior, _ = latent_posterior(KERNELS[name])
    latent = posterior.derivatives(Z, 2)

    def moments(X):
        at = posterior.moments(X)
        return np.stack([at.mean, at.variance], 1)

    # Matern32 has a third derivative that jumps at r = 0: its differences converge as h only.
    h, first_order, second_order = (1e-4, 1e-5, 1e-3) if name == "matern32" else (2e-3, 1e-9, 1e-7)
    first, second = of_rows(moments, Z, h)
    for i in (0, 1):
        close(latent.first[:, i], first[:, i], first_order)
        close(latent.second[:, i], second[:, i], second_order)


@pytest.mark.parametrize("name", KERNELS)
def test_orders_and_moments_agree(name):
    posterior, _ = latent_posterior(KERNELS[name], "scaled")
    moments, first, second = posterior.moments(X), posterior.derivatives(X, 1), posterior.derivatives(X, 2)
    assert moments.first is None
    assert first.second is None
    for other in (first, second):
        np.testing.assert_allclose(other.mean, moments.mean, rtol=1e-12)
        np.testing.assert_allclose(other.variance, moments.variance, rtol=1e-11)
    close(first.first, second.first, 1e-13)


@pytest.mark.parametrize("name", ["eq", "additive"])
def test_chunks_change_nothing(name, monkeypatch):
    posterior, _ = latent_posterior(KERNELS[name])
    whole, moments = posterior.derivatives(X, 2), posterior.moments(X)
    monkeypatch.setattr(posteriors, "CHUNK_BYTES", 1)  # one row at a time
    assert len(list(posterior._chunks(len(X), 5))) == len(X)
    by_row = posterior.derivatives(X, 2)
    np.testing.assert_allclose(posterior.moments(X).variance, moments.variance, rtol=1e-12)
    for field in ("mean", "variance", "first", "second"):
        close(getattr(by_row, field), getattr(whole, field), 1e-13)


def test_memory_is_bounded_for_any_number_of_rows(monkeypatch):
    monkeypatch.setattr(posteriors, "CHUNK_BYTES", 2 * 2**20)
    kernel, inputs = EQ(1.0, (1.0,) * 8), np.random.default_rng(0).normal(size=(200, 8))
    L, _ = jittered_cholesky(kernel(inputs), 0.1)
    posterior = LatentPosterior(kernel, inputs, np.ones(200), TriangularRoot(L))
    many = np.random.default_rng(1).normal(size=(3000, 8))
    results = 8 * 3000 * 2 * (1 + 8 + 64)
    tracemalloc.start()
    posterior.derivatives(many, 2)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak - results < 3 * 2**20  # all at once would be 3000 · 200 · 8 · 8 bytes = 38 MB for ∂k alone


def test_variance_is_never_below_zero():
    kernel = EQ(1.0, 1.0)
    inputs = np.zeros((1, D))
    # Q a little above 1/k, as rounding can make it
    posterior = LatentPosterior(kernel, inputs, np.ones(1), DenseRoot(np.array([[1.0 + 1e-9]], order="F")))
    assert 0.0 < posterior.moments(inputs).variance[0] < 1e-15
    assert 0.0 < posterior.derivatives(inputs, 1).variance[0] < 1e-15


def test_cholesky_takes_the_smallest_jitter_that_works():
    K = np.array([[2.0, 1.0], [1.0, 2.0]])
    L, jitter = jittered_cholesky(K, 0.5)
    np.testing.assert_allclose(L, np.linalg.cholesky(K + 0.5 * np.eye(2)), rtol=1e-15)
    assert jitter == 0.0
    assert L.flags.f_contiguous
    # Eigenvalues 2 and −1e-8: a jitter of 1e-10 is not enough, 1e-8 is not quite, 1e-7 is.
    K = np.array([[1.0 - 5e-9, 1.0 + 5e-9], [1.0 + 5e-9, 1.0 - 5e-9]])
    kept = K.copy()
    L, jitter = jittered_cholesky(K)
    assert jitter == pytest.approx(1e-7)
    np.testing.assert_allclose(L @ L.T, K + jitter * np.eye(2), rtol=1e-14)
    np.testing.assert_array_equal(K, kept)


@pytest.mark.parametrize("columns", [2, 5], ids=["fewer columns outside", "more columns outside"])
@pytest.mark.parametrize("bent", [True, False], ids=["bent", "straight"])
def test_derivatives_in_the_columns_that_the_inputs_are_made_of(columns, bent):
    """With fewer columns outside, ∂k goes to them before the solves; the chain rule afterwards gives the same."""
    posterior, _ = latent_posterior(KERNELS["eq"])
    rng = np.random.default_rng(5)
    J, H = rng.normal(size=(len(X), D, columns)), rng.normal(size=(len(X), D, columns, columns))
    H = (H + H.swapaxes(-1, -2)) * bent
    plain = posterior.derivatives(X, 2)
    first, second = chain_rule(J, H, plain.first, plain.second)
    found = posterior.derivatives(X, 2, Inner(J, H if bent else None))
    np.testing.assert_allclose(found.first, first, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found.second, second, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(posterior.derivatives(X, 1, Inner(J)).first, first, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(found.variance, plain.variance)
