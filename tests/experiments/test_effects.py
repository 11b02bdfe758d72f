"""Coverage of the intervals of effects: the truth is right, the script runs, and the page shows its table."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from experiments._command import RESULTS
from experiments.effects import markdown, mean_slope, mean_with, true_effect

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("correlation", [0.0, 0.9])
def test_true_slopes(correlation):
    """Against closed forms. With x ~ N(0, 1), sin(1.5x)/1.5 has the mean slope E[cos 1.5x] = exp(-1.5²/2)."""
    assert mean_slope("linear model", correlation, "x1") == pytest.approx(0.4)
    assert mean_slope("GP", correlation, "x0") == pytest.approx(1.0 + np.exp(-(1.5**2) / 2.0), abs=0.01)
    assert mean_slope("logistic model", correlation, "x2") == 0.0
    # For exp(g) with g = (x0 + 0.4 x1 + 0.6 z)/2, the slope in x0 is half of the mean. z is 0 or exponential.
    variance = 0.25 * (1.0 + 0.4**2 + 2.0 * correlation * 0.4)
    mean = np.exp(variance / 2.0) * (0.6 + 0.4 / (1.0 - 0.3))
    assert mean_slope("Poisson regression", correlation, "x0") == pytest.approx(0.5 * mean, rel=0.01)


def test_true_differences():
    line = SimpleNamespace(kind="step", term="z", level=None)
    stated = SimpleNamespace(effect_keys=[("x0", None, 0.0, 0.0), ("z", None, 0.5, 1.5)])
    assert true_effect("linear model", 0.9, line, stated) == pytest.approx(0.6)
    line = SimpleNamespace(kind="level", term="level", level="c")
    assert true_effect("GP", 0.0, line, stated) == pytest.approx(1.5 - 0.5 * 0.3 / 0.8)
    assert mean_with("logistic model", 0.0, "z", 5.0) > mean_with("logistic model", 0.0, "z", 0.0)


def test_the_page_shows_the_committed_table():
    made = markdown(pd.read_csv(RESULTS / "effects.csv"))
    assert made == (RESULTS / "effects.md").read_text(encoding="utf-8")
    assert made in (DOCS / "effects.md").read_text(encoding="utf-8"), "Copy experiments/results/effects.md to the page."
