"""The misprints listed in docs/errata.md: the printed form fails against an oracle, the right form passes.

The oracles are automatic differentiation, quadrature and enumeration, never a formula of this library. The printed
forms are written out here only. Tolerance: rounding of float64 formulas of a dozen operations, 1e-12 relative.
"""

import re
from functools import cache
from itertools import combinations
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd
import pytest
from jax.scipy.special import erf
from scipy import integrate, stats

import rsens

TIGHT = 1e-12
X0 = np.array([0.4, -0.7])
D, E = 0, 1


@pytest.fixture(autouse=True)
def _float64():
    with jax.enable_x64(True):
        yield


def mean(x):
    """A smooth function of two inputs whose derivatives of every order are generic."""
    return jnp.sin(1.3 * x[0]) * jnp.exp(0.4 * x[1]) + 0.5 * x[0] * x[1] ** 2 + 0.3


def variance(x):
    return 0.6 + 0.9 * x[0] ** 2 + 0.5 * x[0] + jnp.exp(0.8 * x[0] * x[1])


@cache
def partial(f, *axes):
    """∂f/∂x_axes… by repeated forward differentiation."""
    for axis in axes:
        f = (lambda g, a: lambda x: jax.jvp(g, (x,), (jnp.eye(x.size)[a],))[1])(f, axis)
    at = cache(lambda x: np.asarray(f(jnp.asarray(x))))  # formulas ask for the same derivatives again
    return lambda x: at(tuple(x))


def gaussian_renyi(x, y, alpha):
    """D_α[N(m(x), v(x)) ‖ N(m(y), v(y))] for parameters x and y = (m, v); α = 1 is Kullback–Leibler."""
    (m, v), (n, w) = x, y
    if alpha == 1.0:
        return 0.5 * (jnp.log(w / v) + (v + (m - n) ** 2) / w - 1.0)
    mixed = alpha * w + (1.0 - alpha) * v
    log_ratio = jnp.log(mixed) - (1.0 - alpha) * jnp.log(v) - alpha * jnp.log(w)
    return 0.5 * (alpha * (m - n) ** 2 / mixed + log_ratio / (1.0 - alpha))


# ---- probit ----------------------------------------------------------------------------------------------------------


def probit(x):
    return 0.5 * (1.0 + erf(mean(x) / jnp.sqrt(2.0 * (1.0 + variance(x)))))


def probit_second(x, d, e, *, sign, power):
    """∂²π/∂x_d∂x_e as in the supplement, with the sign of its first term and the power of its last as arguments."""
    m, v = float(mean(x)), float(variance(x))
    m_d, m_e, m_de = partial(mean, d)(x), partial(mean, e)(x), partial(mean, d, e)(x)
    v_d, v_e, v_de = partial(variance, d)(x), partial(variance, e)(x), partial(variance, d, e)(x)
    s = 1.0 + v
    z = m / s**0.5
    a_d, a_e = (m_d / s**0.5 - m * v_d / (2 * s**1.5), m_e / s**0.5 - m * v_e / (2 * s**1.5))
    bracket = (
        m_de / s**0.5
        - m_d * v_e / (2 * s**1.5)
        - v_de * m / (2 * s**1.5)
        - v_d * (m_e / (2 * s**1.5) - 3 * m * v_e / (4 * s**power))
    )
    return stats.norm.pdf(z) * (sign * z * a_d * a_e + bracket)


@pytest.mark.parametrize(("d", "e"), [(0, 0), (0, 1), (1, 1)])
def test_probit_second_derivative_needs_both_corrections(d, e):
    oracle = partial(probit, d, e)(X0)
    assert probit_second(X0, d, e, sign=-1, power=2.5) == pytest.approx(oracle, rel=TIGHT)
    for sign, power in [(+1, 1.5), (-1, 1.5), (+1, 2.5)]:
        assert abs(probit_second(X0, d, e, sign=sign, power=power) / oracle - 1) > 1e-2


# ---- the exponentiated quadratic kernel ------------------------------------------------------------------------------

LENGTHS = np.array([0.8, 1.7])


def kernel(x, y):
    return 2.1 * jnp.exp(-0.5 * jnp.sum(((x - y) / LENGTHS) ** 2))


def kernel_second_printed(x, y):
    u = (x - y) / LENGTHS**2
    return kernel(x, y) * np.outer(u, u)


@pytest.mark.parametrize("y", [np.array([-0.2, 0.5]), X0], ids=["apart", "coincident"])
def test_kernel_second_derivative_lacks_its_diagonal_term(y):
    oracle = np.asarray(jax.hessian(kernel)(X0, y))
    printed = np.asarray(kernel_second_printed(X0, y))
    corrected = printed - np.diag(float(kernel(X0, y)) / LENGTHS**2)
    np.testing.assert_allclose(corrected, oracle, rtol=TIGHT, atol=1e-15)
    assert printed[D, E] == pytest.approx(oracle[D, E], rel=TIGHT, abs=1e-15)
    assert np.all(np.abs(np.diag(printed - oracle)) > 0.1)


def test_second_derivative_of_the_gp_variance():
    """Not printed: ∂²Var = ∂²k** − 2[k_deᵀ C k + k_dᵀ C k_e], where ∂²k** = 0 for a stationary kernel."""
    training = np.random.default_rng(3).normal(size=(6, 2))
    gram = np.asarray(jax.vmap(lambda a: jax.vmap(lambda b: kernel(a, b))(training))(training))
    C = np.linalg.inv(gram + 0.3 * np.eye(6))

    def k(x):
        return jax.vmap(lambda row: kernel(x, row))(training)

    def posterior_variance(x):
        return kernel(x, x) - k(x) @ C @ k(x)

    # The inverse of a 6 × 6 matrix of condition number about 20 costs a digit.
    first = -2.0 * partial(k, D)(X0) @ C @ k(X0)
    assert first == pytest.approx(partial(posterior_variance, D)(X0), rel=1e-11)
    for d, e in [(0, 0), (0, 1), (1, 1)]:
        formula = -2.0 * (partial(k, d, e)(X0) @ C @ k(X0) + partial(k, d)(X0) @ C @ partial(k, e)(X0))
        assert formula == pytest.approx(partial(posterior_variance, d, e)(X0), rel=1e-11)


# ---- Gaussian R-sens and R-sens₂ -------------------------------------------------------------------------------------


def gaussian_parameters(x):
    return jnp.stack([mean(x), variance(x)])


@cache
def information():
    """The Fisher information at X0 as the Hessian of the Kullback–Leibler divergence."""
    at = gaussian_parameters(X0)
    return np.asarray(jax.hessian(lambda moved: gaussian_renyi(at, moved, 1.0))(at))


def test_gaussian_rsens2_differentiates_the_variance_by_both_inputs():
    second = partial(gaussian_parameters, D, E)(X0)
    definition = np.sqrt(second @ information() @ second)  # eq. 4
    v = float(variance(X0))

    def supplement(d, e, of_variance):
        return np.sqrt(partial(mean, d, e)(X0) ** 2 / v + partial(variance, *of_variance)(X0) ** 2 / (2 * v**2))

    assert supplement(D, E, (D, E)) == pytest.approx(definition, rel=TIGHT)
    ours = rsens.rsens2(rsens.from_jax(lambda X: rsens.Normal(jax.vmap(mean)(X), jax.vmap(variance)(X))), X0[None])
    assert ours[0, D, E] == pytest.approx(definition, rel=TIGHT)
    assert abs(supplement(D, E, (D, D)) / definition - 1) > 1e-2
    # As printed the value would depend on which of the two inputs is named first.
    assert abs(supplement(D, E, (D, D)) / supplement(E, D, (E, E)) - 1) > 1e-2


@pytest.mark.parametrize("alpha", [0.3, 0.5, 1.0, 2.0, 7.0])
def test_hessian_of_the_divergence_is_exactly_alpha_times_the_information(alpha):
    """Eq. 2 prints ≈. Oracle of the information: quadrature of the squared score."""
    at = gaussian_parameters(X0)
    hessian = np.asarray(jax.hessian(lambda moved: gaussian_renyi(at, moved, alpha))(at))
    m, v = (float(value) for value in at)
    y, weights = np.polynomial.hermite_e.hermegauss(40)
    log_density = jax.vmap(
        jax.grad(lambda moved, y: -0.5 * (y - moved[0]) ** 2 / moved[1] - 0.5 * jnp.log(moved[1])), (None, 0)
    )
    score = np.asarray(log_density(at, m + np.sqrt(v) * y))
    oracle = (score * (weights / weights.sum())[:, None]).T @ score
    np.testing.assert_allclose(hessian, alpha * oracle, rtol=TIGHT, atol=1e-13)


@pytest.mark.parametrize("alpha", [0.3, 2.0])
def test_hessian_is_exact_for_a_bernoulli_too(alpha):
    def renyi(q, p=0.2):
        return jnp.log(p**alpha * q ** (1 - alpha) + (1 - p) ** alpha * (1 - q) ** (1 - alpha)) / (alpha - 1)

    assert jax.grad(jax.grad(renyi))(0.2) == pytest.approx(alpha / (0.2 * 0.8), rel=TIGHT)


# ---- derivation of R-sens₂ -------------------------------------------------------------------------------------------


def quadratic_divergence(x):
    """D as if quadratic in λ, as the derivation assumes: ½ (λ(x) − λ(X0))ᵀ H (λ(x) − λ(X0))."""
    change = gaussian_parameters(x) - gaussian_parameters(X0)
    return 0.5 * change @ information() @ change


def product(first, second):
    """λ_firstᵀ H λ_second at X0, where each argument lists the inputs differentiated by."""
    return partial(gaussian_parameters, *first)(X0) @ information() @ partial(gaussian_parameters, *second)(X0)


def test_third_derivative_misses_a_term():
    oracle = partial(quadratic_divergence, D, D, E)(X0)
    printed = 2 * product((D, E), (D,))
    assert printed + product((D, D), (E,)) == pytest.approx(oracle, rel=TIGHT)
    assert abs(printed / oracle - 1) > 1e-2


def test_fourth_derivative_misses_terms():
    oracle = partial(quadratic_divergence, D, D, E, E)(X0)
    # The print also names wrong variables in its first and last term; this is what its own third derivative gives.
    printed = 2 * product((D, E), (D, E)) + 2 * product((D,), (D, E, E))
    missing = product((D, D), (E, E)) + 2 * product((E,), (D, D, E))
    assert printed + missing == pytest.approx(oracle, rel=TIGHT)
    assert abs(printed / oracle - 1) > 1e-2


def test_higher_derivatives_of_the_divergence_are_not_zero():
    """D is not quadratic in λ where the variance varies, so the full fourth derivative is another number again."""
    at = gaussian_parameters(X0)
    v = float(at[1])
    third = np.asarray(jax.jacfwd(jax.hessian(lambda moved: gaussian_renyi(at, moved, 1.0)))(at))
    assert third[1, 1, 1] == pytest.approx(-2 / v**3, rel=TIGHT)
    assert third[0, 0, 1] == pytest.approx(-1 / v**2, rel=TIGHT)

    def divergence(of_x):
        return lambda x: gaussian_renyi(of_x(X0), of_x(x), 1.0)

    full = partial(divergence(gaussian_parameters), D, D, E, E)(X0)
    assert abs(full / partial(quadratic_divergence, D, D, E, E)(X0) - 1) > 1e-2
    # With a constant variance the divergence is quadratic in the mean and nothing is lost.
    constant = partial(divergence(lambda x: jnp.stack([mean(x), 1.5])), D, D, E, E)(X0)
    quadratic = partial(lambda x: 0.5 * (mean(x) - mean(X0)) ** 2 / 1.5, D, D, E, E)(X0)
    assert constant == pytest.approx(quadratic, rel=TIGHT)


# ---- the linear model ------------------------------------------------------------------------------------------------


def linear_model():
    """Ten rows, three inputs, and a new row: β̂, s², (XᵀX)⁻¹ and x."""
    rng = np.random.default_rng(8)
    X, x = rng.normal(size=(10, 3)), rng.normal(size=3)
    y = X @ [1.0, 0.0, -0.5] + 0.5 * rng.normal(size=10)
    beta = np.linalg.lstsq(X, y)[0]
    s2 = np.sum((y - X @ beta) ** 2) / 7
    return beta, s2, np.linalg.inv(X.T @ X), x, 7


def integral(f, lower=-np.inf, upper=np.inf):
    return integrate.quad(f, lower, upper, epsabs=0, epsrel=1e-11, limit=400)[0]


def test_var_of_the_student_t_is_its_squared_scale():
    """Integrate σ² out of N(y | xβ̂, σ²(1 + h)) × scaled-inverse-χ²(σ² | ν, s²), the posterior under the flat prior."""
    _, s2, inverse, x, nu = linear_model()
    printed = s2 * (1 + x @ inverse @ x)
    posterior = stats.invgamma(nu / 2, scale=nu * s2 / 2)

    def density(y):
        return integral(lambda v: stats.norm.pdf(y, scale=np.sqrt(v * printed / s2)) * posterior.pdf(v), 0)

    for y in (0.0, 0.7, 2.0):
        assert density(y) == pytest.approx(stats.t.pdf(y, nu, scale=np.sqrt(printed)), rel=1e-9)
    # E[Var] + Var[E] of the same mixture, the second being zero.
    true_variance = integral(lambda v: v * (printed / s2) * posterior.pdf(v), 0)
    assert true_variance == pytest.approx(printed * nu / (nu - 2), rel=1e-9)


def test_linear_model_equation_holds_with_the_squared_scale():
    """Eq. 5 against quadrature of E[(∂ log p/∂x_d)²], which needs no Fisher information."""
    beta, s2, inverse, x, nu = linear_model()
    scale2 = s2 * (1 + x @ inverse @ x)

    def equation_5(var, d):
        return ((nu + 1) * beta[d] ** 2 + 2 * nu * s2**2 * (inverse @ x)[d] ** 2 / var) / ((nu + 3) * var)

    def log_density(x, y):
        var = s2 * (1 + x @ inverse @ x)
        return -0.5 * jnp.log(var) - (nu + 1) / 2 * jnp.log1p((y - x @ beta) ** 2 / (nu * var))

    score = jax.jit(jax.grad(log_density))
    predictive = stats.t(nu, loc=x @ beta, scale=np.sqrt(scale2))
    for d in range(3):
        oracle = integral(lambda y, d=d: float(score(x, y)[d]) ** 2 * predictive.pdf(y))
        assert equation_5(scale2, d) == pytest.approx(oracle, rel=1e-9)
        assert abs(equation_5(scale2 * nu / (nu - 2), d) / oracle - 1) > 0.1


# ---- right as printed ------------------------------------------------------------------------------------------------


def rate(x):
    return jnp.exp(mean(x) + variance(x) / 2)


def gaussian_rsens(x, d):
    v = float(variance(x))
    return np.sqrt(partial(mean, d)(x) ** 2 / v + partial(variance, d)(x) ** 2 / (2 * v**2))


def probit_first(x, d):
    m, s = float(mean(x)), 1.0 + float(variance(x))
    return stats.norm.pdf(m / s**0.5) * (partial(mean, d)(x) / s**0.5 - m * partial(variance, d)(x) / (2 * s**1.5))


def rate_first(x, d):
    return float(rate(x)) * (partial(mean, d)(x) + partial(variance, d)(x) / 2)


def rate_second(x, d, e):
    first_d, first_e = (partial(mean, a)(x) + partial(variance, a)(x) / 2 for a in (d, e))
    return float(rate(x)) * (first_d * first_e + partial(mean, d, e)(x) + partial(variance, d, e)(x) / 2)


@pytest.mark.parametrize("d", [0, 1])
def test_correct_as_printed(d):
    direction = partial(gaussian_parameters, d)(X0)
    assert gaussian_rsens(X0, d) == pytest.approx(np.sqrt(direction @ information() @ direction), rel=TIGHT)
    assert probit_first(X0, d) == pytest.approx(partial(probit, d)(X0), rel=TIGHT)
    assert rate_first(X0, d) == pytest.approx(partial(rate, d)(X0), rel=TIGHT)
    for e in (0, 1):
        assert rate_second(X0, d, e) == pytest.approx(partial(rate, d, e)(X0), rel=TIGHT)
    y = np.array([-0.2, 0.5])
    kernel_first = float(kernel(X0, y)) * -(X0 - y)[d] / LENGTHS[d] ** 2
    assert kernel_first == pytest.approx(partial(lambda x: kernel(x, y), d)(X0), rel=TIGHT)
    assert -kernel_first == pytest.approx(partial(lambda other: kernel(X0, other), d)(y), rel=TIGHT)


# ---- counts and limits -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("inputs", [2, 3, 7, 12])
def test_number_of_pairs(inputs):
    X = np.random.default_rng(inputs).normal(size=(4, inputs))
    model = rsens.from_function(lambda rows: rsens.Normal(rows.sum(axis=1), 1.0 + rows[:, 0] ** 2))
    pairs = rsens.explain(model, X, pairs=True, intervals=False).pairs
    assert list(pairs.index) == list(combinations([f"x{d}" for d in range(inputs)], 2))
    assert len(pairs) == inputs * (inputs - 1) // 2


def test_limit_is_proportional_to_the_derivative_only_with_a_constant_scale():
    """Section 2.1: 'R-sens tends to the absolute derivative of the mean prediction'."""

    def ratio(of_variance, x):
        def divergence(moved):
            return gaussian_renyi((mean(x), of_variance(x)), (mean(moved), of_variance(moved)), 1.0)

        return np.sqrt(partial(divergence, D, D)(x)) / abs(partial(mean, D)(x))

    rows = np.array([[0.4, -0.7], [1.1, 0.2], [-0.6, 0.9]])
    constant = [ratio(lambda x: 2.5 + 0.0 * x[0], x) for x in rows]
    np.testing.assert_allclose(constant, 1 / np.sqrt(2.5), rtol=TIGHT)  # a constant, and not 1
    varying = [ratio(variance, x) for x in rows]
    assert np.ptp(varying) > 0.1 * np.mean(varying)


def test_february_has_1341_rows(data_folder):
    bike = pd.read_csv(data_folder / "bike_hour.csv")
    assert (bike["mnth"] == 2).sum() == 1341


# ---- the page and this file ------------------------------------------------------------------------------------------


def test_the_page_names_every_test_here():
    page = (Path(__file__).parents[1] / "docs" / "errata.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(test_\w+)`", page))
    here = {name for name in globals() if name.startswith("test_")} - {"test_the_page_names_every_test_here"}
    assert named == here
