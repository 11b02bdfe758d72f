"""Damaged and forged files, and calls that are killed; `make hostile` and `make interruptions` do more."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rsens import Explanation, InputError, Selection, Stability, load_model
from rsens._files import Checkpoint, read_summary

pytest.importorskip("resource", reason="the system does not limit memory")


def output(*command, **environment):
    where = {"cwd": Path(__file__).parents[1], "env": os.environ | environment}
    done = subprocess.run([sys.executable, *command], **where, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_files_that_somebody_has_changed():
    counts = json.loads(output("-m", "tests.hostile", "--cases", "300"))
    assert (counts["cases"], counts["wrong"]) == (300, 0)
    assert len(counts["files"]) == 7
    assert sum(ends.get("refused", 0) for ends in counts["files"].values()) > 100


def test_a_change_that_is_wrong_is_seen(tmp_path):
    """The watch itself: a process that is started, a foreign error."""
    code = (
        "import os, subprocess\n"
        "from pathlib import Path\n"
        "import tests.hostile as hostile\n"
        "def run(path): subprocess.run(['true'])\n"
        "def fail(path): raise KeyError(path)\n"
        "watch, here = hostile.Watch(), Path(os.environ['HERE'])\n"
        "for load in (run, fail):\n"
        "    kind = hostile.Kind('file', load, [b'{}'], hostile.change_json)\n"
        "    print(hostile.case(0, {'file': kind}, here, watch)[2])\n"
    )
    ran, failed = output("-c", code, HERE=str(tmp_path)).splitlines()
    assert ran.startswith("it did ")
    assert failed.startswith("KeyError: ")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes with names")
def test_pipes_and_devices_are_refused(tmp_path):
    """A pipe would wait for ever, and a device without end would fill the memory."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/zero")
    for load in (Explanation.load, Stability.load, Selection.load, load_model):
        for name in ("pipe", "link"):
            with pytest.raises(InputError, match="not a file"):
                load(tmp_path / name)
    work = Checkpoint.open(tmp_path / "kept", {"a": 1}, 0)
    (tmp_path / "kept" / "piece-1.json").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "kept" / "piece-2.json")
    assert work.get("piece-1") is work.get("piece-2") is None
    (tmp_path / "summary.json").symlink_to("/dev/zero")
    with pytest.raises(InputError, match=r"has no summary\.json"):
        read_summary(tmp_path)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_interruptions():
    """Long calls that are killed, find a full disk, or share a folder."""
    counts = json.loads(output("-m", "tests.interruptions", "--kills", "6", "--calls", "stability", "experiments"))
    assert counts["stability"]["kills"] >= 3
    assert counts["experiments"]["kills"] >= 3
    assert counts["stability"]["two at once"] == 1
    assert all(each["full disks"] == 1 for each in counts.values())
