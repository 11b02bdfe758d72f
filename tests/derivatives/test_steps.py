"""How far differences move the rows, and the warning where the step decides the result."""

import numpy as np
import pytest

import rsens
from rsens._errors import RsensWarning
from rsens.derivatives import from_function
from rsens.derivatives._differences import DEFAULT_STEP, FAR, Steps, step_unit
from rsens.distributions import Normal
from rsens.measures import local_values
from tests.derivatives.sources import rows


def normal(mean):
    return lambda X: Normal(mean(X), np.ones(len(X)))


class TestUnits:
    @pytest.mark.parametrize(
        ("X", "units"),
        [
            ([[0.0, 5.0], [2.0, 5.0]], [1.0, 5.0]),  # a constant column: its magnitude
            ([[0.25, -8.0]], [1.0, 8.0]),  # one row: the magnitude, at least 1
            ([[0.1, 0.0]] * 3, [1.0, 1.0]),  # sd is not exactly 0 for 0.1, the range is
            ([[1e200, 0.0], [-1e200, 1e-200]], [1e200, 5e-201]),  # squares that overflow and underflow
        ],
    )
    def test_they_come_from_the_data(self, X, units):
        np.testing.assert_allclose(step_unit(np.array(X)), units, rtol=1e-15)

    @pytest.mark.parametrize("share", [0.005, 0.4, 0.7])
    def test_a_code_for_missing_values_does_not_count(self, share):
        """However many rows have it: it is one of the distinct values."""
        column = rows(200, columns=1)
        column[: int(200 * share)] = 999999.0
        assert 0.5 < step_unit(column)[0] < 2.0

    def test_far_rows_have_larger_ones(self):
        X = rows(101)
        X[0, 0] = 1000.0
        steps = Steps.of(X, None, None)
        units = steps.units(X)
        assert units[0, 0] == pytest.approx(FAR * 1000.0, rel=1e-3)
        np.testing.assert_array_equal(units[1:], np.broadcast_to(steps.unit, X.shape)[1:])
        np.testing.assert_array_equal(steps.widths(X, 2), DEFAULT_STEP[2] * units)


def with_sentinel():
    X = np.random.default_rng(0).normal(size=(200, 2))
    X[7, 0] = 999999.0
    return X


def test_one_value_far_outside():
    """For a mean of tanh(x₀x₁) = t and the variance 1, R-sens₂ of the pair is |s(1 − 2 x₀x₁ t)|, s = 1 − t²."""
    X, model = with_sentinel(), from_function(normal(lambda Z: np.tanh(Z[:, 0] * Z[:, 1])))
    t = np.tanh(X[:, 0] * X[:, 1])
    exact = np.abs((1.0 - t**2) * (1.0 - 2.0 * X[:, 0] * X[:, 1] * t))
    np.testing.assert_allclose(rsens.rsens2(model, X)[:, 0, 1], exact, rtol=0, atol=3e-7)
    exact = np.abs(X[:, ::-1] / np.cosh(np.clip(X[:, 0] * X[:, 1], -300, 300))[:, None] ** 2)
    np.testing.assert_allclose(local_values("kl", model, X), exact, rtol=0, atol=1e-6)


def test_a_column_over_many_powers_of_ten():
    X = np.exp(4.0 * np.random.default_rng(1).normal(size=(300, 1)))
    got = rsens.rsens2(from_function(normal(lambda Z: np.log1p(10.0 * Z[:, 0]))), X).ravel()
    exact = (10.0 / (1.0 + 10.0 * X[:, 0])) ** 2
    np.testing.assert_allclose(got.mean(), exact.mean(), rtol=1e-3)


#: Functions that a step in units of the data is too wide or too narrow for, and the columns to be named.
DEPENDS = {
    "one row at a time stamp": (lambda Z: np.sin(Z[:, 0] - 1.7e9), [[1.7e9 + 0.5, 1.0]], 1, "'x0'"),
    "a constant column": (lambda Z: np.sin(Z[:, 1] - 1e7) + Z[:, 0], [[0.0, 1e7], [1.0, 1e7]], 1, "'x1'"),
    "two distant groups": (lambda Z: np.sin(Z[:, 0]), [[x + 1e6 * (x > 0), 0.0] for x in rows(40)[:, 0]], 1, "'x0'"),
    "faster than the data": (lambda Z: np.sin(1e4 * Z[:, 1]), rows(40, columns=2), 2, "'x1'"),
    "noise": (lambda Z: Z[:, 0] + 1e-6 * np.sin(1e9 * Z[:, 0]), rows(40, columns=2), 1, "'x0'"),
}
#: Functions whose derivatives are right, however rough they look.
SILENT = {
    "a tiny effect": (lambda Z: 1e-9 * np.sin(Z[:, 0]), rows(40, columns=2)),
    "units apart": (lambda Z: np.sin(1e6 * Z[:, 0]) + np.sin(1e-6 * Z[:, 1]), rows(40, columns=2) * [1e-6, 1e6]),
    "a time stamp": (lambda Z: np.sin(Z[:, 0] - 1.7e9), rows(40, columns=2) + np.array([1.7e9, 0.0])),
    "a far row": (lambda Z: np.tanh(Z[:, 0]) + Z[:, 1] ** 3, with_sentinel()),
    "one ordinary row": (lambda Z: np.sin(Z[:, 0]) * Z[:, 1], [[0.3, 20.0]]),
}


@pytest.mark.parametrize("name", DEPENDS)
def test_a_result_that_depends_on_the_step_warns(name):
    mean, X, order, columns = DEPENDS[name]
    measure = rsens.rsens if order == 1 else rsens.rsens2
    with pytest.warns(RsensWarning, match=f"derivatives in {columns} depend on the step.*scale=.*step=0.3"):
        measure(from_function(normal(mean)), X)


@pytest.mark.parametrize("name", SILENT)
def test_one_that_does_not_is_silent(name):
    mean, X = SILENT[name]
    rsens.rsens2(from_function(normal(mean)), X)
