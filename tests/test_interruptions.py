"""Long calls that are killed, find a full disk, or share a folder. `make interruptions` does more."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_interruptions():
    command = [sys.executable, "-m", "tests.interruptions", "--kills", "6", "--calls", "stability", "experiments"]
    done = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout)
    assert counts["stability"]["kills"] >= 3
    assert counts["experiments"]["kills"] >= 3
    assert counts["stability"]["two at once"] == 1
    assert all(each["full disks"] == 1 for each in counts.values())
