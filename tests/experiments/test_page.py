"""docs/reproduction.md is generated from the committed results."""

import re

from experiments.page.__main__ import DOCS, main, page
from experiments.page._markdown import Results


def test_the_committed_page_is_made_of_the_committed_results(tmp_path):
    main(["--docs", str(tmp_path)])
    generated, again = (tmp_path / "reproduction.md").read_text(encoding="utf-8"), "Run `python -m experiments.page`."
    assert well_formed(generated)
    assert (DOCS / "reproduction.md").read_text(encoding="utf-8") == generated, again
    figures = [path.relative_to(tmp_path) for path in tmp_path.glob("figures/**/*.*")]
    assert set(re.findall(r"\]\((figures/[^)]+)\)", generated)) == {path.as_posix() for path in figures}
    for path in figures:
        assert (DOCS / path).read_bytes() == (tmp_path / path).read_bytes(), again


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


def test_a_page_without_results_names_the_commands(tmp_path):
    text = page(Results(tmp_path))
    named = set(re.findall(r"Not run: `python -m experiments\.(\w+)", text))
    assert named >= {"main_effects", "interactions", "real_data", "stability", "fourth_derivative", "beyond"}
    assert well_formed(text)
