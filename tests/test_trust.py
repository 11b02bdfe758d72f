"""The page of figures: every result file has its section."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "docs" / "trust.py"
RESULTS = {
    "accuracy": {
        "command": "make accuracy",
        "digits": 60,
        "promised": 1e-10,
        "families": {
            "Normal": {
                "R-sens": {"points": 40, "worst": 2.2e-16, "at": {}},
                "divergence": {"points": 2, "worst": 3e-7, "at": {}, "limit": "it is hard."},
            },
            "Poisson": {"R-sens": {"points": 7, "worst": 0.0, "at": {}}},
        },
        "likelihoods": {"probit": {"R-sens": {"points": 5, "worst": 1.4e-13, "at": {}}}},
    },
    "fuzz": {
        "seed": 1,
        "library": {"cases": 3000, "defects": [], "calls": {"explain": {"answered": 2000, "refused": 1000}}},
        "files": {"cases": 50, "defects": [{"number": 7, "defect": "a hang"}]},
    },
    "mutation": {
        "command": "make mutation",
        "faults that could be made": 5000,
        "run": 1000,
        "noticed": 940,
        "equivalent": 50,
        "score": 0.94,
        "score without equivalent": 0.9895,
        "by file": {
            "distributions/_beta.py": {"run": 600, "noticed": 570, "equivalent": 20},
            "distributions/_gamma.py": {"run": 100, "noticed": 90, "equivalent": 10},
            "measures/_kl.py": {"run": 300, "noticed": 280, "equivalent": 20},
        },
    },
    "coverage": {
        "command": "make coverage",
        "total": {"lines": 12000, "branches": 3000, "lines covered": 0.981, "with branches": 0.972},
        "by package": {"_app": {"lines": 900, "branches": 80, "lines covered": 0.95, "with branches": 0.9312}},
    },
    "versions": {
        "platform": "Linux x86_64",
        "environments": [
            {"python": "3.9", "extra": "", "versions": {}},
            {"python": "3.11", "extra": "", "versions": {}},
        ],
    },
}
SAID = {
    "accuracy": [
        "| `Normal` | 42 | 2e-16 | 3e-07 |",
        "| `Poisson` | 7 | 0 |  |",
        "- `Normal`, divergence: it is hard.",
    ],
    "fuzz": ["3,000 random tables", "Defects: 0 in the library, 1 in files.", "| `explain` | 3,000 | 2,000 | 1,000 |"],
    "mutation": ["(94.0%)", "which leaves 10: 99.0%", "| `distributions` | 700 | 660 | 30 |"],
    "coverage": ["98.1% of 12,000 lines", "97.2%", "| `_app` | 900 | 95.0% | 93.1% |"],
    "versions": ["2 empty environments", "Python 3.9, 3.11"],
}


@pytest.fixture
def trust(tmp_path, monkeypatch):
    spec = importlib.util.spec_from_file_location("trust", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "RESULTS", tmp_path)
    return module


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_is_shown(trust, tmp_path, name):
    (tmp_path / f"{name}.json").write_text(json.dumps(RESULTS[name]), encoding="utf-8")
    page = " ".join(trust.page().split())
    assert [text for text in SAID[name] if " ".join(text.split()) not in page] == []


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
