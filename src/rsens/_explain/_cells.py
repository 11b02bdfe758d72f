"""What stands in the tables that are printed: of an explanation, and of a study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rsens._explain._effect_cells import has_steps, in_points
from rsens._explain._effects import STEP
from rsens._text import Pair, listed, number, percent, short
from rsens.measures import DOWN, UP, arrows

if TYPE_CHECKING:
    from rsens._explain._explanation import Explanation

#: The most names in a line.
MOST_NAMES = 10
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


def directions(explanation: Explanation, terms: list[str], digits: int = 3) -> list[str]:
    """The arrow and the slope of each term; of several outputs, those that rise and fall most."""
    direction, consistency = explanation.direction, explanation.consistency
    slopes = direction.loc[terms].to_numpy(dtype=np.float64)
    if isinstance(direction, pd.DataFrame):
        outputs = [short(str(name), OUTPUT_WIDTH) for name in direction.columns]
        return [_outputs(outputs, line) for line in slopes]
    signs = arrows(slopes, consistency.loc[terms])
    steps = _steps(explanation)
    return [
        _change(explanation, sign, *steps.get(term, (float(slope), "")), digits) if sign in (UP, DOWN) else sign
        for term, sign, slope in zip(terms, signs, slopes, strict=True)
    ]


def _change(explanation: Explanation, sign: str, effect: float, step: str, digits: int) -> str:
    """An arrow, how far the prediction goes, and the step unless it is the unit of the scale."""
    points = in_points(explanation)
    size = f"{number(100.0 * abs(effect), min(digits, 2))} pp" if points else number(abs(effect), digits)
    arrow = UP if effect > 0.0 else DOWN if effect < 0.0 else sign
    return f"{arrow} {size}{step}"


def _steps(explanation: Explanation) -> dict[str, tuple[float, str]]:
    """The effect and the step of the terms that go from one value to another."""
    if not has_steps(explanation):
        return {}
    table = explanation.effects
    lines = table[(table["kind"] == STEP) & table["effect"].notna()].to_dict("records")
    return {line["term"]: (float(line["effect"]), f" ({line['step'].removeprefix('from ')})") for line in lines}


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


def draw_parts(frame: pd.DataFrame) -> list[str]:
    """The names of the parts of a model of posterior draws, if it is one."""
    names = [name for name in ("prediction", "noise", "knowledge") if f"part_{name}" in frame.columns]
    return names if "knowledge" in names else []


def shares(frame: pd.DataFrame, part: str) -> list[str]:
    """How much of each value is in a part."""
    lines = zip(frame[part], frame["value"], strict=True)
    return [percent(float(part) / float(value)) if value > 0.0 else "" for part, value in lines]


def hidden(explanation: Explanation, frame: pd.DataFrame, shown: int, where: str) -> list[str]:
    """The line below a table of `shown` lines of the frame: how many more there are, and which of them have a star."""
    rest = frame.iloc[shown:]
    if not len(rest):
        return []
    marks = zip(rest.to_dict("records"), stars(explanation, rest), strict=True)
    starred = [short(Pair(x["first"], x["second"]) if "first" in x else x["term"]) for x, star in marks if star == STAR]
    also = f"; with a star: {listed(starred, MOST_NAMES)}" if starred else ""
    return [f"… and {len(rest)} more {where}{also}"]
