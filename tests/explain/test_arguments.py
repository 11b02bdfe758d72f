"""Bad input: what, got what, do what."""

from __future__ import annotations

from enum import Enum

import numpy as np
import pandas as pd
import pytest

from rsens._errors import InputError
from rsens._explain import explain
from tests.explain.models import BayesianLinear, Heteroscedastic, Linear


class Colour(Enum):
    """Labels without an order."""

    RED = 1
    BLUE = 2


X = np.random.default_rng(0).normal(size=(12, 2))
MODEL = Linear([1.0, 2.0])


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"scale": "SD"}, "'sd', 'raw'"),
        ({"scale": None}, "'raw'"),
        ({"scale": [1.0]}, "2 columns"),
        ({"scale": [1.0, -1.0]}, "at least 0"),
        ({"scale": [1.0, np.nan]}, "finite"),
        ({"scale": {"x0": 1.0}}, "'x1'"),
        ({"scale": {"x0": 1.0, "x1": "wide"}}, "numbers"),
        ({"pairs": 2}, "pairs must be one of"),
        ({"pairs": "yes"}, "pairs must be one of"),
        ({"pairs": None}, "pairs must be one of"),
        ({"keep_local": "yes"}, "keep_local must be one of"),
        ({"keep_local": "pairs", "pairs": False}, "needs pairs"),
        ({"groups": ["x0"]}, "groups must be a dict"),
        ({"groups": {"g": ["nope"]}}, "nope"),
        ({"groups": {"x0": ["x1"]}}, "Rename"),
        ({"weights": np.ones(5)}, "12 rows"),
        ({"weights": -np.ones(12)}, "at least 0"),
        ({"weights": np.zeros(12)}, "not all 0"),
        ({"weights": np.full(12, np.nan)}, "finite"),
        ({"weights": ["a"] * 12}, "numbers"),
        ({"by": "nope"}, "no column 'nope'"),
        ({"by": [1, 2, 3]}, "12 rows"),
        ({"by": 3}, "12 rows"),
        ({"by": {"a": 1}}, "12 rows"),
        ({"by": [None] + [1] * 11}, "no label for 1 of 12"),
        ({"by": np.ones((12, 2))}, "one label per row"),
        ({"by": [{}] * 12}, "labels must be"),
        ({"intervals": ("rows", 1.0)}, "intervals must be a number between 0 and 1"),
        ({"intervals": ("sometimes", 0.9)}, "intervals must be one of"),
        ({"random_state": -1}, "random_state"),
        ({"random_state": 1.5}, "random_state"),
        ({"random_state": True}, "random_state"),
        ({"random_state": "seed"}, "random_state"),
        ({"n_jobs": 1.5}, "n_jobs"),
    ],
)
def test_bad_options(options, text):
    with pytest.raises(InputError, match=text):
        explain(MODEL, X, **options)


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        (np.ones(3), "reshape"),
        (np.ones((0, 2)), "no rows"),
        ([[1.0, np.nan]], "finite"),
        (pd.DataFrame({"a": ["x", "y"], "b": [1.0, 2.0]}), "'a'"),
    ],
)
def test_bad_rows(rows, text):
    with pytest.raises(InputError, match=text):
        explain(MODEL, rows)


def test_bad_models():
    with pytest.raises(InputError, match="not fitted"):
        explain(BayesianLinear(), X)
    with pytest.raises(InputError, match="from_function"):
        explain(lambda rows: rows, X)
    with pytest.raises(InputError, match="from_function"):
        explain(None, X)


def test_values_beyond_float64_are_named():
    with pytest.raises(InputError, match=r"R-sens.*row 0.*'x1'"):
        explain(Linear([1.0, 1e200], sigma=1e-120), X)


def test_too_many_subgroups():
    many = np.random.default_rng(1).normal(size=(101, 2))
    with pytest.raises(InputError, match=r"101 different labels.*qcut"):
        explain(MODEL, many, by="x0")
    assert len(explain(MODEL, many[:100], by="x0").by) == 100


def test_a_subgroup_without_weight():
    with pytest.raises(InputError, match="'b'"):
        explain(MODEL, X, by=["a"] * 6 + ["b"] * 6, weights=[1.0] * 6 + [0.0] * 6)


def test_labels_of_different_kinds():
    result = explain(MODEL, X, by=["b", 1, "b", 2.5] * 3)
    assert list(result.by.index) == [1, 2.5, "b"]
    unordered = explain(MODEL, X, by=[Colour.RED, Colour.BLUE] * 6)
    assert list(unordered.by.index) == ["Colour.RED", "Colour.BLUE"]


def test_silent_unless_in_a_terminal(capsys):
    explain(Heteroscedastic(), np.random.default_rng(2).normal(size=(500, 3)))
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "")
