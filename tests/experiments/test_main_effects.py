"""Table 1: ranking errors, the rule for agreement, and the simulated models, also of other families."""

import numpy as np
import pandas as pd
import pytest

from experiments._families import FAMILIES, in_family
from experiments._simulated import FUNCTIONS, INPUTS, D, Simulated, biases
from experiments._tables import agreement
from experiments.disagreements import TABLES, main
from experiments.main_effects import ranking_error
from rsens.derivatives import from_function
from rsens.distributions import Normal
from rsens.measures import importance


def simulated(function):
    rng = np.random.default_rng(0)
    X = INPUTS["gaussian"](rng)
    draws = biases("per-repetition", rng)
    return Simulated(function, X.mean(axis=0), np.linalg.inv(np.cov(X.T)), draws), X, rng


CELLS = [
    ("t3", "ground-truth", "x", "pfi", 3.6, 0.2, 9.0, 0.2, False),
    ("mixture", "imperfect", "x^3", "var", 1.3, 0.2, 1.3, 0.2, True),
    ("mixture", "imperfect", "exp(-x^2)", "apc", 9.3, 0.4, 30.0, 0.4, False),
]
COLUMNS = ["inputs", "model", "function", "method", "published", "published_half", "ours", "ours_half", "agrees"]


def test_the_error_of_a_ranking_is_the_sum_of_shifts():
    strength = np.arange(1.0, D + 1.0)
    assert ranking_error(strength) == 0.0
    assert ranking_error(-strength) == 50.0  # the largest possible
    strength[[0, 1]] = strength[[1, 0]]
    assert ranking_error(strength) == 2.0


@pytest.mark.parametrize("function", FUNCTIONS)
def test_derivatives_of_simulated_models_are_those_of_their_predictions(function):
    model, X, _ = simulated(function)
    by_differences = from_function(lambda rows: Normal(model.f(rows), model.variance(rows)))
    # Differences leave about 1e-8.
    np.testing.assert_allclose(importance("rsens", model, X), importance("rsens", by_differences, X), rtol=1e-6)


@pytest.mark.parametrize("family", FAMILIES)
def test_derivatives_of_other_families_are_those_of_their_predictions(family):
    function, X, rng = simulated("x^3")
    model, _ = in_family(family, function, X, rng)
    by_differences = from_function(model.predict_distribution)
    for name in ("rsens", "ead"):  # differences leave about 1e-8 of values up to a thousand times their changes
        np.testing.assert_allclose(importance(name, model, X), importance(name, by_differences, X), rtol=1e-5)


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


def test_cells_that_disagree_are_computed_again_with_one_choice_changed(tmp_path):
    (tmp_path / "per-call").mkdir()
    pd.DataFrame(CELLS, columns=COLUMNS).to_csv(tmp_path / "per-call" / "main_effects.csv", index=False)
    main(["--repetitions", "60", "--n-jobs", "1", "--out", str(tmp_path)])
    found = pd.read_csv(tmp_path / "disagreements.csv")
    assert set(found["method"]) == {"pfi", "apc"}
    assert (found["repetitions"] == 60).all()
    first = found[(found["method"] == "pfi") & (found["reading"] == TABLES)].iloc[0]
    assert first.agrees
    counts = pd.read_csv(tmp_path / "disagreements-counts.csv")
    assert list(counts["cells"].unique()) == [1]
    assert set(counts["method"]) == {"pfi", "var"}
    text = (tmp_path / "disagreements.md").read_text(encoding="utf-8")
    assert text.count("\n| ") == len(found) + len(counts) + 1
