"""After `kill -9` at any moment every file of a folder is whole, and the next run repairs the rest."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")


@pytest.mark.parametrize(
    ("how", "every", "least"),
    [
        ("steps", "9", {"old": 3, "mixed": 2}),
        pytest.param("steps", "1", {"steps": 61, "old": 21, "mixed": 11}, marks=pytest.mark.slow),
        pytest.param("first", "1", {"steps": 61, "old": 21, "new": 11}, marks=pytest.mark.slow),
    ],
)
def test_at_every_or_every_ninth_call_of_the_system(tmp_path, how, every, least):
    command = [sys.executable, "-m", "tests.files.kills", str(tmp_path / "out"), how, every]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert all(seen[kind] >= number for kind, number in least.items())
