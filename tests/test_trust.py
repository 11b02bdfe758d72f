"""The page of figures: bounds that do not hold are shown. `test_docs.py` compares the page with the results."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "docs" / "trust.py"


@pytest.fixture
def trust(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("trust", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "RESULTS", tmp_path)
    return module


def test_bounds_that_do_not_hold_are_counted_and_shown(trust, tmp_path, monkeypatch):
    monkeypatch.setattr(trust, "BENCHMARKS", tmp_path)
    head = "quantity,ours,other,ratio,bound,more_is_better,holds\n"
    for name, _, _ in trust.BOUNDS:
        rows = f"{name} speed,1,2,2.0,3.0,True,False\n{name} processor seconds,1,1,7.5,15,False,True\n"
        (tmp_path / f"{name}.csv").write_text(head + rows, encoding="utf-8")
    (tmp_path / "methods.csv").write_text("rows,columns,order,budget,method,ratio\n", encoding="utf-8")
    page = trust.page()
    assert "has 6 bounds, of which 3 hold" in page
    assert "| gp speed | 2 | ≥ 3 | **no** |" in page
    assert "| gp processor seconds | 50% of the bound |  | yes |" in page
