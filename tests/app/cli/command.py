"""The command as users run it: in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path


def rsens(*arguments, cwd: Path, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
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
