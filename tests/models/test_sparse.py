"""Sparse GPs: the exact answer where all rows are inducing inputs, bounds and differences elsewhere."""

import tracemalloc

import numpy as np
import pytest

from rsens.kernels import EQ, Constant, Linear, Matern32, Matern52, Periodic
from rsens.likelihoods import GaussianLikelihood
from rsens.models import _mode, _sparse
from rsens.models._laplace import WarmStart
from rsens.models._sparse import NOTHING, choose_inducing
from tests.models.inference import check_gradient, objective, posterior, sparse_laplace_of
from tests.models.laplace_oracle import LIKELIHOODS as NOT_GAUSSIAN
from tests.models.laplace_oracle import targets

LIKELIHOODS = {"gaussian": GaussianLikelihood(0.05), **NOT_GAUSSIAN}
KERNELS = {
    "eq": EQ(1.5, (0.6, 0.9)),
    "matern32": Matern32(1.5, 0.8),
    "linear": Linear((0.7, 0.3)) + Constant(0.5),  # K_uu has rank 3
    "composed": EQ(1.2, 1.1, dims=(0,)) * Periodic(0.8, 1.0, 2.0, dims=(1,)) + Matern52(0.3, 2.0),
}
#: Every likelihood with two kernels, every kernel with three likelihoods or more.
PAIRS = [(name, list(KERNELS)[(i + j) % 4]) for i, name in enumerate(LIKELIHOODS) for j in (0, 1)]


def data(name, n=40, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, 2))
    if name == "gaussian":
        return X, np.sin(2.0 * X[:, 0]) + 0.5 * X[:, 1] + rng.normal(0.0, 0.2, n)
    return X, targets(name, X, rng)


def close(actual, desired, tolerance):
    """Equal to `tolerance` of the largest entry."""
    np.testing.assert_allclose(actual, desired, rtol=0, atol=tolerance * np.abs(desired).max())


def as_dense(kernel, likelihood, X, y, inducing, rows, tolerances, **options):
    """The objective, its gradient, the moments and their first and second derivatives, each within its tolerance."""
    of_value, of_gradient, of_moments, of_first, of_second = tolerances
    value, gradient = objective(kernel, likelihood, X, y, inducing, **options)
    expected, expected_gradient = objective(kernel, likelihood, X, y, **options)
    assert value == pytest.approx(expected, rel=of_value)
    close(gradient, expected_gradient, of_gradient)
    latent = posterior(kernel, likelihood, X, y, inducing, **options)
    ours, dense = (each.derivatives(rows, 2) for each in (latent, posterior(kernel, likelihood, X, y, **options)))
    close(ours.mean, dense.mean, of_moments)
    np.testing.assert_allclose(ours.variance, dense.variance, rtol=of_moments)
    for part in range(2):
        close(ours.first[:, part], dense.first[:, part], of_first)
        scale = 1.0 if of_second is None else np.abs(dense.second[:, part]).max()
        np.testing.assert_allclose(
            ours.second[:, part], dense.second[:, part], rtol=0, atol=(of_second or 1e-6) * scale
        )
    return latent


@pytest.mark.parametrize(("name", "kernel"), PAIRS)
def test_with_all_rows_it_is_the_dense_gp(name, kernel):
    X, y = data(name)
    rows = np.vstack([X[:4], np.random.default_rng(1).uniform(-2.5, 2.5, (6, 2))])
    # The jitter of 1e-12 moves Q by that much, against a noise of 0.05 and 40 rows.
    as_dense(KERNELS[kernel], LIKELIHOODS[name], X, y, X, rows, (1e-9, 1e-8, 1e-8, 1e-7, None))


@pytest.mark.parametrize("noise", [1e-2, 1e-4])
@pytest.mark.parametrize("lengthscale", [2.0, 10.0])
def test_with_all_rows_a_nearly_singular_covariance_is_no_harm(noise, lengthscale):
    # 150 rows within one length-scale: the condition of K_uu is beyond 1e17.
    X, y = data("gaussian", n=150)
    tolerances = (1e-7, 1e-6, 1e-6, 1e-6, 1e-6)
    latent = as_dense(EQ(2.0, lengthscale), GaussianLikelihood(noise), X, y, X, X, tolerances)
    assert latent.jitter == pytest.approx(2e-12)


@pytest.mark.parametrize("name", ["poisson", "negative_binomial"])
def test_mean_and_offset_are_those_of_the_dense_gp(name):
    X, y = data(name)
    options = {"mean": -0.4, "offset": np.linspace(-1.0, 2.0, len(y))}
    as_dense(KERNELS["eq"], LIKELIHOODS[name], X, y, X, X, (1e-10, 1e-9, 1e-9, 1e-7, None), **options)


@pytest.mark.parametrize("name", ["gaussian", "poisson"])
def test_distinct_rows_as_inducing_inputs_of_repeated_rows(name):
    """Nothing is approximated with the 40 of 120 rows that differ."""
    X, y = (np.concatenate([each] * 3) for each in data(name))
    inducing = X[choose_inducing(X, KERNELS["eq"], 100)[0]]
    assert len(inducing) <= 40
    as_dense(KERNELS["eq"], LIKELIHOODS[name], X, y, inducing, X, (1e-7, 1e-6, 1e-7, 1e-6, None))


def test_with_all_rows_counts_of_1e5_are_those_of_the_dense_gp():
    X, _ = data("poisson")
    y = np.random.default_rng(4).poisson(10.0 ** np.linspace(0.0, 5.0, 40)).astype(float)
    tolerances = (1e-6, 1e-6, 1e-6, 1e-5, 1e-5)
    as_dense(EQ(9.0, 0.7), LIKELIHOODS["poisson"], X, y, X, X, tolerances, mean=3.0)


@pytest.mark.parametrize(("name", "kernel"), PAIRS)
def test_gradient_is_the_difference_of_the_objective(name, kernel):
    X, y = data(name)
    inducing = np.random.default_rng(2).uniform(-2.0, 2.0, (9, 2))
    options = {} if name == "gaussian" else {"mean": 0.2, "offset": 0.1 * X[:, 0]}
    check_gradient(KERNELS[kernel], LIKELIHOODS[name], X, y, inducing, **options)


@pytest.mark.parametrize("name", LIKELIHOODS)
def test_gradient_follows_a_jitter_that_had_to_grow(name, monkeypatch):
    X, y = data(name)
    monkeypatch.setattr(_sparse, "JITTERS", (1e-3,))
    check_gradient(KERNELS["eq"], LIKELIHOODS[name], X, y, X[::4])


@pytest.mark.parametrize("kernel", ["eq", "matern32", "composed"])
def test_the_bound_rises_with_every_inducing_input_up_to_the_marginal_likelihood(kernel):
    kernel, likelihood = KERNELS[kernel], LIKELIHOODS["gaussian"]
    X, y = data("gaussian", n=60)
    order = choose_inducing(X, kernel, 60)[0]
    bounds = [objective(kernel, likelihood, X, y, X[order[:m]])[0] for m in range(3, 61, 3)]
    exact = objective(kernel, likelihood, X, y)[0]
    assert (np.diff(bounds) > -1e-8).all()
    assert bounds[0] < exact - 50.0
    assert max(bounds) <= exact + 1e-8
    assert bounds[-1] == pytest.approx(exact, abs=1e-6)


@pytest.mark.parametrize("name", LIKELIHOODS)
def test_predictions_are_those_of_the_plain_formulas_with_the_missing_variance_kept(name):
    """Q = K_xu K_uu⁻¹ K_ux and f̂ = Qa, by the textbook."""
    X, y = data(name)
    kernel, likelihood, inducing = Matern32(1.5, 1.2), LIKELIHOODS[name], X[::5]
    Q = kernel(X, inducing) @ np.linalg.inv(kernel(inducing)) @ kernel(inducing, X)
    if name == "gaussian":
        W = np.full(len(y), 1.0 / likelihood.noise_variance)
        weights = np.linalg.solve(Q + np.diag(1.0 / W), y)
        latent = posterior(kernel, likelihood, X, y, inducing)
    else:
        laplace = sparse_laplace_of(kernel, likelihood, X, y, inducing)
        latent = laplace.posterior()
        f = latent.moments(X).mean
        weights, _, _ = likelihood.f_derivatives(y, f)
        W, _ = likelihood.curvature(y, f)
        assert laplace.converged
    rows = np.vstack([X[:6], [[9.0, 9.0]]])
    cross = kernel(rows, inducing) @ np.linalg.inv(kernel(inducing)) @ kernel(inducing, X)  # q(rows, X)
    explained = np.einsum("ij,jk,ik->i", cross, np.linalg.inv(Q + np.diag(1.0 / W)), cross)
    ours = latent.moments(rows)
    np.testing.assert_allclose(ours.mean, cross @ weights, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(ours.variance, kernel.diag(rows) - explained, rtol=1e-8)
    assert ours.variance[-1] == pytest.approx(1.5, rel=1e-4)  # far away it is the prior's


@pytest.mark.parametrize("name", NOT_GAUSSIAN)
def test_a_warm_start_finds_the_same_mode(name):
    X, y = data(name)
    near = EQ(1.5, 0.8).with_theta(EQ(1.5, 0.8).theta + 1e-5)

    def mode(kernel, warm=None):
        return sparse_laplace_of(kernel, LIKELIHOODS[name], X, y, X[::3], warm=warm)

    warm, cold = WarmStart(), mode(near)
    assert mode(EQ(1.5, 0.8), warm).converged
    np.testing.assert_allclose(mode(near, warm).w, cold.w, rtol=0, atol=1e-10)
    # One of another size, as from other inducing inputs, is not used.
    np.testing.assert_array_equal(mode(near, WarmStart(weights=np.ones(3))).w, cold.w)


def test_a_search_cut_short_is_not_converged(monkeypatch):
    monkeypatch.setattr(_mode, "MAX_STEPS", 2)
    X, y = data("logit")
    assert not sparse_laplace_of(EQ(9.0, 0.5), LIKELIHOODS["logit"], X, y, X[::3]).converged


@pytest.mark.parametrize("name", LIKELIHOODS)
def test_neither_chunks_nor_keeping_v_change_the_numbers(name, monkeypatch):
    X, y = data(name)
    likelihood = LIKELIHOODS[name]

    def numbers():
        value, gradient = objective(KERNELS["eq"], likelihood, X, y, X[::4])
        latent = posterior(KERNELS["eq"], likelihood, X, y, X[::4]).moments(X)
        return np.concatenate([[value], gradient, latent.mean, latent.variance])

    expected = numbers()
    monkeypatch.setattr(_sparse, "CHUNK_BYTES", 8 * 10 * 7)  # 7 rows of 10 inducing inputs
    kept = numbers()
    monkeypatch.setattr(_sparse, "KEPT_BYTES", 0)
    np.testing.assert_array_equal(numbers(), kept)
    np.testing.assert_allclose(kept, expected, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("name", ["gaussian", "poisson"])
def test_memory_is_bounded(name, monkeypatch):
    n, M, D = 20_000, 100, 3
    rng = np.random.default_rng(0)
    X = rng.uniform(-2.0, 2.0, (n, D))
    f = np.sin(X[:, 0]) + 0.5 * X[:, 1] * X[:, 2]
    y = f + rng.normal(0.0, 0.2, n) if name == "gaussian" else rng.poisson(np.exp(f)).astype(float)
    kernel, likelihood = EQ(1.0, np.full(D, 1.5)), LIKELIHOODS[name]
    monkeypatch.setattr(_sparse, "KEPT_BYTES", 0)
    monkeypatch.setattr(_sparse, "CHUNK_BYTES", 2**19)  # V has 16 MB
    monkeypatch.setattr(_sparse, "GREEDY_BYTES", 2**20)
    tracemalloc.start()
    inducing = X[choose_inducing(X, kernel, M, 0)[0]]
    objective(kernel, likelihood, X, y, inducing)
    latent = posterior(kernel, likelihood, X, y, inducing)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(inducing) == M
    assert peak < 8 * n * M / 2  # the vectors (n,), about ten of them, and a few chunks
    rows = X[:500]
    ours = latent.derivatives(rows, 1)
    close(ours.mean, f[:500], 0.25)
    assert (ours.variance > 0.0).all()


@pytest.mark.parametrize("name", LIKELIHOODS)
def test_a_kernel_that_is_zero_at_every_row(name):
    X, y = np.zeros((10, 2)), data(name, n=10)[1]
    likelihood = LIKELIHOODS[name]
    chosen, left = choose_inducing(X, Linear(2.0), 5)
    assert left == 0.0
    value, gradient = objective(Linear(2.0), likelihood, X, y, X[chosen])
    assert value == pytest.approx(likelihood.log_density(y, np.zeros(10)).sum(), rel=1e-10)
    assert gradient[0] == pytest.approx(0.0, abs=1e-10)


def test_the_greedy_choice_takes_the_row_of_the_largest_variance_given_those_taken():
    X, _ = data("gaussian")
    kernel = KERNELS["composed"]
    rows = choose_inducing(X, kernel, 8)[0]
    K = kernel(X)
    for j, row in enumerate(rows):
        taken = rows[:j]
        variance = np.diag(K - K[:, taken] @ np.linalg.solve(K[np.ix_(taken, taken)], K[taken])) if j else np.diag(K)
        assert variance[row] == pytest.approx(variance.max(), rel=1e-9)


def test_the_choice_is_reproducible_and_returns_the_variance_left():
    X, _ = data("gaussian", n=200)
    kernel = EQ(2.0, 0.5)
    (rows, left), (again, _) = (choose_inducing(X, kernel, 12, 3) for _ in range(2))
    np.testing.assert_array_equal(rows, again)
    assert len(set(rows)) == 12
    assert left > NOTHING
    inputs = X[rows]
    missed = 2.0 - np.einsum("ij,ij->j", kernel(inputs, X), np.linalg.solve(kernel(inputs), kernel(inputs, X)))
    assert left == pytest.approx(missed.max() / 2.0, rel=1e-9)


def test_a_kernel_of_rank_three_needs_three_rows():
    X, y = data("gaussian")
    kernel = KERNELS["linear"]
    chosen, left = choose_inducing(X, kernel, 30)
    assert left <= NOTHING
    assert len(chosen) == 3
    value, _ = objective(kernel, LIKELIHOODS["gaussian"], X, y, X[chosen])
    assert value == pytest.approx(objective(kernel, LIKELIHOODS["gaussian"], X, y)[0], rel=1e-9)


def test_of_very_many_rows_the_greedy_choice_sees_some(monkeypatch):
    X, _ = data("gaussian", n=300)
    monkeypatch.setattr(_sparse, "GREEDY_BYTES", 8 * 10 * 50)  # 50 rows for 10 inducing inputs
    first, again, other = (choose_inducing(X, EQ(1.0, 0.5), 10, seed)[0] for seed in (0, 0, 1))
    assert len(first) == 10
    np.testing.assert_array_equal(first, again)
    assert set(first) != set(other)
