"""After `kill -9` at any moment every file of a folder is whole, and the next run repairs the rest."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")


def counts(folder, *how):
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "tests.files.kills", str(folder), *how]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_at_every_ninth_call_of_the_system(tmp_path):
    seen = counts(tmp_path / "out", "steps", "9")
    assert seen["old"] > 2
    assert seen["mixed"] > 1


@pytest.mark.slow
@pytest.mark.parametrize("how", ["steps", "first"])
def test_at_every_call_of_the_system(tmp_path, how):
    seen = counts(tmp_path / "out", how, "1")
    assert seen["steps"] > 60
    assert seen["old"] > 20
    assert seen["mixed" if how == "steps" else "new"] > 10
