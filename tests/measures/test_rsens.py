"""R-sens and R-sens₂ against formulas derived by hand, brute force, and the same predictive written otherwise."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rsens import distributions as ds
from rsens.derivatives import from_jax
from rsens.measures import local_values, parts, rsens, rsens2
from tests.measures.models import MODELS, D, Surface, Written, constant, exponential, identity, rows, surface

X = rows()


def f(x: Any) -> Any:
    return 0.3 + 0.5 * x[:, 0] - 0.4 * x[:, 1] + 0.6 * x[:, 0] * x[:, 1] + jnp.sin(x[:, 2])


def g(x: Any) -> Any:
    return jnp.exp(0.2 * x[:, 0] - 0.3 * x[:, 1] * x[:, 2])


SAME: dict[str, list[Callable[[Any], ds.Distribution]]] = {
    "y and exp(y)": [lambda x: ds.Normal(f(x), g(x)), lambda x: ds.LogNormal(f(x), g(x))],
    "one output": [
        lambda x: ds.Normal(f(x), g(x)),
        lambda x: ds.MultivariateNormal(f(x)[:, None], g(x)[:, None, None]),
        lambda x: ds.Mixture([ds.Normal(f(x), g(x))], [1.0]),
        lambda x: ds.Mixture([ds.Normal(f(x), g(x)), ds.Normal(f(x), g(x))], [0.25, 0.75]),
    ],
    "one trial": [
        lambda x: ds.Bernoulli(1 / (1 + jnp.exp(-f(x)))),
        lambda x: ds.Bernoulli(logit=f(x)),
        lambda x: ds.Binomial(1, logit=f(x)),
        lambda x: ds.Categorical(jax.nn.softmax(jnp.stack([f(x), jnp.zeros(len(x))], -1))),
        lambda x: ds.Mixture([ds.Bernoulli(logit=f(x)), ds.Bernoulli(logit=f(x))], [0.5, 0.5]),
    ],
    "constant hazard": [lambda x: ds.Exponential(g(x)), lambda x: ds.Gamma(g(x), 1.0), lambda x: ds.Weibull(1.0, g(x))],
    "ten trials": [lambda x: ds.Binomial(10, logit=f(x)), lambda x: ds.Mixture([ds.Binomial(10, logit=f(x))], [1.0])],
}


@pytest.mark.parametrize("name", SAME)
def test_same_predictive_same_rsens(name: str) -> None:
    first, *others = (rsens(from_jax(predict), X) for predict in SAME[name])
    for other in others:
        np.testing.assert_allclose(other, first, rtol=1e-11, atol=1e-14)


def test_rsens2_depends_on_the_parameters_and_takes_mean_and_variance() -> None:
    record = MODELS["Normal"].derivatives(X, 2)
    variance = record.distribution.variance[:, None, None]
    mean_2, variance_2 = record.second[:, 0], record.second[:, 1]
    variance_1 = record.first[:, 1]
    documented = np.sqrt(mean_2**2 / variance + variance_2**2 / (2 * variance**2))
    np.testing.assert_allclose(rsens2(MODELS["Normal"], X), documented, rtol=1e-13)
    # In (mean, log sd): I = diag(1/v, 2), ∂² log sd = ½(v_de/v − v_d v_e/v²).
    log_sd_2 = 0.5 * (variance_2 / variance - variance_1[:, :, None] * variance_1[:, None, :] / variance**2)
    otherwise = np.sqrt(mean_2**2 / variance + 2 * log_sd_2**2)
    assert np.abs(otherwise / documented - 1).max() > 0.01


def test_rsens2_of_an_additive_logit_is_that_of_the_probability() -> None:
    """With an additive logit ∂²logit is zero, but λ = π: |π_de|/√(π(1−π)) = √(π(1−π)) |1−2π| |β_d β_e|."""
    beta = np.array([0.8, -0.5, 0.3])
    model = from_jax(lambda x: ds.Bernoulli(logit=x @ jnp.asarray(beta)))
    p = 1 / (1 + np.exp(-X @ beta))
    expected = (np.sqrt(p * (1 - p)) * np.abs(1 - 2 * p))[:, None, None] * np.abs(np.outer(beta, beta))
    np.testing.assert_allclose(rsens2(model, X), expected, rtol=1e-12)


def test_without_change_of_uncertainty_it_is_the_derivative_over_the_sd() -> None:
    model = Written([surface(1), surface(2, constant)], ds.Normal)
    sd = np.sqrt(1.3)
    np.testing.assert_allclose(rsens(model, X), local_values("ead", model, X) / sd, rtol=1e-14)
    np.testing.assert_allclose(rsens2(model, X), local_values("eah", model, X) / sd, rtol=1e-14)


def test_additive_mean_has_no_mean_part_in_any_pair() -> None:
    diagonal = np.diag([0.4, -0.7, 0.2])
    mean = Surface(0.1, np.array([1.0, -2.0, 0.5]), diagonal, identity)
    record = Written([mean, surface(2, exponential)], ds.Normal).derivatives(X, 2)
    split = parts(record.distribution, record.second)
    off = ~np.eye(D, dtype=bool)
    assert (split["mean"][:, off] == 0.0).all()
    assert (split["variance"][:, off] > 0.0).all()
    assert (split["mean"][:, ~off] > 0.0).all()
    flat = Written([mean, surface(2, constant)], ds.Normal)
    assert (rsens2(flat, X)[:, off] == 0.0).all()


@pytest.mark.parametrize("family", MODELS)
def test_parts_add_up(family: str) -> None:
    record = MODELS[family].derivatives(X, 2)
    first = parts(record.distribution, record.first, alpha=2.0)
    second = parts(record.distribution, record.second, alpha=2.0)
    assert list(first) == list(second) == list(record.distribution.orthogonal_blocks)
    if first:
        np.testing.assert_allclose(sum(first.values()), rsens(MODELS[family], X, alpha=2.0), rtol=1e-13)
        np.testing.assert_allclose(sum(second.values()), rsens2(MODELS[family], X, alpha=2.0), rtol=1e-13)


def test_parts_of_a_normal() -> None:
    """q_mean = (∂mean)²/v and q_variance = (∂v)²/(2v²), each over R."""
    record = MODELS["Normal"].derivatives(X, 1)
    v = record.distribution.variance[:, None]
    r = rsens(MODELS["Normal"], X)
    got = parts(record.distribution, record.first)
    np.testing.assert_allclose(got["mean"], record.first[:, 0] ** 2 / v / r, rtol=1e-13)
    np.testing.assert_allclose(got["variance"], record.first[:, 1] ** 2 / (2 * v**2) / r, rtol=1e-13)
    # Small numbers are not squared.
    first = np.array([[[0.0, 3e-200], [0.0, 4e-200]]])
    got = parts(ds.Normal(np.zeros(1), np.ones(1)), first)
    assert got["mean"][0, 0] == got["variance"][0, 0] == 0.0
    whole = 1e-200 * np.sqrt(9 + 8)
    np.testing.assert_allclose(got["mean"][0, 1], whole * 9 / 17, rtol=1e-14)
    np.testing.assert_allclose(got["variance"][0, 1], whole * 8 / 17, rtol=1e-14)
