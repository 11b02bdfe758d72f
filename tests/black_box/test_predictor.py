"""A model as black-box methods see it."""

import numpy as np
import pytest

import rsens
from rsens._errors import InputError
from rsens.adapters import read_for
from rsens.black_box import BLACK_BOX, BUDGETS
from rsens.black_box._predictor import Predictor, sample_rows

from .functions import correlated, predictor_of
from .pairs import flats, question


def test_memory_is_bounded():
    """Never more than about 2¹⁸ rows at once, unless one question has more."""
    sizes = []

    def f(blocks):
        sizes.append(np.prod(blocks.shape[:-1]))
        return blocks[..., 0]

    x = np.random.default_rng(0).normal(size=(30_000, 2))
    predictor = predictor_of(x, f, log_densities=f)
    for (_, order), method in BLACK_BOX.items():
        if order == 1:
            method.value(predictor, BUDGETS["paper"], np.random.default_rng(0))
    assert max(sizes) <= 2**18


def test_a_sample_of_rows():
    x = np.arange(100.0)[:, None]
    rng = np.random.default_rng(0)
    np.testing.assert_array_equal(sample_rows(x, None, rng), x)
    np.testing.assert_array_equal(sample_rows(x, 100, rng), x)
    some = sample_rows(x, 30, rng)
    assert len(np.unique(some)) == 30
    assert (np.diff(some[:, 0]) > 0.0).all()


def test_a_fitted_model_on_a_data_frame():
    X = flats()
    y = np.sin(X.iloc[:, 0]) + (X["town"] == "Tromsø") * 5.0
    model = rsens.BayesianLinearRegression().fit(X, y)
    predictor = Predictor.of(*read_for(model, X), lambda rows: model.log_predictive_density(rows, y))
    np.testing.assert_allclose(predictor.predict(predictor.values)[:, 0], model.predict(X))
    np.testing.assert_allclose(predictor.log_density(predictor.values), model.log_predictive_density(X, y))
    assert predictor.categorical == (2, 3)
    assert predictor.evaluations == 80
    moved = predictor.with_column(2, np.array([[2.0]]), predictor.values)
    np.testing.assert_allclose(moved[0, :, 0], model.predict(X.assign(town="Tromsø")))


def test_predictions_are_weighted_by_the_family():
    """Class probabilities add up to 1, so every change is there twice, and counts half."""
    X = correlated(30)
    y = np.arange(30) % 3
    model = rsens.GPClassifier(n_restarts=0, optimize=False).fit(X, y)
    np.testing.assert_allclose(question(model, X).predict(X), 0.5 * model.predict_proba(X))


def test_a_prediction_that_is_not_finite():
    def fn(X):
        with np.errstate(invalid="ignore"):
            return rsens.distributions.Normal(np.log(X[:, 0]), np.ones(len(X)))

    x = np.random.default_rng(0).uniform(0.01, 1.0, size=(30, 1))
    with pytest.raises(InputError, match="finite"):
        BLACK_BOX["var", 1].value(question(rsens.from_function(fn), x), BUDGETS["paper"], np.random.default_rng(0))
