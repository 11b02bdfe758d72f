"""One thread for small matrices and for refits."""

from __future__ import annotations

import sys
from functools import lru_cache
from typing import Any


def one_thread(user_api: str | None = None) -> Any:
    """A context with one thread per library, or only of `user_api="blas"`: sums are the same, fits do not fight."""
    return _libraries(len(sys.modules)).limit(limits=1, user_api=user_api)


@lru_cache(maxsize=1)
def _libraries(n_modules: int) -> Any:
    """The libraries that have threads. Looking for them takes longer than a small fit; an import may bring new ones."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
