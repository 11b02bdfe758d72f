"""Pairs by partial dependence: the definition by plain loops, known answers, and what it says that misleads."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from statistics import stdev

import numpy as np
import pytest

from rsens._typing import Array
from rsens.black_box import Predictor
from rsens.black_box._partial_dependence import pd_pairs
from rsens.kernels import Matern52
from rsens.models import GPRegressor
from tests.black_box.pairs import PAPER, STANDARD, fitted_to_flats, of_function, question, rng, smooth
from tests.black_box.pairs import three_classes as classes

#: Columns whose quantiles 0.1, 0.5 and 0.9 are −1, 0 and 1, in different orders.
STEPS = np.linspace(-1.25, 1.25, 11)
X = np.column_stack([STEPS, np.roll(STEPS, 4), STEPS[::-1], np.roll(STEPS, 7)])


def by_loops(predictor: Predictor, grids: list[list[float]]) -> Array:
    """Greenwell et al. (2018), one grid point at a time: (outputs, D, D)."""

    def spread(values: list[float], d: int) -> float:
        return (max(values) - min(values)) / 4 if d in predictor.categorical else stdev(values)

    def average(held: dict[int, float]) -> Array:
        rows = predictor.values.copy()
        for d, value in held.items():
            rows[:, d] = value
        return predictor.predictions(rows).mean(axis=0)

    D = predictor.values.shape[1]
    result = np.zeros((predictor.predictions(predictor.values).shape[1], D, D))
    for d, e in combinations(range(D), 2):
        averages = np.array([[average({d: u, e: v}) for v in grids[e]] for u in grids[d]])
        for output, surface in enumerate(averages.transpose(2, 0, 1)):
            of_d = spread([spread(list(of_u), d) for of_u in surface.T], e)
            of_e = spread([spread(list(of_v), e) for of_v in surface], d)
            result[output, d, e] = result[output, e, d] = (of_d + of_e) / 2
    return result


def quantiles(predictor: Predictor, probabilities: list[float]) -> list[list[float]]:
    columns = predictor.values.T
    return [
        sorted(set(column)) if d in predictor.categorical else np.quantile(column, probabilities).tolist()
        for d, column in enumerate(columns)
    ]


MODELS = {
    "function": lambda: of_function(smooth, X),
    "GP in closed form": lambda: question(GPRegressor(n_restarts=0).fit(X, smooth(X)), X),
    "GP by asking": lambda: question(GPRegressor(Matern52(), n_restarts=0).fit(X, smooth(X)), X),
    "labels": lambda: question(*fitted_to_flats()),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_definition(name: str) -> None:
    predictor = MODELS[name]()
    paper, finer = quantiles(predictor, [0.1, 0.5, 0.9]), quantiles(predictor, [0.1, 0.3, 0.5, 0.7, 0.9])
    np.testing.assert_allclose(pd_pairs(predictor, PAPER, rng()), by_loops(predictor, paper)[0], rtol=1e-8, atol=1e-11)
    five = replace(STANDARD, pair_grid=5)
    np.testing.assert_allclose(pd_pairs(predictor, five, rng()), by_loops(predictor, finer)[0], rtol=1e-8, atol=1e-11)


def test_additive_functions_get_zero() -> None:
    predictor = of_function(lambda x: np.sin(x[:, 0]) + np.exp(x[:, 1]) + x[:, 2] ** 2 + x[:, 3], X)
    # sd of averages of numbers of size 1, of which there are three
    assert pd_pairs(predictor, PAPER, rng()).max() < 1e-14


def test_levels_have_a_quarter_of_their_range() -> None:
    """f = 2·x where the level is 2: spreads of x are (0, 0, 2) by level, a quarter of their range is 1/2.

    The other way round: a quarter of |2x| = 2, 0, 2 is 1/2, 0, 1/2, whose sd is 1/√12.
    """
    levels = np.tile([0.0, 1.0, 2.0], 4)[: len(STEPS)]
    predictor = of_function(
        lambda x: 2.0 * x[:, 0] * (x[:, 1] == 2.0), np.column_stack([STEPS, levels]), categorical=[1]
    )
    assert pd_pairs(predictor, PAPER, rng())[0, 1] == pytest.approx((1 / 2 + 1 / np.sqrt(12)) / 2, rel=1e-12)
    assert predictor.evaluations == 3 * 3 * len(STEPS)


def test_a_rare_value_is_on_the_grid_unless_the_paper_says_otherwise() -> None:
    rare = (np.arange(40) == 7).astype(float)
    predictor = of_function(lambda x: x[:, 0] * x[:, 1], np.column_stack([np.linspace(-1.0, 1.0, 40), rare]))
    assert pd_pairs(predictor, STANDARD, rng())[0, 1] > 0.1
    assert pd_pairs(predictor, PAPER, rng())[0, 1] == 0.0


def test_classes_are_summed() -> None:
    predictor = question(*classes())
    grids = quantiles(predictor, [0.1, 0.5, 0.9])
    each = by_loops(predictor, grids)
    assert len(each) == 3
    np.testing.assert_allclose(pd_pairs(predictor, PAPER, rng()), each.sum(axis=0), rtol=1e-9)


def test_evaluations() -> None:
    predictor = of_function(smooth, X)
    pd_pairs(predictor, PAPER, rng())
    assert predictor.evaluations == 9 * len(X) * 6  # 9·N·D₂, as in the table of the paper
    long = of_function(smooth, np.random.default_rng(0).normal(size=(1100, 4)))
    pd_pairs(long, STANDARD, rng())
    assert long.evaluations == 8 * 8 * 1000 * 6


def test_constant_columns_and_one_column() -> None:
    flat = X.copy()
    flat[:, 1] = 3.0
    for budget in (PAPER, STANDARD):
        values = pd_pairs(of_function(smooth, flat), budget, rng())
        assert not values[1].any()
        assert values[0, 2] > 0.1
    np.testing.assert_array_equal(pd_pairs(of_function(lambda x: x[:, 0], X[:, :1]), PAPER, rng()), [[0.0]])


def test_main_effects_make_the_same_interaction_larger() -> None:
    """i(0 | x1) is |x1| without, and |1 + x1| with a main effect of x0: sd 1/√3 of (1, 0, 1), and 1 of (0, 1, 2)."""
    for a, b, expected in ((0, 0, 1 / np.sqrt(3)), (1, 0, (1 + 1 / np.sqrt(3)) / 2), (1, 1, 1.0)):
        predictor = of_function(lambda x, a=a, b=b: a * x[:, 0] + b * x[:, 1] + x[:, 0] * x[:, 1], X[:, :2])
        assert pd_pairs(predictor, PAPER, rng())[0, 1] == pytest.approx(expected, rel=1e-12)


def test_a_sign_is_not_seen() -> None:
    """|x0|·x1 with x1 = ±1 turns around with x1, yet i(0 | x1) does not change; i(1 | x0) = √2·|x0| does."""
    two_signs = np.column_stack([STEPS, np.where(STEPS < 0, -1.0, 1.0)])
    predictor = of_function(lambda x: np.abs(x[:, 0]) * x[:, 1], two_signs)
    value = pd_pairs(predictor, replace(STANDARD, pair_grid=3), rng())[0, 1]
    assert value == pytest.approx((0.0 + np.sqrt(2 / 3)) / 2, rel=1e-12)
