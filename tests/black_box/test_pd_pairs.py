"""Pairs by partial dependence: the definition by plain loops, known answers, and what it says that misleads."""

from dataclasses import replace
from itertools import combinations
from statistics import stdev

import numpy as np
import pytest

from rsens._typing import Array
from rsens.black_box import Predictor
from rsens.black_box._partial_dependence import pd_pairs
from tests.black_box.pairs import (
    KINDS,
    PAPER,
    STANDARD,
    of_function,
    predictor_of_kind,
    question,
    rng,
    smooth,
    three_classes,
)

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


@pytest.mark.parametrize("name", KINDS)
def test_the_definition(name: str) -> None:
    predictor = predictor_of_kind(name, X, 40)
    paper, finer = quantiles(predictor, [0.1, 0.5, 0.9]), quantiles(predictor, [0.1, 0.3, 0.5, 0.7, 0.9])
    np.testing.assert_allclose(pd_pairs(predictor, PAPER, rng()), by_loops(predictor, paper)[0], rtol=1e-8, atol=1e-11)
    five = replace(STANDARD, pair_grid=5)
    np.testing.assert_allclose(pd_pairs(predictor, five, rng()), by_loops(predictor, finer)[0], rtol=1e-8, atol=1e-11)


def test_a_rare_value_is_on_the_grid_unless_the_paper_says_otherwise() -> None:
    rare = (np.arange(40) == 7).astype(float)
    predictor = of_function(lambda x: x[:, 0] * x[:, 1], np.column_stack([np.linspace(-1.0, 1.0, 40), rare]))
    assert pd_pairs(predictor, STANDARD, rng())[0, 1] > 0.1
    assert pd_pairs(predictor, PAPER, rng())[0, 1] == 0.0


def test_classes_are_summed() -> None:
    predictor = question(*three_classes())
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
