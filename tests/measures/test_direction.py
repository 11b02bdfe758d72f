"""Which way a prediction goes, and how consistently."""

import numpy as np
import pytest

from rsens.measures._prediction import arrows, consistency


@pytest.mark.parametrize(
    ("slopes", "share"),
    [([1, 2], 1.0), ([-1.0, -1e-300], 1.0), ([0.0, 5.0], 1.0), ([3.0, -1.0], 0.5), ([2, -2], 0)],
)
def test_one_way_is_one_and_ups_count_against_downs(slopes, share):
    np.testing.assert_allclose(consistency(np.mean(slopes), np.abs(slopes).mean()), share, rtol=1e-15)


def test_arrows():
    direction = [2.0, -2.0, 2.0, -2.0, 0.0, 0.0, np.nan]
    share = [1.0, 0.5, 0.49, 0.0, 0.0, np.nan, np.nan]
    assert arrows(direction, share) == ["▲", "▼", "±", "±", "±", "", ""]
