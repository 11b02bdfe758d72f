"""Laplace's approximation written a second time, the plain way: K is inverted, and JAX differentiates in f."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import gammaln
from jax.scipy.stats import norm

from rsens.likelihoods import (
    LogitLikelihood,
    NegativeBinomialLikelihood,
    PoissonLikelihood,
    ProbitLikelihood,
    StudentTLikelihood,
)

SIZE, SCALE2, DF = 3.0, 0.2, 4.0

#: Every likelihood that needs the approximation.
LIKELIHOODS = {
    "poisson": PoissonLikelihood(),
    "negative_binomial": NegativeBinomialLikelihood(size=SIZE),
    "student_t": StudentTLikelihood(scale2=SCALE2, df=DF),
    "probit": ProbitLikelihood(),
    "logit": LogitLikelihood(),
}


def log_density(name, y, f):
    sign = 2.0 * y - 1.0
    if name == "poisson":
        return y * f - jnp.exp(f) - gammaln(y + 1.0)
    if name == "negative_binomial":
        constant = gammaln(y + SIZE) - gammaln(SIZE) - gammaln(y + 1.0)
        return constant + SIZE * jnp.log(SIZE) + y * f - (y + SIZE) * jnp.log(SIZE + jnp.exp(f))
    if name == "student_t":
        constant = gammaln(0.5 * (DF + 1.0)) - gammaln(0.5 * DF) - 0.5 * jnp.log(DF * jnp.pi * SCALE2)
        return constant - 0.5 * (DF + 1.0) * jnp.log1p((y - f) ** 2 / (DF * SCALE2))
    if name == "probit":
        return norm.logcdf(sign * f)
    return -jnp.logaddexp(0.0, -sign * f)


def targets(name, X, rng):
    """y drawn from the likelihood at a smooth latent function, with two outliers for the Student-t."""
    f = np.sin(X[:, 0]) + 0.5 * X[:, -1]
    if name == "poisson":
        return rng.poisson(np.exp(f)).astype(float)
    if name == "negative_binomial":
        return rng.negative_binomial(SIZE, SIZE / (SIZE + np.exp(f))).astype(float)
    if name == "student_t":
        y = f + np.sqrt(SCALE2) * rng.standard_t(DF, len(X))
        y[:2] += (4.0, -6.0)
        return y
    return (rng.random(len(X)) < 1.0 / (1.0 + np.exp(-2.0 * f))).astype(float)


@partial(jax.jit, static_argnums=0)
def mode(name, K, y, shift):
    """f̂, ∂ψ(f̂), K⁻¹ f̂, (K + W⁻¹)⁻¹, log q(y); compiled once for all kernels."""
    n, inverse = len(y), jnp.linalg.inv(K)

    def one(f, y):
        return log_density(name, y, f + shift)

    def psi(f):
        return jax.vmap(one)(f, y).sum() - 0.5 * f @ inverse @ f

    def slope(f):
        return jax.vmap(jax.grad(one))(f, y) - inverse @ f

    def W(f):
        return -jax.vmap(jax.grad(jax.grad(one)))(f, y)

    def uphill(_, f):
        step = jnp.linalg.solve(inverse + jnp.diag(jnp.maximum(W(f), 0.0)), slope(f))
        tries = f + 0.5 ** jnp.arange(6)[:, None] * step
        return tries[jnp.argmax(jax.vmap(psi)(tries))]

    def newton(_, f):
        return f + jnp.linalg.solve(inverse + jnp.diag(W(f)), slope(f))

    f = jax.lax.fori_loop(0, 60, uphill, jnp.zeros(n))
    f = jax.lax.fori_loop(0, 3, newton, f)
    w = jnp.full(n, (DF + 1.0) / ((DF + 3.0) * SCALE2)) if name == "student_t" else W(f)
    evidence = psi(f) - 0.5 * jnp.linalg.slogdet(jnp.eye(n) + K * w)[1]
    return f, slope(f), inverse @ f, jnp.linalg.inv(K + jnp.diag(1.0 / w)), evidence
