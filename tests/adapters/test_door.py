"""What counts as a model, and what is asked of it."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

from rsens._errors import InputError
from rsens.adapters import as_model, coding_of, read_for
from rsens.derivatives import Model, from_function
from rsens.distributions import Normal
from tests.adapters.objects import Estimator, Plain, record_at
from tests.derivatives.sources import rows


def test_models_pass_through():
    model = from_function(lambda X: Normal(X[:, 0], 1.0))
    assert as_model(model) is model


@pytest.mark.parametrize("make", [lambda: Estimator().fit(rows()), Plain], ids=["estimator", "plain"])
def test_anything_with_derivatives_is_a_model(make):
    model = as_model(make())
    assert isinstance(model, Model)
    np.testing.assert_array_equal(model.derivatives(rows(), 2).second, record_at(rows(), 2).second)
    np.testing.assert_array_equal(model.predict_distribution(rows()).mean, rows()[:, 0] ** 2)
    assert model.prepared(rows()) is model


def test_an_estimators_own_prediction_is_used():
    class Predictor(Plain):
        def predict_distribution(self, X):
            return Normal(np.full(len(X), 7.0), 1.0)

    assert as_model(Predictor()).predict_distribution(rows()).mean[0] == 7.0


WRONG_MODELS = {
    "function": (
        lambda X: Normal(X[:, 0], 1.0),
        r"got function.*from_jax\(fn\) or from_torch\(fn\).*from_function\(fn\)",
    ),
    "foreign estimator": (LinearRegression(), "got LinearRegression.*from_function"),
    "nothing": (None, "got NoneType"),
    "class": (Estimator, r"got the class Estimator. Make one: Estimator\(…\)"),
    "not fitted": (Estimator(), r"Estimator is not fitted. Call fit\(X, y\) first"),
}


@pytest.mark.parametrize("name", WRONG_MODELS)
def test_what_is_no_model(name):
    model, text = WRONG_MODELS[name]
    with pytest.raises(InputError, match=text) as error:
        as_model(model)
    assert error.value.argument == (None if name == "not fitted" else "model")
    with pytest.raises(InputError, match=text):
        read_for(model, rows())


WRONG_RECORDS = {
    "another type": (lambda X, order: np.zeros(3), 1, "must return Derivatives; got ndarray"),
    "other rows": (
        lambda X, order: record_at(X[:-1], order),
        1,
        r"X has shape \(7, 3\); got first of shape \(6, 2, 3\)",
    ),
    "other columns": (lambda X, order: record_at(X[:, :2], order), 1, r"got first of shape \(7, 2, 2\)"),
    "no second": (lambda X, order: record_at(X, 1), 2, r"derivatives\(X, 2\) must give second derivatives; got None"),
}


@pytest.mark.parametrize("name", WRONG_RECORDS)
def test_wrong_records(name):
    function, order, text = WRONG_RECORDS[name]
    model = Plain()
    model.derivatives = function
    with pytest.raises(InputError, match=text):
        as_model(model).derivatives(rows(), order)


def test_a_prediction_that_is_no_family():
    model = Plain()
    model.predict_distribution = lambda X: X
    with pytest.raises(InputError, match="predict_distribution must return an rsens family; got ndarray"):
        as_model(model).predict_distribution(rows())


def test_the_door_gives_a_model_and_its_rows():
    X = pd.DataFrame({"size": [1.0, 2.0, 3.0], "city": ["Oslo", "Bergen", "Oslo"]})
    model = from_function(lambda X: Normal(X[:, 0] + X[:, 1], 1.0))
    coded, table = read_for(model, X)
    assert table.names == ("size", "city")
    assert table.values.tolist() == [[1.0, 1.0], [2.0, 0.0], [3.0, 1.0]]
    assert table.coding is coded.coding
    assert coding_of(coded).categorical == (1,)
    assert coding_of(model) is None  # only the rows can tell
    with pytest.raises(InputError, match="X has no rows") as error:
        read_for(model, np.zeros((0, 2)))
    assert error.value.argument == "X"


def test_levels_can_be_counted_under_weights():
    X = pd.DataFrame({"city": ["Oslo", "Bergen", "Oslo"]})
    model = from_function(lambda X: Normal(X[:, 0], 1.0))
    _, table = read_for(model, X, [1.0, 2.0, 1.0])
    assert table.coding[0].frequencies.tolist() == [0.5, 0.5]
    again, same = read_for(model, table)  # what is read is not read again
    assert same is table
    assert again.coding is table.coding
