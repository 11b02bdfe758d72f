"""Relations between families: special cases, limits, digits that a formula would lose, and kinds of y."""

from __future__ import annotations

import numpy as np
import pytest

from rsens.distributions import (
    Bernoulli,
    Binomial,
    Categorical,
    Distribution,
    Exponential,
    Gamma,
    LogNormal,
    Mixture,
    NegativeBinomial,
    Normal,
    Poisson,
    StudentT,
    Weibull,
    is_event,
)
from rsens.distributions._student_t import far_renyi, student_t_renyi
from tests.distributions.check import ALPHAS
from tests.distributions.precision import mp, relative_error

# ---- normal and log-normal ------------------------------------------------------------------------------------------


def test_log_normal_is_the_normal_of_the_logarithm() -> None:
    mu, sigma2, y = np.array([0.2, -1.0]), np.array([0.5, 2.0]), np.array([1.3, 0.01])
    log, normal = LogNormal(mu, sigma2), Normal(mu, sigma2)
    np.testing.assert_allclose(log.log_prob(y), normal.log_prob(np.log(y)) - np.log(y), rtol=1e-13)
    np.testing.assert_allclose(log.fisher(), normal.fisher(), rtol=1e-15)
    np.testing.assert_allclose(log.score(y), normal.score(np.log(y)), rtol=1e-13)
    np.testing.assert_allclose(
        log.renyi(LogNormal(mu + 0.1, sigma2 * 2), 0.7), normal.renyi(Normal(mu + 0.1, sigma2 * 2), 0.7), rtol=1e-14
    )


# ---- Student's t ----------------------------------------------------------------------------------------------------


def test_cauchy_divergence_has_a_closed_form() -> None:
    """KL of two Cauchy distributions: log of ((s + s')² + (m − m')²)/(4 s s')."""
    m, s, other_m, other_s = np.array([0.0, 3.0]), np.array([1.0, 0.2]), np.array([2.5, -3.0]), np.array([0.5, 4.0])
    got = StudentT(m, s**2, 1.0).renyi(StudentT(other_m, other_s**2, 1.0), 1.0)
    np.testing.assert_allclose(got, np.log(((s + other_s) ** 2 + (m - other_m) ** 2) / (4 * s * other_s)), rtol=1e-10)


def test_moments_exist_only_for_enough_df() -> None:
    family = StudentT(np.full(4, 1.5), np.full(4, 2.0), np.array([1.0, 1.5, 2.0, 4.0]))
    np.testing.assert_array_equal(np.isnan(family.mean), [True, False, False, False])
    np.testing.assert_array_equal(np.asarray(family.mean)[1:], 1.5)
    assert not np.isfinite(np.asarray(family.variance)[:3]).any()
    np.testing.assert_allclose(np.asarray(family.variance)[3], 4.0, rtol=1e-15)


def test_many_degrees_of_freedom_are_normal() -> None:
    """At df = 1e8 the log density differs from the normal one by O((z⁴ + 1)/df)."""
    location, scale2, y = np.array([0.0, 2.0]), np.array([1.0, 9.0]), np.array([0.4, -3.0])
    t, normal = StudentT(location, scale2, 1e8), Normal(location, scale2)
    np.testing.assert_allclose(t.log_prob(y), normal.log_prob(y), atol=1e-7)
    np.testing.assert_allclose(t.fisher(), normal.fisher(), rtol=1e-7)
    other = StudentT(location + 0.1, scale2 * 1.1, 1e8), Normal(location + 0.1, scale2 * 1.1)
    np.testing.assert_allclose(t.renyi(other[0], 0.5), normal.renyi(other[1], 0.5), rtol=1e-6)


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


# ---- gamma and Weibull ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", [0.3, 1.0, 1.4])
def test_shape_one_is_exponential(alpha: float) -> None:
    mean, other, y, one = np.array([0.5, 20.0]), np.array([0.6, 17.0]), np.array([0.1, 60.0]), np.ones(2)
    exponential = Exponential(mean)
    for same, changed, place in (
        (Gamma(mean, one), Gamma(other, one), slice(0, 1)),
        (Weibull(one, mean), Weibull(one, other), slice(1, 2)),
    ):
        np.testing.assert_allclose(same.log_prob(y), exponential.log_prob(y), rtol=1e-13)
        np.testing.assert_allclose(same.fisher()[:, place, place], exponential.fisher(), rtol=1e-14)
        np.testing.assert_allclose(same.renyi(changed, alpha), exponential.renyi(Exponential(other), alpha), rtol=1e-11)


def test_moments_keep_their_digits() -> None:
    """Γ(1 + 2/k) − Γ(1 + 1/k)² cancels for large shapes and is huge for small ones."""
    for shape in (0.05, 0.3, 50.0, 1e4):
        family = Weibull(np.array([shape]), np.array([2.0]))
        mean = 2 * mp.gamma(1 + 1 / mp.mpf(shape))
        assert relative_error(family.mean[0], mean) < 1e-12
        assert relative_error(family.variance[0], 4 * mp.gamma(1 + 2 / mp.mpf(shape)) - mean**2) < 1e-8


# ---- events, classes, counts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("alpha", ALPHAS)
def test_one_trial_is_bernoulli_is_two_classes(alpha: float) -> None:
    p, other = np.array([0.25, 0.625, 1e-10]), np.array([0.5, 0.375, 1e-9])
    one, bernoulli = Binomial(1, p), Bernoulli(p)
    classes, others = (Categorical(np.stack([1 - x, x], -1)) for x in (p, other))
    want = bernoulli.renyi(Bernoulli(other), alpha)
    np.testing.assert_allclose(one.renyi(Binomial(1, other), alpha), want, rtol=1e-13)
    # 1 − 1e-10 is rounded, so that two classes know 1e-10 only to 1e-16 absolutely.
    np.testing.assert_allclose(classes.renyi(others, alpha), want, rtol=1e-13, atol=1e-15)


def test_rare_successes_are_poisson() -> None:
    """n = 1e9 with p = 3e-9: the log density differs from Poisson(3) by O(1/n)."""
    y = np.array([0.0, 2.0, 9.0])
    binomial, poisson = Binomial(1e9, np.full(3, 3e-9)), Poisson(np.full(3, 3.0))
    np.testing.assert_allclose(binomial.log_prob(y), poisson.log_prob(y), rtol=1e-7)
    np.testing.assert_allclose(
        binomial.renyi(Binomial(1e9, np.full(3, 4e-9)), 2.0), poisson.renyi(Poisson(np.full(3, 4.0)), 2.0), rtol=1e-7
    )


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


EVENTS = {
    "Bernoulli": (Bernoulli([0.3]), True),
    "Bernoulli by logit": (Bernoulli(logit=[0.3]), True),
    "mixture of Bernoullis": (Mixture([Bernoulli([0.3]), Bernoulli(logit=[1.0])], [0.5, 0.5]), True),
    "Binomial": (Binomial(1, [0.3]), False),  # 0 or 1 only as long as n is 1
    "two classes": (Categorical([[0.3, 0.7]]), False),
    "Poisson": (Poisson([0.3]), False),
    "Normal": (Normal([0.3], 1.0), False),
    "mixture of counts": (Mixture([Bernoulli([0.3]), Poisson([0.3])], [0.5, 0.5]), False),
}


@pytest.mark.parametrize("name", EVENTS)
def test_events(name: str) -> None:
    family: Distribution
    family, expected = EVENTS[name]
    assert is_event(family) is expected
    assert is_event(family.checked()) is expected


# ---- the same by two ways -------------------------------------------------------------------------------------------


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
