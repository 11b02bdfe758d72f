"""Weighted sums over rows that add up."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rsens._explain._values import RowMoments


@pytest.mark.parametrize("size", [1, 7, 40])
def test_sums_of_parts_add_up(size):
    rng = np.random.default_rng(size)
    values, weights = 1e3 + rng.normal(size=(40, 3)), rng.random(40)
    weights[:7] = 0.0  # a part that does not count
    whole = RowMoments.of(values, weights)
    parts = RowMoments.pooled([RowMoments.of(values[k : k + size], weights[k : k + size]) for k in range(0, 40, size)])
    for name in ("rows", "counted", "weight", "mean", "squares", "error"):
        np.testing.assert_allclose(getattr(parts, name), getattr(whole, name), rtol=1e-11, err_msg=name)
    np.testing.assert_allclose(parts.first, whole.first, atol=1e-11)
    away = weights[:, np.newaxis] * (values - weights @ values / weights.sum())
    np.testing.assert_allclose(whole.error, np.linalg.norm(away, axis=0), rtol=1e-11)


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_the_error_of_a_mean(scale):
    """As scipy has it, also where squares neither fit in float64 nor are above 0."""
    values = np.random.default_rng(0).normal(size=(30, 2))
    found = RowMoments.of(scale * values, np.full(30, 2.0)).spread
    np.testing.assert_allclose(found.error / scale, stats.sem(values), rtol=1e-12)
    halves = RowMoments.pooled([RowMoments.of(scale * part, np.ones(15)) for part in (values[:15], values[15:])])
    np.testing.assert_allclose(halves.spread.error / scale, stats.sem(values), rtol=1e-12)
