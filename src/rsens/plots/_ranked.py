"""What bars show, of variables and of pairs alike: values in their order, parts, intervals, levels and signs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rsens._text import Pair
from rsens._typing import Array
from rsens.measures import arrows
from rsens.plots._marks import DOUBT, STAR, interval_note, pair_notes
from rsens.plots._style import first_terms, per_unit

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Ranked:
    """Variables or pairs, the largest first. What is not known is None, or NaN where some are."""

    names: list[str]
    values: Array  # (k,)
    hidden: int  # how many more there are
    parts: pd.DataFrame | None
    lower: Array | None  # (k,)
    upper: Array | None
    null: Array | None  # (k,)
    signs: list[str]
    label: str  # of the axis
    notes: list[str]  # below the axis

    @property
    def reach(self) -> Array:
        """How far right each row reaches."""
        return self.values if self.upper is None else np.fmax(self.values, self.upper)


def ranked_terms(explanation: Any, top: int | None) -> Ranked:
    """The variables, with null levels and directions."""
    e = explanation
    main, hidden = first_terms(e.main, top)
    null = None if e.null_levels is None else e.null_levels.reindex(main.index).to_numpy()
    signs = [""] * len(main)
    if e.direction.ndim == 1:  # groups, categorical columns and several outputs have none
        signs = arrows(e.direction.reindex(main.index), e.consistency.reindex(main.index))
    return Ranked(
        names=[str(name) for name in main.index],
        values=np.asarray(main, dtype=np.float64),
        hidden=hidden,
        parts=_parts(e.parts, main),
        **_ends(e.intervals, main),
        null=null if null is not None and np.isfinite(null).any() else None,
        signs=signs,
        label=f"R-sens {per_unit(e)}",
        notes=_interval_notes(e),
    )


def ranked_pairs(explanation: Any, top: int | None) -> Ranked:
    """The pairs, with the marks of the test."""
    e = explanation
    pairs, hidden = first_terms(e.pairs, top)
    signs = [""] * len(pairs)
    if e.pair_above is not None:
        signs = [STAR if e.pair_above[pair] else DOUBT if e.pair_unclear[pair] else "" for pair in pairs.index]
    unit = per_unit(e)
    return Ranked(
        names=[Pair(*pair) for pair in pairs.index],
        values=np.asarray(pairs, dtype=np.float64),
        hidden=hidden,
        parts=_parts(e.pair_parts, pairs),
        **_ends(e.pair_intervals, pairs),
        null=None,
        signs=signs,
        label=f"R-sens$_2$ {unit} × {unit.removeprefix('per ')}",
        notes=[*pair_notes(e, STAR, DOUBT), *_interval_notes(e)],
    )


def _parts(parts: pd.DataFrame | None, values: pd.Series[float]) -> pd.DataFrame | None:
    """The parts in the order of the values, if there are several."""
    return None if parts is None or parts.shape[1] < 2 else parts.reindex(values.index)


def _ends(intervals: pd.DataFrame | None, values: pd.Series[float]) -> dict[str, Any]:
    sides = ("lower", "upper")
    if intervals is None:
        return dict.fromkeys(sides)
    return {side: intervals[side].reindex(values.index).to_numpy() for side in sides}


def _interval_notes(explanation: Any) -> list[str]:
    note = interval_note(explanation)
    return [f"whiskers: {note}"] if note else []
