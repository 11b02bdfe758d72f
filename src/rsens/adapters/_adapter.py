"""What an adapter is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rsens.derivatives import Model


@dataclass(frozen=True)
class Adapter:
    """How objects of one kind become a `Model`: which objects they are, and what is made of them."""

    name: str
    accepts: Callable[[Any], bool]
    adapt: Callable[[Any], Model]
