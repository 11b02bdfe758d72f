"""The distribution that replaces a mixture for second derivatives has the moments of the mixture."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rsens.distributions import ALL_FAMILIES, Mixture, Normal
from tests.distributions.cases import CASES

WEIGHTS = np.array([0.25, 0.75])
#: Families whose variance is matched too. Others keep their λ averaged: an average of counts, of probabilities, or of
#: parameters that have no better reading.
MEAN_AND_VARIANCE = ("Normal", "StudentT", "Gamma", "Beta", "MultivariateNormal")
MEAN_ALONE = ("Exponential", "Bernoulli", "Binomial", "Categorical", "Histogram", "Poisson", "NegativeBinomial")


@pytest.mark.parametrize("case", [c for c in CASES if c.family in (*MEAN_AND_VARIANCE, *MEAN_ALONE)], ids=str)
def test_mean_and_variance(case: Any) -> None:
    mixture = Mixture([case.distribution, case.other], WEIGHTS)
    matched = mixture.matched()
    assert type(matched) is type(case.distribution)
    np.testing.assert_allclose(matched.mean, mixture.mean, rtol=1e-12)
    if case.family in MEAN_AND_VARIANCE:
        np.testing.assert_allclose(matched.variance, mixture.variance, rtol=1e-12)


def test_the_logarithm_of_a_log_normal_and_the_averages_of_a_weibull() -> None:
    normal, weibull = (next(case for case in CASES if case.name == name) for name in ("LogNormal", "Weibull"))
    matched = [Mixture([case.distribution, case.other], WEIGHTS).matched().parameters for case in (normal, weibull)]
    logarithm = Mixture([Normal(p.mu, p.sigma2) for p in (normal.distribution, normal.other)], WEIGHTS)
    expected = np.stack([logarithm.mean, logarithm.variance], -1)
    np.testing.assert_allclose(matched[0], expected, rtol=1e-12)
    average = WEIGHTS[0] * weibull.near + WEIGHTS[1] * weibull.far
    np.testing.assert_allclose(matched[1], average, rtol=1e-12)


def test_every_family_is_looked_at() -> None:
    here = {*MEAN_AND_VARIANCE, *MEAN_ALONE, "LogNormal", "Weibull", "Mixture"}
    assert here == {family.__name__ for family in ALL_FAMILIES}
