from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection

from rsens._errors import InputError
from rsens.plots import bars
from tests.plots.looks import below, drawn, marks, outside_figure
from tests.plots.pictured import NAMES, ODD_NAMES, pictured


def labels(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def whiskers(ax):
    collection = next(c for c in ax.collections if isinstance(c, LineCollection))
    return np.array([[segment[0, 0], segment[1, 0], segment[0, 1]] for segment in collection.get_segments()])


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
