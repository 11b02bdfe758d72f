"""docs/reproduction.md is generated from the committed results."""

import re

import numpy as np
import pandas as pd
import pytest

from experiments._benchmarks import METHODS, SETTINGS
from experiments._tables import formula
from experiments.main_effects import PUBLISHED
from experiments.page.__main__ import DOCS, main, page
from experiments.page._markdown import Results, interval, join_words, number, table
from experiments.page._verdicts import count_outcomes
from experiments.real_data import by_setting, claims, summarize


@pytest.fixture(scope="module")
def docs(tmp_path_factory):
    """The folder that the script fills from the committed results."""
    folder = tmp_path_factory.mktemp("docs")
    main(["--docs", str(folder)])
    return folder


@pytest.fixture(scope="module")
def generated(docs):
    return (docs / "reproduction.md").read_text(encoding="utf-8")


def test_the_committed_page_is_made_of_the_committed_results(docs, generated):
    again = "Run `python -m experiments.page`."
    assert (DOCS / "reproduction.md").read_text(encoding="utf-8") == generated, again
    figures = [path.relative_to(docs) for path in docs.glob("figures/**/*.*")]
    assert set(re.findall(r"\]\((figures/[^)]+)\)", generated)) == {path.as_posix() for path in figures}
    for path in figures:
        assert (DOCS / path).read_bytes() == (docs / path).read_bytes(), again


def well_formed(text):
    """Rows are as wide as their header, links lead to existing headings, no number is missing."""
    width = None
    for line in text.splitlines():
        width = (width or line.count("|")) if line.startswith("|") else None
        assert width is None or line.count("|") == width, line
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= anchors
    assert not re.search(r"\bnan\b|\bNone\b", text)
    return True


def test_the_committed_page_is_well_formed(generated):
    assert well_formed(generated)


# ---- Table 1 ---------------------------------------------------------------------------------------------------------


def write(frame, folder, name):
    path = folder / f"{name}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.to_csv(path, index=False)


def table_1(folder, reading, *, inputs=("t3", "gaussian", "mixture", "correlated"), ours=None, agrees=True):
    """Write a reading's table in which all cells are as published, or all cells of imperfect models are `ours`."""
    cells = pd.read_csv(PUBLISHED)
    cells = cells[cells["inputs"].isin(inputs)].assign(agrees=True)
    cells["ours"], cells["ours_half"] = cells["published"], 0.3
    imperfect = cells["model"] == "imperfect"
    if ours is not None:
        cells.loc[imperfect, "ours"] = ours
    cells.loc[imperfect, "agrees"] = agrees
    write(cells, folder, f"{reading}/main_effects")


def test_no_result_is_typed_by_hand(tmp_path):
    """With other numbers in the CSV files, the page shows those."""
    for reading in ("per-call", "per-repetition"):
        table_1(tmp_path, reading, ours=777.0, agrees=False)
    text = page(Results(tmp_path))
    assert text.count("**777.0 ± 0.3**") == 2 * 168  # imperfect models by both readings
    assert "Of the 168 cells of imperfect models, these agree: 0 if at every call" in text
    assert "168 of 336 cells agree with the published ones" in text
    assert "on 0 of 6 functions" in text
    assert "No conclusion depends on it" in text
    assert "Of the readings we tried, none agrees" in text
    assert "Not run: `python -m experiments.interactions`." in text
    assert well_formed(text)


# ---- pairs -----------------------------------------------------------------------------------------------------------


def real_data(folder, seed, keys=tuple(SETTINGS), spread=1.0):
    """Tables of Figure 4 and Table 2 with random numbers."""
    rng = np.random.default_rng(seed)

    def split():
        return {"full": rng.normal(), "scores": {name: rng.normal(0.0, spread, 6).tolist() for name in METHODS}}

    results = {(*key, k): split() for key in keys for k in range(5)}
    results[(*keys[0], 0)]["scores"]["h"][2] = -1e6  # the noise of a fit vanished
    values = by_setting(results)
    write(summarize(values), folder, "real_data")
    write(claims(values, {"concrete": 0.3, "bike": 1.7}), folder, "real_data-claims")
    names = list("abcdef")
    pairs = [(*key, name, pair, 50.0) for key in keys for name in METHODS for pair in rng.permutation(names)[:3]]
    write(pd.DataFrame(pairs, columns=["data", "setting", "method", "pair", "share"]), folder, "real_data-pairs")
    rows = [
        (*key, name, 2.6, x, 0.1, x - 2.6, 0.14, abs(x - 2.6) < 0.15, 100)
        for key in keys
        for name in METHODS
        for x in [rng.uniform(1.0, 2.7)]
    ]
    columns = ["published", "ours", "ours_half", "difference", "difference_half", "agrees", "samples"]
    write(pd.DataFrame(rows, columns=["data", "setting", "method", *columns]), folder, "stability")


@pytest.mark.parametrize("seed", range(5))
def test_sections_on_data_are_well_formed(tmp_path, seed):
    real_data(tmp_path, seed, spread=(1.0, 0.01, 5.0)[seed % 3])
    text = page(Results(tmp_path))
    assert well_formed(text)
    assert "Bike with weekday, " in text
    assert "--data bike" not in text.split("## How to run")[0]
    assert "the noise of a fit vanished: 1 of H with 2." in text
    assert text.count("| difference | paper | ours | holds | corrected | then holds |") == 4


# ---- pieces ----------------------------------------------------------------------------------------------------------


def test_a_page_without_results_names_the_commands(tmp_path):
    text = page(Results(tmp_path))
    named = set(re.findall(r"Not run: `python -m experiments\.(\w+)", text))
    assert named >= {"main_effects", "interactions", "real_data", "stability", "fourth_derivative", "beyond"}
    assert well_formed(text)


def test_pieces():
    assert table(["a", "b"], [(1, "x")]) == ["| a | b |", "|---|---|", "| 1 | x |", ""]
    assert (number(-0.04), number(-1.25, 2), number(3.0, 0)) == ("0.0", "−1.25", "3")
    assert (interval(1.0, 0.25, 2), interval(float("nan"), 1.0)) == ("1.00 ± 0.25", "")
    assert formula("x exp(-x)") == "x·exp(−x)"
    assert [join_words(list("abc")[:n]) for n in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert count_outcomes(pd.Series(["yes", "no", "yes"])) == "2 of 3 (1 does not)"
    assert count_outcomes(pd.Series(["yes"])) == "1 of 1"
