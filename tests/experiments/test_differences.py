"""How often differences are marked: the script runs, and its table is right."""

from __future__ import annotations

import pandas as pd
import pytest

from experiments.differences import main, summary


def test_rates_by_hand():
    """Two data sets: x0 of one is marked; the interval of x3 of the other misses 0."""
    first = [["x0", 0.5, 0.1, 0.9, 0.01], ["x3", 0.0, -1.0, 1.0, 1.0], ["x0:x3", 0.0, -1.0, 1.0, 1.0]]
    second = [["x0", 0.1, -0.1, 0.3, 0.4], ["x3", 1.0, 0.5, 1.5, 0.2], ["x0:x3", 0.0, -1.0, 1.0, 1.0]]
    table = summary("linear", [first, second]).set_index("terms")
    assert table["marked"].to_dict() == {"relevant": 50.0, "irrelevant": 0.0, "pairs": 0.0}
    assert table["held"].to_dict() == {"relevant": 50.0, "irrelevant": 50.0, "pairs": 100.0}
    # Two models may differ in expectation: by 0.3 for x0 and by ½ for x3.
    expected = summary("linear-gp", [first, second]).set_index("terms")["held"]
    assert expected.to_dict() == {"relevant": 100.0, "irrelevant": 100.0, "pairs": 100.0}


@pytest.mark.parametrize("names", [["linear", "linear-other-sd"]])
def test_the_script_runs(tmp_path, names):
    main(["--designs", *names, "--repetitions", "2", "--n-jobs", "1", "--out", str(tmp_path)])
    table = pd.read_csv(tmp_path / "differences.csv")
    assert set(table["design"]) == set(names)
    assert (table["data_sets"] == 2).all()
