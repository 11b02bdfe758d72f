"""What stands in the tables that are printed: of an explanation, and of a study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rsens._text import number, percent, short
from rsens.measures import DOWN, UP, arrows

if TYPE_CHECKING:
    from rsens._explain._explanation import Explanation

#: The longest name of an output beside an arrow.
OUTPUT_WIDTH = 14
#: Above or below; a pair that cannot be told; and a space, which keeps numbers in line.
STAR, UNCLEAR, NO_STAR = "*", "?", " "


def stars(explanation: Explanation, frame: pd.DataFrame) -> list[str]:
    """The mark of each line of `to_frame`, of order 1 or 2."""
    marks = [STAR if above is not pd.NA and bool(above) else NO_STAR for above in frame["above_null"]]
    unclear = explanation.pair_unclear
    if "first" not in frame.columns or unclear is None:
        return marks
    pairs = zip(frame["first"], frame["second"], strict=True)
    return [UNCLEAR if unclear[pair] else mark for pair, mark in zip(pairs, marks, strict=True)]


def directions(explanation: Explanation, terms: Sequence[str]) -> list[str]:
    """The arrow and the slope of each term; of several outputs, those that rise and fall most."""
    direction, consistency = explanation.direction, explanation.consistency
    if isinstance(direction, pd.Series) and isinstance(consistency, pd.Series):
        slopes = direction[list(terms)]
        signs = arrows(slopes, consistency[list(terms)])
        return [
            f"{sign} {number(abs(slope))}" if sign in (UP, DOWN) else sign
            for sign, slope in zip(signs, slopes, strict=True)
        ]
    outputs = [short(str(name), OUTPUT_WIDTH) for name in direction.columns]
    return [_outputs(outputs, line) for line in direction.loc[list(terms)].to_numpy()]


def _outputs(outputs: Sequence[str], slopes: Any) -> str:
    if not np.isfinite(slopes).all():
        return ""
    up = f"{UP} {outputs[int(slopes.argmax())]}" if slopes.max() > 0.0 else ""
    down = f"{DOWN} {outputs[int(slopes.argmin())]}" if slopes.min() < 0.0 else ""
    return f"{up} {down}".strip()


def part_columns(frame: pd.DataFrame) -> list[str]:
    """The columns of the parts "prediction" and "uncertainty", if there are the two and the second is ever moved."""
    parts = [column for column in frame.columns if column.startswith("part_")]
    return parts if len(parts) == 2 and frame[parts[1]].any() else []


def shares(frame: pd.DataFrame, part: str) -> list[str]:
    """How much of each value is in a part."""
    lines = zip(frame[part], frame["value"], strict=True)
    return [percent(float(part) / float(value)) if value > 0.0 else "" for part, value in lines]
