"""The log densities that JAX differentiates are those of the families."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

from rsens.distributions import (
    ALL_FAMILIES,
    Bernoulli,
    Beta,
    Binomial,
    Distribution,
    Exponential,
    Gamma,
    LogNormal,
    StudentT,
    Weibull,
)
from rsens.measures._fourth_derivative import _LOG_DENSITY, log_density
from tests.distributions.cases import CASES


def in_jax(family: Distribution, y: Any) -> Any:
    """Compiled as a whole, as it is used, which is quicker than one operation at a time."""
    with jax.enable_x64(True):
        return np.asarray(jax.jit(lambda y: log_density(family, y))(y))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_density(case: Any) -> None:
    family = case.distribution.checked()
    y = family.sample(np.random.default_rng(0), 40)  # (draws, rows, …)
    np.testing.assert_allclose(in_jax(family, y.swapaxes(0, 1)), family.log_prob(y).T, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("df", [0.5, 30.0, 99.0, 101.0, 1e8])
def test_student_t_of_any_df(df: float) -> None:
    y = np.array([[-3.0, 0.1, 40.0]])
    family = StudentT(np.ones(1), np.full(1, 2.0), df).checked()
    np.testing.assert_allclose(in_jax(family, y), family.log_prob(y.T).T, rtol=2e-14)


def test_every_family_is_there() -> None:
    assert set(_LOG_DENSITY) == set(ALL_FAMILIES)


@pytest.mark.parametrize("z", [-40.0, -0.3, 2.0, 30.0])
def test_both_ways_to_give_a_probability(z: float) -> None:
    y = np.array([[0.0, 1.0]])
    np.testing.assert_allclose(in_jax(Bernoulli(logit=np.array([z])), y), [[-np.logaddexp(0, z), -np.logaddexp(0, -z)]])
    p = 1 / (1 + np.exp(-z))
    np.testing.assert_allclose(in_jax(Bernoulli(np.array([p])), y)[0, 1], np.log(p))


@pytest.mark.parametrize(
    ("family", "outside"),
    [
        (LogNormal(np.zeros(1), np.ones(1)), [0.0, -1.0]),
        (Gamma(np.ones(1), np.ones(1)), [0.0, -1.0]),
        (Weibull(np.ones(1), np.ones(1)), [0.0, -1.0]),
        (Exponential(np.ones(1)), [-1e-9, -1.0]),
        (Beta(np.ones(1), np.ones(1)), [0.0, 1.0, -0.5, 1.5]),
        (Binomial(3.0, np.full(1, 0.5)), [4.0, 9.0]),
    ],
)
def test_outside_of_the_support(family: Distribution, outside: list[float]) -> None:
    np.testing.assert_array_equal(in_jax(family, np.array([outside])), -np.inf)
