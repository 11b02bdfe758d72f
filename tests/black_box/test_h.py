"""The H-statistic: its definition by plain loops, known answers, and what it says that misleads."""

from itertools import combinations

import numpy as np
import pytest

from rsens._typing import Array
from rsens.black_box import Predictor
from rsens.black_box._h import h_statistic
from tests.black_box.pairs import GRID, KINDS, PAPER, STANDARD, of_function, predictor_of_kind, rng


def by_definition(predictor: Predictor) -> Array:
    """Friedman and Popescu (2008), equation 44."""
    X = predictor.values
    n, D = X.shape

    def centred(columns: tuple[int, ...]) -> Array:
        averages = np.empty(n)
        for i in range(n):
            rows = X.copy()
            rows[:, columns] = X[i, columns]
            averages[i] = predictor.predictions(rows)[:, 0].mean()
        return averages - averages.mean()

    alone = [centred((d,)) for d in range(D)]
    H = np.zeros((D, D))
    for d, e in combinations(range(D), 2):
        both = centred((d, e))
        H[d, e] = H[e, d] = np.sqrt(np.sum((both - alone[d] - alone[e]) ** 2) / np.sum(both**2))
    return H


X = np.random.default_rng(1).normal(size=(9, 4))


@pytest.mark.parametrize("name", KINDS)
def test_the_definition(name: str) -> None:
    predictor = predictor_of_kind(name, X, 12)
    # an additive pair is 0 to rounding in loops: H² ~ 1e-30/1, H ~ 1e-15, and a GP with weights of 1e3 loses three more
    np.testing.assert_allclose(h_statistic(predictor, PAPER, rng()), by_definition(predictor), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_an_additive_function_gets_exactly_zero(offset: float) -> None:
    X = np.random.default_rng(2).normal(size=(30, 3))
    predictor = of_function(lambda x: offset + np.sin(x[:, 0]) + np.exp(x[:, 1]) + 1e-3 * x[:, 2], X)
    assert not h_statistic(predictor, PAPER, rng()).any()


def test_evaluations_and_the_sample_of_rows() -> None:
    X = np.random.default_rng(5).normal(size=(130, 3))
    everything, some = (of_function(lambda x: x[:, 0] * x[:, 1] + np.sin(x[:, 2]) * x[:, 1], X) for _ in range(2))
    h_statistic(everything, PAPER, rng())
    assert everything.evaluations == 130**2 * (3 + 3)
    first = h_statistic(some, STANDARD, rng())
    assert some.evaluations == 100**2 * (3 + 3)
    np.testing.assert_array_equal(first, h_statistic(some, STANDARD, rng()))
    assert (first != h_statistic(some, STANDARD, rng(1))).any()


def test_without_any_effect() -> None:
    """0/0 is 0, also where an offset leaves rounding in both."""
    for f in (lambda x: np.zeros(len(x)), lambda x: np.full(len(x), 1.1e7), lambda x: 0.1 + 0.0 * x[:, 0]):
        assert not h_statistic(of_function(f, GRID[:20]), PAPER, rng()).any()
