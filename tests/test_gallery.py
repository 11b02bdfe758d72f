"""The gallery: every plot has its script, and the scripts run without a warning."""

from __future__ import annotations

import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

from rsens.plots import PLOTS

SCRIPTS = {
    path.stem.removeprefix("plot_"): path for path in sorted(Path(__file__).parents[1].glob("docs/gallery/*.py"))
}


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
