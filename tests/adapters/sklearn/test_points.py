"""Estimators that give points, or nothing: what they lack, and what to do."""

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rsens
from rsens._errors import InputError
from rsens.adapters import as_model
from tests.adapters.sklearn.cases import ROWS, X, Y, by_richardson, gap, record


@pytest.mark.parametrize(
    "model",
    [
        LinearRegression(),
        make_pipeline(StandardScaler(), LinearRegression()),
        StandardScaler(),
        GradientBoostingRegressor(n_estimators=3),
    ],
    ids=str,
)
def test_no_distribution(model):
    with pytest.raises(InputError, match=r"that predicts distributions; got .*rsens\.from_function\(lambda X"):
        rsens.rsens(model.fit(X, Y), X)


def test_the_lines_that_the_error_says():
    model = LinearRegression().fit(X[:30], Y[:30])
    residuals = Y[30:] - model.predict(X[30:])
    values = rsens.rsens(rsens.from_function(lambda X: rsens.Normal(model.predict(X), residuals.var())), X)
    np.testing.assert_allclose(values[0], np.abs(model.coef_) / residuals.std(), rtol=1e-6)


class Spread:
    """No estimator of scikit-learn, but it speaks like one."""

    def predict(self, X, return_std=False):
        mean = np.sin(X[:, 0]) * X[:, 1]
        return (mean, np.exp(0.3 * X[:, 2])) if return_std else mean


def test_a_standard_deviation_is_taken_as_given():
    first, _ = by_richardson(
        lambda R: np.stack([Spread().predict(R, True)[0], Spread().predict(R, True)[1] ** 2], axis=1), ROWS
    )
    assert gap(record(Spread(), order=1).first, first) < 1e-6
    assert "taken as given" in as_model(Spread()).description.noise


class Many(Spread):
    def predict(self, X, return_std=False):
        return np.zeros((len(X), 2)), np.ones((len(X), 2))


class Alone(Spread):
    def predict(self, X, return_std=False):
        return np.zeros(len(X))


class Sure(Spread):
    def predict(self, X, return_std=False):
        return np.zeros(len(X)), np.where(X[:, 0] > 0.0, 1.0, 0.0)


@pytest.mark.parametrize(
    ("model", "said"),
    [(Many(), "Fit one model per target"), (Alone(), "must return a mean and"), (Sure(), "needs some spread")],
)
def test_other_shapes(model, said):
    with pytest.raises(InputError, match=said):
        rsens.rsens(model, X)
