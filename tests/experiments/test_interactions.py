"""Figure 3: the script, its tables and its claims."""

import numpy as np
import pytest

from experiments._interacting import PAIRS, TRUE, simulate
from experiments.interactions import by_size, claims, repetition

BOTH, ONE, NEITHER = (PAIRS.index(pair) for pair in TRUE)
TINY = ["--sizes", "50", "--repetitions", "2", "--n-jobs", "1"]


def results(n, repetitions, strength=1.0):
    settings = {"strength": strength, "inputs": "independent", "seed": 0}
    return {(n, number): repetition(n, number, **settings) for number in range(repetitions)}


@pytest.fixture(scope="module")
def few():
    return by_size(results(50, 6))[50]


def test_the_largest_value_of_every_method_is_one(few):
    for values in few.values():
        np.testing.assert_array_equal(values.max(axis=1), 1.0)


def test_correlated_inputs_have_unit_variance_and_the_covariance_of_the_supplement():
    X, y = simulate(20_000, np.random.default_rng(0), inputs="correlated")
    # The standard error of a covariance of 20 000 rows is about 0.01.
    np.testing.assert_allclose(np.cov(X.T), 0.8 + 0.2 * np.eye(12), atol=0.05)
    assert abs(y.mean()) < 1e-10


def test_claims_are_judged_by_their_intervals(few):
    flat = {name: np.ones_like(values) for name, values in few.items()}
    table = claims({50: flat, 300: flat})
    assert (table["holds"] == np.where(table["published"] == "≈ 0", "yes", "no")).all()
    assert (table["repetitions"] == 6).all()
