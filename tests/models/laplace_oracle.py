"""Laplace's approximation written a second time, the plain way: K is inverted, and JAX differentiates."""

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


def eq(variance, lengthscale, X, Z):
    r2 = (((X[:, None] - Z[None]) / lengthscale) ** 2).sum(-1)
    return variance * jnp.exp(-0.5 * r2)


def matern52(variance, lengthscale, X, Z):
    r = jnp.sqrt((((X[:, None] - Z[None]) / lengthscale) ** 2).sum(-1))
    return variance * (1.0 + jnp.sqrt(5.0) * r + 5.0 / 3.0 * r**2) * jnp.exp(-jnp.sqrt(5.0) * r)


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


class Oracle:
    """The mode, log q(y), and functions m(x), v(x); `kernel` is a function of (X, Z). Call within enable_x64."""

    def __init__(self, name, kernel, X, y, shift=0.0):
        n = len(y)
        self.kernel, self.X = kernel, jnp.asarray(X)
        K = kernel(self.X, self.X)
        inverse = jnp.linalg.inv(K)
        terms = jax.vmap(lambda y, f: log_density(name, y, f))
        slopes = jax.vmap(jax.grad(lambda f, y: log_density(name, y, f)))
        bends = jax.vmap(jax.grad(jax.grad(lambda f, y: log_density(name, y, f))))

        def psi(f):
            return terms(y, f + shift).sum() - 0.5 * f @ inverse @ f

        f = jnp.zeros(n)
        for _ in range(60):
            W = jnp.maximum(-bends(f + shift, y), 0.0)
            step = jnp.linalg.solve(inverse + jnp.diag(W), slopes(f + shift, y) - inverse @ f)
            f = f + max(0.5 ** np.arange(6), key=lambda t, f=f, step=step: psi(f + t * step)) * step
        for _ in range(3):  # Newton's own steps, to the last digit
            H = inverse - jnp.diag(bends(f + shift, y))
            f = f + jnp.linalg.solve(H, slopes(f + shift, y) - inverse @ f)
        W = jnp.full(n, (DF + 1.0) / ((DF + 3.0) * SCALE2)) if name == "student_t" else -bends(f + shift, y)
        self.latent = f
        self.gradient = slopes(f + shift, y) - inverse @ f
        self.weights = inverse @ f
        self.Q = jnp.linalg.inv(K + jnp.diag(1.0 / W))
        self.log_marginal_likelihood = (
            psi(f) - 0.5 * jnp.linalg.slogdet(jnp.eye(n) + K * W)[1]
        )

    def moments(self, x):
        """(m, v) at one row x."""
        k = self.kernel(x[None], self.X)[0]
        return jnp.stack([k @ self.weights, self.kernel(x[None], x[None])[0, 0] - k @ self.Q @ k])

    def at(self, rows):
        """(m, v) at the rows, first and second derivatives."""
        rows = jnp.asarray(rows)
        values = jax.vmap(self.moments)(rows)
        first = jax.vmap(jax.jacfwd(self.moments))(rows)
        second = jax.vmap(jax.jacfwd(jax.jacfwd(self.moments)))(rows)
        return np.asarray(values), np.asarray(first), np.asarray(second)


def eq_kernel(variance, lengthscale):
    return partial(eq, variance, jnp.asarray(lengthscale))


def matern52_kernel(variance, lengthscale):
    return partial(matern52, variance, jnp.asarray(lengthscale))
