"""The distribution that replaces a mixture for second derivatives has the moments of the mixture."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rsens.distributions import ALL_FAMILIES, LogNormal, Mixture, Normal
from tests.distributions.cases import CASES

WEIGHTS = np.array([0.25, 0.75])
ONE_FAMILY = [case for case in CASES if case.family != "Mixture"]
#: Families whose variance is matched too. Others keep their λ averaged: an average of counts, of probabilities, or of
#: parameters that have no better reading.
MEAN_AND_VARIANCE = ("Normal", "StudentT", "Gamma", "Beta", "MultivariateNormal")
MEAN_ALONE = ("Exponential", "Bernoulli", "Binomial", "Categorical", "Histogram", "Poisson", "NegativeBinomial")


def mixture_of(case: Any) -> Mixture:
    return Mixture([case.distribution, case.other], WEIGHTS)


@pytest.mark.parametrize("case", [case for case in ONE_FAMILY if case.family in MEAN_AND_VARIANCE], ids=str)
def test_mean_and_variance(case: Any) -> None:
    mixture = mixture_of(case)
    matched = mixture.matched()
    assert type(matched) is type(case.distribution)
    np.testing.assert_allclose(matched.mean, mixture.mean, rtol=1e-12)
    np.testing.assert_allclose(matched.variance, mixture.variance, rtol=1e-12)


@pytest.mark.parametrize("case", [case for case in ONE_FAMILY if case.family in MEAN_ALONE], ids=str)
def test_mean(case: Any) -> None:
    mixture = mixture_of(case)
    np.testing.assert_allclose(mixture.matched().mean, mixture.mean, rtol=1e-12)


def test_the_logarithm_of_a_log_normal() -> None:
    (case,) = [case for case in CASES if case.name == "LogNormal"]
    matched = mixture_of(case).matched()
    logarithm = Mixture([Normal(p.mu, p.sigma2) for p in (case.distribution, case.other)], WEIGHTS)
    assert isinstance(matched, LogNormal)
    np.testing.assert_allclose(matched.mu, logarithm.mean, rtol=1e-12)
    np.testing.assert_allclose(matched.sigma2, logarithm.variance, rtol=1e-12)


def test_weibull_keeps_its_averages() -> None:
    (case,) = [case for case in CASES if case.name == "Weibull"]
    average = WEIGHTS[0] * case.near + WEIGHTS[1] * case.far
    np.testing.assert_allclose(mixture_of(case).matched().parameters, average, rtol=1e-12)


def test_every_family_is_looked_at() -> None:
    here = {*MEAN_AND_VARIANCE, *MEAN_ALONE, "LogNormal", "Weibull", "Mixture"}
    assert here == {family.__name__ for family in ALL_FAMILIES}
