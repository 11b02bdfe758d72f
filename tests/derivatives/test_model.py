"""What counts as a model, and the loop over rows."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LinearRegression

from rsens._errors import InputError
from rsens.adapters import as_model, read_for
from rsens.derivatives import Derivatives, Model, from_function, iterate
from rsens.derivatives._model import MAX_BYTES
from rsens.distributions import Normal
from tests.derivatives.sources import rows


def record_at(X, order):
    """Normal(x0², 1) in closed form."""
    values = np.asarray(X, dtype=float)
    n, columns = values.shape
    first, second = np.zeros((n, 2, columns)), np.zeros((n, 2, columns, columns))
    first[:, 0, 0] = 2.0 * values[:, 0]
    second[:, 0, 0, 0] = 2.0
    return Derivatives(Normal(values[:, 0] ** 2, np.ones(n)), first, second if order == 2 else None)


class Estimator(BaseEstimator):
    def __init__(self, rows_at_once=3):
        self.rows_at_once = rows_at_once

    def fit(self, X, y=None):
        self.columns_ = getattr(X, "columns", None)
        self.seen_ = []
        return self

    def derivatives(self, X, order):
        self.seen_.append(X)
        return record_at(X, order)

    def rows_per_chunk(self, n_columns, order):
        return self.rows_at_once


class Plain:
    """The least that can be explained."""

    def derivatives(self, X, order):
        return record_at(X, order)


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
    with pytest.raises(InputError, match=text):
        as_model(model)
    with pytest.raises(InputError, match=text):
        next(iterate(*read_for(model, rows()), 1))


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


class TestIterate:
    @pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 100])
    @pytest.mark.parametrize("at_once", [1, 3, 1000])
    def test_every_row_comes_once_in_even_chunks(self, n, at_once):
        X = rows(n)
        chunks = list(iterate(*read_for(Estimator(at_once).fit(X), X), 2))
        assert np.concatenate([np.arange(n)[part] for part, _ in chunks]).tolist() == list(range(n))
        sizes = [len(record) for _, record in chunks]
        assert max(sizes) <= at_once
        assert max(sizes) - min(sizes) <= 1
        assert len(sizes) == -(-n // at_once)
        np.testing.assert_array_equal(np.concatenate([record.first for _, record in chunks]), record_at(X, 1).first)

    def test_less_memory_means_smaller_chunks(self):
        model = Estimator(8).fit(rows())
        assert len(list(iterate(*read_for(model, rows(16)), 1))) == 2
        assert len(list(iterate(*read_for(model, rows(16)), 1, max_bytes=MAX_BYTES // 4))) == 8
        assert len(list(iterate(*read_for(model, rows(16)), 1, max_bytes=1))) == 16

    def test_an_estimator_gets_frames_if_frames_are_given(self):
        X = pd.DataFrame(rows(), columns=["a", "b", "c"], index=list("tuvwxyz"))
        model = Estimator().fit(X)
        list(iterate(*read_for(model, X), 1))
        assert all(isinstance(part, pd.DataFrame) for part in model.seen_)
        pd.testing.assert_frame_equal(pd.concat(model.seen_), X)

    def test_errors_say_which_rows_they_count_from(self):
        X = np.ones((10, 1))
        X[7] = -1.0
        model = from_function(lambda X: Normal(0.0, X[:, 0]), scale=1e-3)
        with pytest.raises(InputError, match=r"at row 7 \(1 of 10"):
            list(iterate(*read_for(model, X), 1))
        few = MAX_BYTES * 4 // model.rows_per_chunk(1, 1) + 1
        with pytest.raises(InputError, match=r"at row 1 .*\(Rows are counted from row 6 of X\.\)"):
            list(iterate(*read_for(model, X), 1, max_bytes=few))

    def test_bad_rows_and_orders(self):
        with pytest.raises(InputError, match="no rows"):
            next(iterate(*read_for(Plain(), np.zeros((0, 2))), 1))
        with pytest.raises(InputError, match="order must be"):
            next(iterate(*read_for(Plain(), rows()), 3))

    def test_wide_tables_get_fewer_rows_at_once(self):
        model = as_model(Plain())
        assert model.rows_per_chunk(1000, 2) < model.rows_per_chunk(10, 2) < model.rows_per_chunk(10, 1)
        assert model.rows_per_chunk(10**6, 2) == 1
