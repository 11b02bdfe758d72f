"""Coverage of the intervals of effects: the truth is right, and the script runs with tiny settings."""

from __future__ import annotations

import numpy as np
import pandas as pd

from experiments.effects import TRUTHS, as_markdown, draw, main, summarize


def test_true_slopes():
    """Against differences of the parts, averaged over many draws of a standard normal input."""
    x = np.random.default_rng(0).standard_normal(400_000)
    for truth in TRUTHS.values():
        for name, slope in truth.slopes.items():
            part = truth.parts[name]
            found = np.mean((part(x + 1e-4) - part(x - 1e-4)) / 2e-4)
            assert abs(found - slope) < 0.01  # five standard errors


def test_data_sets():
    X, y = draw(np.random.default_rng(1), TRUTHS["linear"], 0.9, n=4000)
    assert X.shape == (4000, 5)
    assert X[["x0", "x1", "x2"]].corr().to_numpy()[0, 1] > 0.85
    assert 0.55 < (X["z"] == 0.0).mean() < 0.65
    assert len(y) == 4000


def test_summary():
    line = {"model": "m", "inputs": "i", "term": "x0", "level": None, "kind": "slope", "truth": 1.0}
    lines = [line | {"number": k, "effect": 1.5, "lower": low, "upper": 2.0} for k, low in enumerate([0.5, 1.2])]
    table = summarize(pd.DataFrame(lines))
    assert table[["holds truth", "holds expected", "data sets"]].iloc[0].tolist() == [0.5, 1.0, 2]
    assert "| m | i | x0 | 1.00 | 1.50 | 50 % | 100 % | 2 |" in as_markdown(table)


def test_the_script_runs(tmp_path, monkeypatch):
    monkeypatch.setattr("experiments.effects.CORRELATIONS", {"independent": 0.0})
    monkeypatch.setattr("experiments.effects.ROWS", 40)
    main(["--repetitions", "2", "--gp-repetitions", "2", "--n-jobs", "1", "--out", str(tmp_path)])
    assert len(pd.read_csv(tmp_path / "effects.csv")) >= 2 * 4 + 2 * 7
    assert "Gaussian process" in (tmp_path / "effects.md").read_text()
