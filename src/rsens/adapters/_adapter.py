"""What an adapter is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rsens.derivatives import Model


@dataclass(frozen=True)
class Adapter:
    """How objects of one kind become a `Model`: which objects it accepts, and how it adapts one."""

    name: str
    accepts: Callable[[Any], bool]
    adapt: Callable[[Any], Model]
