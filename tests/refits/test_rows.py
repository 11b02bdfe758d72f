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


def test_lists_become_arrays():
    assert as_rows([[1, 2.0], [3, 4.0]]).dtype == np.float64
    mixed = as_rows([[1.5, "a"], [2.5, "b"]])
    assert mixed.dtype == object
    assert mixed[1].tolist() == [2.5, "b"]


@pytest.mark.parametrize(
    ("X", "text"),
    [
        ([1.0, 2.0], "two axes"),
        (np.zeros((0, 2)), "no rows"),
        (pd.DataFrame({"a": []}), "no rows"),
        (pd.DataFrame(index=[0, 1]), "no columns"),
        (3.0, "two axes"),
    ],
)
def test_what_is_no_table(X, text):
    with pytest.raises(InputError, match=text):
        as_rows(X)


def test_targets():
    assert read_targets([1, 2, 3], 3).dtype.kind == "i"
    np.testing.assert_array_equal(read_targets(pd.Series(["a", "b"], dtype="category"), 2), ["a", "b"])
    np.testing.assert_array_equal(read_targets(pd.DataFrame({"y": [1.0, 2.0]}), 2), [1.0, 2.0])
    np.testing.assert_array_equal(read_targets(np.array([True, False]), 2), [True, False])


@pytest.mark.parametrize(
    ("y", "text"),
    [
        (None, "one entry for each of the 2 rows"),
        ("ab", "one entry for each of the 2 rows"),
        ([1.0], "got 1"),
        ([1.0, np.nan], "1 missing or infinite values, the first at row 1"),
        ([np.inf, 1.0], "first at row 0"),
        ([None, "a"], "first at row 0"),
        ([[1.0, 2.0], [1.0, 2.0]], "shape"),
    ],
)
def test_wrong_targets(y, text):
    with pytest.raises(InputError, match=text):
        read_targets(y, 2)


@pytest.mark.parametrize("y", [[1, 2, 3], [1.5, 2.0, 3.0]])
def test_numbers_are_numbers_however_they_are_stored(y):
    found = read_targets(np.array(y, dtype=object), 3)
    np.testing.assert_array_equal(found, y)
    assert found.dtype == np.array(y).dtype
    assert not are_labels(found)


def test_several_numbers_per_row():
    y = np.arange(6.0).reshape(3, 2)
    assert read_targets(y, 3, several=True) is y
    y[1, 1] = np.nan
    with pytest.raises(InputError, match="first at row 1"):
        read_targets(y, 3, several=True)


# ---- levels ----------------------------------------------------------------------------------------------------------


FRAME = pd.DataFrame({"x": [1.0, 2.0, 3.0], "town": ["Oslo", "Rome", "Oslo"], "open": [True, False, True]})


def told(estimator, X=FRAME, **options):
    coding, _ = read_for_estimator(estimator, X)
    return with_levels(estimator, coding, **options).categorical


def test_an_estimator_of_ours_knows_all_levels():
    estimator = GPRegressor()
    assert told(estimator) == {1: ["Oslo", "Rome"], 2: [False, True]}
    assert estimator.categorical is None  # the given one stays as it was


def test_only_the_levels_that_the_user_gave():
    given = {"town": ["Lima", "Oslo", "Rome"]}
    for key in ("town", 1, -2):
        found = told(GPRegressor(categorical={key: given["town"]}), only_given=True)
        assert found == {1: ["Lima", "Oslo", "Rome"], 2: None}
    assert told(GPRegressor(), only_given=True) == {1: None, 2: None}


def test_numbers_have_no_levels():
    X = np.array([[0.5, 3.0], [1.5, 4.0]])
    assert told(GPRegressor(), X) is None
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
    frame = pd.DataFrame({"town": ["Oslo", "Rome"]})
    assert rows_with_levels(None, frame) is frame
    array = np.array([[1.0, 2.0]])
    assert rows_with_levels(None, array) is array
    assert rows_with_levels(None, [["a", 1.0]]).dtype == object
    assert rows_with_levels(None, [[1, 2.0]]).dtype.kind == "f"
