"""A command in a terminal, whose keys the test presses."""

import os
import select
import signal
import struct
import subprocess
import sys
import time

import pytest

from tests.interrupts import hearing

fcntl, pty, termios = map(pytest.importorskip, ("fcntl", "pty", "termios"))  # Windows has none of them

CTRL_C = b"\x03"


def in_a_terminal(*arguments, cwd, press_at=None, times=1, timeout=240.0):
    """`rsens arguments` in a terminal of 96 columns: the exit code, and all that was shown.

    Ctrl-C is pressed as soon as `press_at` is on the screen; the terminal tells all processes of the command.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 96, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-c", _OWN_TERMINAL, *hearing("rsens", *map(str, arguments))],
        cwd=cwd,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        env=os.environ | {"COLUMNS": "96", "PYTHONIOENCODING": "utf-8"},
    )
    os.close(theirs)
    shown, end = b"", time.monotonic() + timeout
    try:
        while time.monotonic() < end:
            if not select.select([ours], [], [], 0.05)[0]:
                continue
            try:
                read = os.read(ours, 65_536)
            except OSError:  # the terminal is closed
                break
            shown += read
            if press_at is not None and press_at.encode() in shown:
                press_at = None
                for _ in range(times):
                    os.write(ours, CTRL_C)
        code = process.wait(max(1.0, end - time.monotonic()))
    finally:
        os.close(ours)
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return code, shown.decode()


#: Makes standard input the terminal of this process, and becomes the command.
_OWN_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
)
