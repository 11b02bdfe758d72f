"""The oracle itself: closed forms against definitions, series against plain sums, stored values against fresh ones."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tests.distributions import exact
from tests.distributions.check import compute, key, stored
from tests.distributions.exact_renyi import by_definition, information, renyi
from tests.distributions.integrals import series
from tests.distributions.precision import mp

PAIRS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "Normal": ({"mean": 0.3, "variance": 1.7}, {"mean": -0.5, "variance": 2.5}),
    "LogNormal": ({"mu": 0.3, "sigma2": 0.4}, {"mu": 0.1, "sigma2": 0.6}),
    "Gamma": ({"mean": 2.0, "shape": 1.5}, {"mean": 2.7, "shape": 1.2}),
    "Exponential": ({"mean": 2.0}, {"mean": 3.0}),
    "Beta": ({"a": 2.0, "b": 3.0}, {"a": 1.5, "b": 2.9}),
    "Weibull": ({"shape": 1.5, "scale": 2.0}, {"shape": 1.5, "scale": 2.7}),
    "Bernoulli": ({"probability": 0.3}, {"logit": 0.4}),
    "Binomial": ({"n": 7, "probability": 0.3}, {"n": 7, "logit": 0.4}),
    "Categorical": ({"probabilities": [0.25, 0.25, 0.5]}, {"probabilities": [0.125, 0.375, 0.5]}),
    "Poisson": ({"rate": 2.5}, {"rate": 3.5}),
    "NegativeBinomial": ({"mean": 2.5, "size": 1.5}, {"mean": 3.5, "size": 1.5}),
}
T = ({"location": 0.3, "scale2": 1.7, "df": 3.0}, {"location": -0.5, "scale2": 2.5, "df": 3.0})


@cache
def pair(name: str) -> tuple[Any, Any]:
    """Densities are kept: the integrals of one pair share their nodes."""
    p, q = (exact.FAMILIES[name](**arguments) for arguments in PAIRS.get(name, T))
    for family in (p, q):
        family.log_prob = cache(family.log_prob)
    return p, q


@pytest.mark.parametrize("alpha", [0.3, 1.0, 1.5])
@pytest.mark.parametrize("name", PAIRS)
def test_divergence_is_its_definition(name: str, alpha: float) -> None:
    p, q = pair(name)
    assert abs(by_definition(p, q, alpha) / renyi(p, q, alpha) - 1) < mp.mpf(10) ** -25


@pytest.mark.parametrize("name", [*PAIRS, "StudentT"])
def test_largest_ratio_is_the_limit_of_high_orders(name: str) -> None:
    p, q = pair(name)
    top, high = renyi(p, q, float("inf")), renyi(p, q, 300.0)
    assert high < top
    assert abs(high / top - 1) < 0.05


@pytest.mark.parametrize("name", [n for n in PAIRS if n not in ("Categorical", "Beta")])
def test_information_is_the_expected_square_of_the_score(name: str) -> None:
    p, _ = pair(name)
    got, want = information(p), p.information()
    for i in range(want.rows):
        for j in range(want.rows):
            assert abs(got[i, j] - want[i, j]) < mp.mpf(10) ** -25


@pytest.mark.parametrize(("mean", "size"), [(50.0, 1e5), (90.0, 1e9), (110.0, 300.0), (3.0, 0.2)])
@pytest.mark.parametrize("power", [0.5, 1.5])
def test_series_is_the_plain_sum(mean: float, size: float, power: float) -> None:
    """Narrow and wide peaks before and at the place where Euler–Maclaurin takes over from single terms."""
    p = exact.NegativeBinomial(mean, size)

    def f(y: Any) -> Any:
        return mp.exp(power * p.log_prob(y))

    total, y = mp.zero, 0
    while (term := f(mp.mpf(y))) > total * mp.mpf(10) ** -26 or y < mean:
        total += term
        y += 1
    assert abs(series(f, [*p.where(), *(2 * y for y in p.where())]) / total - 1) < mp.mpf(10) ** -22


SAMPLE = [
    ("StudentT", {"location": 0.0, "scale2": 1.0, "df": 5.0}, {"location": 30.0, "scale2": 1.0, "df": 5.0}, 0.3),
    ("StudentT", {"location": 0.0, "scale2": 1.0, "df": 1e8}, {"location": 0.1, "scale2": 1.2, "df": 1e8}, 2.0),
    ("Weibull", {"shape": 1.5, "scale": 2.0}, {"shape": 1.2, "scale": 2.7}, 0.5),
    ("Weibull", {"shape": 2.0, "scale": 1.0}, {"shape": 1.0, "scale": 0.03}, 10.0),
    ("NegativeBinomial", {"mean": 50.0, "size": 1e5}, {"mean": 55.0, "size": 10.0}, 1.5),
    ("NegativeBinomial", {"mean": 1.0, "size": 1e9}, {"mean": 1.2, "size": 2.0}, 0.3),
]


@pytest.mark.parametrize(("name", "p", "q", "alpha"), SAMPLE)
def test_stored_values_are_current(name: str, p: dict[str, float], q: dict[str, float], alpha: float) -> None:
    assert abs(compute(name, p, q, alpha) / stored(key(name, p, q, alpha)) - 1) < mp.mpf(10) ** -20
