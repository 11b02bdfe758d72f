"""Bad input: what, got what, do what."""

from __future__ import annotations

from enum import Enum

import numpy as np
import pandas as pd
import pytest

from rsens._errors import InputError
from rsens._explain import explain
from tests.explain.models import BayesianLinear, Linear


class Colour(Enum):
    """Labels without an order."""

    RED = 1
    BLUE = 2


X = np.random.default_rng(0).normal(size=(12, 2))
MODEL = Linear([1.0, 2.0])


WRONG: dict[str, dict[str, list]] = {
    "scale": {"": ["SD", None, [1.0], [1.0, -1.0], [1.0, np.nan], {"x0": 1.0}, {"x0": 1.0, "x1": "wide"}]},
    "pairs": {"one of": [2, "yes", None]},
    "keep_local": {"one of": ["yes"]},
    "groups": {"": [["x0"], {"g": ["nope"]}, {"x0": ["x1"]}]},
    "weights": {"": [np.ones(5), -np.ones(12), np.zeros(12), np.full(12, np.nan), ["a"] * 12]},
    "by": {
        "no column 'nope'": ["nope"],
        "12 rows": [[1, 2, 3], 3, {"a": 1}],
        "no label for 1 of 12": [[None] + [1] * 11],
        "label": [np.ones((12, 2)), [{}] * 12],
    },
    "intervals": {"between 0 and 1": [("rows", 1.0)], "one of": [("sometimes", 0.9)]},
    "random_state": {"": [-1, 1.5, True, "seed"]},
    "n_jobs": {"": [1.5]},
}
CASES = [(name, word, value) for name, words in WRONG.items() for word, values in words.items() for value in values]


@pytest.mark.parametrize(("name", "word", "value"), CASES)
def test_wrong_values(name, word, value):
    with pytest.raises(InputError, match=word or None) as raised:
        explain(MODEL, X, **{name: value})
    assert raised.value.argument == name


@pytest.mark.parametrize(
    ("model", "rows", "options", "text"),
    [
        (MODEL, np.ones(3), {}, "reshape"),
        (MODEL, np.ones((0, 2)), {}, "no rows"),
        (MODEL, [[1.0, np.nan]], {}, "finite"),
        (MODEL, pd.DataFrame({"a": ["x", "y"], "b": [1.0, 2.0]}), {}, "'a'"),
        (BayesianLinear(), X, {}, "not fitted"),
        (lambda rows: rows, X, {}, "from_function"),
        (None, X, {}, "from_function"),
        (MODEL, X, {"keep_local": "pairs", "pairs": False}, "needs pairs"),
        (MODEL, X, {"by": ["a"] * 6 + ["b"] * 6, "weights": [1.0] * 6 + [0.0] * 6}, "'b'"),
        (Linear([1.0, 1e200], sigma=1e-120), X, {}, r"R-sens.*row 0.*'x1'"),  # beyond float64
    ],
)
def test_wrong_models_and_rows(model, rows, options, text):
    with pytest.raises(InputError, match=text):
        explain(model, rows, **options)


def test_too_many_subgroups():
    many = np.random.default_rng(1).normal(size=(101, 2))
    with pytest.raises(InputError, match=r"101 different labels.*qcut"):
        explain(MODEL, many, by="x0")
    assert len(explain(MODEL, many[:100], by="x0").by) == 100


def test_labels_of_different_kinds():
    result = explain(MODEL, X, by=["b", 1, "b", 2.5] * 3)
    assert list(result.by.index) == [1, 2.5, "b"]
    unordered = explain(MODEL, X, by=[Colour.RED, Colour.BLUE] * 6)
    assert list(unordered.by.index) == ["Colour.RED", "Colour.BLUE"]


@pytest.mark.parametrize(("name", "value"), [("pairs", True), ("keep_local", "pairs")])
def test_pairs_of_many_columns_are_refused(name, value):
    with pytest.raises(InputError, match="at most 300 columns; got 301 columns, 45,150") as raised:
        explain(Linear(np.ones(301)), np.random.default_rng(0).normal(size=(6, 301)), **{name: value})
    assert raised.value.argument == name
