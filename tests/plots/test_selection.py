"""What models with few interactions lose against the full one."""

import numpy as np
import pytest

from rsens.plots import selection
from tests.select_interactions.made import made


@pytest.mark.parametrize(("level", "factor"), [(0.95, 1.959964), (0.5, 0.67449)])
@pytest.mark.parametrize("corrected", [True, False])
def test_intervals(level, factor, corrected):
    result = made()
    bars = selection(result, level=level, corrected=corrected).collections[0]
    half = np.array([0.5 * np.ptp(segment[:, 1]) for segment in bars.get_segments()])
    se = result.summary(corrected=corrected)["difference_se"].to_numpy()[:-1]
    np.testing.assert_allclose(half, factor * se, rtol=1e-5)
