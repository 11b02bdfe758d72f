"""One thread for small matrices and for refits."""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Any


def one_thread(user_api: str | None = None) -> Any:
    """A context with one thread per library: sums do not depend on what else runs, and fits do not fight for cores.

    `user_api="blas"` leaves other libraries as they are.
    """
    return _libraries(len(sys.modules)).limit(limits=1, user_api=user_api)


@lru_cache(maxsize=1)
def _libraries(n_modules: int) -> Any:
    """The libraries that have threads. Looking for them takes longer than a small fit; an import may bring new ones."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
