"""The full fourth derivative, against the formula where D is quadratic in λ and exact values for each family."""

from __future__ import annotations

import json
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rsens import distributions as ds
from rsens._errors import InputError
from rsens.adapters import read_for
from rsens.derivatives import from_jax
from rsens.measures import METHODS, fourth_derivative, importance, rsens2
from rsens.measures import _fourth_derivative as fourth_module
from tests.measures.fourth_oracle import FAMILIES, PAIRS, POINT, STORED, f, fourth_derivatives, g
from tests.measures.models import rows

X = rows()


def exact_values() -> dict[str, dict[str, float]]:
    return json.loads(STORED.read_text())


def surfaces(x: Any) -> tuple[Any, Any]:
    return f(x[:, 0], x[:, 1]), jnp.exp(g(x[:, 0], x[:, 1]))


#: The predictives of fourth_oracle.py.
PREDICTIVES: dict[str, Any] = {
    "Normal": lambda x: ds.Normal(*surfaces(x)),
    "LogNormal": lambda x: ds.LogNormal(*surfaces(x)),
    "Gamma": lambda x: ds.Gamma(jnp.exp(surfaces(x)[0]), 2 * surfaces(x)[1]),
    "Exponential": lambda x: ds.Exponential(jnp.exp(surfaces(x)[0])),
    "Beta": lambda x: ds.Beta(2 * jnp.exp(surfaces(x)[0]), 3 * surfaces(x)[1]),
    "Bernoulli": lambda x: ds.Bernoulli(logit=surfaces(x)[0]),
    "Binomial": lambda x: ds.Binomial(7, jax.nn.sigmoid(surfaces(x)[0])),
    "Categorical": lambda x: ds.Categorical(
        jax.nn.softmax(jnp.stack([surfaces(x)[0], jnp.log(surfaces(x)[1]), jnp.zeros(len(x))], -1))
    ),
    "Poisson": lambda x: ds.Poisson(3 * jnp.exp(surfaces(x)[0])),
}
#: One order per family, the other one for every second family, keeps the number of compilations down.
ORDERS = {name: 1.0 if i % 2 else 2.5 for i, name in enumerate(FAMILIES)}


@pytest.mark.parametrize("name", FAMILIES)
def test_against_exact_values(name: str) -> None:
    alpha = ORDERS[name]
    got = fourth_derivative(from_jax(PREDICTIVES[name]), np.array([POINT]), alpha=alpha)[0]
    expected = {pair: float(exact_values()[name][f"{alpha} {pair}"]) for pair in PAIRS}
    size = max(abs(value) for value in expected.values())
    for pair, value in expected.items():
        # The terms of the chain rule are larger than their sum; 1e-11 of the largest entry is their rounding.
        np.testing.assert_allclose(got[int(pair[0]), int(pair[1])], value, rtol=1e-11, atol=1e-11 * size)


def test_stored_values_are_what_the_script_gives() -> None:
    for name in ("Bernoulli", "Poisson"):
        assert fourth_derivatives(name) == exact_values()[name]
    assert set(exact_values()) == set(FAMILIES)


def test_multivariate_normal_of_independent_outputs_is_the_sum() -> None:
    """D adds up over independent outputs, and so do its derivatives; a rotation of the outputs changes nothing."""
    turn = np.array([[0.8, -0.6], [0.6, 0.8]])

    def both(x: Any) -> ds.Distribution:
        mean = jnp.stack([f(x[:, 0], x[:, 1]), x[:, 0] * x[:, 1]], -1)
        variances = jnp.stack([jnp.exp(g(x[:, 0], x[:, 1])), jnp.full(len(x), 0.7)], -1)
        return ds.MultivariateNormal(mean @ turn.T, jnp.einsum("ij,nj,kj->nik", turn, variances, turn))

    got = fourth_derivative(from_jax(both), np.array([POINT]))[0]
    one = {pair: float(exact_values()["Normal"][f"1.0 {pair}"]) for pair in PAIRS}
    # m = ab with variance 0.7: m_ab = 1 and no other second or third derivative.
    np.testing.assert_allclose(got[0, 1], one["01"] + 2 / 0.7, rtol=1e-11)
    np.testing.assert_allclose([got[0, 0], got[1, 1]], [one["00"], one["11"]], rtol=1e-9)


def test_quadratic_divergence_gives_the_corrected_formula() -> None:
    """2 λ_deᵀHλ_de + λ_ddᵀHλ_ee + 2 λ_dᵀHλ_dee + 2 λ_eᵀHλ_dde with H = α/v, for λ = a²b² + a³b − 2ab, written out."""
    alpha, v = 1.7, 0.4
    a, b = X[:, 0], X[:, 1]
    m_a, m_b = 2 * a * b**2 + 3 * a**2 * b - 2 * b, 2 * a**2 * b + a**3 - 2 * a
    m_aa, m_ab, m_bb = 2 * b**2 + 6 * a * b, 4 * a * b + 3 * a**2 - 2, 2 * a**2
    m_aaa, m_aab, m_abb, m_bbb = 6 * b, 4 * b + 6 * a, 4 * a, 0.0
    h = alpha / v
    expected = {
        (0, 1): h * (2 * m_ab**2 + m_aa * m_bb + 2 * m_a * m_abb + 2 * m_b * m_aab),
        (0, 0): h * (3 * m_aa**2 + 4 * m_a * m_aaa),
        (1, 1): h * (3 * m_bb**2 + 4 * m_b * m_bbb),
    }
    model = from_jax(
        lambda x: ds.Normal(x[:, 0] ** 2 * x[:, 1] ** 2 + x[:, 0] ** 3 * x[:, 1] - 2 * x[:, 0] * x[:, 1], v)
    )
    got = fourth_derivative(model, X[:, :2], alpha=alpha)
    for (d, e), value in expected.items():
        np.testing.assert_allclose(got[:, d, e], value, rtol=1e-11, atol=1e-12)


def test_as_an_importance_it_is_rsens2_where_nothing_else_is_left() -> None:
    """At the saddle of m = 3ab, where m_a = m_b = m_aa = m_bb = 0, only 2 λ_abᵀHλ_ab is left."""
    model = from_jax(lambda x: ds.Normal(3 * x[:, 0] * x[:, 1], 0.4))
    saddle = np.zeros((1, 2))
    got = importance("fourth_derivative", model, saddle, alpha=2.0)
    expected = rsens2(model, saddle, alpha=2.0)[0]
    assert expected[0, 1] == pytest.approx(3 * np.sqrt(2.0 / 0.4), rel=1e-14)
    np.testing.assert_allclose(got, expected, rtol=1e-14)
    away = METHODS["fourth_derivative"].chunks(*read_for(model, X[:, :2]), 2.0)
    signed = fourth_derivative(model, X[:, :2], alpha=2.0)
    np.testing.assert_allclose(next(away)[1], np.sqrt(np.abs(signed) / 2), rtol=1e-14)


def test_a_divergence_that_is_not_differentiated_accurately_is_found_out() -> None:
    with pytest.raises(
        InputError, match=r"at row 11 cannot be differentiated accurately: .* comes out as 2 instead of 1\."
    ):
        fourth_module._check_second(np.array([[4.0], [2.0]]), np.array([[4.0], [1.0]]), 10)


def test_every_exponential_family_is_known() -> None:
    others = {ds.StudentT, ds.Weibull, ds.NegativeBinomial, ds.Mixture}
    assert set(fourth_module.NATURAL) == set(ds.ALL_FAMILIES) - others


def test_bins_are_their_classes() -> None:
    borders = jnp.array([-1.0, 0.5, 1.0, 4.0])

    def classes(x: Any, factor: float) -> Any:
        """Sines, of which JAX compiles four derivatives sooner than of a softmax."""
        one, two = 0.3 + 0.1 * factor * jnp.sin(x[:, 0]), 0.3 + 0.1 * jnp.sin(factor * x[:, 0] * x[:, 1])
        return jnp.stack([one, two, 1.0 - one - two], -1)

    def both(x: Any) -> Any:
        return 0.25 * classes(x, 1.0) + 0.75 * classes(x, 2.0)

    whole = fourth_derivative(from_jax(lambda x: ds.Categorical(both(x))), X[:2])
    one = fourth_derivative(from_jax(lambda x: ds.Histogram(borders, both(x))), X[:2])
    np.testing.assert_allclose(one, whole, rtol=1e-10)


class Own(ds.Normal):
    """A family of the user's own."""


@pytest.mark.parametrize(
    "predict",
    [lambda x: Own(x[:, 0], 1.0), lambda x: ds.Mixture([ds.Normal(x[:, 1], 1.0), ds.Normal(x[:, 0], 1.0)], [0.5, 0.5])],
)
def test_a_mixture_and_a_family_of_ones_own(predict: Any) -> None:
    message = r"no divergence for (Own|Mixture)\. It works for Bernoulli, .*; rsens and rsens2 work"
    with pytest.raises(InputError, match=message):
        fourth_derivative(from_jax(predict), X)
    assert rsens2(from_jax(predict), X).shape == (len(X), X.shape[1], X.shape[1])


@pytest.mark.parametrize(
    "predict",
    [
        lambda x: ds.Normal(1e8 + x[:, 0] * x[:, 1], 1e-4 * jnp.exp(x[:, 0])),
        lambda x: ds.Bernoulli(logit=40.0 + x[:, 0] * x[:, 1]),
    ],
    ids=["mean far from zero", "probability near one"],
)
def test_hard_cases_have_the_right_second_derivative(predict: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second derivative of the same divergence is α R-sens², to 1e-8 for every column that matters."""
    seen: list[Any] = []
    monkeypatch.setattr(fourth_module, "_check_second", lambda second, expected, _: seen.append((second, expected)))
    assert np.isfinite(fourth_derivative(from_jax(predict), X[:4, :2])).all()
    ((second, expected),) = seen
    np.testing.assert_allclose(second, expected, rtol=1e-8)
