"""Piecewise linear models: second derivatives are 0, or the link's alone, and a warning says what that means."""

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd
import pytest

import rsens
from rsens import Bernoulli, Normal, Poisson, RsensWarning, explain, from_function, from_jax
from tests.derivatives.sources import rows
from tests.small_chunks import rows_at_once

X = rows(60, columns=3)
W, V = rows(3, columns=16, seed=1), rows(16, columns=3, seed=2)
WARNS = pytest.warns(RsensWarning, match=r"second derivatives of .*piecewise linear.*interactions.*SiLU")


FAMILIES = {
    "normal": lambda f: Normal(f[:, 0], 1.0),
    "both parameters": lambda f: Normal(f[:, 0], jnp.exp(f[:, 1])),
    "logit": lambda f: Bernoulli(logit=f[:, 0]),
    "probability": lambda f: Bernoulli(1.0 / (1.0 + jnp.exp(-f[:, 0]))),
    "log rate": lambda f: Poisson(jnp.exp(0.3 * f[:, 0])),
}


@pytest.mark.parametrize("family", FAMILIES)
def test_relu_in_jax(family):
    build = FAMILIES[family]
    with WARNS as caught:
        rsens.rsens2(from_jax(lambda Z: build(jax.nn.relu(Z @ W + 0.1) @ V)), X)
    assert len(caught) == 1
    rsens.rsens2(from_jax(lambda Z: build(jax.nn.softplus(Z @ W + 0.1) @ V)), X)
    rsens.rsens2(from_jax(lambda Z: build(Z @ W @ V)), X)  # linear


def test_relu_by_differences():
    def relu(Z):
        return Normal((np.maximum(Z @ W + 0.1, 0.0) @ V)[:, 0], 1.0)

    with WARNS:
        rsens.rsens2(from_function(relu), X)
    with pytest.warns(RsensWarning, match="depend on the step"):  # the advice helps
        assert rsens.rsens2(from_function(relu, step=0.3), X).mean(axis=0).min() > 0.05
    rsens.rsens2(from_function(relu), X[:1])  # one row has nothing to compare with
    rsens.rsens2(from_function(lambda Z: Normal(1e3 + Z @ W[:, 0], np.exp(Z[:, 0]))), X)


def test_once_in_every_call():
    model = from_jax(lambda Z: Normal((jax.nn.relu(Z @ W + 0.1) @ V)[:, 0], 1.0))
    with WARNS as caught, rows_at_once(3):
        explain(model, X)
    assert sum("piecewise linear" in str(w.message) for w in caught) == 1
    explain(model, X, pairs=False)


SMOOTH = {
    "a line": lambda xp, Z: Normal(Z[:, 0] - Z[:, 1], 1.0),
    "a sum of curves": lambda xp, Z: Normal(xp.sin(Z[:, 0]) + Z[:, 1] ** 2, 1.0),
    "a curve in one column": lambda xp, Z: Normal(Z[:, 0] ** 2, 1.0),
    "a function of one direction": lambda xp, Z: Normal(xp.sin(2.0 * Z @ np.ones(3)), 1.0),
    "logistic regression": lambda xp, Z: Bernoulli(logit=Z @ np.arange(3.0)),
    "log-linear counts": lambda xp, Z: Poisson(xp.exp(Z @ np.arange(3.0))),
    "a product": lambda xp, Z: Normal(Z[:, 0] * Z[:, 1], 1.0),
    "saturated": lambda xp, Z: Bernoulli(logit=30.0 * Z[:, 0] + 3.0 * Z[:, 1] ** 2),
}


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize(("source", "xp"), [(from_jax, jnp), (from_function, np)])
def test_smooth_models_are_silent(source, xp, name):
    rsens.rsens2(source(lambda Z: SMOOTH[name](xp, Z)), X)


def test_levels_may_have_slopes_of_their_own():
    """A linear model with an interaction between a category and a number does not bend."""
    frame = pd.DataFrame({"x": X[:, 0], "g": np.where(X[:, 1] > 0.0, "a", "b")})
    found = explain(from_function(lambda Z: Normal(Z[:, 0] * (1.0 + Z[:, 1]), 1.0)), frame)
    assert found.pairs.to_numpy().max() > 0.1
