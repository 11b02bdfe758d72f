"""Shapley values against the package shap, a sum over all coalitions, and in closed form."""

import sys
from dataclasses import replace
from itertools import combinations
from math import factorial

import numpy as np
import pytest

from rsens._errors import MissingExtraError
from rsens.black_box import BUDGETS
from rsens.black_box._shap import _package, contributions, shap, shapley_values

from .functions import correlated, linear, predictor_of

STANDARD, PAPER = BUDGETS["standard"], BUDGETS["paper"]


def curved(blocks):
    return np.sin(blocks[..., 0]) + blocks[..., 1] * blocks[..., 2] * np.abs(blocks[..., 0])


def by_definition(x, f):
    """φ_d(x_i) = Σ_S |S|!(D − |S| − 1)!/D! [v(S ∪ d) − v(S)], v(S) averaged over all rows as background: (n, D)."""
    n, D = x.shape

    def v(S):
        blocks = np.repeat(x[None], n, axis=0)  # (explained, background, D)
        blocks[:, :, list(S)] = x[:, None, list(S)]
        return f(blocks).mean(axis=1)

    values = np.zeros((n, D))
    for d in range(D):
        for size in range(D):
            for S in combinations(np.delete(np.arange(D), d), size):
                weight = factorial(size) * factorial(D - size - 1) / factorial(D)
                values[:, d] += weight * (v((*S, d)) - v(S))
    return values


def test_few_columns_are_exact():
    x = correlated(20)
    expected = by_definition(x, curved)
    found = shapley_values(predictor_of(x, curved), STANDARD, np.random.default_rng(0))
    np.testing.assert_allclose(found[..., 0], expected, rtol=1e-9, atol=1e-12)
    values = shap(predictor_of(x, curved), STANDARD, np.random.default_rng(0))
    np.testing.assert_allclose(values, np.abs(expected).mean(axis=0), rtol=1e-9)


def test_many_columns_are_close_to_exact():
    """Interactions of up to two columns are exact for any order; the third order leaves noise."""
    x = correlated(20, D=7)

    def pairs(blocks):
        return (blocks[..., :-1] * blocks[..., 1:]).sum(axis=-1)

    assert STANDARD.permutations * (2 * 7 + 1) < 2**7  # not by enumeration
    found = shapley_values(predictor_of(x, pairs), STANDARD, np.random.default_rng(0))[..., 0]
    np.testing.assert_allclose(found, by_definition(x, pairs), rtol=1e-8)
    found = shap(predictor_of(x, curved), STANDARD, np.random.default_rng(0))
    exact = np.abs(by_definition(x, curved)).mean(axis=0)
    np.testing.assert_allclose(found, exact, rtol=0.2, atol=1e-9)


def test_one_coalition_is_right_on_average():
    x = correlated(8)
    predictor = predictor_of(x, curved)
    rng = np.random.default_rng(0)
    draws = np.stack([contributions(predictor, rng)[..., 0].T for _ in range(4000)])  # (repetition, row, column)
    error = draws.mean(axis=0) - by_definition(x, curved)
    assert np.abs(error / (draws.std(axis=0) / np.sqrt(4000))).max() < 4.5  # 24 numbers


def test_the_estimator_of_the_paper():
    """For f = x the contribution is x_i − z_i, z from a random row: the mean difference of two rows."""
    x = np.random.default_rng(0).normal(size=(2000, 2))
    expected = np.abs(x[:, None] - x).mean(axis=(0, 1)) * [1.0, 2.0]
    found = shap(predictor_of(x, linear([1.0, -2.0])), PAPER, np.random.default_rng(1))
    np.testing.assert_allclose(found, expected, rtol=0.06)  # 2000 rows: 1.7 % noise


def test_values_that_are_close_are_not_equal():
    """In a unit of 1e-12, or far from 0, np.isclose takes all values of a column for the same."""
    x = correlated(15)
    before = shap(predictor_of(x, curved), STANDARD, np.random.default_rng(0))
    shift, unit = np.array([0.0, 0.0, 2.0**30]), np.array([1e-12, 1.0, 1.0])
    predictor = predictor_of(x * unit + shift, lambda blocks: curved((blocks - shift) / unit))
    np.testing.assert_allclose(shap(predictor, STANDARD, np.random.default_rng(0)), before, rtol=1e-5)


@pytest.mark.parametrize(("D", "masks"), [(3, 2**3), (8, 3 * (2 * 8 + 1))], ids=["exact", "orders"])
def test_what_it_costs(D, masks):
    """Every coalition is asked about with every background row, but once where nothing is masked (or everything)."""
    predictor = predictor_of(correlated(20, D=D), linear(np.ones(D)))
    shap(predictor, STANDARD, np.random.default_rng(0))
    assert 0.8 * 20 * 20 * masks <= predictor.evaluations <= 20 * 20 * masks


def test_a_background_without_variation():
    """A rare level that no background row has, in the only column."""
    x = np.zeros((400, 1))
    x[17] = 1.0
    budget = replace(STANDARD, rows=None, background=2)
    found = shap(predictor_of(x, linear([3.0])), budget, np.random.default_rng(0))
    np.testing.assert_allclose(found, 3.0 / 400)


def test_what_the_package_warns_of_while_it_is_imported_is_not_passed_on(monkeypatch, tmp_path):
    """Where warnings are errors, it would be half imported."""
    (tmp_path / "shap.py").write_text("import warnings\nwarnings.warn('old', DeprecationWarning)\nhere = True\n")
    monkeypatch.setitem(sys.modules, "shap", None)  # afterwards it is again what it was, imported or not
    del sys.modules["shap"]
    monkeypatch.syspath_prepend(tmp_path)
    assert _package().here


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "shap", None)
    predictor = predictor_of(correlated(10), linear([1.0, 2.0, 3.0]))
    with pytest.raises(MissingExtraError, match=r"shap is needed .* pip install 'rsens\[compare\]'"):
        shap(predictor, STANDARD, np.random.default_rng(0))
    assert shap(predictor, PAPER, np.random.default_rng(0)).shape == (3,)
