"""R-sens within subgroups, as a table of cells."""

import numpy as np
import pytest

from rsens._errors import InputError
from rsens.plots import subgroups
from rsens.plots._subgroups import MOST_SUBGROUPS
from tests.plots.looks import below, marks
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


def test_many_subgroups_and_top():
    many = [f"g{k}" for k in range(MOST_SUBGROUPS + 3)]
    ax = subgroups(divided(NAMES, many), top=5)
    assert "3 more subgroups are not shown" in below(ax)
    assert colours(ax).shape == (5, MOST_SUBGROUPS)
    assert ax.get_yticklabels()[-1].get_text() == "… 3 more"


def test_what_is_refused():
    with pytest.raises(InputError, match=r"no subgroups. Ask for them with explain\(..., by=...\)"):
        subgroups(divided(NAMES, REGIONS).but(subgroups=None))
