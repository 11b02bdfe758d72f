"""One row as signed bars: they are as long as `RowExplanation.to_frame` says."""

import numpy as np
import pytest
from matplotlib.axes import Axes

from rsens.plots import row
from tests.plots.effects_and_rows import mixed_columns, of_classes, of_events
from tests.plots.looks import below


def lengths(ax: Axes) -> list[float]:
    """Of the bars, from top to bottom."""
    return [bar.get_width() for bar in ax.patches]


def test_bars_are_the_contributions():
    explained = mixed_columns().row(7)
    ax = row(explained)
    frame = explained.to_frame()
    np.testing.assert_allclose(lengths(ax), frame["contribution"])
    names = [label.get_gid() for label in ax.get_yticklabels() if label.get_gid()]
    assert names == [f"{term} = {value}" for term, value in zip(frame["term"], frame["value"], strict=True)]
    assert below(ax) == f"contribution of first order {explained.adds_up}"


@pytest.mark.parametrize("make", [of_events, of_classes])
def test_probabilities_are_in_percentage_points(make):
    """The bars and the sum below them have one unit."""
    explained = make().row(3)
    ax = row(explained)
    np.testing.assert_allclose(lengths(ax), 100.0 * explained.to_frame()["contribution"])
    assert sum(lengths(ax)) == pytest.approx(100.0 * explained.explained)
    assert "percentage points" in below(ax)
