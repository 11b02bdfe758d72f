"""`make paper` runs every script of the paper, and every script runs in some test; `calibration-quick` runs here."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from experiments import coverage
from experiments._simulated import BIASES
from tests.experiments.test_scripts import SCRIPTS as RUN

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


def test_every_script_of_the_paper_is_run_by_a_test():
    assert SCRIPTS - {"page", "disagreements"} <= set(RUN)


def test_the_parts_of_coverage_are_all_tests():
    parts = [coverage.ROOT / path for paths in coverage.parts().values() for path in paths]
    for file in (coverage.ROOT / "tests").rglob("test_*.py"):
        assert sum(part == file or part in file.parents for part in parts) == 1, file
