"""Table 1: the file that the script writes, the rule for agreement, and the simulated models."""

import numpy as np
import pandas as pd
import pytest

from experiments._simulated import FUNCTIONS, INPUTS, D, Simulated, biases
from experiments._tables import agreement
from experiments.main_effects import ranking_error
from rsens.derivatives import from_function
from rsens.distributions import Normal
from rsens.measures import importance

COLUMNS = ["inputs", "model", "function", "method", "published", "published_half", "ours", "ours_half", "agrees"]


def simulate(function, number, bias=None, inputs="t3"):
    """Rows with heavy tails and a model of them; `bias` is None for the ground truth."""
    rng = np.random.default_rng([0, number])
    X = INPUTS[inputs](rng)
    draws = None if bias is None else biases(bias, rng)
    return Simulated(function, X.mean(axis=0), np.linalg.inv(np.cov(X.T)), draws), X


def test_the_error_of_a_ranking_is_the_sum_of_shifts():
    strength = np.arange(1.0, D + 1.0)
    assert ranking_error(strength) == 0.0
    assert ranking_error(-strength) == 50.0  # the largest possible
    strength[[0, 1]] = strength[[1, 0]]
    assert ranking_error(strength) == 2.0


@pytest.mark.parametrize("function", FUNCTIONS)
def test_derivatives_of_simulated_models_are_those_of_their_predictions(function):
    model, X = simulate(function, 0, "per-repetition", "gaussian")
    by_differences = from_function(lambda rows: Normal(model.f(rows), model.variance(rows)))
    # Differences leave about 1e-8.
    np.testing.assert_allclose(importance("rsens", model, X), importance("rsens", by_differences, X), rtol=1e-6)


def test_the_bias_is_new_at_every_call_or_the_same_for_all():
    rng = np.random.default_rng(0)
    per_call, once = biases("per-call", rng), biases("per-repetition", rng)
    assert per_call((3,)).shape == (3, D)
    assert len(np.unique(per_call((3,)))) == 3 * D
    assert len(np.unique(once((3,)))) == D
    np.testing.assert_array_equal(once(()), once(()))
    assert (per_call((1000,)) >= 0.0).all()


def test_cells_agree_within_joint_intervals_and_rounding():
    cells = pd.DataFrame(
        {
            "published": [1.0, 1.0, 1.0, 0.0],
            "published_half": [0.25, 0.25, 0.0, 0.0],
            "ours": [1.54, 1.56, 1.09, 0.11],
            "ours_half": [0.4, 0.4, 0.0, 0.0],
        }
    )
    # √(0.4² + 0.3²) + 0.05 = 0.55 for the first two; 0.05 + 0.05 = 0.1 for the others.
    assert list(agreement(cells)) == [True, False, True, False]
