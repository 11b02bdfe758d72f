"""Laws that hold for every measure and every family (design: one test per law, run over the lists)."""

from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rsens import distributions as ds
from rsens._errors import InputError
from rsens.derivatives import Derivatives
from rsens.measures import METHODS, importance, local_values, parts, rsens, rsens2
from tests.measures.models import MODELS, D, Written, rows

X = rows()
#: Measures that read derivatives or predictions of any model; `ard` reads the kernel of a GP and has its own file.
ANY_MODEL = [name for name in METHODS if name != "ard"]
#: Closed forms agree to rounding; `kl` has its own truncation error, of 1e-8 times higher derivatives.
TOLERANCE = {name: 1e-7 if name == "kl" else 1e-12 for name in METHODS}


@cache
def plain(name: str, family: str) -> np.ndarray:
    return local_values(name, MODELS[family], X)


def assert_close(got: Any, expected: Any, tolerance: float) -> None:
    """Relative to the largest value: a value near zero is the small difference of larger ones."""
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance * np.abs(expected).max())


@pytest.mark.parametrize(
    ("name", "alpha", "family"),
    [
        (name, alpha, family)
        for name in ("rsens", "rsens2", "kl")
        for alpha in (0.3, 7.0)
        for family in MODELS
        # Two Weibulls have D_α = ∞ for α > 1 if the shape grows; test_kl.py has the error.
        if (name, alpha, family) != ("kl", 7.0, "Weibull")
    ],
)
def test_alpha_only_scales(name: str, alpha: float, family: str) -> None:
    tolerance = 1e-6 if name == "kl" else 1e-14  # the truncation error of kl grows with alpha
    assert_close(local_values(name, MODELS[family], X, alpha=alpha), np.sqrt(alpha) * plain(name, family), tolerance)


@pytest.mark.parametrize("name", ["ead", "aed", "eah", "aeh"])
def test_alpha_does_not_enter_the_point_prediction(name: str) -> None:
    model = MODELS["Gamma"]
    np.testing.assert_array_equal(importance(name, model, X, alpha=3.0), importance(name, model, X))


@pytest.mark.parametrize("family", MODELS)
@pytest.mark.parametrize("name", ANY_MODEL)
def test_rescaled_columns(name: str, family: str) -> None:
    c = np.array([2.0, 0.01, 300.0])
    rescaled = local_values(name, MODELS[family].through(np.diag(1 / c)), X * c)
    factor = c if METHODS[name].order == 1 else np.outer(c, c)
    assert_close(rescaled * factor, plain(name, family), TOLERANCE[name])


@pytest.mark.parametrize("family", MODELS)
@pytest.mark.parametrize("name", ANY_MODEL)
def test_permuted_columns(name: str, family: str) -> None:
    order = np.array([2, 0, 1])
    permuted = local_values(name, MODELS[family].through(np.eye(D)[:, order]), X[:, order])
    expected = plain(name, family)[..., order]
    if METHODS[name].order == 2:
        expected = expected[..., order, :]
    assert_close(permuted, expected, TOLERANCE[name])


@pytest.mark.parametrize("name", ANY_MODEL)
def test_chunks_change_nothing(name: str) -> None:
    model, whole = MODELS["Gamma"], plain(name, "Gamma")
    in_chunks = replace(model, rows=3)
    np.testing.assert_allclose(local_values(name, in_chunks, X), whole, rtol=1e-14, atol=1e-14 * np.abs(whole).max())
    np.testing.assert_allclose(importance(name, in_chunks, X), importance(name, model, X), rtol=1e-13)


@pytest.mark.parametrize("family", MODELS)
def test_pairs_are_symmetric_to_the_last_bit(family: str) -> None:
    for name in ("rsens2", "eah", "aeh"):
        values = plain(name, family)
        np.testing.assert_array_equal(values, values.swapaxes(-1, -2))


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("alpha", [0.0, -1.0, np.inf, np.nan, "1", None, True, 1j])
def test_alpha_outside_its_range(name: str, alpha: Any) -> None:
    with pytest.raises(InputError, match=r"alpha must be a number greater than 0 and finite; got"):
        importance(name, MODELS["Normal"], X, alpha=alpha)
    if name != "ard":
        with pytest.raises(InputError, match="alpha must be"):
            local_values(name, MODELS["Normal"], X, alpha=alpha)


@pytest.mark.parametrize("alpha", [2, np.int8(2), np.float16(2.0), np.float32(2.0), Fraction(2)])
def test_alpha_of_any_type_is_the_same_number(alpha: Any) -> None:
    """A half-precision 2 is 2: its root must not be taken in half precision."""
    model = MODELS["Normal"]
    for measure in (rsens, rsens2, partial(local_values, "kl")):
        got, expected = measure(model, X, alpha=alpha), measure(model, X, alpha=2.0)
        np.testing.assert_array_equal(got, expected)
    record = model.derivatives(X, 1)
    for name, part in parts(record.distribution, record.first, alpha=alpha).items():
        np.testing.assert_array_equal(part, parts(record.distribution, record.first, alpha=2.0)[name])


class Extreme(Written):
    """Row 1 has a derivative of 1e200 in column b and a variance of 1e-300: R-sens there is 1e350."""

    def derivatives(self, x: Any, order: int) -> Derivatives:
        first = np.zeros((len(x), 2, 2))
        first[1, 0, 1] = 1e200
        second = np.zeros((len(x), 2, 2, 2))
        second[1, 0, 1, 0] = second[1, 0, 0, 1] = 1e200
        return Derivatives(ds.Normal(0.0, 1e-300), first, second if order == 2 else None)


def test_a_result_that_does_not_fit_is_an_error_with_row_and_column() -> None:
    x = pd.DataFrame({"a": [0.0, 1.0, 2.0], "b": [3.0, 4.0, 6.0]})
    with pytest.raises(InputError, match=r"R-sens is not a finite number at row 1, column 'b' \(1 of 6 values"):
        rsens(Extreme([], ds.Normal), x)
    with pytest.raises(InputError, match=r"R-sens₂ is not a finite .* row 1, column 'a' and 'b' \(2 of 12 values"):
        rsens2(Extreme([], ds.Normal), x)
