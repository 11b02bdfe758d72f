"""GaussianProcessRegressor against our own GP with the same hyperparameters."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import (
    RBF,
    ConstantKernel,
    DotProduct,
    Matern,
    PairwiseKernel,
    RationalQuadratic,
    WhiteKernel,
)

import rsens
from rsens import GPRegressor, RsensWarning, kernels
from rsens._errors import InputError
from rsens.adapters import as_model
from tests.adapters.sklearn.cases import ROWS, X, Y, gap, gaps

NOISE = 0.05
PAIRS = {
    "RBF": (2.0 * RBF([1.0, 2.0, 3.0]), kernels.EQ(2.0, (1.0, 2.0, 3.0))),
    "Matern 5/2": (2.0 * Matern(1.3, nu=2.5), kernels.Matern52(2.0, 1.3)),
    "Matern 3/2": (2.0 * Matern([1.0, 2.0, 3.0], nu=1.5), kernels.Matern32(2.0, (1.0, 2.0, 3.0))),
    "sum": (
        RationalQuadratic(1.3, 0.7) + 0.5 * DotProduct(0.5),
        kernels.RationalQuadratic(1.0, 1.3, 0.7) + kernels.Linear(0.5) + kernels.Constant(0.125),
    ),
    "product": (
        RBF(1.0) * (2.0 * RBF(2.0) + ConstantKernel(3.0)),
        kernels.EQ(1.0, 1.0) * (kernels.EQ(2.0, 2.0) + kernels.Constant(3.0)),
    ),
}


def fitted(kernel, **settings):
    return GaussianProcessRegressor(kernel, optimizer=None, **settings).fit(X, Y)


def native(kernel, noise=NOISE, y=Y):
    return GPRegressor(kernel, noise_variance=noise, optimize=False, standardize=False).fit(X, y)


def test_white_noise():
    """The default alpha of 1e-10 stays in scikit-learn's Cholesky factor: it is all that differs."""
    kernel, ours = PAIRS["RBF"]
    model = fitted(kernel + WhiteKernel(NOISE))
    assert gaps(model, native(ours)).max() < 1e-8
    mean, sd = model.predict(ROWS, return_std=True)
    found = as_model(model).predict_distribution(ROWS)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found.variance, sd**2, rtol=1e-10)
    assert [finding.verdict for finding in as_model(model).checks(ROWS)] == ["ok"]
    np.testing.assert_array_equal(as_model(model).training_inputs_, X)


def test_without_noise():
    """It works, with a warning and a finding."""
    model = fitted(RBF(1.0))
    with pytest.warns(RsensWarning, match="no noise"):
        values = rsens.rsens(model, ROWS[12:])
    assert np.isfinite(values).all()
    assert [finding.verdict for finding in as_model(model).checks(ROWS)] == ["warning"]


@pytest.mark.parametrize("name", PAIRS)
def test_alpha_is_noise(name):
    """Nothing differs any more. The noise is in our variance, and not in scikit-learn's."""
    kernel, ours = PAIRS[name]
    model = fitted(kernel, alpha=NOISE)
    assert gaps(model, native(ours)).max() < 1e-11
    _, sd = model.predict(ROWS, return_std=True)
    np.testing.assert_allclose(as_model(model).predict_distribution(ROWS).variance, sd**2 + NOISE, rtol=1e-10)
    assert as_model(model).description.noise == "included: 0.05 (alpha)"


def test_length_scales():
    """The baseline that ranks by them reads the translated kernel."""
    model, ours = fitted(PAIRS["RBF"][0] + WhiteKernel(NOISE)), native(PAIRS["RBF"][1])
    values = [rsens.compare(each, X, methods=["ard"], random_state=0)["value"].to_numpy() for each in (model, ours)]
    np.testing.assert_allclose(*values, rtol=1e-12)


def test_normalised_targets():
    """The kernel, the white noise and alpha are in units of the targets' standard deviation.

    Equal alphas of all rows are one; a column of targets is one target.
    """
    alpha = np.full(40, 0.2)
    model = GaussianProcessRegressor(RBF(1.0) + WhiteKernel(0.1), alpha=alpha, normalize_y=True, optimizer=None)
    model.fit(X, (7.0 + 3.0 * Y)[:, None])
    sd = np.std(3.0 * Y)
    ours = native(kernels.EQ(sd**2, 1.0), 0.3 * sd**2, 3.0 * (Y - Y.mean()))
    record = gaps(model, ours)
    assert record[1:].max() < 1e-10  # the first is the mean, which has another level
    np.testing.assert_allclose(as_model(model).predict_distribution(ROWS).mean, model.predict(ROWS).ravel(), rtol=1e-10)
    assert as_model(model).description.noise == f"included: {0.3 * sd**2:.3g} (WhiteKernel + alpha)"


def test_the_object_stays_unchanged():
    model = fitted(RBF(1.0) + WhiteKernel(NOISE))
    before = {name: np.copy(value) for name, value in vars(model).items() if isinstance(value, np.ndarray)}
    names = set(vars(model))
    rsens.rsens2(model, ROWS)
    for name, value in before.items():
        np.testing.assert_array_equal(getattr(model, name), value)
    assert set(vars(model)) == names


def laplacian(alpha):
    return fitted(PairwiseKernel(gamma=0.3, metric="rbf") + WhiteKernel(NOISE), alpha=alpha)


@pytest.mark.parametrize("alpha", [1e-10, 0.02])
def test_a_kernel_that_is_not_ours(alpha):
    """By differences of predict: PairwiseKernel("rbf") is an EQ kernel that we do not recognise. 1e-6 is what
    differences give; `alpha` counts where it is more than jitter."""
    model = laplacian(alpha)
    noise = NOISE + (alpha if alpha > 1e-8 else 0.0)
    ours = native(kernels.EQ(1.0, (2 * 0.3) ** -0.5), noise)
    assert as_model(model).by_differences
    assert gap(rsens.rsens(model, ROWS), rsens.rsens(ours, ROWS)) < 1e-6


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (GaussianProcessRegressor(), "not fitted"),
        (fitted(Matern(1.0, nu=0.5)), "nu=1.5"),
        (GaussianProcessRegressor(optimizer=None).fit(X, np.c_[Y, Y]), "2 targets"),
        (fitted(RBF(1.0), alpha=np.linspace(0.1, 0.2, 40)), "alpha"),
    ],
)
def test_refused(model, said):
    with pytest.raises(InputError, match=said):
        rsens.rsens(model, X)
