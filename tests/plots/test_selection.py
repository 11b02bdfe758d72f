"""What models with few interactions lose against the full one."""

from __future__ import annotations

import numpy as np
import pytest

from rsens.plots import selection
from tests.select_interactions.made import made


def line(ax, label: str):
    return next(line for line in ax.lines if line.get_label() == label)


def test_differences_to_the_full_model_and_the_answer():
    result = made(k=4, splits=30)
    ax = selection(result)
    differences = result.summary()["difference"]
    np.testing.assert_allclose(line(ax, "rsens2").get_ydata(), differences[:-1])
    assert line(ax, "full model").get_ydata()[0] == 0.0
    assert [float(tick) for tick in ax.get_xticks() if -0.5 < tick < 4.5] == [0, 1, 2, 3, 4]
    ring = line(ax, "suggested")
    assert ring.get_xdata()[0] == result.suggested
    assert ring.get_ydata()[0] == differences[result.suggested]


@pytest.mark.parametrize(("level", "factor"), [(0.95, 1.959964), (0.5, 0.67449)])
@pytest.mark.parametrize("corrected", [True, False])
def test_intervals(level, factor, corrected):
    result = made()
    bars = selection(result, level=level, corrected=corrected).collections[0]
    half = np.array([0.5 * np.ptp(segment[:, 1]) for segment in bars.get_segments()])
    se = result.summary(corrected=corrected)["difference_se"].to_numpy()[:-1]
    np.testing.assert_allclose(half, factor * se, rtol=1e-5)
