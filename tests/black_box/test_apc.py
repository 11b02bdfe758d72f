"""Average predictive comparisons against loops over pairs of rows, and in closed form."""

import numpy as np

from rsens.black_box import BUDGETS
from rsens.black_box._apc import apc

from .functions import correlated, linear, of_levels, predictor_of, with_levels

STANDARD, PAPER = BUDGETS["standard"], BUDGETS["paper"]


def curved(blocks):
    return np.sin(blocks[..., 0]) + blocks[..., 1] * blocks[..., 2] + blocks[..., 1] ** 2


def switched(x, i, j, d):
    """(u_j, v_i)."""
    row = x[i].copy()
    row[d] = x[j, d]
    return row


def test_all_pairs_against_a_double_loop():
    x = correlated(12)
    found = apc(predictor_of(x, curved), STANDARD, np.random.default_rng(0))
    for d in range(3):
        inverse = np.linalg.inv(np.cov(np.delete(x, d, axis=1).T))
        numerator = denominator = 0.0
        for i in range(12):
            for j in range(12):
                v = np.delete(x[i] - x[j], d)
                w = 1.0 / (1.0 + v @ inverse @ v)
                numerator += w * abs(curved(switched(x, i, j, d)) - curved(x[i]))
                denominator += w * abs(x[j, d] - x[i, d])
        np.testing.assert_allclose(found[d], numerator / denominator, rtol=1e-10)


def test_the_estimator_of_the_paper_against_a_loop():
    x = correlated(12)
    found = apc(predictor_of(x, curved), PAPER, np.random.default_rng(5))
    j = np.random.default_rng(5).integers(12)  # the one random row
    for d in range(3):
        inverse = np.linalg.inv(np.cov(np.delete(x, d, axis=1).T))
        numerator = denominator = 0.0
        for i in np.delete(np.arange(12), j):
            v = np.delete(x[i] - x[j], d)
            w = 1.0 / (v @ inverse @ v) ** 2
            numerator += w * abs(curved(switched(x, i, j, d)) - curved(x[i]))
            denominator += w * abs(x[j, d] - x[i, d])
        np.testing.assert_allclose(found[d], numerator / denominator, rtol=1e-8)


def test_an_effect_in_both_directions_does_not_cancel():
    x = np.linspace(-1.0, 1.0, 41)[:, None]
    found = apc(predictor_of(x, lambda blocks: blocks[..., 0] ** 2), STANDARD, np.random.default_rng(0))
    # Without v all weights are 1. For uniform u: E|u² − u'²|/E|u − u'| = ⅓/⅔; 41 points leave 2.4 %. Signs give 0.
    np.testing.assert_allclose(found, 0.5, rtol=0.03)


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
