"""GaussianProcessClassifier against our own classifier with a logit link and the same hyperparameters."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, Matern, PairwiseKernel, WhiteKernel

import rsens
from rsens import GPClassifier, kernels
from rsens._errors import InputError
from rsens.adapters import as_model
from tests.adapters.sklearn.cases import LABELS, ROWS, THREE, X, gap, gaps, record

OURS = kernels.EQ(2.0, (1.0, 2.0, 3.0))


def fitted(y=LABELS, kernel=None, **settings):
    kernel = 2.0 * RBF([1.0, 2.0, 3.0]) if kernel is None else kernel
    return GaussianProcessClassifier(kernel, optimizer=None, max_iter_predict=200, **settings).fit(X, y)


def native(y=LABELS, kernel=OURS):
    return GPClassifier(kernel, link="logit", optimize=False, standardize=False).fit(X, y)


@pytest.mark.parametrize("y", [LABELS, THREE], ids=["two classes", "three classes"])
def test_same_as_ours(y):
    """scikit-learn's Newton search stops when log Z gains less than 1e-10, so the mode is right to about 1e-5."""
    assert gaps(fitted(y), native(y)).max() < 1e-4
    assert list(as_model(fitted(y)).classes_) == sorted(set(y))


def test_latent_noise():
    """A WhiteKernel adds to the variance of the latent f, as in scikit-learn (GPML, algorithm 3.2)."""
    model = fitted(kernel=2.0 * RBF(1.0) + WhiteKernel(0.5))
    binary = model.base_estimator_
    k = binary.kernel_(X, ROWS)
    mean = k.T @ (binary.y_train_ - binary.pi_)
    variance = binary.kernel_.diag(ROWS) - (np.linalg.solve(binary.L_, binary.W_sr_[:, None] * k) ** 2).sum(0)
    f = np.linspace(-12, 12, 4001)[:, None]
    weights = np.exp(-0.5 * f**2)
    p = (weights / (1 + np.exp(-(mean + np.sqrt(variance) * f)))).sum(0) / weights.sum()
    np.testing.assert_allclose(as_model(model).predict_distribution(ROWS).mean, p, rtol=1e-8)


def test_its_own_probabilities_are_near():
    """They replace the logistic by five error functions."""
    p = as_model(fitted(THREE)).predict_distribution(ROWS).mean
    np.testing.assert_allclose(p, fitted(THREE).predict_proba(ROWS), atol=2e-4)


def test_a_kernel_that_is_not_ours():
    """By differences of predict_proba, which is 1e-4 off by itself."""
    model = fitted(kernel=PairwiseKernel(gamma=0.5, metric="rbf"))
    assert as_model(model).by_differences
    assert gap(record(model, order=1).first, record(native(kernel=kernels.EQ(1.0, 1.0)), order=1).first) < 1e-2


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (GaussianProcessClassifier(), "not fitted"),
        (fitted(THREE, multi_class="one_vs_one"), "one_vs_rest"),
        (fitted(kernel=Matern(1.0, nu=0.5)), "no derivatives"),
    ],
)
def test_refused(model, said):
    with pytest.raises(InputError, match=said):
        rsens.rsens(model, X)
