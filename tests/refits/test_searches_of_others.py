"""Gaussian processes of scikit-learn in refits: one search, and no warning that was heard before."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rsens._refits._fit import quick
from tests.few_probes import explain_with_probes


def test_refits_search_once():
    estimator = make_pipeline(StandardScaler(), GaussianProcessRegressor(n_restarts_optimizer=5))
    assert quick(estimator)[-1].n_restarts_optimizer == 0
    assert estimator[-1].n_restarts_optimizer == 5


@pytest.fixture
def fitted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.sin(2.0 * X[:, 0]) + 0.2 * rng.normal(size=60)
    kernel = RBF([1.0, 1.0], (0.1, 2.0)) + WhiteKernel(0.1)
    with pytest.warns(ConvergenceWarning):  # the irrelevant column's length-scale ends at its bound
        return make_pipeline(StandardScaler(), GaussianProcessRegressor(kernel)).fit(X, y), X, y


def test_the_null_level_is_known_and_says_what_matters(fitted):
    model, X, y = fitted  # the refits end at that bound too, and do not say so again and again
    explanation = explain_with_probes(model, X, y, pairs=False, n_probes=9, random_state=0)
    assert explanation.to_frame().set_index("term")["above_null"].to_dict() == {"x0": True, "x1": False}
    assert explanation.interval_kind == "refits"
