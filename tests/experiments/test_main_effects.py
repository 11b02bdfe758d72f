"""Table 1: the file that the script writes, the rule for agreement, and what the paper says, on few repetitions."""

from copy import deepcopy
from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments import main_effects
from experiments._simulated import BIASES, FUNCTIONS, INPUTS, D, Simulated, biases, imperfect_models
from experiments._tables import agreement
from experiments.main_effects import DERIVATIVES, main, ranking_error, repetition
from rsens.black_box import BLACK_BOX, BUDGETS
from rsens.derivatives import from_function
from rsens.distributions import Normal
from rsens.measures import importance

ROOT = Path(__file__).parents[2]
COLUMNS = ["inputs", "model", "function", "method", "published", "published_half", "ours", "ours_half", "agrees"]
MODELS = ("ground-truth", "imperfect")


@cache
def kept(inputs, number, bias, seed):
    return repetition(inputs, number, bias=bias, seed=seed)


@pytest.fixture
def repeated_once(monkeypatch):
    """Tests of what the script makes of its repetitions share them: they are the same again (see below)."""
    monkeypatch.setattr(main_effects, "repetition", lambda *key, bias, seed: deepcopy(kept(*key, bias, seed)))


def simulate(function, number, bias=None, inputs="t3"):
    """Rows with heavy tails and a model of them; `bias` is None for the ground truth."""
    rng = np.random.default_rng([0, number])
    X = INPUTS[inputs](rng)
    draws = None if bias is None else biases(bias, rng)
    return Simulated(function, X.mean(axis=0), np.linalg.inv(np.cov(X.T)), draws), X


@pytest.fixture(scope="module")
def heavy_tails():
    """For each model and function, the error of EAD minus R-sens's: means of 80 repetitions.

    The bias is drawn once, so both see the same function and few repetitions are enough.
    """
    means = {}
    for model, bias in zip(MODELS, (None, "per-repetition"), strict=True):
        for function in ("x^3", "x exp(-x)"):
            simulated = (simulate(function, number, bias) for number in range(80))
            errors = [[ranking_error(importance(method, *each)) for method in DERIVATIVES[:2]] for each in simulated]
            rsens, ead = np.mean(errors, axis=0)
            means[model, function] = ead - rsens
    return means


@pytest.mark.parametrize("function", ["x^3", "x exp(-x)"])
@pytest.mark.parametrize("model", MODELS)
def test_rsens_is_better_than_the_derivative_alone_with_heavy_tails(heavy_tails, model, function):
    assert heavy_tails[model, function] > 0.0


def test_when_the_bias_is_drawn_decides_between_rsens_and_partial_dependence():
    relative = {}
    for bias in ("per-call", "per-repetition"):
        errors = []
        for number in range(10):
            model, X = simulate("x", number, bias)
            rng = np.random.default_rng(number)
            of_pd = ranking_error(BLACK_BOX["pd", 1].value(model.predictor(X, X[:, 0]), BUDGETS["paper"], rng))
            errors.append(of_pd - ranking_error(importance("rsens", model, X)))
        relative[bias] = np.mean(errors)
    assert relative["per-call"] > 12.0  # 22.4 ± 0.9 published from 500 repetitions
    assert relative["per-repetition"] < -3.0


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


def test_each_method_sees_one_function_of_its_own_if_the_bias_is_drawn_per_method():
    truth, X = simulate("x", 0)
    for kind in BIASES:
        first, second = islice(imperfect_models(truth, kind, np.random.default_rng(0)), 2)
        assert np.array_equal(first.f(X), first.f(X)) == (kind != "per-call")
        assert np.array_equal(first.f(X), second.f(X)) == (kind == "per-repetition")


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


@pytest.mark.usefixtures("repeated_once")
def test_the_file_has_all_cells_of_all_tables(tmp_path, capsys):
    main(["--inputs", "all", "--repetitions", "2", "--n-jobs", "1", "--out", str(tmp_path)])
    table = pd.read_csv(tmp_path / "main_effects.csv")
    assert list(table.columns) == COLUMNS
    assert len(table) == 336
    assert not table.duplicated(COLUMNS[:4]).any()
    assert table[COLUMNS[4:8]].notna().all(axis=None)
    assert set(table["inputs"]) == {"t3", "gaussian", "mixture", "correlated"}
    assert set(table["model"]) == {"ground-truth", "imperfect"}
    assert (table["agrees"] == agreement(table)).all()
    assert len((tmp_path / "main_effects.md").read_text(encoding="utf-8").splitlines()) == 338
    names = {f"main_effects.{ending}" for ending in ("csv", "md", "png", "svg")}
    assert {path.name for path in tmp_path.iterdir()} == names | {"main_effects-per-call.jsonl", "timings.csv"}
    printed = capsys.readouterr().out.splitlines()
    assert sorted(printed) == sorted(f"wrote {tmp_path / name}" for name in names)
