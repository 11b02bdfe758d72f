"""Which way a prediction goes, and how consistently."""

from __future__ import annotations

import numpy as np
import pytest

from rsens.measures._prediction import arrows, consistency


@pytest.mark.parametrize("slopes", [[1.0, 2.0, 3.0], [-1.0, -1e-300], [0.0, 5.0]])
def test_one_way_is_one(slopes):
    slopes = np.array(slopes)
    np.testing.assert_allclose(consistency(slopes.mean(), np.abs(slopes).mean()), 1.0, rtol=1e-15)


def test_ups_against_downs():
    # up 3, down 1: |3 − 1|/(3 + 1)
    assert consistency(np.array([0.5]), np.array([1.0])) == [0.5]
    assert consistency(np.array([0.0]), np.array([2.0])) == [0.0]


def test_arrows():
    direction = [2.0, -2.0, 2.0, -2.0, 0.0, 0.0, np.nan]
    share = [1.0, 0.5, 0.49, 0.0, 0.0, np.nan, np.nan]
    assert arrows(direction, share) == ["▲", "▼", "±", "±", "±", "", ""]
