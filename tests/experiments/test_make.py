"""`make paper` runs every script of the paper, and every script runs in some test; `calibration-quick` runs here."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from experiments import calibration, fourth_derivative
from experiments._simulated import BIASES

ROOT = Path(__file__).parents[2]
#: Modules of experiments/ that are run as scripts, without those that are about rsens and not about the paper.
SCRIPTS = {path.stem for path in (ROOT / "experiments").glob("[a-z]*.py")} | {"page"}
SCRIPTS -= {"accuracy", "calibration", "cost", "coverage", "differences", "effects", "mutation", "profile_bands"}
pytestmark = [
    pytest.mark.skipif(shutil.which("make") is None, reason="needs make"),
    pytest.mark.filterwarnings("default"),  # scripts run as in a separate process
]


def make(*arguments):
    """The output of make, with the Python that runs the tests instead of make's own environment."""
    command = ["make", *arguments, "INSTALLED=", f"BIN={Path(sys.executable).parent}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("target", ["paper", "paper-quick"])
def test_make_runs_every_script(target):
    lines = [line for line in make("-n", target).splitlines() if "-m experiments" in line]
    run = [re.search(r"-m experiments\.(\w+) (.*)", line) for line in lines]
    assert {match[1] for match in run} == SCRIPTS
    assert run[-1][1] == "page"
    assert all(line.startswith("OMP_NUM_THREADS=1 ") for line in lines)
    readings = [match[2] for match in run if match[1] == "main_effects"]
    assert [re.search(r"--bias (\S+) --out \S+/(\S+)", line).groups() for line in readings] == [(b, b) for b in BIASES]
    folder = "experiments/results" if target == "paper" else "build/paper-quick"
    assert all(f"--out {folder}" in match[2] for match in run)
    few = [match[1] for match in run if "--repetitions 2" in match[2]]
    assert set(few) == (SCRIPTS - {"page", "illustrations"} if target == "paper-quick" else set())


def run_here(script, target, *arguments):
    """Run what make would, of one script, in this process."""
    lines = make("-n", target, "PAPER_JOBS=1", *arguments).replace("\\\n", " ").splitlines()
    (command,) = (after for line in lines if (after := line.partition(f" -m {script.__name__} ")[2]))
    script.main(shlex.split(command))


@pytest.fixture
def quick(tmp_path):
    """The files of `make paper-quick` about the fourth derivative; the other scripts have separate tests."""
    run_here(fourth_derivative, "paper-quick", f"QUICK={tmp_path}")
    return tmp_path


def test_every_script_of_the_paper_is_run_by_a_test():
    for name in SCRIPTS - {"page", "fourth_derivative"}:
        text = (ROOT / "tests" / "experiments" / f"test_{name}.py").read_text(encoding="utf-8")
        assert re.search(r"\bmain\(\[", text), name


@pytest.mark.slow
def test_the_simple_formula_separates_better(quick):
    """R-sens₂ against the full fourth derivative, in the quick run."""
    table = pd.read_csv(quick / "fourth_derivative.csv")
    assert list(table.columns) == ["pair", "kind", "rsens2", "fourth_derivative"]
    assert len(table) == 66
    assert table["rsens2"].is_monotonic_decreasing
    assert list(table["kind"][:3]) == ["true pair"] * 3
    tested = pd.read_csv(quick / "fourth_derivative-claims.csv", index_col="claim")
    assert tested["published"].dropna().to_list() == ["≈ 1", "> 1", "> 0"]
    assert tested["holds"].dropna().isin(["yes", "no", "undecided"]).all()
    assert (tested["repetitions"] == 2).all()
    ratios = tested["ours"]
    separation = ratios["R-sens₂: mean null / mean true"] / ratios["fourth derivative: mean null / mean true"]
    assert separation < 0.5  # about 0.25 at 100 observations, 0.1 at 300
    endings = ("-claims.csv", ".csv", ".jsonl", ".md", ".png", ".svg")
    names = {f"fourth_derivative{ending}" for ending in endings}
    assert {path.name for path in quick.glob("fourth_derivative*")} == names


@pytest.mark.slow
def test_the_calibration_with_few_analyses(tmp_path):
    run_here(calibration, "calibration-quick", f"CALIBRATION_QUICK={tmp_path}")
    text = (tmp_path / "calibration.md").read_text(encoding="utf-8")
    assert "10 analyses in 5 designs" in text
    assert {path.name for path in tmp_path.glob("*.csv")} == {
        f"after-{t}.csv" for t in ("designs", "terms", "analyses")
    }
    assert "--designs" not in make("-n", "calibration")
