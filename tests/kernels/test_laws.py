"""Laws that hold for every kernel: columns, hyperparameters, text, shapes."""

import pickle
from dataclasses import FrozenInstanceError, fields

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from rsens import kernels
from rsens.kernels import Composed, Constant, Matern12
from tests.kernels.cases import COMPOSED, KERNELS, LEAVES, SMOOTH, D, X, Z

every_kernel = pytest.mark.parametrize("kernel", KERNELS, ids=repr)
every_smooth_kernel = pytest.mark.parametrize("kernel", SMOOTH, ids=repr)
W = np.random.default_rng(4).normal(size=(len(X), len(Z)))


def _leaves(kernel):
    return [leaf for part in kernel.parts for leaf in _leaves(part)] if isinstance(kernel, Composed) else [kernel]


@every_kernel
def test_in_other_units_it_is_the_same_function(kernel):
    scale = np.array([3.0, 0.2, 50.0, 7.0])
    rescaled = kernel.in_units(scale, 2.5)
    np.testing.assert_allclose(rescaled(scale * X, scale * Z), 2.5 * kernel(X, Z), rtol=1e-12, atol=1e-13)


@every_kernel
def test_every_hyperparameter_has_a_prior_and_every_column_a_rate(kernel):
    priors = kernel.priors(np.ones(D), 1.0)
    assert len(priors) == len(kernel.theta)
    assert all(deviation > 0.0 for _, deviation in priors)
    rates = kernel.rates(X)
    assert rates.shape == (D,)
    assert (rates >= 0.0).all()


@every_kernel
def test_it_is_a_value(kernel):
    again = eval(repr(kernel), vars(kernels))
    assert pickle.loads(pickle.dumps(kernel)) == kernel == again
    assert hash(again) == hash(kernel)
    with pytest.raises(FrozenInstanceError):
        setattr(kernel, fields(kernel)[0].name, 3.0)


@every_kernel
def test_theta_round_trip(kernel):
    theta = kernel.theta + np.linspace(0.1, 0.6, len(kernel.theta))
    other = kernel.with_theta(theta)
    assert type(other) is type(kernel)
    assert other.hyperparameter_names == kernel.hyperparameter_names
    assert len(set(kernel.hyperparameter_names)) == len(kernel.theta)
    np.testing.assert_allclose(other.theta, theta, rtol=0, atol=1e-15)
    np.testing.assert_allclose(other.with_theta(kernel.theta)(X), kernel(X), rtol=1e-13, atol=1e-15)
    assert np.abs(other(X) - kernel(X)).max() > 1e-2 * np.abs(kernel(X)).max()


@pytest.mark.parametrize(
    "kernel",
    [k for k in KERNELS if any(isinstance(leaf, kernels.Categorical) and leaf.dims == (3,) for leaf in _leaves(k))],
    ids=repr,
)
def test_level_codes_mean_nothing(kernel):
    codes = np.array([10.0, -3.0, 0.5, 2.0])
    x, z = X.copy(), Z.copy()
    x[:, 3], z[:, 3] = codes[X[:, 3].astype(int)], codes[Z[:, 3].astype(int)]
    np.testing.assert_array_equal(kernel(x, z), kernel(X, Z))


@every_smooth_kernel
def test_second_is_symmetric_and_columns_outside_dims_have_no_derivative(kernel):
    of_numbers = [leaf for leaf in _leaves(kernel) if not isinstance(leaf, Constant | kernels.Categorical)]
    used = {d for leaf in of_numbers for d in (range(D) if leaf.dims is None else leaf.dims)}
    at, second = kernel.at(X, Z), kernel.at(X, Z).second(W)
    np.testing.assert_allclose(second, second.transpose(0, 2, 1), rtol=1e-12, atol=1e-14)
    for d in range(D):
        assert at.first[:, :, d].any() == (d in used)
        assert d in used or not second[:, d].any()


@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_shapes(data):
    kernel = data.draw(st.sampled_from([*LEAVES, *COMPOSED]))
    n, N = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 6))
    extra = data.draw(st.integers(0, 3)) if kernel.n_dims is not None and "dims" in repr(kernel) else 0
    columns = D if any(leaf.dims is None for leaf in _leaves(kernel)) else kernel.n_dims + extra
    seed = data.draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    # rows on a grid: some coincide
    x, z = (rng.integers(-2, 3, (rows, columns)) / 2.0 for rows in (n, N))
    weights = rng.normal(size=(n, N))
    on = kernel.on(x, z)
    assert on.value.shape == (n, N)
    assert on.hyper_gradient(weights).shape == kernel.theta.shape == (len(kernel.hyperparameter_names),)
    assert kernel(x).shape == (n, n)
    assert kernel.diag(x).shape == (n,)
    assert kernel.diag_derivatives(x, 2)[1].shape == (n, columns, columns)
    np.testing.assert_allclose(np.diag(kernel(x)), kernel.diag(x), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(kernel.at(x, z).value, on.value, rtol=1e-11, atol=1e-14)
    if any(isinstance(leaf, Matern12) for leaf in _leaves(kernel)):
        return
    at = kernel.at(x, z)
    assert at.first.shape == (n, N, columns)
    assert at.second(weights).shape == (n, columns, columns)
    assert np.isfinite(at.second(weights)).all()
    np.testing.assert_allclose(
        at.weighted_first(weights), np.einsum("ij,ijd->id", weights, at.first), rtol=1e-10, atol=1e-12
    )
