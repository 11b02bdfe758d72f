import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from rsens._errors import InputError
from rsens.plots import beeswarm
from rsens.plots._style import GREY, LOW_HIGH
from tests.plots.pictured import NAMES, pictured


def swarms(ax):
    """Positions (points, 2) of each variable, uppermost first."""
    return [collection.get_offsets() for collection in ax.collections]


def colours(ax, row):
    return {to_hex(colour).upper() for colour in ax.collections[row].get_facecolors()}


def labels(ax):
    return [label.get_text() for label in ax.get_yticklabels()]


def test_every_row_is_a_point_at_its_value():
    explanation = pictured(NAMES)
    ax = beeswarm(explanation)
    ranked = explanation.main.sort_values(ascending=False).index
    assert labels(ax) == list(ranked)
    for row, name in enumerate(ranked):
        points = swarms(ax)[row]
        np.testing.assert_array_equal(points[:, 0], np.sort(explanation.local_main[name]))
        assert (np.abs(points[:, 1] - row) < 0.5).all()
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # row 0 is the uppermost


def test_an_outlier_does_not_take_all_colours():
    rows = pd.DataFrame({"x": np.append(np.linspace(0.0, 1.0, 99), 1e6)})
    assert len(colours(beeswarm(pictured(["x"], n=100).but(data=rows, local_main=rows.copy())), 0)) > 50
    rare = pd.DataFrame({"x": np.append(np.zeros(99), 1.0)})  # its quantiles are all alike
    assert colours(beeswarm(pictured(["x"], n=100).but(data=rare)), 0) == {LOW_HIGH[0], LOW_HIGH[-1]}


def test_data_can_be_given():
    explanation = pictured(NAMES)
    ax = beeswarm(explanation.but(data=None), X=explanation.data)
    np.testing.assert_array_equal(
        ax.collections[0].get_facecolors(), beeswarm(explanation).collections[0].get_facecolors()
    )
    with pytest.raises(InputError, match="X must be the 200 rows that were explained; got 3"):
        beeswarm(explanation, X=explanation.data.iloc[:3])


@pytest.mark.parametrize("kind", ["group", "levels"])
def test_groups_and_levels_are_grey_and_a_renamed_column_is_not(kind):
    known = pictured(["a", "b"])
    data = pd.DataFrame(np.random.default_rng(0).normal(size=(200, 3)), columns=["x", "y", "z"])
    if kind == "group":
        ax = beeswarm(known.but(data=data, groups={"a": ("x", "y"), "b": ("z",)}))
    else:
        data = pd.DataFrame({"a": np.array(["x", "y"])[np.arange(200) % 2], "b": data["x"]})
        ax = beeswarm(known.but(data=data, categorical=("a",)))
        only = beeswarm(pictured(["a"]).but(data=data[["a"]], categorical=("a",)))
        assert only.figure.axes == [only]  # no colour bar
    found = {name: colours(ax, row) for row, name in enumerate(labels(ax))}
    assert found["a"] == {GREY.upper()}
    assert len(found["b"]) > 50
