"""Figure 3: the script, its tables and its claims."""

import numpy as np
import pandas as pd
import pytest

from experiments._interacting import PAIRS, TRUE, simulate
from experiments.interactions import by_size, claims, main, repetition
from tests.experiments.undrawn import undrawn

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


def test_script_writes_its_tables_and_figure_and_keeps_other_sizes(tmp_path):
    main([*TINY, "--out", str(tmp_path)])
    table = pd.read_csv(tmp_path / "interactions.csv")
    assert list(table.columns) == ["n", "pair", "kind", "main_effects", "method", "ours", "ours_half"]
    assert list(table["kind"].unique()) == ["true pair", "null pair"]  # "null" alone would be read as missing
    assert set(table["pair"]) == {"x1:x2", "x4:x5", "x3:x9", "x6:x10", "x11:x12", "x9:x10"}
    assert table["ours"].between(0.0, 1.0).all()
    names = {path.name for path in tmp_path.iterdir()}
    endings = ("-claims.csv", "-found.csv", ".csv", ".jsonl", ".md", ".png", ".svg")
    assert names == {f"interactions{ending}" for ending in endings} | {"timings.csv"}
    # A run of some sizes leaves the others in the tables.
    with undrawn():
        main(["--sizes", "40", *TINY[2:], "--out", str(tmp_path)])
    assert sorted(pd.read_csv(tmp_path / "interactions.csv")["n"].unique()) == [40, 50]
    assert set(pd.read_csv(tmp_path / "interactions-claims.csv")["repetitions"]) == {2}
