"""The distribution function: laws over every family whose y is one number, and 60-digit values in both tails."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rsens import InputError
from rsens import distributions as ds
from tests.distributions.cases import BORDERS, CASES, Array, Case, derivative
from tests.distributions.exact import FAMILIES
from tests.distributions.precision import mp

#: Everything but classes and vectors.
ORDERED = [case for case in CASES if "Categorical" not in case.name and case.family != "MultivariateNormal"]
every_case = pytest.mark.parametrize("case", ORDERED, ids=str)


def counted(case: Case) -> bool:
    return bool(case.distribution.support == "counts")


def draws(case: Case) -> Array:
    return np.asarray(case.distribution.sample(np.random.default_rng(5), 40))


def test_every_family_of_one_number_has_a_distribution_function() -> None:
    have = {family.__name__ for family in ds.ALL_FAMILIES if hasattr(family, "cdf")}
    assert have == {family.__name__ for family in ds.ALL_FAMILIES} - {"Categorical", "MultivariateNormal"}
    assert {case.family for case in ORDERED} == have


@every_case
def test_the_derivative_is_the_density_and_a_step_the_probability(case: Case) -> None:
    family, y = case.distribution, draws(case)
    p = np.exp(family.log_prob(y))
    if counted(case):
        np.testing.assert_allclose(family.cdf(y) - family.cdf(y - 1.0), p, rtol=0, atol=1e-14)
        np.testing.assert_array_equal(family.cdf(y + 0.9), family.cdf(y))
        return
    scale = np.sqrt(family.variance)
    step = 1e-3 * (scale if case.name in ("Normal", "StudentT", "Mixture-Normal") else np.minimum(y, scale))
    step = np.minimum(step, 1e-3 * (1.0 - y)) if case.name == "Beta" else step
    if "Histogram" in case.name:  # the density jumps at the borders
        step = 1e-1 * np.abs(y[..., None] - BORDERS).min(axis=-1)
    np.testing.assert_allclose(derivative(lambda h: family.cdf(y + h), step), p, rtol=1e-8)


@every_case
def test_both_tails_add_up_to_one(case: Case) -> None:
    family, y = case.distribution, draws(case)
    np.testing.assert_allclose(family.cdf(y) + family.survival(y), 1.0, rtol=1e-14)
    assert (np.diff(family.cdf(np.sort(y, axis=0)), axis=0) >= 0.0).all()


@every_case
def test_quantiles_invert_it(case: Case) -> None:
    family = case.distribution
    if not isinstance(family, ds.Univariate):
        pytest.skip("a mixture has no quantiles")
    y = draws(case)
    if counted(case):
        # The smallest y with P(Y ≤ y) ≥ q; q between two steps, so that rounding decides nothing.
        between = 0.5 * (family.cdf(y) + family.cdf(y - 1.0))
        np.testing.assert_array_equal(family.quantile(between), y)
        np.testing.assert_array_equal(family.quantile(family.cdf(y)), y)
        ends = family.quantile([[0.0], [1.0]])
        np.testing.assert_array_equal(ends[0], 0.0)
        np.testing.assert_array_equal(ends[1], {"Bernoulli": 1.0, "Binomial": 9.0}.get(case.name, np.inf))
    else:
        np.testing.assert_allclose(family.quantile(family.cdf(y)), y, rtol=1e-8, atol=1e-12)


@every_case
def test_quantiles_from_above_invert_the_upper_tail(case: Case) -> None:
    """Also where 1 − q could not express q, unless y ends at 1 or at a border, or SciPy counts."""
    family = case.distribution
    if not isinstance(family, ds.Univariate):
        pytest.skip("a mixture has no quantiles")
    ends = counted(case) or case.name == "Beta" or "Histogram" in case.name
    for q in (0.4, 1e-3) if ends else (0.4, 1e-3, 1e-40):
        y = family.checked()._quantile(np.array(q), upper=True)
        if counted(case):  # the smallest y with P(Y > y) ≤ q
            assert (family.survival(y) <= q).all()
            assert ((family.survival(y - 1.0) > q) | (y == 0.0)).all()
        else:
            np.testing.assert_allclose(family.survival(y), q, rtol=1e-6)


@every_case
def test_ends_and_shapes(case: Case) -> None:
    family, n = case.distribution, len(case.near)
    ends = np.array([-np.inf, np.nan, np.inf])[:, None] * np.ones(n)
    np.testing.assert_array_equal(family.cdf(ends), np.array([0.0, np.nan, 1.0])[:, None] * np.ones(n))
    np.testing.assert_array_equal(family.survival(ends), np.array([1.0, np.nan, 0.0])[:, None] * np.ones(n))
    assert family.cdf(1.0).shape == (n,)
    if case.name not in ("Normal", "StudentT", "Mixture-Normal"):
        below = -1.5 if "Histogram" in case.name else -0.5
        np.testing.assert_array_equal(family.cdf(below), np.zeros(n))
        np.testing.assert_array_equal(family.survival(below), np.ones(n))
    with pytest.raises(InputError, match="y needs one value per row"):
        family.cdf(np.zeros(n + 1))


def normal(z: Any) -> tuple[Any, Any]:
    return mp.erfc(-z / mp.sqrt(2)) / 2, mp.erfc(z / mp.sqrt(2)) / 2


def gamma(k: Any, x: Any) -> tuple[Any, Any]:
    return mp.gammainc(k, 0, x, regularized=True), mp.gammainc(k, x, mp.inf, regularized=True)


def beta(a: Any, b: Any, x: Any) -> tuple[Any, Any]:
    below = mp.betainc(a, b, 0, x, regularized=True)
    return below, 1 - below if below < 0.5 else mp.betainc(b, a, 0, 1 - x, regularized=True)


def student(df: Any, z: Any) -> tuple[Any, Any]:
    tail = mp.betainc(df / 2, mp.mpf(1) / 2, 0, df / (df + z**2), regularized=True) / 2
    return (tail, 1 - tail) if z < 0 else (1 - tail, tail)


def counts(pmf: Callable[[int], Any], y: int) -> tuple[Any, Any]:
    """The pmf summed up to y, and beyond it until nothing is added."""
    beyond, k = mp.mpf(0), y + 1
    while (term := pmf(k)) > beyond * mp.mpf(10) ** -30 and term > 0:
        beyond, k = beyond + term, k + 1
    return mp.fsum(pmf(k) for k in range(y + 1)), beyond


def exact(family: ds.Univariate, y: float) -> tuple[Any, Any]:
    """P(Y ≤ y) and P(Y > y) from their definitions."""
    at = {name: mp.mpf(float(value)) for name, value in family.fields().items()}
    x = mp.mpf(y)
    match family:
        case ds.Normal():
            return normal((x - at["mean"]) / mp.sqrt(at["variance"]))
        case ds.LogNormal():
            return normal((mp.log(x) - at["mu"]) / mp.sqrt(at["sigma2"]))
        case ds.StudentT():
            return student(at["df"], (x - at["location"]) / mp.sqrt(at["scale2"]))
        case ds.Gamma():
            return gamma(at["shape"], at["shape"] * x / at["mean"])
        case ds.Exponential():
            return gamma(mp.mpf(1), x / at["mean"])
        case ds.Weibull():
            return gamma(mp.mpf(1), (x / at["scale"]) ** at["shape"])
        case ds.Beta():
            return beta(at["a"], at["b"], x)
    of = FAMILIES[type(family).__name__](**{name: float(value) for name, value in family.fields().items()})
    return counts(lambda k: mp.exp(of.log_prob(mp.mpf(k))) if k <= getattr(of, "n", k) else mp.zero, int(y))


TAILS: list[tuple[ds.Univariate, list[float]]] = [
    (ds.Normal(1.0, 4.0), [-70.0, -15.0, 1.0, 20.0, 70.0]),
    (ds.LogNormal(0.5, 0.3), [1e-6, 0.1, 2.0, 1e3, 1e6]),
    (ds.StudentT(0.0, 2.0, 0.4), [-1e12, -3.0, 0.1, 1e3, 1e12]),
    (ds.StudentT(0.0, 2.0, 4.0), [-1e12, -3.0, 0.1, 1e3, 1e12]),
    (ds.StudentT(0.0, 1.0, 1e8), [-30.0, -3.0, 1e-5, 30.0]),
    (ds.Gamma(2.0, 0.05), [1e-200, 1e-9, 0.1, 200.0, 2e4]),
    (ds.Gamma(2.0, 1e4), [1.6, 1.99, 2.0, 2.01, 2.4]),
    (ds.Exponential(2.0), [1e-200, 1e-9, 1.0, 100.0, 1200.0]),
    (ds.Weibull(0.3, 2.0), [1e-200, 1e-9, 1.0, 1e4, 1e8]),
    (ds.Weibull(40.0, 2.0), [1e-6, 1.0, 2.0, 2.3]),
    (ds.Beta(0.01, 3.0), [1e-200, 1e-9, 0.3, 1.0 - 1e-6]),
    (ds.Beta(2e3, 3e3), [0.3, 0.399, 0.4, 0.401, 0.5]),
    (ds.Bernoulli(1e-30), [0.0]),
    (ds.Bernoulli(logit=80.0), [0.0]),
    (ds.Binomial(40.0, logit=60.0), [3.0, 39.0]),
    (ds.Binomial(1e9, 1e-9), [0.0, 1.0, 30.0]),
    (ds.Binomial(500.0, 0.3), [20.0, 149.0, 350.0]),
    (ds.Poisson(1e-12), [0.0, 3.0]),
    (ds.Poisson(300.0), [50.0, 299.0, 900.0]),
    (ds.NegativeBinomial(0.5, 0.01), [0.0, 5.0, 300.0]),
    (ds.NegativeBinomial(300.0, 7.0), [1.0, 250.0, 2000.0]),
    (ds.NegativeBinomial(3.0, 1e5), [0.0, 3.0, 40.0]),
]


@pytest.mark.parametrize(("family", "points"), TAILS, ids=lambda value: type(value).__name__)
def test_both_tails_keep_their_digits(family: ds.Univariate, points: list[float]) -> None:
    """1e-9 where SciPy's incomplete beta has lost some, mostly 1e-13."""
    for y in points:
        below, above = exact(family, y)
        assert float(family.cdf(y)) == pytest.approx(float(below), rel=1e-9, abs=0.0), y
        assert float(family.survival(y)) == pytest.approx(float(above), rel=1e-9, abs=0.0), y


def test_a_mixture_is_the_weighted_sum() -> None:
    parts = [ds.Normal([0.0, 1.0], 1.0), ds.StudentT([3.0, -1.0], 0.5, 4.0)]
    weights = np.array([[0.2, 0.8], [0.7, 0.3]])
    y = np.array([[0.3, -1.0], [5.0, 2.0]])
    want = weights[:, 0] * parts[0].cdf(y) + weights[:, 1] * parts[1].cdf(y)
    np.testing.assert_allclose(ds.Mixture(parts, weights).cdf(y), want, rtol=1e-15)


@pytest.mark.parametrize(
    "component", [ds.Categorical(np.array([[0.2, 0.8]])), ds.MultivariateNormal(np.zeros((1, 2)), np.eye(2)[None])]
)
def test_classes_and_vectors_have_none(component: Any) -> None:
    assert not hasattr(component, "cdf")
    for method in ("cdf", "survival"):
        with pytest.raises(InputError, match="have no distribution function"):
            getattr(ds.Mixture([component], [1.0]), method)(np.zeros(np.shape(component.mean)))
