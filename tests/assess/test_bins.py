"""A model that predicts bins is assessed like any model of numbers."""

from __future__ import annotations

import numpy as np
from scipy import stats

import rsens
from rsens.distributions import Histogram, Normal

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 1))
Y = X[:, 0] + 0.5 * RNG.normal(size=200)
BORDERS = np.linspace(-6.0, 6.0, 241)


def binned(train, y):
    """The truth, counted in narrow bins."""
    return rsens.from_function(
        lambda rows: Histogram(BORDERS, np.diff(stats.norm.cdf(BORDERS, rows[:, :1], 0.5), axis=1))
    )


def exact(train, y):
    return rsens.from_function(lambda rows: Normal(rows[:, 0], 0.25))


def test_scores_and_calibration_are_those_of_the_density_in_narrow_bins():
    got, want = (rsens.assess(None, X, Y, refit=fit, random_state=0) for fit in (binned, exact))
    # The density is constant over 0.05, a tenth of the standard deviation: 1e-3 of its square.
    np.testing.assert_allclose(got.score, want.score, atol=5e-3)
    np.testing.assert_allclose(got.coverage.to_numpy(), want.coverage.to_numpy(), atol=0.02)
    got.plot()
