"""A wrong command gets one line, before any work starts; Ctrl-C and Dask leave nothing behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from experiments import beyond, main_effects, real_data, stability
from tests.interrupts import hearing

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
INTERVAL = "at least 2, for an interval"


def refused(script, capsys, *arguments):
    """The output of a script that exits with code 2."""
    with pytest.raises(SystemExit) as stopped:
        script.main(list(arguments))
    assert stopped.value.code == 2
    return capsys.readouterr().err


@pytest.mark.parametrize("script", [main_effects, stability, real_data, beyond])
@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("--repetitions", "1", INTERVAL),
        ("--n-jobs", "0", "-1 for all cores; got '0'"),
        ("--seed", "-1", "at least 0; got '-1'"),
        ("--out", __file__, f"cannot write to {__file__} (File exists)"),
    ],
)
def test_wrong_options_of_all_scripts(script, capsys, option, value, says):
    assert f"argument {option}: " in (error := refused(script, capsys, option, value))
    assert says in error


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_ctrl_c_ends_with_one_line(tmp_path):
    command = hearing("experiments.main_effects", "--n-jobs", "1", "--out", str(tmp_path))
    process = subprocess.Popen(command, cwd=ROOT, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
    journal = tmp_path / "main_effects-per-call.jsonl"
    deadline = time.monotonic() + 120.0
    while not journal.exists() or journal.read_bytes().count(b"\n") < 2:
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[1] == "stopped; run again to continue\n"
    assert process.returncode == 130
