"""Intervals of the averages: their ends, and what they hold for."""

from __future__ import annotations

from dataclasses import dataclass

from rsens._errors import InputError
from rsens._files import number_or_nan, text, whole
from rsens._results import Part, stored
from rsens._typing import Array

#: What intervals come from.
REFITS, ROWS = "refits", "rows"


@dataclass(frozen=True, eq=False, kw_only=True)
class Intervals(Part):
    """How far the averages depend on which data were drawn, or only on which rows are explained."""

    intervals: Array = stored(
        "Intervals of `main`: columns lower, upper. `interval_kind` says what they hold for.",
        number_or_nan, 2, "terms", column="",
    )  # fmt: skip
    pair_intervals: Array | None = stored(
        "Intervals of `pairs`: columns lower, upper.", number_or_nan, 2, "pairs", optional=True, column=""
    )
    interval_kind: str = stored(
        'What intervals hold for. "refits": which data were drawn, from refits of the model to parts of the rows. '
        '"rows": only which rows are explained; the model is taken as it is, and they are several times too narrow for '
        "new data.",
        text,
    )  # fmt: skip
    interval_refits: int = stored("How many refits the intervals come from; 0 for those over rows.", whole)

    def check(self) -> None:
        for name in ("intervals", "pair_intervals"):
            bounds = getattr(self, name)
            if bounds is not None and (bounds[0] > bounds[1]).any():
                raise InputError(f"{name} has a lower end above its upper end")
        if self.interval_kind not in (REFITS, ROWS) or (self.interval_refits > 0) != (self.interval_kind == REFITS):
            raise InputError(f"interval_kind is {self.interval_kind!r:.40} with {self.interval_refits} refits")
