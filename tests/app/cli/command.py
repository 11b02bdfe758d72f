"""The command as users run it: in a process of its own, or in this one where the process is not the point."""

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path

from rsens._app.cli._main import main


def rsens_process(*arguments, cwd: Path, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run `rsens`, for a screen of 96 columns; the exit code, and what it said."""
    command = [sys.executable, "-m", "rsens", *map(str, arguments)]
    return subprocess.run(
        command,
        cwd=cwd,
        input=stdin,
        env=os.environ | {"COLUMNS": "96"},  # pytest brings the width of its own terminal
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )


def rsens(*arguments, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The same without the seconds that a new process takes to import everything; warnings are errors here."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    given = [str(argument) for argument in arguments]
    with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(given)
    return subprocess.CompletedProcess(given, code, *(stream.buffer.getvalue().decode() for stream in (out, err)))
