"""A plot is one file and one line in `rsens.plots.PLOTS`: the folder of results and the report learn of it there."""

import re
from dataclasses import replace

import pytest

from rsens import plots, study
from rsens._app.report import _figures as report_figures
from rsens._app.study import _result
from rsens._app.study._result import figures_of
from rsens.plots import Plot
from tests.app.study.tables import numbers

QUICK = {"cv": 0, "null": False}


def staircase(explanation, *, ax=None):
    """Values of R-sens as a staircase."""
    from matplotlib import pyplot as plt

    ax = plt.subplots()[1] if ax is None else ax
    ax.step(range(len(explanation.main)), sorted(explanation.main))
    ax.set_title("a staircase")
    return ax


TOY = Plot(
    name="staircase",
    draw=staircase,
    of="explanation",
    file="stairs",
    caption="Steps <up>.",
    alt="A line that rises.",
)


PLACED = replace(TOY, name="landing", file="landing", section="variables", alt="A line that stays.")


@pytest.fixture
def toys():
    """Two more plots, beside one of the explanation, one of a variable and one of a pair."""
    before = list(plots.PLOTS)
    plots.PLOTS[:] = [plot for plot in before if plot.name in ("bars", "profile", "surface")] + [TOY, PLACED]
    yield
    plots.PLOTS[:] = before


@pytest.fixture(scope="module")
def result():
    return study(numbers(40), "y", **QUICK)


def names_of(files) -> list[str]:
    return sorted({path.stem for path in files if path.parent.name == "figures"})


@pytest.mark.usefixtures("toys")
def test_a_new_plot_is_among_the_files_and_in_the_report(result, tmp_path, monkeypatch):
    for module in (_result, report_figures):
        monkeypatch.setattr(module, "VARIABLES", 1)
        monkeypatch.setattr(module, "PAIRS", 1)
    written = result.write(tmp_path / "out")
    assert names_of(written) == sorted(name for name, _ in figures_of(result))
    assert {"variables", "profile-1-a", "pair-1-b-c"} < set(names_of(written))
    assert {path.suffix for path in written if path.stem == TOY.file} == {".png", ".svg"}
    page = written[0].read_text(encoding="utf-8")
    further = page[page.index('<section id="further"') : page.index('<section id="reading"')]
    assert "Steps &lt;up&gt;." in further
    assert 'aria-label="A line that rises."' in further
    assert "A line that stays." not in further
    assert "a staircase" in further
    assert '<a href="#further">Further figures</a>' in page
    assert page.index('<section id="variables"') < page.index("A line that stays.") < page.index('<section id="pairs"')


def test_files_in_their_order(result):
    names = [name for name, _ in figures_of(result)]
    assert names[:4] == ["variables", "effects", "rows", "pairs"]
    assert [re.sub(r"-\d.*", "", name) for name in names[4:]] == ["profile"] * 3 + ["pair"] * 2
    assert (names[4], names[7]) == ("profile-1-a", "pair-1-b-c")
    names = [name for name, _ in figures_of(study(numbers(40), "y", pairs=0, cv=2, null=False))]
    assert names[:4] == ["variables", "effects", "rows", "calibration"]
    assert not any(name.startswith("pair") for name in names)
