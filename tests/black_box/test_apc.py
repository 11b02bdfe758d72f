"""Average predictive comparisons against loops over pairs of rows, and in closed form."""

from itertools import product

import numpy as np
import pytest

from rsens.black_box import BUDGETS
from rsens.black_box._apc import apc

from .functions import correlated, curved, linear, of_levels, predictor_of, with_levels

STANDARD, PAPER = BUDGETS["standard"], BUDGETS["paper"]


@pytest.mark.parametrize("budget", [STANDARD, PAPER], ids=lambda budget: budget.name)
def test_against_a_double_loop(budget):
    """All pairs of rows, or one random row j with all others, which has other weights."""
    x = correlated(12)
    found = apc(predictor_of(x, curved), budget, np.random.default_rng(5))
    one = np.random.default_rng(5).integers(12)
    for d in range(3):
        inverse = np.linalg.inv(np.cov(np.delete(x, d, axis=1).T))
        numerator = denominator = 0.0
        for i, j in product(range(12), [one] if budget.paper else range(12)):
            if i != j:
                v, moved = np.delete(x[i] - x[j], d), x[i].copy()
                moved[d] = x[j, d]
                distance = v @ inverse @ v
                w = 1.0 / distance**2 if budget.paper else 1.0 / (1.0 + distance)
                numerator += w * abs(curved(moved) - curved(x[i]))
                denominator += w * abs(x[j, d] - x[i, d])
        tolerance = 1e-8 if budget.paper else 1e-10
        np.testing.assert_allclose(found[d], numerator / denominator, rtol=tolerance)


def test_the_average_change_at_a_switch():
    x, coding = with_levels(60)
    rows = x.copy()
    rows[:, [0, 2]] = 0.0  # all v alike: all weights are 1
    shares = coding[1].frequencies
    effects = np.array([0.0, 1.0, 4.0])
    switches = 1.0 - np.sum(shares**2)
    expected = np.sum(shares[:, None] * shares * np.abs(effects[:, None] - effects)) / switches
    found = apc(predictor_of(rows, of_levels, coding=coding), STANDARD, np.random.default_rng(0))
    np.testing.assert_allclose(found, [0.0, expected, 0.0], rtol=1e-12)


def test_levels_count_in_distances():
    """f = slope·x0, with a slope for each level of x1: rows of another level count less, by 1 + 2/P(differ)."""
    x, coding = with_levels(60)
    x[:, 2] = 0.0
    slopes = np.array([1.0, 2.0, 3.0])

    def f(blocks):
        return blocks[..., 0] * slopes[blocks[..., 1].astype(int)]

    found = apc(predictor_of(x, f, coding=coding), STANDARD, np.random.default_rng(0))
    differ = x[:, None, 1] != x[:, 1]
    w = 1.0 / (1.0 + 2.0 / differ.mean() * differ)
    steps = np.abs(x[:, None, 0] - x[:, 0])
    expected = np.sum(w * steps * slopes[x[:, 1].astype(int)]) / np.sum(w * steps)
    np.testing.assert_allclose(found[0], expected, rtol=1e-10)
    assert abs(expected - np.sum(steps * slopes[x[:, 1].astype(int)]) / np.sum(steps)) > 1e-3  # weights matter


def test_a_column_with_few_values_is_asked_about_each_once():
    x = correlated(40)
    x[:, 0] = np.arange(40) % 2
    predictor = predictor_of(x, linear([1.0, 1.0, 1.0]))
    apc(predictor, STANDARD, np.random.default_rng(0))
    assert predictor.evaluations == 40 * (2 + 40 + 40)
