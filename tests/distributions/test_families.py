"""Relations between families: special cases, limits, digits that a formula would lose, and kinds of y."""

from __future__ import annotations

import numpy as np
import pytest

from rsens.distributions import (
    Bernoulli,
    Binomial,
    Categorical,
    Mixture,
    NegativeBinomial,
    Poisson,
    StudentT,
    Weibull,
    is_event,
)
from rsens.distributions._student_t import far_renyi, student_t_renyi
from tests.distributions.precision import mp, relative_error


def test_moments_exist_only_for_enough_df() -> None:
    family = StudentT(np.full(4, 1.5), np.full(4, 2.0), np.array([1.0, 1.5, 2.0, 4.0]))
    np.testing.assert_array_equal(np.isnan(family.mean), [True, False, False, False])
    np.testing.assert_array_equal(np.asarray(family.mean)[1:], 1.5)
    assert not np.isfinite(np.asarray(family.variance)[:3]).any()
    np.testing.assert_allclose(np.asarray(family.variance)[3], 4.0, rtol=1e-15)


@pytest.mark.parametrize("gap", [0.0, 1e-278, 1e-160, 1e-20])
@pytest.mark.parametrize(("scale2", "other"), [(1.0, 10.0), (10.0, 1.0)])
def test_largest_ratio_of_densities_with_nearly_one_location(gap, scale2, other):
    """At the location if p is the narrower, √(s'²/s²), and else in the tails, (s²/s'²)^{ν/2}."""
    divergence = StudentT(np.zeros(1), scale2, 5.0).renyi(StudentT(np.full(1, gap), other, 5.0), np.inf)
    expected = 0.5 * np.log(10.0) if scale2 < other else 2.5 * np.log(10.0)
    np.testing.assert_allclose(divergence, expected, rtol=1e-12)


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0])
def test_even_steps_and_panels_agree(alpha: float) -> None:
    """Far rows, and others of a df below 1, are integrated over panels. Any mix, in any order."""
    rng = np.random.default_rng(1)
    n = 60
    scale2, df = np.exp(rng.normal(scale=20.0, size=n)), rng.choice([0.5, 1.0, 4.0, 200.0, 1e8], n)
    gap = np.sqrt(scale2) * rng.choice([0.0, 0.05, 0.4, 2.0, 1e6], n)
    pairs = (gap, scale2, scale2 * rng.choice([1e-16, 0.8, 1.1, 1.4, 1e16], n), df)
    with np.errstate(all="ignore"):
        got, want = student_t_renyi(*pairs, alpha), far_renyi(*pairs, alpha)
    # Panels cover p^α q^β; that they cover p too is taken for granted, which costs digits there.
    np.testing.assert_allclose(got, want, rtol=1e-8, atol=1e-15)


def test_moments_keep_their_digits() -> None:
    """Γ(1 + 2/k) − Γ(1 + 1/k)² cancels for large shapes and is huge for small ones."""
    for shape in (0.05, 0.3, 50.0, 1e4):
        family = Weibull(np.array([shape]), np.array([2.0]))
        mean = 2 * mp.gamma(1 + 1 / mp.mpf(shape))
        assert relative_error(family.mean[0], mean) < 1e-12
        assert relative_error(family.variance[0], 4 * mp.gamma(1 + 2 / mp.mpf(shape)) - mean**2) < 1e-8


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0])
def test_a_huge_size_is_poisson(alpha: float) -> None:
    """The gap to Poisson is O(mean²/size)."""
    mean, y, other = np.array([0.5, 4.0]), np.array([2.0, 1.0]), np.array([0.7, 3.0])
    wide, poisson = NegativeBinomial(mean, np.full(2, 1e12)), Poisson(mean)
    np.testing.assert_allclose(wide.log_prob(y), poisson.log_prob(y), rtol=1e-10)
    np.testing.assert_allclose(wide.fisher_norm([[1.0, 0.0]] * 2), poisson.fisher_norm([[1.0]] * 2), rtol=1e-10)
    got = wide.renyi(NegativeBinomial(other, np.full(2, 1e12)), alpha)
    np.testing.assert_allclose(got, poisson.renyi(Poisson(other), alpha), rtol=1e-9)


@pytest.mark.parametrize("size", [1e-6, 0.5, 800.0])
def test_quantiles_of_counts_that_float64_cannot_tell_apart(size: float) -> None:
    """The first count at which the distribution function is reached, from either side, in a moment."""
    family = NegativeBinomial(np.full(2, 1e12), np.array([size, size])).checked()
    for q in (1e-12, 0.3, 0.999, 1.0 - 1e-12):
        for upper in (False, True):
            found = family._quantile(np.array([q, q]), upper)
            tail, before = (
                family._cdf(found, upper),
                family._cdf(np.minimum(found - 1.0, np.nextafter(found, 0.0)), upper),
            )
            assert ((tail <= q) if upper else (tail >= q)).all()
            assert ((found == 0.0) | ((before > q * (1 - 1e-12)) if upper else (before < q * (1 + 1e-12)))).all()


def test_events() -> None:
    """A Binomial counts only 0 or 1 as long as n is 1, and two classes are labels."""
    for family in (Bernoulli([0.3]), Mixture([Bernoulli([0.3]), Bernoulli(logit=[1.0])], [0.5, 0.5])):
        assert is_event(family)
        assert is_event(family.checked())
    for other in (
        Binomial(1, [0.3]),
        Categorical([[0.3, 0.7]]),
        Mixture([Bernoulli([0.3]), Poisson([0.3])], [0.5, 0.5]),
    ):
        assert not is_event(other)
        assert not is_event(other.checked())


@pytest.mark.parametrize("alpha", [0.01, 0.5, 1.0, 2.0, 10.0])
@pytest.mark.parametrize("df", [1.0, 1.5, 4.0, 30.0, 1e4, 1e8])
def test_both_routes_to_renyi_agree_where_distributions_are_close(df: float, alpha: float) -> None:
    rng = np.random.default_rng(0)
    size = np.repeat([1e-3, 1e-2, 0.099], 4) / max(alpha, 1.0)
    scale2 = np.exp(rng.normal(scale=10.0, size=size.size))
    gap = size * np.sqrt(scale2) * rng.uniform(size=size.size)
    pairs = (gap, scale2, scale2 * (1.0 + size * rng.uniform(-1.0, 1.0, size.size)) ** 2, np.full(size.size, df))
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(student_t_renyi(*pairs, alpha), far_renyi(*pairs, alpha), rtol=1e-9)
