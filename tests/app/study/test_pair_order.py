"""A pair is called the same everywhere: its columns stand in the order of the table."""

from __future__ import annotations

import html
import re
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

from rsens import GPRegressor, compare, select_interactions, study
from rsens._app.report import _figures, render
from rsens.plots import PLOTS

#: The last matter most, and the alphabet runs the other way.
COLUMNS = ["delta", "charlie", "bravo", "alpha"]


@pytest.fixture(scope="module")
def found():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 4)), columns=COLUMNS)
    y = 3.0 * X["alpha"] * X["bravo"] + X["alpha"] + X["delta"] * X["bravo"] + 0.3 * rng.normal(size=60)
    return study(X.assign(y=y), "y", pairs=6)


def views(found) -> dict[str, str]:
    e = found.explanation
    page = html.unescape(re.sub(r"<title>|</title>|&#8232;", " ", render(found)))
    return {
        "print": found.text(),
        "explanation": repr(e),
        "notebook": html.unescape(re.sub(r"<[^>]+>", "", e._repr_html_())),
        "bars": "\n".join(label.get_gid() or "" for label in e.plot_bars(order=2).get_yticklabels()),
        "report": re.sub(r"<[^>]+>", "", page),
    }


def test_words_and_pictures(found, monkeypatch):
    monkeypatch.setattr(_figures, "PLOTS", [plot for plot in PLOTS if plot.section in ("pairs", "surfaces")])
    monkeypatch.setattr(_figures, "PAIRS", 2)
    from matplotlib import pyplot as plt

    texts = views(found)
    plt.close("all")
    for name, text in texts.items():
        assert "bravo × alpha" in text, name
        for first, second in combinations(COLUMNS, 2):
            assert f"{second} × {first}" not in text, name


def test_tables_and_files(found):
    expected = list(combinations(COLUMNS, 2))
    assert list(found.explanation.pairs.index) == expected
    frame = found.explanation.to_frame(order=2)
    assert set(zip(frame["first"], frame["second"], strict=True)) == set(expected)
    assert {(pair["first"], pair["second"]) for pair in found.to_dict()["pairs"]} == set(expected)


def test_compared_and_selected(found):
    terms = {f"{first}:{second}" for first, second in combinations(COLUMNS, 2)}
    table = compare(found.model, found.X, found.y, methods=["rsens2", "eah"], order=2)
    assert set(table["term"]) == terms
    selected = select_interactions(GPRegressor(n_restarts=0), found.X, found.y, 2, cv=2, random_state=0)
    pairs = selected.pairs
    assert {f"{first}:{second}" for first, second in zip(pairs["first"], pairs["second"], strict=True)} <= terms
