"""`check`: each trap is found in a model that has it, and not in one that has not."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import BayesianRidge

import rsens
from rsens import InputError, Normal, Poisson, from_function
from rsens.derivatives import Derivatives

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * RNG.normal(size=60)


def verdicts(check):
    return {finding.name: finding.verdict for finding in check.findings}


class Handmade:
    """An object with derivatives of its own: the mean is sin x₀, the variance 0.09; they may be wrong on purpose."""

    def __init__(self, slope=1.0, bend=1.0):
        self.slope, self.bend = slope, bend

    def predict_distribution(self, X):
        return Normal(np.sin(X[:, 0]), np.full(len(X), 0.09))

    def derivatives(self, X, order):
        first, second = np.zeros((len(X), 2, 3)), np.zeros((len(X), 2, 3, 3))
        first[:, 0, 0] = self.slope * np.cos(X[:, 0])
        second[:, 0, 0, 0] = -self.bend * np.sin(X[:, 0])
        return Derivatives(self.predict_distribution(X), first, second if order == 2 else None)


@pytest.mark.parametrize(
    "model",
    [
        rsens.GPRegressor(n_restarts=0).fit(X, Y),
        rsens.GPRegressor(kernel=rsens.kernels.Matern32(1.0, 1.0), optimize=False).fit(X, Y),
        rsens.BayesianLinearRegression().fit(X, Y),
        rsens.BayesianLogisticRegression().fit(X, Y > 0.0),
        from_function(lambda X: Normal(np.sin(X[:, 0]), np.exp(X[:, 1]))),
        Handmade(),
    ],
    ids=["gp", "matern32", "linear", "logistic", "function", "object"],
)
def test_nothing_is_wrong_with_sound_models(model):
    found = rsens.check(model, X)
    assert found.verdict == "ok"
    assert "Nothing to warn about" in str(found)
    assert verdicts(found)["first derivatives"] == "ok"


@pytest.mark.parametrize(("change", "order"), [({"slope": 1.5}, "first"), ({"bend": -1.0}, "second")])
def test_wrong_derivatives_are_found(change, order):
    found = rsens.check(Handmade(**change), X)
    assert found.verdict == verdicts(found)[f"{order} derivatives"] == "wrong"
    assert verdicts(found)["first derivatives"] == ("wrong" if order == "first" else "ok")
    assert "Do not use" in str(found)


def test_steps_are_never_a_silent_zero_and_a_constant_model_is_no_error():
    found = rsens.check(from_function(lambda X: Normal(np.round(X[:, 0]), 1.0)), X)
    assert verdicts(found)["first derivatives"] == "wrong"
    assert "piecewise constant" in str(found)
    found = rsens.check(from_function(lambda X: Normal(np.zeros(len(X)), 1.0)), X)
    assert verdicts(found)["first derivatives"] == "ok"
    assert verdicts(found)["warned of"] == "warning"  # what other calls warn of is a finding here


def test_missing_noise_shows_in_the_targets():
    sound = from_function(lambda X: Normal(np.sin(X[:, 0]) + X[:, 1] * X[:, 2], 0.09))
    latent = from_function(lambda X: Normal(np.sin(X[:, 0]) + X[:, 1] * X[:, 2], 1e-4))
    wide = from_function(lambda X: Normal(np.sin(X[:, 0]) + X[:, 1] * X[:, 2], 9.0))
    assert verdicts(rsens.check(sound, X, Y))["width"] == "ok"
    assert verdicts(rsens.check(latent, X, Y))["width"] == "warning"
    assert verdicts(rsens.check(wide, X, Y))["width"] == "warning"
    assert "width" not in verdicts(rsens.check(sound, X[:10], Y[:10]))  # too few rows to say
    counts = np.random.default_rng(1).poisson(5.0, len(X))
    poisson = from_function(lambda X: Poisson(np.full(len(X), 5.0) + 0.0 * X[:, 0]))
    assert verdicts(rsens.check(poisson, X, counts))["width"] == "ok"
    with pytest.raises(InputError, match="one entry for each of the 60 rows"):
        rsens.check(sound, X, Y[:3])


class Moody(Handmade):
    """Predictions that change from call to call, or with the rows beside them."""

    def __init__(self, how):
        super().__init__()
        self.how, self.rng = how, np.random.default_rng(0)

    def predict_distribution(self, X):
        shift = self.rng.normal() if self.how == "random" else X[:, 0].mean()
        return Normal(np.sin(X[:, 0]) + shift, np.full(len(X), 0.09))


@pytest.mark.parametrize(("how", "name"), [("random", "repeatable"), ("mixed", "rows on their own")])
def test_moody_predictions_are_found(how, name):
    assert verdicts(rsens.check(Moody(how), X))[name] == "wrong"


def test_frames_and_categories():
    frame = pd.DataFrame({"dose": X[:, 0], "arm": np.where(X[:, 1] > 0, "a", "b")})
    model = rsens.BayesianLinearRegression().fit(frame, Y)
    found = rsens.check(model, frame, Y)
    assert found.verdict == "ok"
    assert found.to_frame().columns.tolist() == ["name", "verdict", "text"]
    assert found.description.family == "StudentT"
    assert "StudentT" in found._repr_html_()
    only = frame[["arm"]]
    assert "levels are compared" in str(rsens.check(rsens.BayesianLinearRegression().fit(only, Y), only))


def test_a_column_beside_which_a_slope_vanishes():
    """Its unit times the slope underflows: there is nothing that differences could be compared with."""
    X = 1e-300 * np.arange(1.0, 9.0)[:, None]
    model = BayesianRidge().fit(X, np.random.default_rng(0).normal(size=8))
    assert model.coef_.any()
    assert "nothing to compare" in " ".join(str(rsens.check(model, X)).split())
