"""Pairwise Shapley interactions: both estimators against the definition, known answers and other packages."""

import sys
from dataclasses import replace
from itertools import combinations
from math import factorial

import numpy as np
import pytest

from rsens._errors import InputError, MissingExtraError
from rsens._typing import Array
from rsens.black_box import Predictor
from rsens.black_box._shap import shap_pairs
from tests.black_box.pairs import PAPER, STANDARD, fitted_to_flats, of_function, question, rng, smooth, three_classes

X = np.random.default_rng(1).normal(size=(8, 4))


def interactions(predictor: Predictor) -> Array:
    """φ_de of every row and output by the definition, all rows being background: (n, P, D, D)."""
    rows = predictor.values
    n, D = rows.shape

    def v(S: tuple[int, ...], i: int) -> Array:
        mixed = rows.copy()
        mixed[:, S] = rows[i, S]
        return predictor.predictions(mixed).mean(axis=0)

    phi = np.zeros((n, predictor.predictions(rows).shape[1], D, D))
    for i in range(n):
        worth = {S: v(S, i) for size in range(D + 1) for S in combinations(range(D), size)}
        for d, e in combinations(range(D), 2):
            others = [k for k in range(D) if k not in (d, e)]
            for size in range(D - 1):
                weight = factorial(size) * factorial(D - size - 2) / factorial(D - 1)
                for S in combinations(others, size):
                    with_d, with_e, both = (tuple(sorted({*S, *more})) for more in ((d,), (e,), (d, e)))
                    change = worth[both] - worth[with_d] - worth[with_e] + worth[S]
                    phi[i, :, d, e] += weight * change
                    phi[i, :, e, d] += weight * change
    return phi


def test_the_definition() -> None:
    predictor = of_function(smooth, X)
    expected = np.abs(interactions(predictor)).sum(axis=1).mean(axis=0)
    # its least squares have weights of 1e8, which leave some eight digits
    np.testing.assert_allclose(shap_pairs(predictor, STANDARD, rng()), expected, rtol=1e-6, atol=1e-7)
    for model in (fitted_to_flats(6), three_classes(12)):
        predictor = question(*model)
        expected, found = (
            np.abs(interactions(predictor)).sum(axis=1).mean(axis=0),
            shap_pairs(predictor, STANDARD, rng()),
        )
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6 * expected.max())


def test_sampled_coalitions_come_close() -> None:
    rows = np.random.default_rng(4).normal(size=(12, 10))
    W = np.random.default_rng(5).normal(size=(10, 6))

    def f(x: Array) -> Array:
        return np.tanh(0.4 * x @ W).sum(axis=1) + x[:, 0] * x[:, 7]

    predictor = of_function(f, rows)
    exact = shap_pairs(predictor, replace(STANDARD, coalitions=1024), rng())
    some = shap_pairs(predictor, STANDARD, rng())
    assert np.sqrt(np.mean((some - exact) ** 2)) < 0.1 * np.sqrt(np.mean(exact**2))  # measured: 0.03
    assert np.unravel_index(some.argmax(), some.shape) == (0, 7)


def test_how_much_is_asked() -> None:
    predictor = of_function(smooth, np.random.default_rng(6).normal(size=(120, 4)))
    shap_pairs(predictor, STANDARD, rng())
    assert predictor.evaluations == 100 * 16 * 50 + 1  # rows, all coalitions, background; one row for the outputs
    wide = of_function(lambda x: x.sum(axis=1), np.random.default_rng(7).normal(size=(3, 17)))
    shap_pairs(wide, STANDARD, rng())
    assert wide.evaluations == 3 * (17 * 18 + 2) * 3 + 1  # two coalitions for each of the 154 unknowns


def test_without_shapiq(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "shapiq", None)
    predictor = of_function(smooth, X)
    with pytest.raises(MissingExtraError, match=r"shapiq is needed .* pip install 'rsens\[compare\]'"):
        shap_pairs(predictor, STANDARD, rng())
    assert shap_pairs(predictor, PAPER, rng()).any()  # needs no package


def test_one_coalition_has_the_expectation_of_the_definition() -> None:
    """Contributions that all have one sign: the mean of their sizes is the size of their mean."""
    rows = np.vstack([np.ones((3000, 4)), np.zeros((3000, 4))])

    def f(x: Array) -> Array:
        return x[:, 0] * x[:, 1] * (1.0 + 2.0 * x[:, 2] + 4.0 * x[:, 2] * x[:, 3])

    # Half of the time row and background are equal, and the contribution is 0. If not, column 2 is 1 with probability
    # 1/2, and columns 2 and 3 with 1/3: sizes 0, 1 and 2 of S are equally likely.
    expected = 0.5 * (1.0 + 2.0 / 2.0 + 4.0 / 3.0)
    got = shap_pairs(of_function(f, rows), PAPER, rng())[0, 1]
    assert got == pytest.approx(expected, abs=4.0 * 2.5 / np.sqrt(6000))  # 4 standard errors; one value has sd 2.5


def test_four_questions_for_every_pair() -> None:
    """They differ in the two columns only, and every one is a block of its own."""
    blocks = []

    def predictions(rows: Array) -> Array:
        blocks.append(rows)
        return rows.sum(axis=-1, keepdims=True)

    predictor = Predictor(X, predictions)
    shap_pairs(predictor, PAPER, rng())
    assert predictor.evaluations == 4 * len(X) * 6
    for (d, e), (both, only_d, only_e, neither) in zip(combinations(range(4), 2), blocks, strict=True):
        for block, columns in ((both, [d, e]), (only_d, [d]), (only_e, [e])):
            expected = neither.copy()
            expected[:, columns] = X[:, columns]
            np.testing.assert_array_equal(block, expected)
        assert {tuple(row) for row in neither[:, [d, e]]} <= {tuple(row) for row in X[:, [d, e]]}


@pytest.mark.parametrize("budget", [PAPER, replace(STANDARD, rows=5, background=3)], ids=["paper", "shapiq"])
class TestBoth:
    def test_seeds(self, budget, capsys) -> None:
        predictor = of_function(smooth, np.random.default_rng(9).normal(size=(30, 4)))
        state = np.random.get_state()[1].copy()  # noqa: NPY002
        first = shap_pairs(predictor, budget, rng())
        np.testing.assert_array_equal(first, shap_pairs(predictor, budget, rng()))
        assert (first != shap_pairs(predictor, budget, rng(1))).any()
        np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002
        printed = capsys.readouterr()
        assert printed.out + printed.err == ""

    def test_one_column_and_one_row(self, budget) -> None:
        np.testing.assert_array_equal(shap_pairs(of_function(lambda x: x[:, 0], X[:, :1]), budget, rng()), [[0.0]])
        with pytest.raises(InputError, match="X has one row"):
            shap_pairs(of_function(smooth, X[:1]), budget, rng())
