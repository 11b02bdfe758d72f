"""λ(m, v) written in JAX, with dense quadrature where there is no closed form, and its automatic derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rsens.likelihoods import Likelihood
from tests.likelihoods.cases import CASES

jax = pytest.importorskip("jax")
jnp = jax.numpy

MEANS = np.array([-5.0, -0.6, 0.0, 1.3, 8.0])
VARIANCES = np.array([0.02, 0.5, 2.0, 3.0, 6.0])


def parameters(likelihood: Any) -> Callable[[Any], Any]:
    """z = (m, v) → λ, one row."""

    def logit(z: Any) -> Any:
        nodes = jnp.linspace(-13.0, 13.0, 4001)
        weights = jnp.exp(-0.5 * nodes**2) * (nodes[1] - nodes[0]) / jnp.sqrt(2 * jnp.pi)
        return jnp.sum(weights * jax.nn.sigmoid(z[0] + jnp.sqrt(z[1]) * nodes))[None]

    match likelihood.name:
        case "gaussian":
            return lambda z: jnp.stack([z[0], z[1] + likelihood.noise_variance])
        case "student_t":
            return lambda z: jnp.stack([z[0], likelihood.scale2 + z[1] * (1 - 2 / likelihood.df)])
        case "poisson":
            return lambda z: jnp.exp(z[0] + z[1] / 2)[None]
        case "negative_binomial":
            return lambda z: jnp.stack([jnp.exp(z[0] + z[1] / 2), jnp.asarray(likelihood.size)])
        case "probit":
            return lambda z: jax.scipy.stats.norm.cdf(z[0] / jnp.sqrt(1 + z[1]))[None]
        case _:
            return logit


@pytest.mark.parametrize("likelihood", [case.likelihood for case in CASES], ids=str)
def test_predictive_derivatives(likelihood: Likelihood) -> None:
    m, v = (a.ravel() for a in np.meshgrid(MEANS, VARIANCES))
    with jax.enable_x64(True):
        z = jnp.stack([m, v], -1)
        function = parameters(likelihood)
        everything = jax.jit(jax.vmap(lambda z: (function(z), jax.jacfwd(function)(z), jax.hessian(function)(z))))
        value, first, second = map(np.asarray, everything(z))
    found_first, found_second = likelihood.predictive_derivatives(m, v, 2)
    np.testing.assert_allclose(likelihood.predictive(m, v).parameters, value, rtol=1e-12)
    # JAX differentiates through the nodes, dividing by √v: 1e-10 of the largest entry is lost there.
    np.testing.assert_allclose(found_first, first, rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(found_second, second, rtol=1e-9, atol=1e-12)
