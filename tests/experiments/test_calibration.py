"""The calibration: designs whose truth is right, counts that add up, stale results, and the committed page."""

import re
from copy import deepcopy
from functools import cache

import numpy as np
import pandas as pd
import pytest

from experiments import calibration
from experiments._calibration import current, rates, source
from experiments._calibration.analysis import analyse
from experiments._calibration.counts import tables_of, truth
from experiments._calibration.designs import DESIGNS, MODELS, rng_of
from experiments._calibration.page import page
from experiments._calibration.power import at_same_rate, paired
from experiments._calibration.rates import Rate, rate
from experiments._command import RESULTS
from experiments.calibration import DOCS, main

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


# ---- designs ---------------------------------------------------------------------------------------------------------


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


# ---- one analysis ----------------------------------------------------------------------------------------------------


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


# ---- counts and rates ------------------------------------------------------------------------------------------------


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


def test_power_is_compared_data_set_by_data_set():
    """x1 is found before only in data sets 0 and 1, now only in 2; the earlier code did not get to data set 3."""

    def tables(*found):
        return tables_of("one", DESIGNS["one"], [analysis(of, [], 1.0, 0.1) for of in found], {})

    before = tables(["x0", "x1"], ["x0", "x1", "x2"], ["x0", "x7"])
    after = tables(["x0"], ["x0", "x2"], ["x0", "x1"], ["x1"])
    x0, x1, x2 = paired(before, after, "one", "variables")
    assert (x0.data_sets, x0.before, x0.after, x0.lost.percent) == (3, 100.0, 100.0, 0.0)
    assert x1.lost.percent == pytest.approx(100 / 3)
    # Cells with half a data set more: 2.5 before only, 1.5 now only, of 5.
    assert x1.lost.error == pytest.approx(100 * np.sqrt(4.0 - 1.0 / 5.0) / 5.0)
    assert x0.lost.error == pytest.approx(100 * np.sqrt(1.0) / 5.0)
    assert (x0.kept, x1.kept, x2.kept) == ("yes", "undecided", "yes")
    assert [each.term for each in paired(before, after, "one", "pairs")] == ["x0:x2"]
    after["analyses"].loc[0, "found"] = None  # leaving out unknown data sets would be a choice
    (together,) = paired(before, after, "one", "variables")  # 2, 3 and 1 found before; 1, 2 and 2 now
    assert (together.before, together.after) == pytest.approx((100 * 6 / 9, 100 * 5 / 9))
    assert together.lost.percent == pytest.approx(100 / 3)
    assert together.lost.error == pytest.approx(100 * np.std([1, 1, -1], ddof=1) / np.sqrt(3))
    now = tables(["x0"], ["x0", "x2"], ["x0", "x1"])  # the same three data sets: the counts give it for each term
    now["analyses"]["found"] = None
    x0, x1, x2 = paired(before, now, "one", "variables")
    assert [each.lost.percent for each in (x0, x1, x2)] == pytest.approx([0.0, 100 / 3, 0.0])


def test_power_at_the_same_share_of_false_stars():
    """The earlier code marks x7 once in 4 × 5; now the smallest p of the 20 false ones is 0.01, so c = 0.01."""
    before = tables_of(
        "one", DESIGNS["one"], [analysis(["x0", "x7"], [], 1.0, 0.1)] + [analysis(["x0"], [], 1.0, 0.1)] * 3, {}
    )
    made = [analysis([], [], 1.0, 0.1) for _ in range(4)]
    for k, each in enumerate(made):
        each["variables"]["p"] = [0.001, 0.004 if k else 0.2, None, *np.linspace(0.01, 0.9, 20)[5 * k : 5 * k + 5]]
    share, (x0, x1, x2) = at_same_rate(before, tables_of("one", DESIGNS["one"], made, {}), "one")
    assert share == pytest.approx(5.0)
    assert (x0.after, x1.after, x2.after) == (100.0, 75.0, 0.0)
    assert (x0.lost.percent, x1.lost.percent) == (0.0, -75.0)
    assert at_same_rate(before, before, "one") is None  # the earlier code had no p-values


# ---- the script ------------------------------------------------------------------------------------------------------


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


def test_a_check_prints_stale_designs(finished, tmp_path, capsys, monkeypatch):
    def check(expected, *arguments):
        with pytest.raises(SystemExit) as ended:
            run(tmp_path, "--check", *arguments)
        lines = dict(line.split(": ", 1) for line in capsys.readouterr().out.splitlines())
        assert ended.value.code == int(any("current" not in words for words in lines.values()))
        assert list(lines.values()) == expected

    for path in finished.glob("*.csv"):  # without the journal, as after a checkout
        (tmp_path / path.name).write_bytes(path.read_bytes())
    check([current.CURRENT, current.CURRENT])
    check([current.FEWER] * 2, "--repetitions", "3")
    check([current.OTHER_DATA] * 2, "--seed", "1")
    monkeypatch.setattr(current, "source_stamp", lambda: "other")
    check([current.UNCHANGED, current.UNCHANGED])
    terms = pd.read_csv(tmp_path / "after-terms.csv")
    terms.loc[(terms["design"] == "linear") & (terms["term"] == "x0"), "first_value"] *= 1.1
    terms.to_csv(tmp_path / "after-terms.csv", index=False)
    check([current.CHANGED, current.UNCHANGED])
    terms.iloc[:0].to_csv(tmp_path / "after-terms.csv", index=False)
    (tmp_path / "after-designs.csv").unlink()
    check([current.NOT_RUN, current.NOT_RUN])


def test_the_hash_ignores_words_and_sees_code(tmp_path):
    def code(text):
        (tmp_path / "file.py").write_text(text)
        return source._without_words(tmp_path / "file.py")

    plain = code("def f(x):\n    return x + 1\n")
    assert code('"""File."""\n\n\ndef f(x):\n    """Add."""\n    return x + 1  # one\n') == plain
    assert code("def f(x):\n    return x + 2\n") != plain
    assert code('def f():\n    """Only words."""\n') == code("def f():\n    pass\n")


# ---- the page --------------------------------------------------------------------------------------------------------


def well_formed(text):
    """Rows are as wide as their header, and no number is missing."""
    width = None
    for line in text.splitlines():
        width = (width or line.count("|")) if line.startswith("|") else None
        assert width is None or line.count("|") == width, line
    assert not re.search(r"\bnan\b|\bNone\b", text)
    return True


def test_the_committed_page_is_made_of_the_committed_results():
    text = (DOCS / "calibration.md").read_text(encoding="utf-8")
    assert text == page(FOLDER), "Run `python -m experiments.calibration --page`."
    assert well_formed(text)


# ---- cost ------------------------------------------------------------------------------------------------------------
