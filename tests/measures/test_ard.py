"""Inverse length-scales as importances."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import rsens
from rsens import kernels
from rsens._errors import InputError
from rsens.measures import ard, importance

X = np.random.default_rng(0).normal(size=(30, 3)) * [1.0, 10.0, 0.1]
Y = np.sin(X[:, 0]) + X[:, 1] / 10.0


def fitted(kernel, X=X, y=Y, **settings):
    """A GP with the kernel as it is given, in the units of the data."""
    settings = {"standardize": False, "optimize": False} | settings
    return rsens.GPRegressor(kernel, **settings).fit(X, y)


E, LEN = kernels.EQ, (0.5, 4.0, 10.0)


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        *((kind(2.0, LEN), [2.0, 0.25, 0.1]) for kind in (E, kernels.Matern32, kernels.RationalQuadratic)),
        (E(2.0, 4.0), [0.25] * 3),
        (E(1.0, 2.0, dims=(1,)), [0.0, 0.5, 0.0]),  # columns that no kernel looks at
        (kernels.Constant(2.0), [0.0] * 3),
        # A sum counts by share of the variance, and the largest of several counts.
        (E(3.0, 2.0, dims=(0,)) + E(1.0, 0.5, dims=(1,)), [0.75**0.5 / 2.0, 0.25**0.5 / 0.5, 0.0]),
        (E(1.0, (2.0, 4.0), dims=(0, 1)) + E(1.0, (8.0, 1.0), dims=(0, 1)), [0.5**0.5 * 0.5, 0.5**0.5, 0.0]),
        (E(1.0, 2.0, dims=(0,)) * E(5.0, (4.0, 1.0), dims=(0, 1)), [0.5, 1.0, 0.0]),
        (
            (E(3.0, 2.0, dims=(0,)) + kernels.Constant(1.0)) * E(1.0, 4.0, dims=(1,)) + E(4.0, 1.0, dims=(2,)),
            [(0.5 * 0.75) ** 0.5 / 2.0, 0.5**0.5 / 4.0, 0.5**0.5],
        ),
        # A periodic kernel is nearly EQ at short distances.
        (kernels.Periodic(1.0, 3.0, 7.0, dims=(0,)), [2.0 * np.pi / 21.0, 0.0, 0.0]),
    ],
    ids=repr,
)
def test_inverse_length_scales(kernel, expected):
    np.testing.assert_allclose(ard(fitted(kernel), X), expected)


def test_what_was_learned_is_in_the_units_of_the_data():
    model = rsens.GPRegressor(n_restarts=0).fit(X, Y)
    np.testing.assert_allclose(ard(model, X), 1.0 / np.array(model.kernel_.lengthscale))
    standard = rsens.GPRegressor(n_restarts=0, standardize=True).fit(X * [1.0, 5.0, 1.0], Y)
    np.testing.assert_allclose(ard(standard, X) * [1.0, 5.0, 1.0], ard(model, X), rtol=1e-3)  # two searches


def test_as_an_importance():
    model = fitted(kernels.EQ(2.0, (0.5, 4.0, 10.0)))
    np.testing.assert_array_equal(importance("ard", model, X), ard(model, X))
    np.testing.assert_allclose(importance("ard", model, X, scale=[1.0, 10.0, 0.1]), [2.0, 2.5, 0.01])
    with pytest.raises(InputError, match="weights: ard is read off the model"):
        importance("ard", model, X, weights=np.ones(30))


def test_a_linear_kernel():
    """σ_d, the standard deviation of the slope, divided by the root of the mean prior variance of f."""
    model = fitted(kernels.Linear((4.0, 0.01, 1.0)))
    np.testing.assert_allclose(ard(model, X), [2.0, 0.1, 1.0] / np.sqrt((X**2 @ [4.0, 0.01, 1.0]).mean()))
    centred = fitted(kernels.Linear((4.0, 1.0, 1.0)), X + 5.0, standardize=True)
    variances = np.array(centred.kernel_.variance)
    expected = np.sqrt(variances / ((X - X.mean(axis=0)) ** 2 @ variances).mean())
    np.testing.assert_allclose(ard(centred, X + 5.0), expected)
    np.testing.assert_array_equal(ard(model, np.zeros((2, 3))), 0.0)


def test_levels_and_the_mean_over_classes():
    frame = pd.DataFrame({"a": X[:, 0], "shop": np.array(["x", "y", "z"])[np.arange(30) % 3]})
    model = rsens.GPRegressor(n_restarts=0).fit(frame, Y)
    levels = next(part for part in model.kernel_.parts if isinstance(part, kernels.Categorical))
    codes = np.array([[0.0, 0.0], [0.0, 1.0]])
    change = 2.0 * (levels.variance - levels(codes)[0, 1])  # variance of f(level) − f(other level)
    np.testing.assert_allclose(ard(model, frame)[1], np.sqrt(change / levels.variance))
    model = rsens.GPClassifier(n_restarts=0).fit(X, np.arange(30) % 3)
    expected = np.mean([1.0 / np.array(kernel.lengthscale) for kernel in model.kernel_], axis=0)
    np.testing.assert_allclose(ard(model, X), expected)


@pytest.mark.parametrize(
    "model", [SimpleNamespace(kernel_="RBF(1.0)"), rsens.BayesianLinearRegression().fit(X, np.sin(Y)), None]
)
def test_models_without_length_scales(model):
    with pytest.raises(InputError, match=r"has no kernel_ of rsens.kernels. Use GPRegressor"):
        ard(model, X)
