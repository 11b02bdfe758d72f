from __future__ import annotations

import numpy as np
from matplotlib.collections import LineCollection
from scipy import stats

from rsens.plots import calibration
from tests.assess.made import drawn_numbers


def test_the_band_is_binomial():
    ax = calibration(drawn_numbers())
    (band,) = [c for c in ax.collections if isinstance(c, LineCollection)]
    heights = [segment[0][1] for segment in band.get_segments()]
    np.testing.assert_allclose(heights, np.array(stats.binom.interval(0.95, 200, 0.1)) / 200)
    (ideal,) = ax.lines
    assert list(ideal.get_ydata()) == [0.1, 0.1]
