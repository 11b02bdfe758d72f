from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection

from rsens._errors import InputError
from rsens.plots import bars
from tests.plots.looks import below, drawn, marks, outside_figure, overlapping, texts
from tests.plots.pictured import NAMES, ODD_NAMES, in_doubt, pictured


def labels(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def dashed(ax):
    """Lines that are drawn, not only in the legend."""
    return [line for line in ax.lines if line.get_linestyle() == "--" and len(line.get_xdata())]


def test_parts_stand_end_to_end_and_add_up_to_the_whole():
    explanation = pictured(NAMES)
    ax = bars(explanation)
    ranked = explanation.main.sort_values(ascending=False)
    first, second = ax.containers[:2]
    assert len(first) == len(second) == 8
    for row, name in enumerate(ranked.index):
        assert first[row].get_x() == 0.0
        assert first[row].get_width() == explanation.parts.loc[name, "mean"]
        assert second[row].get_x() == first[row].get_width()
        assert second[row].get_x() + second[row].get_width() == pytest.approx(ranked[name], rel=1e-14)
    assert {"prediction (mean)", "uncertainty (variance)"} <= {t.get_text() for t in ax.get_legend().get_texts()}


def whiskers(ax):
    collection = next(c for c in ax.collections if isinstance(c, LineCollection))
    return np.array([[segment[0, 0], segment[1, 0], segment[0, 1]] for segment in collection.get_segments()])


def test_whiskers_end_at_the_intervals():
    explanation = pictured(NAMES)
    ranked = explanation.main.sort_values(ascending=False)
    expected = np.column_stack([explanation.intervals.loc[ranked.index], np.arange(8)])
    np.testing.assert_allclose(whiskers(bars(explanation)), expected, rtol=1e-12)


def test_an_interval_need_not_hold_the_value_and_may_be_unknown():
    explanation = pictured(NAMES)
    odd = explanation.intervals.copy()
    odd.loc["age"] = explanation.main["age"] * np.array([1.1, 1.3])
    odd.loc["sex"] = np.nan
    found = whiskers(bars(explanation.but(intervals=odd)))
    assert len(found) == 7
    row = list(explanation.main.sort_values(ascending=False).index).index("age")
    np.testing.assert_allclose(found[found[:, 2] == row][0, :2], odd.loc["age"], rtol=1e-12)
    assert not list(bars(explanation.but(intervals=odd * np.nan)).collections)
    assert not list(bars(explanation.but(intervals=None)).collections)


def test_levels_that_differ_are_pieces_in_their_rows():
    explanation = pictured(NAMES)
    null = pd.Series(np.linspace(0.2, 0.5, 8), index=explanation.main.index)
    null["bmi"] = np.nan
    ax = bars(explanation.but(null=null, intervals=None))
    assert not dashed(ax)
    casing, pieces = ax.collections  # white, then dashes
    ranked = list(explanation.main.sort_values(ascending=False).index)
    for collection in (casing, pieces):
        found = {round(segment[:, 1].mean()): segment[0, 0] for segment in collection.get_segments()}
        assert found == {row: null[name] for row, name in enumerate(ranked) if name != "bmi"}
        assert all(np.ptp(segment[:, 1]) < 1.0 for segment in collection.get_segments())  # within its row
    assert "null level" in [text.get_text() for text in ax.get_legend().get_texts()]
    assert "null level" not in [text.get_text() for text in marks(ax)]


def signs(ax):
    return {round(t.xy[1]): t.get_text() for t in marks(ax) if t.get_text() in "▲▼±"}


def test_signs_follow_direction_and_consistency():
    explanation = pictured(NAMES)
    direction, consistency = explanation.direction.copy(), explanation.consistency.copy() * 0.0 + 0.5
    direction["s3"], consistency["s3"] = 0.0, 0.0  # flat on average
    direction["s4"] = consistency["s4"] = np.nan  # a group of columns
    consistency["age"] = 0.4999  # both ways
    direction["sex"], consistency["sex"] = 0.0, np.nan  # does not move
    found = signs(bars(explanation.but(direction=direction, consistency=consistency)))
    ranked = list(explanation.main.sort_values(ascending=False).index)
    expected = {name: "▲" if direction[name] > 0 else "▼" for name in NAMES[2:6]} | {"s3": "±", "age": "±"}
    assert {ranked[row]: sign for row, sign in found.items()} == expected


def test_top_shows_the_largest_and_counts_the_rest():
    explanation = pictured(NAMES)
    ax = bars(explanation, top=3)
    ranked = explanation.main.sort_values(ascending=False)
    assert labels(ax) == [*ranked.index[:3], "… 5 more"]
    assert len(ax.containers[0]) == 3
    assert labels(bars(explanation, top=8)) == labels(bars(explanation, top=100)) == list(ranked.index)


@pytest.mark.parametrize(("kind", "label"), [("sd", "per sd"), ("raw", "per unit"), ("given", "per given unit")])
def test_the_axis_names_the_unit(kind, label):
    known = pictured(NAMES).but(scale_kind=kind, intervals=None)
    assert bars(known).get_xlabel() == f"R-sens {label}"
    switch = " or switch" if kind == "raw" else ""
    assert bars(known.but(categorical=(NAMES[0],))).get_xlabel() == f"R-sens {label}{switch}"


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({}, "95 %, for new data of this size (10 refits)"),
        ({"interval_kind": "rows", "interval_refits": 0}, "95 %, rows only: with the model unchanged"),
        ({"intervals_hold": False}, "no variable is above the null level, so the intervals do not hold"),
    ],
)
def test_the_line_below_says_what_whiskers_hold_for(changes, note):
    ax = drawn(bars(pictured(NAMES).but(**changes)))
    assert " ".join(below(ax).split("\n")) == f"R-sens per sd whiskers: {note}"
    assert outside_figure([ax.xaxis.label]) == []
    assert "whiskers" not in below(bars(pictured(NAMES).but(intervals=None, **changes)))


def test_pairs_are_split_and_have_the_marks_of_the_test():
    explanation = in_doubt(pictured(NAMES))
    ax = drawn(bars(explanation, order=2))
    ranked = explanation.pairs.sort_values(ascending=False)
    assert labels(ax) == [f"{first} × {second}" for first, second in ranked.index]
    prediction, uncertainty = ax.containers[:2]
    for row, pair in enumerate(ranked.index):
        assert prediction[row].get_width() == explanation.pair_parts.loc[pair, "mean"]
        assert uncertainty[row].get_width() == pytest.approx(explanation.pair_parts.loc[pair, "variance"], rel=1e-14)
    np.testing.assert_allclose(whiskers(ax)[:, :2], explanation.pair_intervals.loc[ranked.index], rtol=1e-12)
    found = {ranked.index[round(t.xy[1])]: t.get_text() for t in marks(ax)}
    above, unclear = explanation.inference.pair_above, explanation.inference.pair_unclear
    assert found == {pair: "*" if above[pair] else "?" for pair in ranked.index if above[pair] or unclear[pair]}
    assert {"*", "?"} == set(found.values())
    said = " ".join(below(ax).split("\n"))
    assert "* the data contradict a model in which these two add up on the scale of y (5 % per pair)" in said
    assert "? inconclusive" in said
    assert overlapping(texts(ax)) == []
    assert outside_figure(texts(ax)) == []


def test_pairs_without_a_test_have_no_marks():
    explanation = pictured(NAMES).untested()
    ax = bars(explanation.but(pair_intervals=None, intervals=None, pair_parts=None), order=2, top=3)
    assert not marks(ax)
    assert below(ax) == "R-sens₂ per sd × sd"
    assert len(ax.patches) == 3


@pytest.mark.parametrize("order", [0, 3, True, "pairs"])
def test_a_wrong_order_is_an_error(order):
    with pytest.raises(InputError, match=r"order must be 1 \(variables\) or 2 \(pairs\)"):
        bars(pictured(NAMES), order=order)
    with pytest.raises(InputError, match="at least two variables"):
        bars(pictured(["only"]), order=2)
    assert plt.get_fignums() == []


def test_full_names_are_kept_in_the_picture_and_in_svg_files(tmp_path):
    ax = bars(pictured(ODD_NAMES))
    assert {label.get_gid() for label in ax.get_yticklabels()} == set(ODD_NAMES)
    ax.figure.savefig(tmp_path / "bars.svg")
    assert ODD_NAMES[0] in (tmp_path / "bars.svg").read_text(encoding="utf-8")


def test_characters_that_no_file_can_hold_are_escaped(tmp_path):
    ax = bars(pictured(["nul\0l", "half \ud83d pair", "bell\a"]))
    assert set(labels(ax)) == {r"nul\x00l", r"half \ud83d pair", r"bell\x07"}
    ax.figure.savefig(tmp_path / "bars.svg")
    ElementTree.parse(tmp_path / "bars.svg")  # fails where the file is not XML


def test_all_zero_is_drawn():
    explanation = pictured(NAMES)
    zero = explanation.main * 0.0
    ax = drawn(bars(explanation.but(main=zero, parts=None, intervals=None, null=None)))
    assert ax.get_xlim() == (0.0, 1.0)
