"""From the moments of f(x) to the prediction: λ and its derivatives in x, for every likelihood."""

from __future__ import annotations

import numpy as np
import pytest

from rsens.likelihoods import ALL_LIKELIHOODS, Likelihood, through_likelihood
from tests.likelihoods.cases import Array

X = np.array([[0.3, -0.2], [1.1, 0.4], [-0.7, 0.9]])
each = pytest.mark.parametrize("likelihood", [kind() for kind in ALL_LIKELIHOODS], ids=str)


def latent(x: Array) -> tuple[Array, Array]:
    """m = sin x₀ + x₀x₁ and v = ½ + x₁²."""
    return np.sin(x[:, 0]) + x[:, 0] * x[:, 1], 0.5 + x[:, 1] ** 2


def latent_derivatives(x: Array) -> tuple[Array, Array]:
    zero, one = np.zeros(len(x)), np.ones(len(x))
    first = np.array([[np.cos(x[:, 0]) + x[:, 1], x[:, 0]], [zero, 2.0 * x[:, 1]]])
    second = np.array([[[-np.sin(x[:, 0]), one], [one, zero]], [[zero, zero], [zero, 2.0 * one]]])
    return np.moveaxis(first, -1, 0), np.moveaxis(second, -1, 0)


@each
def test_first_derivatives_are_differences_of_the_parameters(likelihood: Likelihood) -> None:
    record = through_likelihood(likelihood, *latent(X), latent_derivatives(X)[0])
    assert record.second is None
    h = 1e-5
    for d, step in enumerate(h * np.eye(2)):
        ahead, behind = (likelihood.predictive(*latent(x)).parameters for x in (X + step, X - step))
        # the error of a central difference is h² ≈ 1e-10, and the rounding 1e-16/h = 1e-11
        np.testing.assert_allclose(record.first[:, :, d], (ahead - behind) / (2.0 * h), rtol=1e-8, atol=1e-9)


@each
def test_second_derivatives_are_differences_of_the_first(likelihood: Likelihood) -> None:
    first, second = latent_derivatives(X)
    record = through_likelihood(likelihood, *latent(X), first, second)
    assert record.second is not None
    np.testing.assert_array_equal(record.first, through_likelihood(likelihood, *latent(X), first).first)
    np.testing.assert_array_equal(record.distribution.parameters, likelihood.predictive(*latent(X)).parameters)
    h = 1e-5
    for d, step in enumerate(h * np.eye(2)):
        ahead, behind = (
            through_likelihood(likelihood, *latent(x), latent_derivatives(x)[0]).first for x in (X + step, X - step)
        )
        np.testing.assert_allclose(record.second[..., d], (ahead - behind) / (2.0 * h), rtol=1e-8, atol=1e-9)
