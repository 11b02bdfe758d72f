"""The finite-perturbation method: its orders of convergence, its steps, and what it refuses."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from rsens import distributions as ds
from rsens._errors import InputError
from rsens.derivatives import from_function
from rsens.measures import kl, rsens
from tests.measures.models import MODELS, rows

X = rows()


@pytest.mark.parametrize(("sided", "order"), [("one", 1), ("both", 2)])
@pytest.mark.parametrize("family", ["Normal", "Gamma", "StudentT", "Poisson", "Mixture"])
def test_orders_of_convergence(family: str, sided: Any, order: int) -> None:
    """Halving Δ divides the error by 2 one-sided, by 4 central; the next term is smaller by the size of Δ itself."""
    model = MODELS[family]
    exact = rsens(model, X)
    errors = [np.abs(kl(model, X, step=h, scale=1, sided=sided) - exact).max() for h in (0.02, 0.01, 0.005)]
    for wide, narrow in pairwise(errors):
        assert wide / narrow == pytest.approx(2**order, rel=0.1)


def test_the_one_sided_form_is_the_formula_of_the_paper() -> None:
    """sqrt(2 D₁)/|Δ|, written out for a Normal."""
    model = MODELS["Normal"]
    step = 0.3
    got = kl(model, X, step=step, scale=1.0, sided="one")
    here = model.predict_distribution(X)
    for d in range(X.shape[1]):
        there = model.predict_distribution(X + step * np.eye(X.shape[1])[d])
        divergence = 0.5 * (
            np.log(there.variance / here.variance)
            + (here.variance + (here.mean - there.mean) ** 2) / there.variance
            - 1.0
        )
        np.testing.assert_allclose(got[:, d], np.sqrt(2 * divergence) / step, rtol=1e-12)


def test_step_is_in_units_of_the_scale() -> None:
    model = MODELS["Normal"]
    sd = X.std(axis=0)
    np.testing.assert_allclose(kl(model, X, step=0.1), kl(model, X, step=0.1 * sd, scale=1.0), rtol=1e-12)
    np.testing.assert_allclose(kl(model, X, step=0.1, scale=sd), kl(model, X, step=0.1), rtol=1e-12)


def test_far_from_zero_the_step_is_what_it_is_after_rounding() -> None:
    """At 1e9 ± 1 a step of 1.2e-4 is rounded to a multiple of 1.2e-7, one part in a thousand."""
    x = 1e9 + np.array([[-1.0], [0.0], [1.0]])
    model = from_function(lambda z: ds.Normal(2.1 * (z[:, 0] - 1e9), 1.0))
    np.testing.assert_allclose(kl(model, x), 2.1, rtol=1e-9)


@pytest.mark.parametrize(
    "arguments",
    [
        {"step": 0.0},
        {"step": [0.1, 0.1]},
        {"step": "small"},
        {"scale": [1.0, np.nan, 1.0]},
        {"sided": "left"},
        {"alpha": 0.0},
    ],
    ids=repr,
)
def test_wrong_arguments(arguments: dict[str, Any]) -> None:
    with pytest.raises(InputError) as raised:
        kl(MODELS["Normal"], X, **arguments)
    assert raised.value.argument in arguments


def test_an_infinite_divergence() -> None:
    with pytest.raises(
        InputError, match=r"divergence of order 7 .* infinite at row 0, column 'x0'. Use alpha = 1, a smaller"
    ):
        kl(MODELS["Weibull"], X, alpha=7.0)


def test_round_rows_and_coefficients_are_not_taken_for_single_precision() -> None:
    """A step that is a power of two gives predictions such as 3 + 3/8192, which float32 holds too."""
    model = from_function(lambda z: ds.Normal(3.0 * z[:, 0], 4.0))
    np.testing.assert_allclose(kl(model, [[0.0, 5.0], [1.0, 6.0]]), [[1.5, 0.0], [1.5, 0.0]], rtol=1e-6)


def test_single_precision() -> None:
    model = from_function(lambda z: ds.Normal(np.sin(z[:, 0].astype(np.float32)), np.float32(0.5)))
    with pytest.raises(InputError, match="mean was computed in single precision"):
        kl(model, X)
    exact = np.abs(np.cos(X[:, 0])) / np.sqrt(0.5)
    np.testing.assert_allclose(kl(model, X, step=0.05)[:, 0], exact, rtol=1e-2)


@pytest.mark.parametrize("family", MODELS)
def test_it_is_rsens_at_the_default_step(family: str) -> None:
    exact = rsens(MODELS[family], X)
    np.testing.assert_allclose(kl(MODELS[family], X), exact, rtol=1e-7, atol=1e-7 * exact.max())


def test_one_row_and_a_constant_column_have_a_step_too() -> None:
    flat = X.copy()
    flat[:, 1] = 0.0
    for x in (X[:1], flat):
        np.testing.assert_allclose(kl(MODELS["Normal"], x), rsens(MODELS["Normal"], x), rtol=1e-6)


def test_an_irrelevant_column_gets_exactly_zero() -> None:
    values = kl(from_function(lambda z: ds.Normal(np.sin(z[:, 0]), np.exp(z[:, 0]))), X)
    assert (values[:, 1:] == 0.0).all()
    assert (values[:, 0] > 0.0).all()
