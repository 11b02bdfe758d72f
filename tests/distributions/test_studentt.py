import numpy as np
import pytest

from rsens.distributions import Normal, StudentT
from rsens.distributions._student_t import far_renyi, student_t_renyi
from tests.distributions.check import ALPHAS, check_fisher_norm, check_log_prob, check_renyi


def row(location: float, scale2: float, df: float) -> dict[str, float]:
    return {"location": location, "scale2": scale2, "df": df}


POINTS = [
    (row(0.3, 1.7, 3.0), -1.2),
    (row(0.0, 1.0, 1.0), 1e100),
    (row(0.0, 1.0, 1.0), 0.0),
    (row(0.0, 1.0, 1e8), 0.5),
    (row(0.0, 1.0, 1e8), 30.0),
    (row(2.0, 3.0, 1e8), 1e6),
    (row(0.0, 1e-150, 4.5), 1e-75),
    (row(0.0, 1e150, 1e8), 3e75),
    (row(1e8, 1e-4, 7.0), 1e8 + 0.0125),
    (row(0.0, 1.0, 0.1), 5.0),
    (row(0.0, 1.0, 1e4), 2.0),
]
DIRECTIONS = [
    (row(0.3, 1.7, 3.0), [0.4, 1.0]),
    (row(0.0, 1.0, 1.0), [1.0, 1.0]),
    (row(0.0, 1.0, 1e8), [1.0, -1.0]),
    (row(0.0, 1e-150, 2.0), [1e-80, 1e-150]),
    (row(0.0, 1e150, 2.0), [1e70, 1e150]),
]
PAIRS = [
    (row(0.3, 1.7, 3.0), row(-0.5, 2.5, 3.0)),
    (row(0.3, 1.7, 3.0), row(0.3 + 1e-6, 1.7, 3.0)),
    (row(0.3, 1.7, 3.0), row(0.3, 1.7 * (1 + 1e-6), 3.0)),
    (row(0.3, 1.7, 3.0), row(0.3 + 1e-3, 1.7 * (1 - 1e-4), 3.0)),
    (row(0.0, 1.0, 1.0), row(1.0, 2.0, 1.0)),
    (row(0.0, 1.0, 1.0), row(1e-5, 1.0 + 1e-5, 1.0)),
    (row(0.0, 1.0, 1.0), row(1e6, 1e-4, 1.0)),
    (row(0.0, 1.0, 1e8), row(0.1, 1.2, 1e8)),
    (row(0.0, 1.0, 1e8), row(1e-6, 1.0 + 1e-6, 1e8)),
    (row(0.0, 1.0, 1e8), row(5.0, 3.0, 1e8)),
    (row(0.0, 1.0, 1e4), row(0.1, 1.2, 1e4)),
    (row(0.0, 1.0, 5.0), row(30.0, 1.0, 5.0)),
    (row(0.0, 1e-150, 2.5), row(1e-75, 3e-150, 2.5)),
    (row(0.0, 1e150, 2.5), row(1e75, 3e150, 2.5)),
    (row(0.0, 1.0, 30.0), row(0.0, 1e12, 30.0)),
    (row(2.0, 3.0, 4.0), row(2.0, 3.0, 4.0)),
    (row(0.0, 1.0, 10.0), row(0.0, 0.82, 10.0)),
    (row(0.0, 1.0, 137.0), row(1.5, 0.7, 137.0)),
    (row(0.0, 1.0, 137.0), row(0.0, 0.12, 137.0)),
]


def test_log_prob() -> None:
    check_log_prob("StudentT", POINTS)


def test_fisher_norm() -> None:
    check_fisher_norm("StudentT", DIRECTIONS)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_renyi(alpha: float) -> None:
    check_renyi("StudentT", PAIRS, alpha)


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


def test_the_prediction_is_the_location_even_without_a_mean() -> None:
    gradient = StudentT(np.zeros(2), np.ones(2), 1.0).prediction_gradient()
    np.testing.assert_array_equal(gradient, [[[1.0, 0.0]]] * 2)


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


def test_renyi_of_nearly_equal_distributions_is_half_alpha_times_the_fisher_norm() -> None:
    location, scale2 = np.zeros(3), np.full(3, 4.0)
    step = np.array([[1e-9, 0.0], [0.0, 4e-9], [1e-9, -4e-9]])
    q = StudentT(location + step[:, 0], scale2 + step[:, 1], 4.0)
    step[:, 1] = q.scale2 - scale2  # what float64 makes of it
    p = StudentT(location, scale2, 4.0)
    np.testing.assert_allclose(p.renyi(q, 2.0), p.fisher_norm(step) ** 2, rtol=1e-7)
