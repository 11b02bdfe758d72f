"""BayesianRidge and ARDRegression: their own predictions, and derivatives of these."""

import numpy as np
import pytest
from sklearn.linear_model import ARDRegression, BayesianRidge

import rsens
from rsens._errors import InputError
from rsens.adapters import as_model
from tests.adapters.sklearn.cases import ROWS, X, Y, by_richardson, gap, record

OFFSET = np.array([0.0, 50.0, -3.0])
SHIFTED = X + OFFSET
MODELS = {
    "ridge": BayesianRidge().fit(SHIFTED, Y),
    "no intercept": BayesianRidge(fit_intercept=False).fit(X, Y),
    "ard": ARDRegression().fit(SHIFTED, X[:, 0] + 0.1 * Y),
    "ard that drops columns": ARDRegression(threshold_lambda=50.0).fit(SHIFTED, X[:, 0] + 0.001 * Y),
}


@pytest.mark.parametrize("name", MODELS)
def test_derivatives(name):
    """Both moments are at most quadratic, so differences over any step are exact up to rounding."""
    model, rows = MODELS[name], ROWS + OFFSET
    assert name != "ard that drops columns" or model.sigma_.shape[0] < 3
    assert not as_model(model).by_differences

    def moments(R):
        mean, sd = model.predict(R, return_std=True)
        return np.stack([mean, sd**2], axis=1)

    first, second = by_richardson(moments, rows, 1.0)
    found = record(model, rows)
    np.testing.assert_allclose(found.distribution.parameters, moments(rows), rtol=1e-10)
    np.testing.assert_allclose(found.first, first, atol=1e-9 * np.abs(first).max())
    assert not found.second[:, 0].any()
    assert gap(found.second[:, 1], second[:, 1]) < 1e-8


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_noise_that_float64_cannot_hold_is_refused():
    model = BayesianRidge().fit(X, 1e160 * Y)
    assert model.alpha_ == 0.0
    with pytest.raises(InputError, match="its precision alpha_ is 0"):
        rsens.rsens(model, X)


def test_not_fitted():
    with pytest.raises(InputError, match=r"BayesianRidge is not fitted"):
        rsens.rsens(BayesianRidge(), X)
