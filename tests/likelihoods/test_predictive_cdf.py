"""P(Y ≤ y) with the latent integrated out: against sums of the density, differences, and 30-digit quadrature."""

from typing import Any

import numpy as np
import pytest

from rsens.likelihoods import (
    GaussianLikelihood,
    Likelihood,
    NegativeBinomialLikelihood,
    PoissonLikelihood,
    StudentTLikelihood,
    _quadrature,
)
from tests.likelihoods.cases import CASES, Array, close

COUNTS = [PoissonLikelihood(), *(NegativeBinomialLikelihood(size) for size in (0.1, 5.0, 1e4, 1e9))]
REAL = [GaussianLikelihood(0.3), *(StudentTLikelihood(*a) for a in ((1.0, 4.0), (0.01, 2.1), (0.05, 400.0)))]
each_count = pytest.mark.parametrize("likelihood", COUNTS, ids=str)
each_real = pytest.mark.parametrize("likelihood", REAL, ids=str)
each_likelihood = pytest.mark.parametrize("likelihood", [case.likelihood for case in CASES], ids=str)
VARIANCES = (0.0, 1e-6, 1e-3, 0.02, 0.5, 2.0, 30.0, 400.0)


def at(values: Array, m: float, v: float) -> tuple[Array, Array, Array]:
    return values, np.full(len(values), m), np.full(len(values), v)


@each_count
@pytest.mark.parametrize("m", [-3.0, 0.0, 2.0, 6.0])
def test_counts_are_the_sum_of_their_probabilities(likelihood: Likelihood, m: float) -> None:
    """60 terms; the size 1e9 leaves log_predictive_density 1e-11 of relative accuracy."""
    for v in VARIANCES:
        rows = at(np.arange(60.0), m, v)
        close(likelihood.predictive_cdf(*rows), np.cumsum(np.exp(likelihood.log_predictive_density(*rows))), 0.0, 1e-11)


@each_real
def test_the_derivative_is_the_density(likelihood: Any) -> None:
    """Five-point differences over 1e-2 of the narrower scale: error 1e-8, relative to the largest density."""
    y = np.array([-5.0, -0.6, -0.1, 0.0, 0.2, 1.0, 4.0])
    for v in VARIANCES:
        h = 1e-2 * np.sqrt(v + getattr(likelihood, "scale2", 0.3))
        values = [likelihood.predictive_cdf(*at(y + k * h, 0.1, v)) for k in (-2, -1, 1, 2)]
        slope = (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * h)
        close(slope, np.exp(likelihood.log_predictive_density(*at(y, 0.1, v))), 1e-7, 1e-8 / h)


@each_likelihood
def test_every_likelihood_rises_from_zero_to_one(likelihood: Likelihood) -> None:
    y = np.array([-1e9, -1.0, -0.5, 0.0, 0.3, 1.0, 1e9])
    found = likelihood.predictive_cdf(*at(y, 0.4, 0.7))
    assert (np.diff(found) >= -1e-15).all()
    assert found[0] == pytest.approx(0.0, abs=1e-12)
    assert found[-1] == pytest.approx(1.0, abs=1e-12)
    if likelihood.predictive(0.0, 1.0).support == "counts":
        np.testing.assert_array_equal(found[:3], 0.0)
        assert found[3] == found[4]  # nothing between the counts


@each_count
def test_a_finer_rule_changes_nothing(likelihood: Likelihood, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over 300 random rows, both integrals among them, with counts up to 1e5."""
    rng = np.random.default_rng(22)
    y, m = np.floor(10.0 ** rng.uniform(-0.3, 5.0, 300)), rng.uniform(-2.0, 12.0, 300)
    v = 10.0 ** rng.uniform(-6.0, 2.6, 300)
    found = likelihood.predictive_cdf(y, m, v)
    monkeypatch.setattr(_quadrature, "_NODES", 8 * _quadrature._NODES)
    close(found, likelihood.predictive_cdf(y, m, v), 0.0, 1e-11)
