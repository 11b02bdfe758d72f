"""Tables, text and HTML."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from rsens._errors import InputError
from rsens._explain import explain
from rsens._text import width_of
from tests.explain.models import BayesianLinear, Heteroscedastic, Linear
from tests.pages import NASTY, harmless


@pytest.fixture(scope="module")
def nasty():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(30, len(NASTY))), columns=NASTY)
    return explain(Linear(np.arange(1.0, 8.0), gamma=0.5), X, random_state=0)


def test_html_shows_every_name_and_runs_none(nasty):
    texts = harmless(nasty._repr_html_()).texts
    for name in NASTY[:5] + NASTY[6:]:
        assert name in texts
    assert "tab\\tnew\\nline \\x1b[31m" in texts


def test_text_is_short_and_harmless(nasty):
    text = repr(nasty)
    assert all(character.isprintable() or character == "\n" for character in text)
    assert max(map(width_of, text.splitlines())) <= 110
    assert "long long" in text
    assert "…" in text
    assert "and 11 more" in text  # 21 pairs, 10 of them shown


def test_the_heading_says_what_was_done():
    X = np.random.default_rng(1).normal(size=(30, 3))
    assert repr(explain(Heteroscedastic(), X)).startswith(
        "R-sens per standard deviation, mean over 30 rows, Normal predictive\n\nVariables"
    )
    other = repr(explain(Heteroscedastic(), X, scale="raw", pairs=False))
    assert other.startswith("R-sens per unit, mean over 30 rows, Normal predictive\n")
    assert "Pairs" not in other
    assert "per given unit" in repr(explain(Heteroscedastic(), X, scale=[1, 2, 3]))


def test_frame_of_terms():
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.normal(size=(20, 3)), columns=["a", "b", "c"])
    y = X["b"] - 0.5 * X["c"] + 0.3 * rng.normal(size=20)
    result = explain(BayesianLinear().fit(X, y), X, y, random_state=0)
    frame = result.to_frame()
    columns = [
        "term",
        "value",
        "lower",
        "upper",
        "interval_kind",
        "rank",
        "direction",
        "consistency",
        "null",
        "above_null",
        "p_value",
        "discovery",
        "familywise",
        "null_kind",
        "reached",
        "part_location",
        "part_scale2",
    ]
    assert list(frame.columns) == columns
    assert frame["term"].tolist() == ["b", "c", "a"]
    assert frame["rank"].tolist() == [1, 2, 3]
    assert frame["value"].is_monotonic_decreasing
    by_term = frame.set_index("term").loc[list(result.names)]
    for column, expected in (
        ("value", result.main), ("direction", result.direction), ("lower", result.intervals["lower"]),
        ("upper", result.intervals["upper"]), ("part_scale2", result.parts["scale2"]),
        ("consistency", result.consistency),
    ):  # fmt: skip
        np.testing.assert_array_equal(by_term[column], expected)
    assert by_term["above_null"].tolist() == (result.main > result.null).tolist()


def test_directions_have_arrows():
    X = np.random.default_rng(1).normal(size=(200, 4))
    text = repr(explain(Linear([3.0, 0.1, -2.0, 0.0], gamma=1.0), X, scale="raw", intervals=False, pairs=False))
    variables = text.partition("Effects")[0]
    found = {line.split()[0]: line.split()[2:] for line in variables.splitlines() if line.startswith("x")}
    assert found["x0"][0] == "▲"
    assert found["x1"] == ["±"]  # its derivative 0.1 + x0 changes its sign
    assert found["x2"] == ["▼", "2.00"]
    assert found["x3"] == []
    assert "▲ ▼ mean slope of the prediction per unit; ± goes both ways" in text
    assert "consistency" not in text


def test_two_values_are_told():
    X = pd.DataFrame({"a": np.linspace(-1.0, 1.0, 20), "flag": [0, 1] * 10})
    text = " ".join(repr(explain(Linear([1.0, 1.0]), X)).split())
    assert "flag has two values and is compared between them, like a category; numeric=['flag'] gives slopes" in text


def test_frame_of_pairs():
    X = pd.DataFrame(np.random.default_rng(3).normal(size=(20, 3)), columns=["a", "b:c", "d"])
    frame = explain(Linear([1.0, 1.0, 1.0], gamma=2.0), X).to_frame(order=2)
    values = ["value", "lower", "upper", "interval_kind", "rank", "above_null", "p_value", "discovery", "null_kind"]
    parts = ["part_mean", "part_variance", "uncertainty_only"]
    assert list(frame.columns) == ["term", "first", "second", *values, *parts]
    assert frame["term"].tolist() == ["a:b:c", "a:d", "b:c:d"]  # ambiguous by itself, so:
    assert frame[["first", "second"]].to_numpy().tolist() == [["a", "b:c"], ["a", "d"], ["b:c", "d"]]
    assert frame["rank"].tolist() == [1, 2, 2]


def test_one_column_has_no_pairs():
    result = explain(Linear([1.0]), [[1.0], [2.0]])
    assert len(result.pairs) == 0
    assert len(result.to_frame(order=2)) == 0
    assert "Pairs" not in repr(result)


def test_top():
    X = np.random.default_rng(4).normal(size=(20, 4))
    result = explain(Linear([1.0, 4.0, 2.0, 3.0], gamma=0.1), X, scale="raw")
    assert list(result.top(2).index) == ["x1", "x3"]
    assert list(result.top(99).index) == ["x1", "x3", "x2", "x0"]
    assert list(result.top(1, order=2).index) == [("x0", "x1")]
    for k in (0, -1, 1.5, True, "all"):
        with pytest.raises(InputError, match="k must be"):
            result.top(k)
    for order in (0, 3, True, "2", None):
        with pytest.raises(InputError, match="order must be"):
            result.top(1, order=order)
        with pytest.raises(InputError, match="order must be"):
            result.to_frame(order=order)
