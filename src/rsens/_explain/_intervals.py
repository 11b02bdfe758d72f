"""Intervals of the averages: their ends, and what they hold for."""

from __future__ import annotations

from dataclasses import dataclass

from rsens._errors import InputError
from rsens._files import number_or_nan
from rsens._results import Part, stored
from rsens._typing import Array


@dataclass(frozen=True, eq=False, kw_only=True)
class Intervals(Part):
    """How far the averages depend on which rows are explained."""

    intervals: Array = stored(
        "Bootstrap intervals of `main` over the rows: columns lower, upper. The model is taken as it is.",
        number_or_nan, 2, "terms", column="",
    )  # fmt: skip
    pair_intervals: Array | None = stored(
        "Bootstrap intervals of `pairs` over the rows: columns lower, upper.",
        number_or_nan, 2, "pairs", optional=True, column="",
    )  # fmt: skip

    def check(self) -> None:
        for name in ("intervals", "pair_intervals"):
            bounds = getattr(self, name)
            if bounds is not None and (bounds[0] > bounds[1]).any():
                raise InputError(f"{name} has a lower end above its upper end")
