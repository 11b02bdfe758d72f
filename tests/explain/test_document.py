"""The tables and legends of an explanation: stars, levels, intervals, directions and pairs; and `to_frame`."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from rsens._errors import InputError
from rsens._explain import explain, pairs, variables
from rsens._explain._document import hidden, intervals_legend, pairs_legend, variables_legend
from rsens._text import width_of
from rsens.derivatives import from_function
from rsens.distributions import Normal
from tests.explain.marked import marked, plain
from tests.explain.models import BayesianLinear, Heteroscedastic, Linear
from tests.pages import NASTY, harmless

YES, NO = np.ones(6, dtype=np.bool_), np.zeros(6, dtype=np.bool_)


def cells(table):
    """The cells with their marks by heading."""
    marks = {column.head: column.marks or [""] * len(column.cells) for column in table.columns}
    return {
        column.head: [cell + mark for cell, mark in zip(column.cells, marks[column.head], strict=True)]
        for column in table.columns
        if not column.is_empty and column.kind != "bar"
    }


def test_one_document_is_printed_and_shown_in_a_notebook():
    explanation = marked(intervals="refits", pairs={})
    printed = " ".join(repr(explanation).split())
    shown = " ".join(" ".join(harmless(explanation._repr_html_()).texts).split())
    for table in (variables(explanation), pairs(explanation)):
        for line in table.legend:
            assert " ".join(line.split()) in printed
            assert " ".join(line.split()).lower() in shown.lower()
    assert "Variables by R-sens" in printed
    assert "Largest pairs by R-sens₂" in shown


# ---- variables -------------------------------------------------------------------------------------------------------


def test_stars_are_where_the_value_is_above_its_level():
    table = variables(marked(null=(2.5, 3.5, 1.5, 2.5)))
    found = cells(table)
    assert list(found) == ["", "variable", "R-sens", "null", "p", "direction"]
    assert found["variable"] == list("abcd")
    assert [value.endswith("*") for value in found["R-sens"]] == [True, False, True, False]
    assert (found["null"][0], found["p"][0]) == ("2.50", "0.001")
    assert table.muted == [False, True, False, True]


def test_the_marks_for_all_variables_together():
    legend = variables_legend(marked())
    assert legend[0].startswith("* above the null level, which 95 % of irrelevant columns")
    assert legend[1].startswith("p: ")
    assert legend[2].startswith("false-discovery rate 10 %: a and b (")
    assert variables_legend(marked(familywise="a"))[3].startswith("family-wise 5 %: a (")
    assert variables_legend(marked(discovery="", familywise=""))[2] == "false-discovery rate 10 %: none"
    assert variables_legend(marked(null=(9.0,) * 4, p=(0.2,) * 4, discovery="", familywise="")) == legend[:2]
    doubtful = variables_legend(marked(p=(0.001, 0.06, 0.2, 0.04)))[-1]
    assert doubtful.startswith("borderline")
    assert doubtful.endswith(": b and d")
    unknown = marked(null=(2.5, 2.5, np.nan, 2.5), p=(0.001, 0.01, np.nan, 0.3))
    assert "no null level: c" in variables_legend(unknown)


@pytest.mark.parametrize(
    ("kind", "null", "words"),
    [("refits", 2.5, "new data of this size (10 refits)"), ("rows", 2.5, "too narrow"), ("refits", 9.0, "do not hold")],
)
def test_the_scope_of_intervals(kind, null, words):
    explanation = marked(intervals=kind, null=(null,) * 4)
    (legend,) = intervals_legend(explanation)
    assert legend.startswith("intervals: ")
    assert words in legend
    assert legend in variables(explanation).legend
    assert ("95 % interval" in cells(variables(explanation))) == (null < 9.0)
    assert intervals_legend(marked()) == []


def test_directions_have_arrows():
    X = np.random.default_rng(1).normal(size=(200, 4))
    e = explain(Linear([3.0, 0.1, -2.0, 0.0], gamma=1.0), X, scale="raw", intervals=False, pairs=False)
    table = variables(e)
    found = dict(zip(cells(table)["variable"], cells(table)["direction"], strict=True))
    assert found["x0"].startswith("▲ ")
    assert found["x1"] == "±"  # its derivative 0.1 + x0 changes its sign
    assert (found["x2"], found["x3"]) == ("▼ 2.00", "")
    assert any(line.startswith("▲ ▼ mean slope of the prediction per unit") for line in table.legend)


# ---- pairs -----------------------------------------------------------------------------------------------------------


def test_the_star_of_a_pair_is_the_one_of_the_test():
    legend = pairs_legend(marked(pairs={}))
    assert legend[0].startswith("* the data contradict a model in which these two add up on the logit scale")
    assert legend[2].startswith("false-discovery rate 10 %: a × b (")
    assert "the star comes from a test" in legend[3]
    found = cells(pairs(marked(pairs={})))
    assert [name for name, value in zip(found["pair"], found["R-sens₂"], strict=True) if "*" in value] == ["a × b"]
    assert found["p"][found["pair"].index("a × b")] == "<0.001"


def test_a_model_that_adds_up_has_no_star():
    note = "The model adds up on the logit scale by construction, but the data show interactions that it cannot hold."
    changes = {"pair_additive": YES, "pair_above": NO, "pair_discovery": NO, "pair_notes": (note,)}
    table = pairs(marked(pairs=changes))
    assert "adds up on the logit scale by construction, so no pair has a star" in table.legend[0]
    assert note in table.legend
    assert not any("*" in value for value in cells(table)["R-sens₂"])
    some = pairs_legend(marked(pairs={"pair_additive": np.arange(6) >= 4}))
    assert "2 pairs add up in the model by construction: never a star" in some


def test_inconclusive_and_untested_pairs():
    table = pairs(marked(pairs={"pair_unclear": np.arange(6) == 1}))
    assert any(line.startswith("? inconclusive") for line in table.legend)
    found = cells(table)
    assert [value[-1:] == "?" for value in found["R-sens₂"]] == [pair == "a × c" for pair in found["pair"]]
    untested = {"pair_p_values": np.full(6, np.nan), "pair_above": NO, "pair_discovery": NO}
    for explanation in (marked(), marked(pairs=untested | {"pair_notes": ("Too few rows.",)})):
        assert pairs_legend(explanation)[0].startswith("no stars: ")
        assert not any("*" in value for value in cells(pairs(explanation))["R-sens₂"])


def test_uncertainty_only_is_named():
    """The mean adds up, the variance does not."""
    model = from_function(lambda X: Normal(X[:, 0] + X[:, 1] + X[:, 2], np.exp(0.3 * X[:, 0] * X[:, 1])))
    explanation = explain(model, np.random.default_rng(0).normal(size=(20, 3)))
    frame = explanation.to_frame(2)
    only = frame.loc[frame["uncertainty_only"], ["first", "second"]].to_numpy().tolist()
    assert only
    table = pairs(explanation)
    remarks = next(column.cells for column in table.columns if "uncertainty only" in column.cells)
    named = [pair for pair, remark in zip(cells(table)["pair"], remarks, strict=True) if remark]
    assert sorted(named) == sorted(f"{a} × {b}" for a, b in only)
    assert any(line.startswith(f"uncertainty only ({len(only)} of 3 pairs): ") for line in table.legend)


def test_a_star_further_down_is_named():
    rest = marked(pairs={"pair_above": YES})
    assert hidden(rest, rest.to_frame(2), 4, "in to_frame(2)") == [
        "… and 2 more in to_frame(2); with a star: b × d and c × d"
    ]
    assert hidden(rest, rest.to_frame(), 2, "below") == ["… and 2 more below"]
    assert hidden(rest, rest.to_frame(), 4, "below") == []


def test_odd_names_are_short_and_harmless():
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(30, len(NASTY))), columns=NASTY)
    nasty = explain(Linear(np.arange(1.0, 8.0), gamma=0.5), X, random_state=0)
    assert NASTY[0] in "".join(harmless(nasty._repr_html_()).texts)
    text = repr(nasty)
    assert all(character.isprintable() or character == "\n" for character in text)
    assert max(map(width_of, text.splitlines())) <= 96
    assert "and 11 more" in text  # 21 pairs, 10 of them shown


def test_the_heading_names_the_unit():
    X = np.random.default_rng(1).normal(size=(30, 3))
    assert repr(explain(Heteroscedastic(), X)).startswith(
        "R-sens per standard deviation, mean over 30 rows, Normal predictive\n\nVariables"
    )
    other = repr(explain(Heteroscedastic(), X, scale="raw", pairs=False))
    assert other.startswith("R-sens per unit, mean over 30 rows, Normal predictive\n")
    assert "pairs" not in other
    X[:, 1] = [0.0, 1.0] * 15
    text = " ".join(repr(explain(Heteroscedastic(), X, scale=[1, 2, 3], pairs=False)).split())
    assert "per given unit" in text
    assert "x1 has two values" in text
    assert "numeric=['x1']" in text


# ---- frames ----------------------------------------------------------------------------------------------------------


def test_frame_of_terms():
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.normal(size=(20, 3)), columns=["a", "b", "c"])
    y = X["b"] - 0.5 * X["c"] + 0.3 * rng.normal(size=20)
    result = explain(BayesianLinear().fit(X, y), X, y, random_state=0)
    frame = result.to_frame()
    assert list(frame.columns) == [
        "term", "value", "lower", "upper", "interval_kind", "rank", "direction", "consistency", "null", "above_null",
        "p_value", "discovery", "familywise", "null_kind", "part_location", "part_scale2",
    ]  # fmt: skip
    assert frame["term"].tolist() == ["b", "c", "a"]
    assert frame["rank"].tolist() == [1, 2, 3]
    by_term = frame.set_index("term").loc[list(result.names)]
    parts = result.parts.add_prefix("part_")
    singles = {"value": result.main, "direction": result.direction, "consistency": result.consistency}
    for column, expected in {**result.intervals, **parts, **singles}.items():
        np.testing.assert_array_equal(by_term[column], expected)
    assert by_term["above_null"].tolist() == (result.main > result.null).tolist()


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
    assert len(result.pairs) == len(result.to_frame(order=2)) == 0
    assert pairs(result) is result.pair_parts is None


@pytest.mark.parametrize("order", [0, True, "2", None])
def test_order_of_a_frame(order):
    with pytest.raises(InputError, match="order must be"):
        plain().to_frame(order)
