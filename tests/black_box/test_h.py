"""The H-statistic: its definition by plain loops, known answers, and what it says that misleads."""

from __future__ import annotations

from itertools import combinations
from math import sqrt

import numpy as np
import pytest

from rsens._typing import Array
from rsens.black_box import Predictor
from rsens.black_box._h import h_statistic
from rsens.kernels import Matern52
from rsens.models import GPRegressor
from tests.black_box.pairs import GRID, PAPER, STANDARD, fitted_to_flats, of_function, question, rng, smooth


def by_loops(predictor: Predictor) -> Array:
    """Friedman and Popescu (2008), equation 44."""
    X = predictor.values
    n, D = X.shape

    def centred(columns: tuple[int, ...]) -> list[float]:
        averages = []
        for i in range(n):
            rows = []
            for k in range(n):
                row = X[k].copy()
                for d in columns:
                    row[d] = X[i, d]
                rows.append(row)
            averages.append(sum(predictor.predictions(np.array(rows))[:, 0]) / n)
        mean = sum(averages) / n
        return [average - mean for average in averages]

    alone = [centred((d,)) for d in range(D)]
    H = np.zeros((D, D))
    for d, e in combinations(range(D), 2):
        both = centred((d, e))
        numerator = sum((both[i] - alone[d][i] - alone[e][i]) ** 2 for i in range(n))
        H[d, e] = H[e, d] = sqrt(numerator / sum(value**2 for value in both))
    return H


X = np.random.default_rng(1).normal(size=(9, 4))
Y = smooth(X)
MODELS = {
    "function": lambda: of_function(smooth, X),
    "GP in closed form": lambda: question(GPRegressor(n_restarts=0).fit(X, Y), X),
    "GP by asking": lambda: question(GPRegressor(Matern52(), n_restarts=0).fit(X, Y), X),
    "labels": lambda: question(*fitted_to_flats(12)),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_definition(name: str) -> None:
    predictor = MODELS[name]()
    # an additive pair is 0 to rounding in loops: H² ~ 1e-30/1, H ~ 1e-15, and a GP with weights of 1e3 loses three more
    np.testing.assert_allclose(h_statistic(predictor, PAPER, rng()), by_loops(predictor), rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("offset", [0.0, 1e9])
def test_an_additive_function_gets_exactly_zero(offset: float) -> None:
    X = np.random.default_rng(2).normal(size=(30, 3))
    predictor = of_function(lambda x: offset + np.sin(x[:, 0]) + np.exp(x[:, 1]) + 1e-3 * x[:, 2], X)
    assert not h_statistic(predictor, PAPER, rng()).any()


def test_correlated_columns_make_it_exceed_one() -> None:
    """At rows with x1 = −x0, x0² + 0.9·x0·x1 is 0.1·x0², F_0 is x0² and F_1 is 0."""
    x = np.array([-1.0, 0.0, 1.0])
    predictor = of_function(lambda x: x[:, 0] ** 2 + 0.9 * x[:, 0] * x[:, 1], np.column_stack([x, -x]))
    assert h_statistic(predictor, PAPER, rng())[0, 1] == pytest.approx(9.0, rel=1e-12)
    cancelled = of_function(lambda x: x[:, 0] ** 2 + x[:, 0] * x[:, 1], np.column_stack([x, -x]))
    assert 1e6 < h_statistic(cancelled, PAPER, rng())[0, 1] < np.inf


def test_evaluations_and_the_sample_of_rows() -> None:
    X = np.random.default_rng(5).normal(size=(130, 3))
    everything, some = of_function(smooth_of_three, X), of_function(smooth_of_three, X)
    h_statistic(everything, PAPER, rng())
    assert everything.evaluations == 130**2 * (3 + 3)
    first = h_statistic(some, STANDARD, rng())
    assert some.evaluations == 100**2 * (3 + 3)
    np.testing.assert_array_equal(first, h_statistic(some, STANDARD, rng()))
    assert (first != h_statistic(some, STANDARD, rng(1))).any()


def smooth_of_three(x: Array) -> Array:
    return x[:, 0] * x[:, 1] + np.sin(x[:, 2]) * x[:, 1]


def test_without_any_effect() -> None:
    """0/0 is 0, also where an offset leaves rounding in both."""
    for f in (lambda x: np.zeros(len(x)), lambda x: np.full(len(x), 1.1e7), lambda x: 0.1 + 0.0 * x[:, 0]):
        assert not h_statistic(of_function(f, GRID[:20]), PAPER, rng()).any()
