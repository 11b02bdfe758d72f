"""The line along which mixtures are integrated: density and scores there, and where the mass is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rsens import distributions
from rsens.distributions import Binomial, Gamma, NegativeBinomial, Poisson, Univariate, Weibull
from tests.distributions.cases import CASES

ON_A_LINE = [case for case in CASES if issubclass(getattr(distributions, case.family), Univariate)]
TO_Y = {"real": lambda t: t, "positive": np.exp, "unit": lambda t: 1.0 / (1.0 + np.exp(-t))}
every_case = pytest.mark.parametrize("case", ON_A_LINE, ids=str)


def nodes(family: Any, k: int = 25) -> Any:
    """t (k, n) across the reach; counts are whole."""
    reach = family._reach()
    t = reach.low + np.linspace(0.02, 0.98, k)[:, None] * (reach.high - reach.low)
    return np.unique(np.maximum(np.round(t), 0.0), axis=0) if family.support == "counts" else t


@every_case
def test_density_and_scores_on_the_line(case: Any) -> None:
    """The form that reaches below the smallest y, against the one in y."""
    family = case.distribution.checked()
    t = nodes(family)
    y = TO_Y[family.line](t)
    usable = (y > 1e-290) & (1.0 - y > 1e-9) if family.line == "unit" else (y > 1e-290) | (family.line == "real")
    log_p, scores = family._log_prob_and_scores(t)
    plain, plain_scores = Univariate._log_prob_and_scores(family, np.where(usable, t, 0.0))
    # 1 − y is known to 1e-7 where y is that close to 1; all else is rounding of numbers of the size of log p.
    tolerance = {"rtol": 1e-6 if family.line == "unit" else 1e-9, "atol": 1e-9}
    np.testing.assert_allclose(log_p[usable], plain[usable], **tolerance)
    for score, other in zip(scores, plain_scores, strict=True):
        np.testing.assert_allclose(
            np.broadcast_to(score, t.shape)[usable], np.broadcast_to(other, t.shape)[usable], **tolerance
        )


@every_case
def test_nearly_all_mass_is_within_reach(case: Any) -> None:
    family = case.distribution.checked()
    reach = family._reach()
    assert ((reach.low < reach.centre) & (reach.centre < reach.high) & (reach.spread > 0.0)).all()
    assert (reach.spread <= reach.high - reach.low).all()
    y = TO_Y[family.line]
    assert (family.cdf(y(reach.low)) < 1e-15).all() or family.support == "counts"
    assert (family.survival(y(reach.high)) < 1e-15).all()


def test_densities_at_zero() -> None:
    """Infinite, finite or none, by the shape."""
    shapes, zeros = np.array([0.5, 1.0, 2.0]), np.zeros(3)
    np.testing.assert_array_equal(Gamma(np.full(3, 4.0), shapes).log_prob(zeros), [np.inf, -np.log(4.0), -np.inf])
    np.testing.assert_array_equal(Weibull(shapes, np.full(3, 4.0)).log_prob(zeros), [np.inf, -np.log(4.0), -np.inf])


@pytest.mark.parametrize(
    "family",
    [
        Poisson(np.full(2, 1e13)),
        NegativeBinomial(np.full(2, 1e13), np.full(2, 1e12)),
        Binomial(np.full(2, 1e14), np.full(2, 0.3)),
    ],
)
def test_quantiles_of_huge_rates_are_normal(family: Any) -> None:
    """Skewness is of the order of 1e-6 here, and so is its effect, in standard deviations."""
    z = (family.quantile(np.array([0.025, 0.999])) - family.mean) / np.sqrt(family.variance)
    np.testing.assert_allclose(z, [-1.959964, 3.090232], atol=1e-5)
