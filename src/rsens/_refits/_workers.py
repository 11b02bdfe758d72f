"""Processes that joblib starts for work in pieces end with the call that they were started for."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_lock = threading.Lock()
_calls = 0
_before: Any = None


@contextmanager
def workers() -> Iterator[None]:
    """Within this, joblib may start processes; they end with it, unless they were there before: those are the user's.

    joblib has one pool for the whole process: calls in several threads share it, and the last of them ends it.
    """
    global _calls, _before
    with _lock:
        if not _calls:
            _before = _pool()
        _calls += 1
    try:
        yield
    finally:
        with _lock:
            _calls -= 1
            pool = None if _calls else _pool()
            # Other work that was given to the pool meanwhile is the user's, and so is the pool from then on.
            if pool is not None and pool is not _before and not pool._pending_work_items:
                pool.shutdown(wait=True)
            if not _calls:
                _before = None


def _pool() -> Any:
    """joblib's pool of processes, None if there is none; found without starting one."""
    module = sys.modules.get("joblib.externals.loky.reusable_executor")
    return None if module is None else module._executor
