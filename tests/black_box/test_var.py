"""The variance of the prediction given the other variables, in closed form and by simulation."""

import numpy as np
import pytest

from rsens.black_box import BUDGETS
from rsens.black_box._var import var

from .functions import correlated, linear, of_levels, predictor_of, with_levels

each = pytest.mark.parametrize("budget", BUDGETS.values(), ids=lambda budget: budget.name)
FULL, STANDARD, PAPER = BUDGETS["full"], BUDGETS["standard"], BUDGETS["paper"]


@each
def test_a_linear_function_gives_the_conditional_variance(budget):
    x = correlated(50)
    conditional = 1.0 / np.diag(np.linalg.inv(np.cov(x.T)))
    found = var(predictor_of(x, linear([1.0, -2.0, 0.0])), budget, np.random.default_rng(0))
    np.testing.assert_allclose(found, [conditional[0], 4.0 * conditional[1], 0.0], rtol=1e-9, atol=1e-9)


def test_against_simulation():
    x = correlated(20)

    def f(blocks):
        return np.sin(blocks[..., 0]) * blocks[..., 1] + np.exp(0.1 * blocks[..., 2])

    found = var(predictor_of(x, f), FULL, np.random.default_rng(0))
    S, mean, rng = np.cov(x.T), x.mean(axis=0), np.random.default_rng(1)
    for d in range(3):
        rest = np.delete(np.arange(3), d)
        weights = np.linalg.solve(S[np.ix_(rest, rest)], S[rest, d])
        moved = np.repeat(x[None], 20_000, axis=0)
        deviation = np.sqrt(S[d, d] - S[d, rest] @ weights)
        moved[..., d] = mean[d] + (x[:, rest] - mean[rest]) @ weights + deviation * rng.normal(size=moved.shape[:2])
        np.testing.assert_allclose(found[d], f(moved).var(axis=0).mean(), rtol=0.02)  # 20 rows × 20,000 draws: 0.4 %


@each
def test_levels_are_taken_by_frequency(budget):
    x, coding = with_levels(60)
    found = var(predictor_of(x, of_levels, coding=coding), budget, np.random.default_rng(0))
    shares, effects = coding[1].frequencies, np.array([0.0, 1.0, 4.0])
    conditional = 1.0 / np.diag(np.linalg.inv(np.cov(x[:, [0, 2]].T)))
    np.testing.assert_allclose(found[1], shares @ effects**2 - (shares @ effects) ** 2, rtol=1e-9)
    np.testing.assert_allclose(found[[0, 2]], [conditional[0], 0.0], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("budget", "expected"), [(PAPER, 0.003), (STANDARD, 0.499), (FULL, 0.5)])
def test_nine_nodes_hardly_see_a_function_that_turns_often(budget, expected):
    """The variance of sin(3x) for a standard normal x is (1 − e⁻¹⁸)/2."""
    x = np.random.default_rng(0).normal(size=(50, 1))
    x = (x - x.mean()) / x.std(ddof=1)
    found = var(predictor_of(x, lambda blocks: np.sin(3.0 * blocks[..., 0])), budget, np.random.default_rng(0))
    np.testing.assert_allclose(found, expected, atol=0.001)


def test_digits_are_kept_where_another_variable_makes_the_prediction_huge():
    """Except under the budget of the paper, which subtracts two numbers of 1e20, as the paper did."""
    x = np.random.default_rng(0).normal(size=(50, 2))

    def f(blocks):
        return blocks[..., 0] + 1e10 * np.exp(blocks[..., 1])

    expected = 1.0 / np.linalg.inv(np.cov(x.T))[0, 0]
    np.testing.assert_allclose(var(predictor_of(x, f), STANDARD, np.random.default_rng(0))[0], expected, rtol=1e-4)
    assert abs(var(predictor_of(x, f), PAPER, np.random.default_rng(0))[0] - expected) > 1.0


@each
def test_rows_are_asked_about_in_parts(budget, monkeypatch):
    x, coding = with_levels(60)
    sizes = []

    def f(blocks):
        sizes.append(blocks[..., 0].size)
        return of_levels(blocks) + blocks[..., 0] * blocks[..., 2]

    whole = var(predictor_of(x, f, coding=coding), budget, np.random.default_rng(0))
    monkeypatch.setattr("rsens.black_box._var.MOST_ROWS", 100)
    sizes.clear()
    parts = var(predictor_of(x, f, coding=coding), budget, np.random.default_rng(0))
    np.testing.assert_allclose(parts, whole, rtol=1e-12)
    assert max(sizes) <= 100
