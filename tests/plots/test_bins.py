"""A profile of a model that predicts bins: its bands are the quantiles of the bins."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np

from rsens import from_function
from rsens.distributions import Histogram, Mixture
from rsens.plots import predictive, profile

BORDERS = np.array([0.0, 1.0, 2.0, 4.0])


def bins(X):
    rise = 1.0 / (1.0 + np.exp(-X[:, 0]))
    return Histogram(BORDERS, np.stack([0.5 * (1.0 - rise), np.full(len(X), 0.5), 0.5 * rise], axis=1))


def test_bands():
    family = Histogram(BORDERS, [[0.25, 0.5, 0.25]]).checked()
    kind, centre, mean, bands = predictive(family, np.array([0.5, 0.75]))
    assert (kind, centre) == ("number", "mean")
    np.testing.assert_allclose(mean, [[1.625]])
    np.testing.assert_allclose(bands[0, :, :, 0], [[1.0, 2.0], [0.5, 3.0]])
    mixed = Mixture([family, family], [0.5, 0.5]).checked()
    # The quantiles of a mixture are interpolated between 2,000 nodes.
    np.testing.assert_allclose(predictive(mixed, np.array([0.5, 0.75]))[3], bands, atol=2e-3)


def test_it_is_drawn():
    upper, lower = profile(from_function(bins), np.random.default_rng(0).normal(size=(20, 2)), 0)
    line = upper.lines[0].get_ydata()
    assert 0.5 < min(line) < max(line) < 3.0
    assert lower.get_xlabel() == "x0"
    plt.close("all")
