"""Subgroups of rows: numbers are cut, small subgroups put together, and what divides nothing is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from rsens import InputError
from rsens._app.study._settings import Settings
from rsens._app.study._subgroups import division_of


def test_labels_keep_their_order_and_small_ones_are_in_none():
    column = pd.Series(["b"] * 30 + ["a"] * 20 + ["c"] * 6 + ["d"] * 6)
    division, notes = division_of(column, "g")
    assert division.labels == ("a", "b")
    assert [*np.bincount(division.codes + 1)] == [12, 20, 30]
    assert "2 values of 'g' with fewer than 10 rows each (12 rows) are in no subgroup" in notes[0].text


@pytest.mark.parametrize(("n", "ranges"), [(100, 4), (60, 3)])
def test_numbers_are_cut_and_that_is_said(n, ranges):
    division, notes = division_of(pd.Series([*np.arange(n) + 0.5, *[np.nan] * 15]), "g")
    assert len(division.labels) == ranges + 1
    assert division.labels[-1] == "(missing)"
    assert np.ptp(np.bincount(division.codes)[:-1]) <= 1
    assert division.labels[0].startswith("up to ")
    assert f"cut into {ranges} ranges" in notes[0].text


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        (["a", "b"], ("a", "b", "(missing)")),
        ([5.0, 10.0, -2.5], ("-2.5", "5", "10", "(missing)")),
        ([True, False], ("False", "True", "(missing)")),
    ],
)
def test_missing_values_are_the_last_subgroup(values, labels):
    division, notes = division_of(pd.Series(values * 20 + [None] * 15), "g")
    assert division.labels == labels
    assert (division.codes[-15:] == len(labels) - 1).all()
    assert [labels[code] for code in division.codes[: len(values)]] == [
        str(value).removesuffix(".0") for value in values
    ]
    assert not notes


@pytest.mark.parametrize("column", [["a"] * 50, ["a"] * 50 + ["b"] * 3, [f"v{i}" for i in range(40)]])
def test_what_divides_nothing(column):
    with pytest.raises(InputError, match="by: 'g' has no two subgroups"):
        division_of(pd.Series(column), "g")


@pytest.mark.parametrize(("by", "words"), [("c", "as cluster and as by"), (["a"], "one column")])
def test_wrong_columns(by, words):
    with pytest.raises(InputError, match=words):
        Settings(data=pd.DataFrame(), target="y", cluster="c", by=by)
