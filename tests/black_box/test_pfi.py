"""Permutation importance against scikit-learn."""

import numpy as np
import pytest
from sklearn.inspection import permutation_importance

from rsens._errors import InputError
from rsens.black_box import BUDGETS
from rsens.black_box._pfi import pfi

from .functions import correlated, linear, predictor_of

BETA = np.array([2.0, -3.0, 0.0])


class Fitted:
    def fit(self, X, y):
        return self


def targets(x):
    return x @ BETA + np.random.default_rng(1).normal(size=len(x))


def asked_with(x, y):
    return predictor_of(x, linear(BETA), log_densities=lambda blocks: -0.5 * (y - blocks @ BETA) ** 2)


@pytest.mark.parametrize("budget", ["standard", "full"])
def test_equal_to_scikit_learn(budget):
    x = correlated(50)
    y = targets(x)
    found = pfi(asked_with(x, y), BUDGETS[budget], np.random.default_rng(3))
    expected = permutation_importance(
        Fitted(),
        x,
        y,
        scoring=lambda _, X, y: -0.5 * np.mean((y - X @ BETA) ** 2),
        n_repeats=BUDGETS[budget].repeats,
        random_state=int(np.random.default_rng(3).integers(2**31)),
    ).importances_mean
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("budget", BUDGETS.values(), ids=lambda budget: budget.name)
def test_a_target_that_is_ruled_out(budget):
    predictor = predictor_of(
        correlated(10), linear(BETA), log_densities=lambda blocks: np.full(blocks.shape[:-1], -np.inf)
    )
    with pytest.raises(InputError, match=r"rules out a target.*scoring="):
        pfi(predictor, budget, np.random.default_rng(0))


@pytest.mark.parametrize("budget", BUDGETS.values(), ids=lambda budget: budget.name)
def test_without_targets(budget):
    with pytest.raises(InputError, match="Give y"):
        pfi(predictor_of(correlated(10), linear(BETA)), budget, np.random.default_rng(0))


def test_the_expected_loss_of_a_linear_function():
    """E[½(β(x − x'))²] = β² times the variance, if x' comes from any row and noise is independent."""
    x = correlated(4000)
    found = pfi(asked_with(x, targets(x)), BUDGETS["paper"], np.random.default_rng(0))
    np.testing.assert_allclose(found, BETA**2 * x.var(axis=0), rtol=0.08)  # 4000 rows: 2 % noise
