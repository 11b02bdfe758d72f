"""The finite-perturbation method: its steps, and what it refuses."""

import numpy as np
import pytest

from rsens import distributions as ds
from rsens._errors import InputError
from rsens.derivatives import from_function
from rsens.measures import _kl, local_values, rsens
from tests.measures.models import MODELS, rows

X = rows()


@pytest.mark.parametrize("family", MODELS)
def test_it_is_rsens_up_to_the_square_of_the_step(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice the step has four times the error; the next term is smaller by the size of the step itself."""
    exact = rsens(MODELS[family], X)
    np.testing.assert_allclose(local_values("kl", MODELS[family], X), exact, rtol=1e-7, atol=1e-7 * exact.max())
    errors = []
    for step in (0.02, 0.01):
        monkeypatch.setattr(_kl, "STEP", step)
        errors.append(np.abs(local_values("kl", MODELS[family], X) - exact).max())
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)


def test_a_normal_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """sqrt(D₁(+Δ) + D₁(−Δ))/Δ, with Δ in units of the deviation of each column."""
    model, step = MODELS["Normal"], 0.3
    monkeypatch.setattr(_kl, "STEP", step)
    got, here = local_values("kl", model, X), model.predict_distribution(X)
    for d, width in enumerate(step * X.std(axis=0)):
        total = 0.0
        for sign in (1.0, -1.0):
            there = model.predict_distribution(X + sign * width * np.eye(X.shape[1])[d])
            gap = (here.variance + (here.mean - there.mean) ** 2) / there.variance - 1.0
            total = total + 0.5 * (np.log(there.variance / here.variance) + gap)
        np.testing.assert_allclose(got[:, d], np.sqrt(total) / width, rtol=1e-12)


def test_far_from_zero_the_step_is_what_it_is_after_rounding() -> None:
    """At 1e9 ± 1 a step of 1.2e-4 is rounded to a multiple of 1.2e-7, one part in a thousand."""
    x = 1e9 + np.array([[-1.0], [0.0], [1.0]])
    model = from_function(lambda z: ds.Normal(2.1 * (z[:, 0] - 1e9), 1.0))
    np.testing.assert_allclose(local_values("kl", model, x), 2.1, rtol=1e-9)


def test_an_infinite_divergence() -> None:
    with pytest.raises(InputError, match=r"order 7 .* infinite at row 0, column 'x0'. Use alpha = 1"):
        local_values("kl", MODELS["Weibull"], X, alpha=7.0)


def test_single_precision_is_refused_and_round_rows_and_coefficients_are_not_taken_for_it() -> None:
    """A step that is a power of two gives predictions such as 3 + 3/8192, which float32 holds too."""
    model = from_function(lambda z: ds.Normal(3.0 * z[:, 0], 4.0))
    got = local_values("kl", model, [[0.0, 5.0], [1.0, 6.0]])
    np.testing.assert_allclose(got, [[1.5, 0.0], [1.5, 0.0]], rtol=1e-6)
    model = from_function(lambda z: ds.Normal(np.sin(z[:, 0].astype(np.float32)), np.float32(0.5)))
    with pytest.raises(InputError, match="mean was computed in single precision"):
        local_values("kl", model, X)


def test_one_row_and_columns_that_are_constant_or_irrelevant() -> None:
    flat = X.copy()
    flat[:, 1] = 0.0
    for x in (X[:1], flat):
        np.testing.assert_allclose(local_values("kl", MODELS["Normal"], x), rsens(MODELS["Normal"], x), rtol=1e-6)
    # An irrelevant column gets exactly zero.
    values = local_values("kl", from_function(lambda z: ds.Normal(np.sin(z[:, 0]), np.exp(z[:, 0]))), X)
    assert (values[:, 1:] == 0.0).all()
    assert (values[:, 0] > 0.0).all()
