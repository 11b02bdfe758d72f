"""A wrong command gets one line, before any work starts; Ctrl-C and Dask leave nothing behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from experiments import main_effects, real_data
from tests.interrupts import hearing

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}


@pytest.mark.parametrize("script", [main_effects, real_data])
def test_wrong_options(script, capsys):
    for option, value, text in [
        ("--repetitions", "1", "at least 2, for an interval"),
        ("--n-jobs", "0", "-1 for all cores; got '0'"),
        ("--seed", "-1", "at least 0; got '-1'"),
        ("--out", __file__, f"cannot write to {__file__} (File exists)"),
    ]:
        with pytest.raises(SystemExit) as stopped:
            script.main([option, value])
        assert stopped.value.code == 2
        error = capsys.readouterr().err
        assert f"argument {option}: " in error
        assert text in error


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
