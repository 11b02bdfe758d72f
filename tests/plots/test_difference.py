"""Two explanations side by side."""

import numpy as np
import pytest

from rsens._errors import InputError
from rsens.plots import difference
from tests.explain.differing import differing
from tests.plots.pictured import NAMES


def line(ax, label: str):
    return next(line for line in ax.lines if line.get_label() == label)


def test_values_and_differences_stand_on_one_line():
    found = differing(NAMES)
    left, right = found.plot()
    frame = found.to_frame().set_index("term").loc[NAMES]  # the largest value first
    np.testing.assert_allclose(line(left, "before").get_xdata(), frame["value_a"])
    np.testing.assert_allclose(line(left, "after").get_xdata(), frame["value_b"])
    marked, others = (each for each in right.lines if each.get_marker() == "o")
    assert marked.get_markerfacecolor() != others.get_markerfacecolor()
    np.testing.assert_allclose(marked.get_xdata(), frame["a_minus_b"][frame["differs"]])
    np.testing.assert_allclose(marked.get_ydata(), np.flatnonzero(frame["differs"]))
    assert [label.get_gid() for label in left.get_yticklabels()] == NAMES
    assert right.get_title(loc="left") == "before − after"
    low, high = right.get_xlim()
    assert low == -high


@pytest.mark.parametrize("ax", [3, "ab", [1, 2, 3], [None, None]])
def test_axes_are_two(ax):
    with pytest.raises(InputError, match="Axes"):
        difference(differing(["a"]), ax=ax)
