"""The step over the jumps of a piecewise-constant function: when it is needed, what it is, and what it gives."""

import numpy as np
import pytest

from rsens.derivatives._difference_checks import LADDER, wide_step
from rsens.distributions import Normal

X = np.random.default_rng(0).normal(size=(400, 3))


def chosen(mean, rows=X, columns=None, levels=None):
    columns = list(range(rows.shape[1])) if columns is None else columns
    return wide_step(lambda Z: Normal(mean(Z), np.ones(len(Z))), rows, columns, levels)


SMOOTH = {
    "linear": lambda Z: Z @ [1.0, 2.0, 0.0],
    "waves": lambda Z: np.sin(3.0 * Z[:, 0]) * Z[:, 1],
    "flat at most rows": lambda Z: np.exp(5.0 * Z[:, 0]),
    "kinks": lambda Z: np.abs(Z[:, 0]),
    "constant": lambda Z: np.zeros(len(Z)),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_smooth_functions_need_none(name):
    assert chosen(SMOOTH[name]) is None


def test_the_slope_of_stairs():
    """The mean slope over many steps is the slope of the line under them; a column that is not used has none."""
    wide = chosen(lambda Z: 0.04 * np.floor(Z[:, 0] / 0.02))
    assert wide.step == LADDER[0]
    np.testing.assert_allclose(wide.sizes, [2.0 * X[:, 0].std(), 0.0, 0.0], rtol=0.1)
    assert wide.settled
    np.testing.assert_array_equal(wide.by_column, LADDER[0])


def test_noise_of_many_small_jumps_asks_for_a_wider_step():
    heights = 0.05 * np.random.default_rng(1).normal(size=4000)  # without a slope: E|Δf|/2h falls as 1/h

    def mean(Z):
        return 0.01 * np.floor(Z[:, 0] / 0.02) + heights[np.clip(((Z[:, 1] + 10.0) * 200.0).astype(int), 0, 3999)]

    wide = chosen(mean)
    assert wide.step == LADDER[1]
    assert wide.sizes[1] == pytest.approx(0.05 / np.sqrt(np.pi) / 0.3, rel=0.2)  # E|N(0, 2σ²)|/2h
    assert wide.doubled[1] == pytest.approx(0.5 * wide.sizes[1], rel=0.3)
    assert str(wide.step) in wide.summary(("a", "b", "c"))


def test_whole_numbers_are_reached():
    """±0.15 standard deviations of 1, 2, …, 5 cross no split at halves: the step is a gap between values."""
    rows = np.column_stack([np.random.default_rng(2).integers(1, 6, len(X)), X[:, 1:]])
    wide = chosen(lambda Z: np.round(Z[:, 0]), rows)
    np.testing.assert_allclose(wide.by_column[0] * rows[:, 0].std(), 1.0)
    assert wide.sizes[0] == pytest.approx(rows[:, 0].std(), rel=1e-9)


def test_a_function_of_the_levels_only():
    rows = np.column_stack([np.arange(len(X)) % 3, X[:, 1:]])
    assert chosen(lambda Z: Z[:, 0] ** 2, rows, [1, 2], rows[:, :1]) is None
    assert chosen(lambda Z: Z[:, 0] ** 2, rows[:, :1], [], rows[:, :1]) is None
