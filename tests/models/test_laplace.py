"""Laplace's approximation: against a second implementation, scikit-learn, the weight-space view, and differences."""

import jax
import numpy as np
import pytest

from rsens._errors import InputError
from rsens.kernels import EQ, Constant, Linear, Matern32, Matern52, Periodic, RationalQuadratic, additive
from rsens.likelihoods import (
    LogitLikelihood,
    NegativeBinomialLikelihood,
    PoissonLikelihood,
    ProbitLikelihood,
    StudentTLikelihood,
)
from rsens.models import _mode
from rsens.models._laplace import WarmStart
from tests.models.inference import check_gradient, laplace_of, objective
from tests.models.laplace_oracle import LIKELIHOODS, mode, targets

NAMES = tuple(LIKELIHOODS)
VARIANCE, LENGTHSCALE = 1.5, (0.6, 0.9)
KERNELS = {
    "eq": EQ(VARIANCE, LENGTHSCALE),
    "matern32": Matern32(VARIANCE, 0.8),
    "matern52": Matern52(VARIANCE, LENGTHSCALE),
    "linear": Linear(0.7) + Constant(0.5),
    "product": EQ(1.2, 1.1, dims=(0,)) * Periodic(0.8, 1.0, 2.0, dims=(1,)) + Constant(0.3),
    "additive": additive(2, pairs=[(0, 1)], kernel=RationalQuadratic),
}


def data(name, n=25, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, 2))
    return X, targets(name, X, rng)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shift", [0.0, 0.4])
def test_everything_is_as_by_the_plain_formulas(name, shift):
    X, y = data(name)
    kernel, rows = KERNELS["eq"], np.random.default_rng(1).uniform(-2.5, 2.5, (6, 2))
    laplace = laplace_of(kernel, LIKELIHOODS[name], X, y, mean=shift)
    with jax.enable_x64(True):
        f, slope, weights, Q, evidence = map(np.asarray, mode(name, kernel(X), y, shift))
    assert np.abs(slope).max() < 1e-10
    np.testing.assert_allclose(laplace.mode.latent, f, rtol=0, atol=1e-11)
    np.testing.assert_allclose(laplace.log_marginal_likelihood, evidence, rtol=1e-12)
    assert laplace.converged
    assert laplace.jitter == 0.0
    k, latent = kernel(rows, X), laplace.posterior().moments(rows)
    np.testing.assert_allclose(latent.mean, shift + k @ weights, rtol=1e-8)
    np.testing.assert_allclose(latent.variance, VARIANCE - np.einsum("ij,jk,ik->i", k, Q, k), rtol=1e-8)


@pytest.mark.parametrize(
    ("name", "kernel"), [(NAMES[(i + j) % len(NAMES)], k) for i, k in enumerate(KERNELS) for j in (0, 2)]
)
def test_gradient_is_the_difference_of_the_objective(name, kernel):
    X, y = data(name)
    offset = np.linspace(-1.0, 2.0, len(y)) if name in ("poisson", "negative_binomial") else 0.0
    check_gradient(KERNELS[kernel], LIKELIHOODS[name], X, y, mean=0.2, offset=offset)


@pytest.mark.parametrize("df", [2.1, 30.0])
def test_gradient_of_the_student_t_with_outliers(df):
    X, y = data("student_t")
    y[5] = 300.0
    check_gradient(KERNELS["eq"], StudentTLikelihood(scale2=0.3, df=df), X, y)


@pytest.mark.parametrize("name", NAMES)
def test_a_warm_start_finds_the_same_mode_in_fewer_steps(name):
    X, y = data(name)
    warm = WarmStart()
    assert laplace_of(EQ(1.5, 0.8), LIKELIHOODS[name], X, y, warm=warm).converged
    near = EQ(1.52, 0.81)
    cold = laplace_of(near, LIKELIHOODS[name], X, y)
    warmed = laplace_of(near, LIKELIHOODS[name], X, y, warm=warm)
    assert warmed.mode.steps < cold.mode.steps
    np.testing.assert_allclose(warmed.mode.latent, cold.mode.latent, rtol=0, atol=1e-11)
    np.testing.assert_array_equal(warm.latent, warmed.mode.latent)


def test_a_useless_warm_start_is_not_used():
    X, y = data("poisson")
    warm = WarmStart(latent=np.full(len(y), 1e3))  # exp of this latent overflows
    warmed = laplace_of(EQ(1.5, 0.8), PoissonLikelihood(), X, y, warm=warm)
    cold = laplace_of(EQ(1.5, 0.8), PoissonLikelihood(), X, y)
    assert warmed.mode.steps == cold.mode.steps
    np.testing.assert_array_equal(warmed.mode.latent, cold.mode.latent)


def test_a_search_cut_short_is_not_converged(monkeypatch):
    monkeypatch.setattr(_mode, "MAX_STEPS", 2)
    warm = WarmStart()
    assert not laplace_of(KERNELS["eq"], LogitLikelihood(), *data("logit"), warm=warm).converged
    assert warm.latent is None


def test_an_impossible_start_is_an_error():
    X, y = data("poisson")
    with pytest.raises(InputError, match="offset"):
        objective(KERNELS["eq"], PoissonLikelihood(), X, y, offset=np.full(len(y), 1e4))


def test_jitter_where_the_identity_is_lost_in_rounding_is_reported():
    # √W K √W has entries of 1e20 and rank 1, so that B cannot be factored without jitter.
    X, y = np.zeros((6, 1)), np.full(6, 1e10)
    laplace = laplace_of(Constant(1e10), PoissonLikelihood(), X, y, mean=np.log(1e10))
    assert laplace.jitter > 0.0
    assert laplace.posterior().jitter == laplace.jitter
    assert np.isfinite(laplace.log_marginal_likelihood)
    assert np.isfinite(laplace.gradient()).all()


@pytest.mark.parametrize("likelihood", [PoissonLikelihood(), NegativeBinomialLikelihood(size=2.0)])
@pytest.mark.parametrize("variance", [1.0, 25.0])
def test_counts_of_1e5_and_counts_that_are_all_zero(likelihood, variance):
    X, _ = data("poisson")
    rng = np.random.default_rng(5)
    y = rng.poisson(10.0 ** rng.uniform(0.0, 5.0, len(X))).astype(float)
    y[0] = 1e5
    assert laplace_of(EQ(variance, 0.7), likelihood, X, y).converged
    # ∂²/∂θ² is of the size of aᵀKa, 1e5: differences of the objective are right to about 1e-7 of it.
    check_gradient(EQ(variance, 0.7), likelihood, X, y, tolerance=1e-6)
    laplace = laplace_of(EQ(4.0, 1.0), likelihood, X, np.zeros(len(X)))
    assert laplace.converged
    assert (laplace.mode.latent < -1.0).all()
    check_gradient(EQ(4.0, 1.0), likelihood, X, np.zeros(len(X)))


@pytest.mark.parametrize("likelihood", [ProbitLikelihood(), LogitLikelihood()])
@pytest.mark.parametrize("variance", [1.0, 1e6])
def test_separable_classes(likelihood, variance):
    X, _ = data("logit")
    y = (X[:, 0] > 0.0).astype(float)
    kernel = Linear(variance) + Constant(1.0)
    laplace = laplace_of(kernel, likelihood, X, y)
    assert laplace.converged
    assert ((laplace.mode.latent > 0.0) == (y == 1.0)).all()
    check_gradient(kernel, likelihood, X, y, tolerance=1e-6)


@pytest.mark.parametrize(
    ("df", "scale2", "seed"),
    [(2.1, 1e-4, 0), (2.1, 0.1, 1), (4.0, 1e-4, 2), (4.0, 0.1, 3), (50.0, 1e-4, 1), (50.0, 0.1, 0)],
)
def test_the_student_t_converges_with_many_outliers(df, scale2, seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (60, 2))
    y = np.sin(X[:, 0]) + np.where(rng.random(60) < 0.3, rng.normal(0.0, 20.0, 60), rng.normal(0.0, 0.1, 60))
    laplace = laplace_of(EQ(1.0, 1.0), StudentTLikelihood(scale2=scale2, df=df), X, y)
    assert laplace.converged
    slope, _, _ = laplace.likelihood.f_derivatives(y, laplace.mode.latent)
    np.testing.assert_allclose(laplace.mode.weights, slope, atol=1e-7 * np.abs(slope).max())
