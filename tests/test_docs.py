"""Every Python block of the README and the documentation runs, one page at a time, and every script of the gallery."""

import re
import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from rsens.plots import PLOTS

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
#: Pages about libraries that need another environment: `make test-adapters` runs them.
ELSEWHERE = ("docs/models/bambi.md", "docs/models/pymc.md")
ALL_PAGES = {
    str(path.relative_to(ROOT)): blocks
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]
    if (blocks := BLOCK.findall(path.read_text(encoding="utf-8")))
}
PAGES = {page: blocks for page, blocks in ALL_PAGES.items() if page not in ELSEWHERE}
SCRIPTS = {path.stem.removeprefix("plot_"): path for path in sorted(ROOT.glob("docs/gallery/*.py"))}


def run_blocks(page):
    names = {"__name__": page}
    try:
        for number, block in enumerate(ALL_PAGES[page], start=1):
            exec(compile(block, f"{page}, block {number}", "exec"), names)
    finally:
        plt.close("all")


# The serum values of the README's data nearly determine one another; the page shows the warning.
@pytest.mark.filterwarnings("ignore:Other columns nearly determine s1:rsens._errors.RsensWarning")
# A linear model of data that interact, as the pages point out.
@pytest.mark.filterwarnings("ignore:The model adds up on the scale of y by construction:rsens._errors.RsensWarning")
@pytest.mark.parametrize("page", PAGES)
def test_blocks_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_blocks(page)


@pytest.mark.parametrize("page", ["lists", "trust", "versions"])
def test_pages_made_by_scripts_are_current(page):
    """`make lists`, `make trust` and `make release-check` write them again."""
    names = runpy.run_path(str(ROOT / "docs" / f"{page}.py"))
    assert names["page"]() == names["PAGE"].read_text(encoding="utf-8")


def test_every_plot_has_its_script():
    assert set(SCRIPTS) == {plot.name for plot in PLOTS}


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_draw_their_plot(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert f"rsens.plots.{name}(" in SCRIPTS[name].read_text(encoding="utf-8")
    runpy.run_path(str(SCRIPTS[name]))
    drawn = plt.get_fignums()
    plt.close("all")
    assert len(drawn) == 1
