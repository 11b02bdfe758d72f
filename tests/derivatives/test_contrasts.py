"""The contrasts that `iterate` adds to a record: weights, what is evaluated, and the memory they are counted for."""

import numpy as np
import pandas as pd
import pytest

from rsens._coding import Coding
from rsens.adapters import as_contrasts, read_for
from rsens.derivatives import Derivatives, from_function, iterate
from rsens.derivatives._contrasts import weights_of
from rsens.distributions import Normal
from rsens.models import GPRegressor

FRAME = pd.DataFrame({"x": [0.5, 1.5, 2.5, 3.5], "city": ["a", "b", "a", "c"], "sold": [True, False, True, True]})


def by_code(Z):
    """A mean that tells every combination of levels apart."""
    return Normal(Z[:, 0] * (1.0 + Z[:, 1]) + 10.0 * Z[:, 1] + 100.0 * Z[:, 2], 1.0)


class Estimator:
    """What a fitted estimator offers: derivatives at rows with labels, and the coding of its training data."""

    def __init__(self, training):
        self.coding_ = Coding.of(training)

    def derivatives(self, X, order):
        values = self.coding_.read(X).values
        n, d = values.shape
        first = np.zeros((n, 2, d))
        first[:, 0, 0] = 1.0 + values[:, 1]
        return Derivatives(by_code(values), first, np.zeros((n, 2, d, d)) if order == 2 else None)


def record_of(model, X, order):
    ((_, record),) = iterate(*read_for(model, X), order)
    return record


def test_weights_are_frequencies_without_the_own_level():
    levels = Coding.of(FRAME)[1]
    expected = [[0, 0.5, 0.5], [2 / 3, 0, 1 / 3], [2 / 3, 1 / 3, 0]]
    np.testing.assert_allclose(weights_of(levels, np.arange(3.0)), expected, rtol=1e-15)
    record = record_of(Estimator(FRAME), FRAME.iloc[[1]], 1)  # frequencies are those of the training data
    np.testing.assert_allclose(record.contrasts[0].weights, [[2 / 3, 0, 1 / 3]], rtol=1e-15)


def test_first_order_holds_predictions_at_every_level():
    record = record_of(from_function(by_code), FRAME, 1)
    city, sold = record.contrasts
    assert (city.column, city.name, sold.column, sold.name) == (1, "city", 2, "sold")
    x, code, yes = FRAME["x"], np.array([0, 1, 0, 2]), FRAME["sold"].astype(float)
    for level in range(3):
        np.testing.assert_allclose(city.levels[level].mean, x * (1 + level) + 10 * level + 100 * yes, rtol=1e-15)
    for level in range(2):
        np.testing.assert_allclose(sold.levels[level].mean, x * (1 + code) + 10 * code + 100 * level, rtol=1e-15)
    assert city.first == ()
    assert city.pairs is None


def test_second_order_holds_slopes_and_double_switches():
    record = record_of(from_function(by_code), FRAME, 2)
    city, sold = record.contrasts
    for level in range(3):
        np.testing.assert_allclose(city.first[level][:, 0, 0], 1.0 + level, rtol=1e-9)
        np.testing.assert_array_equal(city.first[level][:, :, 1:], 0.0)
        for other in range(2):
            mean = city.pairs[2][level][other].mean
            np.testing.assert_allclose(mean, FRAME["x"] * (1 + level) + 10 * level + 100 * other, rtol=1e-15)
    assert dict(sold.pairs) == {}


@pytest.mark.parametrize("order", [1, 2])
def test_chunks_agree_with_the_whole(order):
    model = Estimator(FRAME)
    whole = record_of(model, FRAME, order)
    chunks = list(iterate(*read_for(model, FRAME), order, max_bytes=1000))
    assert len(chunks) > 1
    for rows, record in chunks:
        for contrast, all_rows in zip(record.contrasts, whole.contrasts, strict=True):
            np.testing.assert_array_equal(contrast.weights, all_rows.weights[rows])
            for part, full in zip(contrast.levels, all_rows.levels, strict=True):
                np.testing.assert_array_equal(part.mean, full.mean[rows])


def test_a_model_gets_the_numbers_of_two_values():
    """Not their codes, 0 and 1: in predictions, in derivatives and in averages over rows."""
    x, flag = np.linspace(-1.0, 1.0, 12), np.tile([2.0, 5.0], 6)
    X = np.column_stack([x, flag])
    model = GPRegressor(random_state=0).fit(X, np.sin(2.0 * x) * flag)
    source, table = as_contrasts(*read_for(model, X), [1])
    ((_, record),) = iterate(source, table, 1)
    (contrast,) = record.contrasts
    for value, there in zip((2.0, 5.0), contrast.levels, strict=True):
        moved = np.column_stack([x, np.full(12, value)])
        np.testing.assert_allclose(there.mean, model.predict(moved), rtol=1e-9)
    np.testing.assert_allclose(record.first[..., 0], model.derivatives(X, 1).first[..., 0], rtol=1e-9)
    codes, values = np.array([[0.0], [1.0]]), np.array([[2.0], [5.0]])
    expected = model.partial_dependence((1,), values, X)
    np.testing.assert_allclose(source.partial_dependence((1,), codes, X), expected, rtol=1e-9)
