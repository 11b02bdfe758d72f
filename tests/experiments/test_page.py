"""docs/reproduction.md is generated from the committed results."""

import re

import pandas as pd
import pytest

from experiments.main_effects import PUBLISHED
from experiments.page.__main__ import DOCS, main, page
from experiments.page._markdown import Results


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


# ---- pieces ----------------------------------------------------------------------------------------------------------


def test_a_page_without_results_names_the_commands(tmp_path):
    text = page(Results(tmp_path))
    named = set(re.findall(r"Not run: `python -m experiments\.(\w+)", text))
    assert named >= {"main_effects", "interactions", "real_data", "stability", "fourth_derivative", "beyond"}
    assert well_formed(text)
