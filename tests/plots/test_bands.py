import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

from rsens._errors import InputError
from rsens.distributions import Histogram, Mixture, Normal, Poisson
from rsens.plots._predictions import central_intervals, predictive, read_levels
from tests.plots.pictured import THREE_SD


@pytest.mark.parametrize("levels", [(0,), (-1,), (1,), (np.nan,), "wide", [[0.5, 0.9]], None])
def test_levels_are_shares(levels):
    with pytest.raises(InputError, match="levels must be shares"):
        read_levels(levels)
    assert read_levels((0.9, 0.5)).tolist() == [0.5, 0.9]
    assert len(read_levels(())) == 0


def normals(n: int) -> Mixture:
    x = np.linspace(-2.0, 2.0, n)
    weights = np.tile([0.7, 0.3], (n, 1))
    return Mixture([Normal(x, np.full(n, 0.2)), Normal(-x, np.full(n, 0.05))], weights).checked(n)


def test_mixture_intervals_solve_its_distribution_function():
    n = 5
    mixture, shares = normals(n), np.array(THREE_SD)
    found = central_intervals(mixture, shares)
    a, b = mixture.components
    for i in range(n):

        def below(y: float, i: int = i) -> float:
            return 0.7 * stats.norm.cdf(y, a.mean[i], 0.2**0.5) + 0.3 * stats.norm.cdf(y, b.mean[i], 0.05**0.5)

        for k, share in enumerate(shares):
            for side, q in enumerate([0.5 - 0.5 * share, 0.5 + 0.5 * share]):
                exact = brentq(lambda y, q=q: below(y) - q, -20.0, 20.0)
                # 2001 nodes per component, interpolated: far below what a picture shows (1e-3 of a band)
                assert found[i, k, side] == pytest.approx(exact, abs=2e-3)


def test_counts_of_a_mixture_are_counts():
    mixture = Mixture([Poisson(np.array([3.0])), Poisson(np.array([12.0]))], np.array([[0.5, 0.5]])).checked(1)
    shares = np.array(THREE_SD)
    found = central_intervals(mixture, shares)[0]
    support = np.arange(60)
    below = 0.5 * stats.poisson.cdf(support, 3.0) + 0.5 * stats.poisson.cdf(support, 12.0)
    q = np.column_stack([0.5 - 0.5 * shares, 0.5 + 0.5 * shares])
    np.testing.assert_array_equal(found, support[np.searchsorted(below, q)])


def test_bins_have_the_quantiles_of_a_histogram():
    family = Histogram([0.0, 1.0, 2.0, 4.0], [[0.25, 0.5, 0.25]]).checked()
    kind, centre, mean, bands = predictive(family, np.array([0.5, 0.75]))
    assert (kind, centre) == ("number", "mean")
    np.testing.assert_allclose(mean, [[1.625]])
    np.testing.assert_allclose(bands[0, :, :, 0], [[1.0, 2.0], [0.5, 3.0]])
    mixed = Mixture([family, family], [0.5, 0.5]).checked()
    # The quantiles of a mixture are interpolated between 2,000 nodes.
    np.testing.assert_allclose(predictive(mixed, np.array([0.5, 0.75]))[3], bands, atol=2e-3)
