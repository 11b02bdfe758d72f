import numpy as np
import pytest

from rsens.distributions import NegativeBinomial, Poisson
from tests.distributions.check import ALPHAS, batch, check_log_prob, check_renyi, compare, key, stored


def row(mean: float, size: float) -> dict[str, float]:
    return {"mean": mean, "size": size}


POINTS = [
    (row(2.5, 1.5), 3.0),
    (row(2.5, 1.5), 0.0),
    (row(1.0, 1e-6), 0.0),
    (row(1.0, 1e-6), 5.0),
    (row(1.0, 1e-6), 1e6),
    (row(1.0, 1e9), 2.0),
    (row(1e3, 1e9), 1100.0),
    (row(1e12, 1e9), 1e12 + 1e8),
    (row(1e12, 1e9), 1e12),
    (row(1e-12, 1e9), 1.0),
    (row(1e-12, 1e-6), 2.0),
    (row(1e12, 1e-6), 1e15),
    (row(1e12, 3.0), 1e11),
    (row(50.0, 1e5), 60.0),
]
ROWS = [
    row(2.5, 1.5),
    row(1.0, 1e6),
    row(1.0, 1e9),
    row(1e3, 1e9),
    row(1e12, 1e9),
    row(1e-12, 1e9),
    row(1e-12, 1e-6),
    row(1.0, 1e-6),
    row(1e12, 1e-6),
    row(1e6, 1e3),
    row(50.0, 0.3),
    row(300.0, 20.0),
]
DIRECTIONS = [(r, u) for r in ROWS for u in ([0.0, 1.0], [r["mean"], 0.0], [1e-3 * r["mean"], r["size"]])]
PAIRS = [
    (row(2.5, 1.5), row(3.5, 1.2)),
    (row(2.5, 1.5), row(3.5, 1.5)),
    (row(2.5, 1.5), row(2.5 * (1 + 1e-6), 1.5)),
    (row(2.5, 1.5), row(2.5, 1.5 * (1 + 1e-6))),
    (row(2.5, 1.5), row(2.5 * (1 + 1e-3), 1.5 * (1 - 1e-4))),
    (row(1.0, 1e-6), row(1.0, 1.5e-6)),
    (row(1.0, 1e-6), row(1.0 + 1e-3, 1e-6 * (1 + 1e-3))),
    (row(1.0, 1e9), row(1.2, 1e9)),
    (row(1.0, 1e9), row(1.2, 2.0)),
    (row(1e3, 1e9), row(1e3, 1e9 * (1 + 1e-3))),
    (row(1e3, 1e9), row(1e3 * (1 + 1e-5), 1.5e9)),
    (row(1e12, 1e9), row(1e12 * (1 + 1e-5), 1e9 * (1 + 1e-5))),
    (row(1e12, 3.0), row(2e12, 2.5)),
    (row(1e-12, 1e9), row(1.5e-12, 1e8)),
    (row(1e-12, 1e-6), row(1e-12 * (1 + 1e-4), 1e-6)),
    (row(1e-12, 2.0), row(1e3, 2.0)),
    (row(50.0, 1e5), row(55.0, 10.0)),
    (row(7e-9, 0.4), row(0.5, 2e-6)),
    (row(5.0, 3.0), row(5.0, 3.0)),
]


def test_log_prob() -> None:
    check_log_prob("NegativeBinomial", POINTS)


def test_log_prob_outside_the_support() -> None:
    family = NegativeBinomial(3.0, np.full(2, 2.0))
    np.testing.assert_array_equal(family.log_prob(np.array([-1.0, 2.5])), -np.inf)


def test_fisher_norm() -> None:
    got = batch("NegativeBinomial", [r for r, _ in DIRECTIONS]).fisher_norm(np.array([u for _, u in DIRECTIONS]))
    want = [stored(key("NegativeBinomial", r, u)) for r, u in DIRECTIONS]
    compare(got, want, DIRECTIONS, 1e-8)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_renyi(alpha: float) -> None:
    check_renyi("NegativeBinomial", PAIRS, alpha)


def test_moments() -> None:
    family = NegativeBinomial(np.array([3.0]), np.array([2.0]))
    np.testing.assert_array_equal(family.mean, [3.0])
    np.testing.assert_allclose(family.variance, 3.0 + 9.0 / 2.0, rtol=1e-15)


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
