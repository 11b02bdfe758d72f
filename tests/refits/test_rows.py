"""Rows and targets of which parts are taken."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from rsens._errors import InputError
from rsens._refits import (
    are_labels,
    as_rows,
    read_for_estimator,
    read_targets,
    rows_with_levels,
    take_rows,
    with_levels,
)
from rsens.models import BayesianLinearRegression, GPRegressor


@pytest.mark.parametrize(
    "index",
    [[5, 5, 5], ["a", "b", "a"], pd.date_range("2020", periods=3), pd.MultiIndex.from_product([[1], list("xyz")])],
)
def test_rows_are_taken_by_position(index):
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0], "b": pd.Categorical(["u", "v", "u"])}, index=index)
    found = take_rows(X, np.array([2, 0, 2]))
    assert found["a"].tolist() == [3.0, 1.0, 3.0]
    assert list(found["b"].cat.categories) == ["u", "v"]
    assert found.index.tolist() == [0, 1, 2]
    assert take_rows(X["a"], np.array([1])).tolist() == [2.0]


@pytest.mark.parametrize("X", [[1.0, 2.0], np.zeros((0, 2)), pd.DataFrame({"a": []}), pd.DataFrame(index=[0, 1]), 3.0])
def test_what_is_no_table(X):
    with pytest.raises(InputError, match=r"two axes|no rows|no columns"):
        as_rows(X)


def test_targets():
    assert read_targets([1, 2, 3], 3).dtype.kind == "i"
    np.testing.assert_array_equal(read_targets(pd.Series(["a", "b"], dtype="category"), 2), ["a", "b"])
    np.testing.assert_array_equal(read_targets(pd.DataFrame({"y": [1.0, 2.0]}), 2), [1.0, 2.0])
    np.testing.assert_array_equal(read_targets(np.array([True, False]), 2), [True, False])
    for y in ([1, 2, 3], [1.5, 2.0, 3.0]):
        found = read_targets(np.array(y, dtype=object), 3)
        np.testing.assert_array_equal(found, y)
        assert found.dtype == np.array(y).dtype
        assert not are_labels(found)
    y = np.arange(6.0).reshape(3, 2)
    assert read_targets(y, 3, several=True) is y


@pytest.mark.parametrize(
    ("y", "several", "text"),
    [
        (None, False, "one entry for each of the 2 rows"),
        ("ab", False, "one entry for each of the 2 rows"),
        ([1.0], False, "got 1"),
        ([1.0, np.nan], False, "1 missing or infinite values, the first at row 1"),
        ([np.inf, 1.0], False, "first at row 0"),
        ([None, "a"], False, "first at row 0"),
        ([[1.0, 2.0], [1.0, 2.0]], False, "shape"),
        ([[1.0, 2.0], [1.0, np.nan]], True, "first at row 1"),
    ],
)
def test_wrong_targets(y, several, text):
    with pytest.raises(InputError, match=text):
        read_targets(y, 2, several=several)


FRAME = pd.DataFrame({"x": [1.0, 2.0, 3.0], "town": ["Oslo", "Rome", "Oslo"], "open": [True, False, True]})


def told(estimator, X=FRAME, **options):
    coding, _ = read_for_estimator(estimator, X)
    return with_levels(estimator, coding, **options).categorical


def test_only_the_levels_that_the_user_gave():
    """Or all, if an estimator of ours may know them."""
    estimator, given = GPRegressor(), {"town": ["Lima", "Oslo", "Rome"]}
    assert told(estimator) == {1: ["Oslo", "Rome"], 2: [False, True]}
    assert estimator.categorical is None  # the given one stays as it was
    for key in ("town", 1, -2):
        found = told(GPRegressor(categorical={key: given["town"]}), only_given=True)
        assert found == {1: ["Lima", "Oslo", "Rome"], 2: None}
    assert told(estimator, only_given=True) == {1: None, 2: None}
    X = np.array([[0.5, 3.0], [1.5, 4.0]])
    assert told(estimator, X) is None
    assert told(GPRegressor(categorical=[1]), X) == {1: [3.0, 4.0]}


def test_rows_know_the_levels_of_all_rows():
    frame = pd.DataFrame(
        {"x": [1.0, 2.0, 3.0], "town": ["Oslo", "Rome", "Oslo"], 7: [True, False, True]}, index=[5, 6, 7]
    )
    rows = rows_with_levels(BayesianLinearRegression(), frame)
    assert list(rows.columns) == ["x", "town", 7]
    part = take_rows(rows, np.array([0, 2]))
    assert list(part["town"]) == ["Oslo", "Oslo"]
    assert list(part["town"].cat.categories) == ["Oslo", "Rome"]
    array = rows_with_levels(BayesianLinearRegression(categorical=[1]), np.array([[0.5, 3.0], [1.5, 4.0]]))
    assert list(array["x1"].cat.categories) == [3.0, 4.0]


def test_other_estimators_get_the_rows_as_they_are():
    for rows in (pd.DataFrame({"town": ["Oslo", "Rome"]}), np.array([[1.0, 2.0]])):
        assert rows_with_levels(None, rows) is rows
    assert rows_with_levels(None, [[1, 2.0]]).dtype.kind == "f"
    mixed = rows_with_levels(None, [[1.5, "a"], [2.5, "b"]])
    assert mixed.dtype == object
    assert mixed[1].tolist() == [2.5, "b"]
