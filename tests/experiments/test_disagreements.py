"""Cells that disagree are computed again, with one open choice changed at a time."""

from itertools import islice

import numpy as np
import pandas as pd
import pytest

from experiments import main_effects
from experiments._simulated import FUNCTIONS
from experiments.disagreements import TABLES, batch, main

CELLS = [
    ("t3", "ground-truth", "x", "pfi", 3.6, 0.2, 9.0, 0.2, False),
    ("mixture", "imperfect", "x^3", "var", 1.3, 0.2, 1.3, 0.2, True),
    ("mixture", "imperfect", "exp(-x^2)", "apc", 9.3, 0.4, 30.0, 0.4, False),
]
COLUMNS = ["inputs", "model", "function", "method", "published", "published_half", "ours", "ours_half", "agrees"]


@pytest.fixture(scope="module")
def table_errors():
    """Errors (repetitions, methods) from the script that makes the tables."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(main_effects, "FUNCTIONS", dict(islice(FUNCTIONS.items(), 2)))  # up to x^3: the rest is not read
        results = [main_effects.repetition("gaussian", number, bias="per-call", seed=0) for number in range(15)]
    return np.array([result["imperfect"]["x^3"] for result in results])


@pytest.mark.parametrize("method", ["ead", "pfi", "var"])
def test_the_first_reading_matches_the_tables(table_errors, method):
    errors = batch("gaussian", "imperfect", "x^3", method, TABLES, 0, stop=50, seed=0)
    column = (main_effects.DERIVATIVES + main_effects.PREDICTIONS).index(method)
    relative = table_errors[:, column] - table_errors[:, 0]
    joint = np.hypot(np.std(errors) / np.sqrt(50.0), np.std(relative) / np.sqrt(15.0))
    assert abs(np.mean(errors) - np.mean(relative)) < 3.0 * joint


def test_script_writes_cells_and_counts(tmp_path):
    (tmp_path / "per-call").mkdir()
    pd.DataFrame(CELLS, columns=COLUMNS).to_csv(tmp_path / "per-call" / "main_effects.csv", index=False)
    main(["--repetitions", "60", "--n-jobs", "1", "--out", str(tmp_path)])
    found = pd.read_csv(tmp_path / "disagreements.csv")
    assert set(found["method"]) == {"pfi", "apc"}
    assert (found["repetitions"] == 60).all()
    first = found[(found["method"] == "pfi") & (found["reading"] == TABLES)].iloc[0]
    assert first.agrees
    counts = pd.read_csv(tmp_path / "disagreements-counts.csv")
    assert list(counts["cells"].unique()) == [1]
    assert set(counts["method"]) == {"pfi", "var"}
    text = (tmp_path / "disagreements.md").read_text(encoding="utf-8")
    assert text.count("\n| ") == len(found) + len(counts) + 1
