"""docs/reproduction.md is generated from the committed results."""

import re

import pytest

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


def test_a_page_without_results_names_the_commands(tmp_path):
    text = page(Results(tmp_path))
    named = set(re.findall(r"Not run: `python -m experiments\.(\w+)", text))
    assert named >= {"main_effects", "interactions", "real_data", "stability", "fourth_derivative", "beyond"}
    assert well_formed(text)
