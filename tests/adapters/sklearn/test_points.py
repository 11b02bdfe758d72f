"""Estimators that give points, or nothing: what they lack, and what to do."""

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, WhiteKernel
from sklearn.linear_model import BayesianRidge, LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import rsens
from rsens._errors import InputError
from rsens.adapters import as_model
from tests.adapters.sklearn.cases import LABELS, ROWS, X, Y, by_richardson, gap, record


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


class Wider(BayesianRidge):
    def predict(self, X, return_std=False):
        mean, sd = super().predict(X, return_std=True)
        return (mean, 3.0 * sd) if return_std else mean


class Cautious(GaussianProcessRegressor):
    def predict(self, X, return_std=False, return_cov=False):
        given = super().predict(X, return_std, return_cov)
        return (given[0], 2.0 * given[1]) if return_std else given


@pytest.mark.parametrize(
    "model", [Wider(), Cautious(RBF(1.0) + WhiteKernel(0.05), optimizer=None)], ids=["ridge", "gp"]
)
def test_a_method_that_somebody_replaced_counts(model):
    _, sd = model.fit(X, Y).predict(ROWS, return_std=True)
    np.testing.assert_allclose(as_model(model).predict_distribution(ROWS).variance, sd**2, rtol=1e-12)
    assert as_model(model).by_differences


class Named(GaussianProcessRegressor):
    """A subclass that changes nothing is read as its parent."""


def test_a_subclass():
    assert not as_model(Named(RBF(1.0) + WhiteKernel(0.05), optimizer=None).fit(X, Y)).by_differences


class Shy(LogisticRegression):
    def predict_proba(self, X):
        return 0.25 + 0.5 * super().predict_proba(X)


def test_replaced_probabilities_count():
    model = Shy().fit(X, LABELS)
    np.testing.assert_allclose(as_model(model).predict_distribution(ROWS).mean, model.predict_proba(ROWS)[:, 1])


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
    [(Many(), "one model per target"), (Alone(), "one standard deviation"), (Sure(), "needs some spread")],
)
def test_other_shapes(model, said):
    with pytest.raises(InputError, match=said):
        rsens.rsens(model, X)
