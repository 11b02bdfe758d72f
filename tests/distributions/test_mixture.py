from typing import Any

import numpy as np
import pytest

from rsens import InputError, distributions
from rsens.distributions import Gamma, Mixture, MultivariateNormal, Normal, Poisson, StudentT
from tests.distributions import exact
from tests.distributions.check import compare, key, stored
from tests.distributions.exact_renyi import by_definition, fisher_norm
from tests.distributions.precision import mp

Row = tuple[str, list[dict[str, float]], list[float]]


def normals(*pairs: tuple[float, float], weights: list[float]) -> Row:
    return "Normal", [{"mean": m, "variance": v} for m, v in pairs], weights


HALF = [0.5, 0.5]
PLAIN = normals((0.0, 1.0), (3.0, 0.5), weights=[0.25, 0.75])
APART = normals((0.0, 1.0), (1e6, 0.5), weights=HALF)
UNEQUAL = normals((0.0, 1.0), (0.5, 1e-12), weights=[0.75, 0.25])
TINY = normals((1e-75, 1e-150), (3e-75, 2e-150), weights=HALF)
HUGE = normals((1e75, 1e150), (3e75, 2e150), weights=HALF)
THREE = normals((0.0, 1.0), (0.1, 1.2), (-2.0, 4.0), weights=[0.5, 0.25, 0.25])
COUNTS: Row = ("Poisson", [{"rate": 2.0}, {"rate": 30.0}], [0.75, 0.25])
RARE: Row = ("Poisson", [{"rate": 1e-12}, {"rate": 3e-12}], HALF)
SKEWED: Row = ("Gamma", [{"mean": 2.0, "shape": 1.5}, {"mean": 5.0, "shape": 40.0}], HALF)
PILED: Row = (  # a shape of 0.1 piles up at 0: 1e-31 of its mass lies below the smallest float64
    "Gamma",
    [{"mean": 2.5, "shape": 72.0}, {"mean": 0.06, "shape": 0.1}, {"mean": 0.125, "shape": 36.0}],
    [0.25, 0.5, 0.25],
)
HEAVY: Row = (
    "StudentT",
    [{"location": 0.0, "scale2": 1.0, "df": 3.0}, {"location": 4.0, "scale2": 0.5, "df": 3.0}],
    HALF,
)
COIN: Row = ("Bernoulli", [{"probability": 1e-300}, {"probability": 0.25}], HALF)


def moved(row: Row, **changes: float) -> Row:
    """The same mixture with every argument named multiplied by its factor."""
    name, components, weights = row
    return name, [{k: v * changes.get(k, 1.0) for k, v in c.items()} for c in components], weights


def library(row: Row) -> Any:
    name, components, weights = row
    family = getattr(distributions, name)
    return Mixture([family(**{k: np.array([v]) for k, v in c.items()}) for c in components], np.array(weights))


def oracle(row: Row) -> exact.Mixture:
    name, components, weights = row
    return exact.Mixture([exact.FAMILIES[name](**c) for c in components], weights)


POINTS = [
    (PLAIN, 1.5), (PLAIN, -40.0), (APART, 5e5), (APART, 1e6), (UNEQUAL, 0.5), (UNEQUAL, 0.5 + 2.0**-19),
    (TINY, 2e-75), (HUGE, -2e75), (COUNTS, 12.0), (RARE, 2.0), (SKEWED, 3.0), (HEAVY, 1e5), (COIN, 1.0),
]  # fmt: skip
DIRECTIONS = [
    (PLAIN, [1.0, 0.0, 0.0, 0.0]), (PLAIN, [0.3, -0.2, 0.1, 0.4]), (APART, [0.3, -0.2, 0.1, 0.4]),
    (UNEQUAL, [0.3, 0.1, 0.0, 0.0]), (UNEQUAL, [0.0, 0.0, 1e-6, 1e-12]), (TINY, [1e-76, 1e-151, 2e-76, -1e-151]),
    (HUGE, [1e74, 1e149, 2e74, -1e149]), (THREE, [1.0, 0.1, -1.0, 0.2, 0.3, 0.4]), (COUNTS, [1.0, -2.0]),
    (RARE, [1e-12, -1e-12]), (RARE, [1e-12, 1e-12]), (SKEWED, [1.0, 0.1, -0.5, 3.0]),
    (PILED, [0.5, 7.0, 0.01, 0.02, -0.01, 5.0]), (HEAVY, [0.3, -0.2, 0.1, 0.4]), (COIN, [1e-3, 1.0]),
]  # fmt: skip
PAIRS = [
    (PLAIN, moved(PLAIN, mean=1.1, variance=1.2)), (PLAIN, moved(PLAIN, mean=1 + 1e-6)),
    (PLAIN, moved(PLAIN, variance=1 + 1e-5)), (APART, moved(APART, variance=1.3)),
    (UNEQUAL, moved(UNEQUAL, variance=1.3)), (TINY, moved(TINY, mean=1.1, variance=1.2)),
    (HUGE, moved(HUGE, mean=1.1, variance=1.2)), (THREE, moved(THREE, mean=2.0, variance=1.5)),
    (COUNTS, moved(COUNTS, rate=1.3)), (COUNTS, moved(COUNTS, rate=1 + 1e-5)), (RARE, moved(RARE, rate=2.0)),
    (SKEWED, moved(SKEWED, mean=1.1)), (PILED, moved(PILED, mean=1.05, shape=0.95)),
    (HEAVY, moved(HEAVY, location=1.2, scale2=1.3)), (COIN, moved(COIN, probability=2.0)),
]  # fmt: skip
ALPHAS = (0.0, 0.3, 0.5, 1.0, 1.2, 2.0)


def test_log_prob() -> None:
    got = [library(row).log_prob(np.array([y]))[0] for row, y in POINTS]
    compare(got, [oracle(row).log_prob(mp.mpf(y)) for row, y in POINTS], POINTS, 1e-8)


def test_fisher_norm() -> None:
    got = [library(row).fisher_norm(np.array([u]))[0] for row, u in DIRECTIONS]
    compare(got, [stored(key("Mixture", row, u)) for row, u in DIRECTIONS], DIRECTIONS, 1e-8)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_renyi(alpha: float) -> None:
    """Towards the wider mixture, where every order is finite."""
    got = [library(p).renyi(library(q), alpha)[0] for p, q in PAIRS]
    compare(got, [stored(key("Mixture", p, q, alpha)) for p, q in PAIRS], PAIRS, 1e-8)


def exact_renyi(p: Row, q: Row, alpha: float) -> Any:
    return mp.zero if alpha == 0 else by_definition(oracle(p), oracle(q), alpha)


def exact_norm(p: Row, u: list[float]) -> Any:
    return fisher_norm(oracle(p), u)


def test_infinite_divergence() -> None:
    """A narrower second mixture: at α = 2 twice the variance is exceeded, and no order above has a finite value."""
    wide = library(normals((0.0, 4.0), (1.0, 9.0), weights=HALF))
    narrow = library(normals((0.0, 1.0), (1.0, 2.0), weights=HALF))
    for alpha in (2.0, 5.0, np.inf):
        assert wide.renyi(narrow, alpha)[0] == np.inf
    assert np.isfinite(narrow.renyi(wide, np.inf)[0])


@pytest.mark.parametrize("beside", [0.0, 1e-12, 1e-9, 1e-5])
@pytest.mark.parametrize("family", [Normal, lambda m, v: StudentT(m, v, 3.0)])
def test_a_divergence_does_not_depend_on_where_zero_is(family: Any, beside: float) -> None:
    """A quantile of a component may lie next to 0, which is a place like any other on the real line."""

    def divergence(shift: float) -> float:
        p = Mixture([family([shift], [1.0]), family([shift + 1.7], [1.0])], [0.5, 0.5])
        q = Mixture([family([shift - 0.4], [2.25]), family([shift + 1.0], [2.25])], [0.3, 0.7])
        return float(p.renyi(q, 2.0)[0])

    np.testing.assert_allclose(divergence(beside), divergence(8.0), rtol=1e-13)


@pytest.mark.parametrize("alpha", [2.0, np.inf])
def test_many_components_that_are_few(alpha: float) -> None:
    """Forty components of four kinds are four: panels between their quantiles do not depend on how many there are."""

    def of(means: list[float], variances: list[float], times: int) -> Mixture:
        kinds = zip(means, variances, strict=True)
        return Mixture([Normal([m], [v]) for m, v in kinds] * times, np.full(len(means) * times, 0.25 / times))

    p, q = [0.0, 1.0, 3.0, 3.1], [-1.0, 0.5, 2.0, 4.0]
    narrow, wide = [0.5, 1.0, 1e-4, 2.0], [2.0, 3.0, 1.5, 2.5]
    expected = of(p, narrow, 1).renyi(of(q, wide, 1), alpha)
    np.testing.assert_allclose(of(p, narrow, 10).renyi(of(q, wide, 10), alpha), expected, rtol=1e-9)


def test_counts_in_the_millions() -> None:
    """Beyond a few thousand counts there is a rule around each component; equal ones are one Poisson."""
    rates, others = (3e6, 3.003e6)
    p, q = (Mixture([Poisson([rate])] * 2, [0.3, 0.7]) for rate in (rates, others))
    np.testing.assert_allclose(p.renyi(q, 2.0), Poisson([rates]).renyi(Poisson([others]), 2.0), rtol=1e-8)


def test_samples_of_different_families_come_from_all_of_them() -> None:
    """Whichever family a component is of, it gets its share of the draws."""
    mixture = Mixture([Normal([-10.0], [1.0]), Gamma([3.0], [50.0]), Normal([10.0], [1.0])], [0.5, 0.3, 0.2])
    y = mixture.sample(np.random.default_rng(0), 20_000)
    assert y.shape == (20_000, 1)
    shares = [(y < -5.0).mean(), ((y > 0.0) & (y < 6.0)).mean(), (y > 6.0).mean()]
    np.testing.assert_allclose(shares, [0.5, 0.3, 0.2], atol=0.015)


def test_different_families_in_one_mixture() -> None:
    """A Normal and a Student-t: E[score²] by a trapezoid rule."""
    p = Mixture([Normal(np.zeros(1), np.ones(1)), StudentT(np.ones(1), np.full(1, 2.0), 3.0)], np.array([0.5, 0.5]))
    t = np.arange(-20.0, 20.0, 0.01)
    y, weights = np.sinh(t)[:, None], 0.01 * np.cosh(t)
    density = weights * np.exp(p.log_prob(y))[:, 0]
    np.testing.assert_allclose(density.sum(), 1.0, rtol=1e-12)
    u = np.array([0.3, 0.2, -1.0, 0.5])
    np.testing.assert_allclose(p.fisher_norm([u])[0] ** 2, np.sum(density * (p.score(y)[:, 0] @ u) ** 2), rtol=1e-8)


def test_a_mixture_of_vectors() -> None:
    """Two bivariate normals: E[score²] on a lattice."""
    parts = [
        MultivariateNormal(np.array([[0.0, 0.0]]), np.array([[[1.0, 0.3], [0.3, 2.0]]])),
        MultivariateNormal(np.array([[2.0, -1.0]]), np.array([[[0.7, -0.2], [-0.2, 0.9]]])),
    ]
    p = Mixture(parts, np.array([0.25, 0.75]))
    axis = np.arange(-13.0, 13.0, 0.125)
    y = np.stack(np.meshgrid(axis, axis, indexing="ij"), -1).reshape(-1, 1, 2)
    density = 0.125**2 * np.exp(p.log_prob(y))[:, 0]
    np.testing.assert_allclose(density.sum(), 1.0, rtol=1e-10)
    u = np.array([0.3, 0.2, -1.0, 0.5, 0.1, 1.0, -1.0, 0.2, 0.3, 0.4])
    want = np.sum(density * (p.score(y)[:, 0] @ u) ** 2)
    np.testing.assert_allclose(p.fisher_norm([u])[0] ** 2, want, rtol=1e-8)


def test_components_beyond_any_grid_are_refused() -> None:
    """NumPy's error state is restored."""
    before = np.geterr()
    for mean in (-1e304, 1e17, -3e13):
        mixture = Mixture([Normal([mean], [1.0]), Normal([mean], [2.0])], [0.5, 0.5])
        with pytest.raises(InputError, match="too narrow for float64"):
            mixture.fisher_norm(np.ones((1, 4)))
        for alpha in (0.5, 1.0, 2.0):
            with pytest.raises(InputError, match="too narrow for float64"):
                mixture.renyi(mixture, alpha)
    assert np.geterr() == before
