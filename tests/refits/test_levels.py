"""Levels of categorical columns that a part of the rows may lack."""

from __future__ import annotations

import numpy as np
import pandas as pd

from rsens._refits import read_for_estimator, rows_with_levels, take_rows, with_levels
from rsens.models import BayesianLinearRegression, GPRegressor

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
