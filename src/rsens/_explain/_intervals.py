"""Intervals of the averages: their ends, and what they hold for."""

from __future__ import annotations

from dataclasses import dataclass

from rsens._results import Part, stored
from rsens._typing import Array

#: What intervals come from.
REFITS, ROWS = "refits", "rows"


@dataclass(frozen=True, eq=False, kw_only=True)
class Intervals(Part):
    """How far the averages depend on which data were drawn, or only on which rows are explained."""

    intervals: Array = stored(
        "Intervals of `main`: columns lower, upper. `interval_kind` says what they hold for.",
        2, "terms", column="",
    )  # fmt: skip
    pair_intervals: Array | None = stored(
        "Intervals of `pairs`: columns lower, upper.", 2, "pairs", default=None, column=""
    )
    interval_kind: str = stored(
        'What intervals hold for. "refits": which data were drawn, from refits of the model to parts of the rows. '
        '"rows": only which rows are explained; the model is taken as it is, and they are several times too narrow for '
        "new data.",
    )  # fmt: skip
    interval_refits: int = stored("How many refits the intervals come from; 0 for those over rows.")
