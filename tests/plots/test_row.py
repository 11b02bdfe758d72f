"""One row as signed bars: they are as long as `RowExplanation.to_frame` says."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from rsens.plots import row
from tests.plots.effects_and_rows import mixed_columns, of_classes, of_events, with_names
from tests.plots.looks import below

THIRTY = [f"a long name of variable {d}" for d in range(30)]


def lengths(ax: Axes) -> list[float]:
    """Of the bars, from top to bottom."""
    return [bar.get_width() for bar in ax.patches]


def names(ax: Axes) -> list[str]:
    return [label.get_gid() for label in ax.get_yticklabels() if label.get_gid()]


def test_bars_are_the_contributions():
    explained = mixed_columns().row(7)
    ax = row(explained)
    frame = explained.to_frame()
    assert isinstance(ax, Axes)
    np.testing.assert_allclose(lengths(ax), frame["contribution"])
    assert names(ax) == [f"{term} = {value}" for term, value in zip(frame["term"], frame["value"], strict=True)]
    assert below(ax) == f"contribution of first order {explained.adds_up}"


@pytest.mark.parametrize("make", [of_events, of_classes])
def test_probabilities_are_in_percentage_points(make):
    """The bars and the sum below them have one unit."""
    explained = make().row(3)
    ax = row(explained)
    np.testing.assert_allclose(lengths(ax), 100.0 * explained.to_frame()["contribution"])
    assert sum(lengths(ax)) == pytest.approx(100.0 * explained.explained)
    assert "percentage points" in below(ax)


def test_classes_are_named():
    explained = of_classes().row(3)
    assert explained.output in ("y0", "y1", "y2")
    assert f"contribution of first order to {explained.output}, percentage points" in below(row(explained))


def test_top_and_given_axes():
    figure, own = plt.subplots(figsize=(5, 3))
    explained = with_names(THIRTY).row(0)
    ax = row(explained, top=4, ax=own)
    assert ax is own
    assert ax.figure is figure
    np.testing.assert_allclose(lengths(ax), explained.to_frame()["contribution"][:4])
    assert ax.get_yticklabels()[-1].get_text() == "… 26 more"
    assert len(lengths(row(explained, top=None))) == 30
