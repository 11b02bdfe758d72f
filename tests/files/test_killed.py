"""After `kill -9` at any moment a folder has all of the old results or all of the new ones, and all files of others."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rsens._files._exchange import exchange

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")


@pytest.fixture
def folder(tmp_path):
    """A folder on a disk that can exchange two folders; elsewhere it is not promised that results come in one step."""
    one, other = tmp_path / "one", tmp_path / "other"
    one.mkdir()
    other.mkdir()
    try:
        exchange(one, other)
    except OSError as error:
        pytest.skip(f"folders cannot be exchanged here: {error}")
    (tmp_path / "results").mkdir()
    return tmp_path / "results" / "out"


def counts(folder, *how):
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "tests.files.kills", str(folder), *how]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_at_any_moment(folder):
    seen = counts(folder, "random", "40")
    assert seen["old"] + seen["new"] == 40
    assert min(seen["old"], seen["new"], seen["left"]) > 5


def test_at_every_call_of_the_system(folder):
    seen = counts(folder, "steps", "1")
    assert seen["steps"] > 80
    assert seen["old"] > 40
    assert seen["new"] > 10  # while the old results are being removed
