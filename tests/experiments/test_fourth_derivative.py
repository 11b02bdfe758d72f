"""The supplement's comparison of R-sens₂ with the full fourth derivative; test_make.py runs the script."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from experiments import _fourth_derivative
from experiments._fourth_derivative import NATURAL, fourth_derivative, fourth_importance
from experiments._interacting import fit_process, simulate
from experiments.fourth_derivative import in_jax
from rsens import distributions as ds
from rsens import from_jax, rsens2
from rsens._errors import InputError
from rsens.measures import importance

X = 0.6 * np.random.default_rng(0).normal(size=(5, 2))


def test_the_function_in_jax_is_the_fitted_process():
    X, y = simulate(40, np.random.default_rng(0))
    gp = fit_process(X, y)
    # The same numbers by automatic differentiation: only rounding, which the inverse of a covariance magnifies.
    np.testing.assert_allclose(importance("rsens2", in_jax(gp, y), X), importance("rsens2", gp, X), rtol=1e-8)


def poisson(r: Any, s: Any) -> Any:
    return s - r + r * jnp.log(r / s)


def gamma(p: Any, q: Any) -> Any:
    (m, k), (n, l) = p, q
    gap = (k - l) * jax.scipy.special.digamma(k) - jax.scipy.special.gammaln(k) + jax.scipy.special.gammaln(l)
    return gap + l * (jnp.log(k / m) - jnp.log(l / n)) + k * (l / n - k / m) * m / k


def rate(x: Any) -> Any:
    return jnp.exp(0.3 + 0.5 * x[..., 0] - 0.4 * x[..., 1] + 0.6 * x[..., 0] * x[..., 1])


def mean_and_shape(x: Any) -> Any:
    return rate(x), 2.0 * jnp.exp(0.2 * x[..., 0] - 0.3 * x[..., 1])


@pytest.mark.parametrize(
    ("family", "divergence", "parameters"),
    [(ds.Poisson, poisson, lambda x: (rate(x),)), (ds.Gamma, lambda *pq: gamma(pq[:2], pq[2:]), mean_and_shape)],
)
def test_against_the_divergence_written_out(family: Any, divergence: Any, parameters: Any) -> None:
    got = fourth_derivative(from_jax(lambda x: family(*parameters(x))), X)
    with jax.enable_x64(True):
        hessian = jax.hessian(lambda z, x: divergence(*parameters(x), *parameters(z)))
        fourth = jax.vmap(jax.hessian(hessian))(jnp.asarray(X), jnp.asarray(X))  # (n, d, e, d, e)
    expected = np.einsum("nddee->nde", np.asarray(fourth))
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-11 * np.abs(expected).max())


def test_quadratic_divergence_gives_the_corrected_formula() -> None:
    """2 λ_deᵀHλ_de + λ_ddᵀHλ_ee + 2 λ_dᵀHλ_dee + 2 λ_eᵀHλ_dde with H = α/v, for λ = a²b² + a³b − 2ab, written out."""
    alpha, v = 1.7, 0.4
    a, b = X.T
    m_a, m_b = 2 * a * b**2 + 3 * a**2 * b - 2 * b, 2 * a**2 * b + a**3 - 2 * a
    m_aa, m_ab, m_bb = 2 * b**2 + 6 * a * b, 4 * a * b + 3 * a**2 - 2, 2 * a**2
    m_aab, m_abb = 4 * b + 6 * a, 4 * a
    expected = alpha / v * (2 * m_ab**2 + m_aa * m_bb + 2 * m_a * m_abb + 2 * m_b * m_aab)
    model = from_jax(
        lambda x: ds.Normal(x[:, 0] ** 2 * x[:, 1] ** 2 + x[:, 0] ** 3 * x[:, 1] - 2 * x[:, 0] * x[:, 1], v)
    )
    np.testing.assert_allclose(fourth_derivative(model, X, alpha=alpha)[:, 0, 1], expected, rtol=1e-11, atol=1e-12)
    # At the saddle of m = 3ab only 2 λ_abᵀHλ_ab is left.
    saddle, at = from_jax(lambda x: ds.Normal(3 * x[:, 0] * x[:, 1], 0.4)), np.zeros((1, 2))
    np.testing.assert_allclose(fourth_importance(saddle, at), rsens2(saddle, at)[0], rtol=1e-14)


def test_families_and_functions_without_one() -> None:
    assert set(NATURAL) == set(ds.ALL_FAMILIES) - {ds.StudentT, ds.Weibull, ds.NegativeBinomial, ds.Mixture}
    with pytest.raises(InputError, match=r"no divergence for StudentT\. It works for Bernoulli, "):
        fourth_derivative(from_jax(lambda x: ds.StudentT(x[:, 0], 1.0, 4.0)), X)
    with pytest.raises(InputError, match="from_jax"):
        fourth_derivative(ds.Normal, X)
    with pytest.raises(InputError, match="cannot be differentiated accurately"):
        _fourth_derivative._check_second(np.array([[4.0], [2.0]]), np.array([[4.0], [1.0]]), 10)
