"""The calibration: designs whose truth is right, counts that add up, stale results, and the committed page."""

from copy import deepcopy
from functools import cache

import numpy as np
import pandas as pd
import pytest

from experiments import calibration
from experiments._calibration import current, rates
from experiments._calibration.analysis import analyse
from experiments._calibration.counts import tables_of, truth
from experiments._calibration.designs import DESIGNS, MODELS, rng_of
from experiments._calibration.page import page
from experiments._calibration.rates import Rate, rate
from experiments._command import RESULTS
from experiments.calibration import DOCS, main
from tests.experiments.test_page import well_formed

FOLDER = RESULTS / "calibration"
TINY = ["--repetitions", "2", "--n-jobs", "1", "--designs", "linear", "linear-80"]


def run(folder, *arguments):
    main([*TINY, "--out", str(folder), "--docs", str(folder), *arguments])


@cache
def kept(name, number, seed):
    return analyse(name, number, seed=seed)


@pytest.fixture(scope="module", autouse=True)
def analysed_once():
    """Tests of the script run the same analyses, which are the same again (see below)."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (calibration, current):
            patch.setattr(module, "analyse", lambda name, number, *, seed: deepcopy(kept(name, number, seed)))
        yield


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("calibration")
    run(folder)
    return folder


@pytest.mark.parametrize("name", DESIGNS)
def test_data_have_the_size_and_model_of_the_design(name):
    design = DESIGNS[name]
    X, y = design.draw(rng_of(name, 0, 0))
    assert X.shape == (design.rows, design.columns)
    assert len(y) == design.rows
    assert design.model in MODELS
    assert [column for column in X if X[column].dtype.kind not in "fi"] == [
        f"x{j}" for j in sorted(design.levels) if j not in design.numbers
    ]
    again, _ = design.draw(rng_of(name, 0, 0))
    other, _ = design.draw(rng_of(name, 1, 0))
    pd.testing.assert_frame_equal(X, again)
    assert not X.equals(other)


@pytest.mark.parametrize("name", [name for name in DESIGNS if name != "three-classes"])
def test_the_truth_of_a_design_is_the_truth_of_its_function(name):
    """Only relevant columns move the latent function, and only interacting pairs have a mixed difference."""
    design = DESIGNS[name]
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, design.columns))
    f = design.latent

    def moved(*columns):
        Z = X.copy()
        for j in columns:
            Z[:, j] += 0.7
        return f(Z)

    moves = {j for j in range(design.columns) if np.abs(moved(j) - f(X)).max() > 1e-9}
    assert moves == set(design.relevant)
    mixed = {(i, j) for i, j in design.pairs() if np.abs(moved(i, j) - moved(i) - moved(j) + f(X)).max() > 1e-9}
    assert mixed == set(design.interacting)


def test_an_analysis_is_in_the_order_of_the_columns():
    found = kept("linear", 0, 0)
    assert found["refits"] > 0
    assert found["variables"]["marked"].startswith("11")
    values = found["variables"]["value"]
    assert values[0] > values[1] > values[3]
    assert len(found["pairs"]["value"]) == 28
    again = analyse("linear", 0, seed=0)
    assert again["variables"] == found["variables"]
    assert again["pairs"] == found["pairs"]


def analysis(marked, pairs, value, half, *, discovery=None):
    """An analysis of design "one", which has 8 columns and the pair x0:x2, with the same interval for all terms."""
    terms, all_pairs = (list(truth(DESIGNS["one"], kind)) for kind in ("variables", "pairs"))

    def table(names, on):
        numbers = {"value": value, "lower": value - half, "upper": value + half}
        bits = "".join("01"[name in on] for name in names)
        return {"marked": bits} | {key: [number] * len(names) for key, number in numbers.items()}

    variables = table(terms, marked)
    if discovery is not None:
        variables |= {mark: "".join("01"[t in discovery] for t in terms) for mark in ("discovery", "familywise")}
    return {
        "variables": variables,
        "pairs": table(all_pairs, pairs),
        "interval_kind": "rows",
        "seconds": [0.5, 1.0],
        "refits": 3,
        "warnings": ["few rows"] if half > 1.0 else [],
    }


def test_rates_are_those_of_counted_marks():
    made = [
        analysis(["x0", "x1", "x2", "x7"], ["x0:x2", "x0:x1"], 1.0, 0.1, discovery=["x0", "x7"]),
        analysis(["x0", "x6", "x7"], ["x0:x2"], 2.0, 2.0, discovery=[]),
        analysis(["x0", "x1", "x2"], ["x3:x4"], 3.0, 0.1, discovery=["x0"]),
        analysis(["x0", "x1", "x2"], [], 2.0, 0.1, discovery=["x0", "x1"]),
    ]
    found = rates.rates(tables_of("one", DESIGNS["one"], made, {}), "one")
    assert found.false.percent == pytest.approx(100 * (1 + 2 + 0 + 0) / (4 * 5))
    assert found.false.error == pytest.approx(np.std([20, 40, 0, 0], ddof=1) / 2)
    assert found.some_false.percent == 50.0
    assert found.discovery.percent == pytest.approx(100 * (0.5 + 0 + 0 + 0) / 4)
    assert found.familywise.percent == 25.0
    assert found.pairs_false.percent == pytest.approx(100 * 2 / (4 * 27))
    assert found.pairs_both.percent == pytest.approx(100 * 1 / (4 * 2))
    assert not found.pairs_discovery.known
    assert {term: each.percent for term, each in found.found.items()} == {"x0": 100.0, "x1": 75.0, "x2": 75.0}
    assert found.found_pairs["x0:x2"].percent == 50.0
    assert found.covered["relevant"] == found.covered["interacting"] == 50.0  # the mean is 2: second and fourth
    assert (found.warned, found.warning, found.seconds) == (25.0, "few rows", 1.5)


def test_a_rate_holds_up_to_two_points_and_two_errors():
    assert Rate(7.0, 0.0).holds
    assert Rate(8.9, 1.0).holds
    assert not Rate(9.1, 1.0).holds
    assert rates.NONE.holds
    assert not rates.NONE.known
    clustered = rate(pd.Series([1.0, 0.0, 0.0, 0.0]))
    assert clustered.percent == 25.0
    assert clustered.error == pytest.approx(25.0)


def test_the_script_writes_its_tables_and_resumes(finished, tmp_path):
    names = {f"after-{table}.csv" for table in ("designs", "terms", "analyses")}
    assert {path.name for path in finished.iterdir()} == {*names, "after.jsonl", "calibration.md"}
    lines = (finished / "after.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "after.jsonl").write_bytes(b"".join(lines[:2]))
    run(tmp_path)

    def without_times(folder, table):
        frame = pd.read_csv(folder / table)
        return frame.drop(columns=["fit", "explain"], errors="ignore")

    for table in names:
        pd.testing.assert_frame_equal(without_times(tmp_path, table), without_times(finished, table))
    same = [line for line in (tmp_path / "after.jsonl").read_bytes().splitlines(keepends=True) if line in lines]
    assert same == lines[:2]


def test_a_check_finds_stale_designs(finished, tmp_path, monkeypatch):
    def check(*arguments):
        with pytest.raises(SystemExit) as ended:
            run(tmp_path, "--check", *arguments)
        return ended.value.code

    for path in finished.glob("*.csv"):  # without the journal, as after a checkout
        (tmp_path / path.name).write_bytes(path.read_bytes())
    assert [check(), check("--repetitions", "3"), check("--seed", "1")] == [0, 1, 1]
    monkeypatch.setattr(current, "source_stamp", lambda: "other")
    assert check() == 0  # other code with the same numbers
    terms = pd.read_csv(tmp_path / "after-terms.csv")
    terms.loc[(terms["design"] == "linear") & (terms["term"] == "x0"), "first_value"] *= 1.1
    terms.to_csv(tmp_path / "after-terms.csv", index=False)
    assert check() == 1


def test_the_committed_page_is_made_of_the_committed_results():
    text = (DOCS / "calibration.md").read_text(encoding="utf-8")
    assert text == page(FOLDER), "Run `python -m experiments.calibration --page`."
    assert well_formed(text)
