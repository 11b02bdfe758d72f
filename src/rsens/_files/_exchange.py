"""Two folders take each other's name in one step, which no reader and no `kill -9` can catch halfway."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from pathlib import Path

AT_FDCWD = -100  # of Linux: paths are relative to the current folder
EXCHANGE = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS


def exchange(one: Path, other: Path) -> None:
    """Give each of two folders the name of the other; an `OSError` where the system or the disk cannot do that."""
    first, second = os.fsencode(one), os.fsencode(other)
    try:
        system = ctypes.CDLL(None, use_errno=True)
        if sys.platform == "darwin":
            failed = system.renamex_np(first, second, ctypes.c_uint(EXCHANGE))
        else:
            failed = system.renameat2(AT_FDCWD, first, AT_FDCWD, second, ctypes.c_uint(EXCHANGE))
    except (AttributeError, TypeError):  # there is no such call; Windows has no library without a name
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS)) from None
    if failed:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), str(one), None, str(other))
