"""R-sens within subgroups, as a table of cells."""

from __future__ import annotations

import numpy as np
import pytest

from rsens._errors import InputError
from rsens.plots import subgroups
from rsens.plots._subgroups import MOST_SUBGROUPS
from tests.plots.looks import below, drawn, marks
from tests.plots.pictured import NAMES, divided

REGIONS = ["north", "south", "east", "west", "up to 25", "(others)"]


def colours(ax) -> np.ndarray:
    """What the cells are coloured by, terms × subgroups."""
    return ax.collections[0].get_array().reshape(-1, round(ax.get_xlim()[1]))


def test_each_cell_is_a_term_in_a_subgroup():
    explanation = divided(NAMES, REGIONS)
    ax = subgroups(explanation)
    frame = explanation.by_frame().set_index(["term", "subgroup"])
    assert [label.get_gid() for label in ax.get_xticklabels()] == REGIONS
    terms = [label.get_gid() for label in ax.get_yticklabels()]
    assert terms == list(explanation.main.sort_values(ascending=False).index)
    low, high = ax.get_ylim()
    assert low > high  # the first line is the uppermost
    assert len(marks(ax)) == len(frame)
    for text in marks(ax):
        x, y = text.get_position()
        line = frame.loc[(terms[int(y)], REGIONS[int(x)])]
        assert text.get_text() == f"{line['value']:.2f}" + ("≠" if line["differs"] else "")
        assert text.get_fontweight() == ("bold" if line["differs"] else "normal")
        assert colours(ax)[int(y), int(x)] == line["difference"]


def test_the_strongest_colour_is_the_largest_difference_either_way():
    explanation = divided(NAMES, REGIONS)
    most = explanation.by_frame()["difference"].abs().max()
    mesh = subgroups(explanation).collections[0]
    assert (mesh.norm.vmin, mesh.norm.vmax) == (-most, most)
    red, _, blue, _ = mesh.cmap([0.0, 1.0]).T
    assert red[0] > blue[0]  # orange: below
    assert blue[1] > red[1]  # blue: above


def test_values_can_be_read_on_their_cells():
    """Black on white has a contrast of 21; guidelines for web pages ask for 4.5."""

    def light(colour) -> float:
        channels = np.asarray(colour[:3])
        linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722])

    explanation = divided(["a"], list(range(12)))
    apart = [-1.0, -0.8, -0.5, 0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0]
    ax = drawn(subgroups(explanation.but(subgroups=explanation.by_frame().assign(difference=apart))))
    for text, face in zip(marks(ax), ax.collections[0].get_facecolor(), strict=True):
        letter = 1.0 if text.get_color() == "white" else 0.0
        dark, bright = sorted([letter, light(face)])
        assert (bright + 0.05) / (dark + 0.05) > 4.5
    assert {text.get_color() for text in marks(ax)} == {"black", "white"}


def test_what_stands_below():
    ax = subgroups(divided(NAMES, REGIONS))
    assert below(ax).startswith("R-sens per sd blue: above the other rows, orange: below ≠ differs from the other rows")
    unmarked = subgroups(divided(NAMES, REGIONS, marked=False))
    assert "≠" not in below(unmarked)
    assert not any("≠" in text.get_text() for text in marks(unmarked))


def test_many_subgroups_and_top():
    many = [f"g{k}" for k in range(MOST_SUBGROUPS + 3)]
    ax = subgroups(divided(NAMES, many), top=5)
    assert "3 more subgroups are not shown" in below(ax)
    assert colours(ax).shape == (5, MOST_SUBGROUPS)
    assert ax.get_yticklabels()[-1].get_text() == "… 3 more"


def test_what_is_refused():
    with pytest.raises(InputError, match=r"no subgroups. Ask for them with explain\(..., by=...\)"):
        subgroups(divided(NAMES, REGIONS).but(subgroups=None))
    with pytest.raises(InputError, match="top"):
        subgroups(divided(NAMES, REGIONS), top=0)
    with pytest.raises(InputError, match="Axes"):
        subgroups(divided(NAMES, REGIONS), ax=3)
