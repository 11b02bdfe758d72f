from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from scipy import stats

from rsens.plots import calibration
from tests.assess.made import drawn_classes, drawn_numbers
from tests.plots.looks import drawn


def test_the_band_is_binomial():
    ax = calibration(drawn_numbers())
    (band,) = [c for c in ax.collections if isinstance(c, LineCollection)]
    heights = [segment[0][1] for segment in band.get_segments()]
    np.testing.assert_allclose(heights, np.array(stats.binom.interval(0.95, 200, 0.1)) / 200)
    (ideal,) = ax.lines
    assert list(ideal.get_ydata()) == [0.1, 0.1]


@pytest.mark.parametrize("k", [2, 3])
def test_points_are_the_reliability_table(k):
    assessment = drawn_classes(k=k)
    ax = drawn(calibration(assessment))
    diagonal, observed = ax.lines
    assert list(diagonal.get_xdata()) == list(diagonal.get_ydata()) == [0.0, 1.0]
    np.testing.assert_array_equal(observed.get_xdata(), assessment.reliability["predicted"])
    np.testing.assert_array_equal(observed.get_ydata(), assessment.reliability["observed"])
    assert ax.get_xlabel() == ("probability of b" if k == 2 else "probability of the predicted class")
