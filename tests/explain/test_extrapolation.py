"""Rows outside the cloud of data."""

from __future__ import annotations

import numpy as np
import pytest

from rsens._errors import InputError
from rsens._explain import explain
from rsens._explain._rows import outside
from tests.explain.models import Linear


def normal(n: int, d: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, d))


def test_distance_from_the_others_is_the_refitted_one():
    """The closed form behind the flag: mean and covariance of the n − 1 other rows, row by row."""
    from scipy.stats import f

    n, r = 25, 2
    rng = np.random.default_rng(2)
    X = rng.standard_t(2.0, size=(n, r))
    expected = []
    for i in range(n):
        others = np.delete(X, i, axis=0)
        gap = X[i] - others.mean(axis=0)
        d2 = gap @ np.linalg.solve(np.cov(others.T), gap)
        expected.append(d2 * (n - 1) * (n - 1 - r) / (n * r * (n - 2)) > f.isf(0.01 / n, r, n - 1 - r))
    assert any(expected)
    assert not all(expected)
    np.testing.assert_array_equal(outside(X, None), expected)


def test_few_gaussian_clouds_have_a_flag():
    """One in a hundred by construction: of 300, 3 expected; more than 10 has a probability below 1e-3."""
    assert 0 < sum(outside(normal(40, 4, seed=s), None).any() for s in range(300)) <= 10


def test_units_and_duplicate_columns_change_nothing():
    X = normal(100, 3, seed=3)
    X[0] *= 10.0
    flags = outside(X, None)
    assert flags.any()
    np.testing.assert_array_equal(outside(X * [1e-9, 1e9, 1.0] + [1.0, -1e9, 0.0], None), flags)
    np.testing.assert_array_equal(
        outside(np.column_stack([X, X[:, 0], X @ [1.0, 2.0, 3.0], np.ones(100)]), None), flags
    )


@pytest.mark.parametrize("rows", [normal(1, 3), normal(2, 3), normal(4, 3), normal(5, 50), np.ones((10, 2))])
def test_too_few_rows_say_nothing(rows):
    assert not outside(rows, None).any()


def test_against_known_training_inputs():
    training = normal(50, 2, seed=4)
    assert not outside(training, training).any()
    assert not outside(training.mean(axis=0, keepdims=True), training).any()
    assert outside(np.array([[10.0, 0.0]]), training).all()


def test_leaving_the_span_of_the_training_inputs():
    line = np.linspace(-1.0, 1.0, 20)[:, None] * [1.0, 2.0, 0.0] + [0.0, 0.0, 7.0]
    rows = np.array([[0.5, 1.0, 7.0], [0.5, 1.1, 7.0], [0.5, 1.0, 7.5], [2.0, 4.0, 7.0]])
    assert outside(rows, line).tolist() == [False, True, True, True]
    one = np.array([[1.0, 2.0, 3.0]])
    assert outside(np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.1]]), one).tolist() == [False, True]


def test_explain_takes_the_training_inputs_of_the_model():
    model = Linear([1.0, 1.0])
    model.training_inputs_ = normal(50, 2, seed=5)
    X = np.array([[0.0, 0.0], [9.0, 9.0]])
    result = explain(model, X, scale="raw")
    assert result.extrapolation.tolist() == [False, True]
    assert "2 rows (1 extrapolating)" in repr(result)
    for wrong in (np.ones((5, 3)), np.ones(2), np.full((5, 2), np.nan), np.empty((0, 2)), [["a", "b"]]):
        model.training_inputs_ = wrong
        with pytest.raises(InputError, match="training_inputs_"):
            explain(model, X)
    del model.training_inputs_
    for wrong in ([1.0], [1.0, -1.0], [1.0, np.inf], "wide"):
        model.input_scale_ = wrong
        with pytest.raises(InputError, match="input_scale_"):
            explain(model, X)
