"""The covariance functions once more, as plain formulas of two rows in JAX, to be differentiated automatically."""

from functools import cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from rsens import kernels
from tests.kernels.cases import X, Z


def covariance(kernel, theta, x, z):
    """k(x, z) for single rows with the hyperparameters exp(theta)."""
    match kernel:
        case kernels.Sum(terms):
            return sum(covariance(part, piece, x, z) for part, piece in split(terms, theta))
        case kernels.Product(factors):
            return jnp.prod(jnp.stack([covariance(part, piece, x, z) for part, piece in split(factors, theta)]))
    if kernel.dims is not None:
        x, z = x[jnp.array(kernel.dims)], z[jnp.array(kernel.dims)]
    return LEAVES[type(kernel)](hyperparameters(kernel, theta), x, z)


def split(parts, theta):
    start = 0
    for part in parts:
        stop = start + len(part.theta)
        yield part, theta[start:stop]
        start = stop


def hyperparameters(kernel, theta):
    """exp(theta), as one entry per field."""
    values, start = {}, 0
    for name in ("variance", "lengthscale", "alpha", "period"):
        if hasattr(kernel, name):
            stop = start + np.size(getattr(kernel, name))
            values[name] = jnp.exp(theta[start:stop])
            start = stop
    assert start == len(theta)
    return values


def stationary(profile):
    def k(h, x, z):
        s = jnp.sum(((x - z) / h["lengthscale"]) ** 2)
        r = jnp.sqrt(jnp.where(s > 0, s, 1.0))  # the derivative of a root at 0 is not a number
        return h["variance"][0] * jnp.where(s > 0, profile(r, h), 1.0)

    return k


LEAVES = {
    kernels.EQ: stationary(lambda r, h: jnp.exp(-(r**2) / 2)),
    kernels.Matern12: stationary(lambda r, h: jnp.exp(-r)),
    kernels.Matern32: stationary(lambda r, h: (1 + 3**0.5 * r) * jnp.exp(-(3**0.5) * r)),
    kernels.Matern52: stationary(lambda r, h: (1 + 5**0.5 * r + 5 * r**2 / 3) * jnp.exp(-(5**0.5) * r)),
    kernels.RationalQuadratic: stationary(lambda r, h: (1 + r**2 / (2 * h["alpha"][0])) ** -h["alpha"][0]),
    kernels.Periodic: lambda h, x, z: (
        h["variance"][0] * jnp.exp(-2 * jnp.sum((jnp.sin(jnp.pi * (x - z) / h["period"]) / h["lengthscale"]) ** 2))
    ),
    kernels.Linear: lambda h, x, z: jnp.sum(h["variance"] * x * z),
    kernels.Constant: lambda h, x, z: h["variance"][0],
    kernels.Categorical: lambda h, x, z: (
        h["variance"][0] * jnp.exp(-jnp.sum(jnp.where(x != z, 1.0, 0.0) / h["lengthscale"]))
    ),
}


class Derived(NamedTuple):
    """Results of automatic differentiation at all pairs of rows of X and Z, and at the rows of X."""

    value: np.ndarray
    first: np.ndarray
    second: np.ndarray
    hyper: np.ndarray
    diag: np.ndarray
    diag_first: np.ndarray
    diag_second: np.ndarray
    diag_hyper: np.ndarray


@cache
def derived(kernel) -> Derived:
    """Everything about one kernel at the rows of the cases, in double precision and compiled once."""

    def k(theta, x, z, tied):
        """k(x, z), or k(x, x) if tied = 1: then it is the total derivative that comes out."""
        return covariance(kernel, theta, x, (1 - tied) * z + tied * x)

    def everything(theta, x, z, tied):
        def gradient(x):
            value, (hyper, first) = jax.value_and_grad(k, (0, 1))(theta, x, z, tied)
            return first, (value, first, hyper)

        second, (value, first, hyper) = jax.jacfwd(gradient, has_aux=True)(x)
        return value, first, second, hyper

    over_z = jax.vmap(everything, (None, None, 0, 0))
    over_both = jax.vmap(over_z, (None, 0, None, None))
    with jax.enable_x64(True):
        compiled = jax.jit(over_both, compiler_options={"xla_backend_optimization_level": 0})
        arrays = compiled(kernel.theta, X, np.vstack([Z, Z[:1]]), np.r_[np.zeros(len(Z)), 1.0])
    return Derived(*(np.array(array)[:, :-1] for array in arrays), *(np.array(array)[:, -1] for array in arrays))
