"""Effects as a table of pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from rsens._explain._effects import SLOPE, STEP, Effects
from rsens._text import number
from rsens._typing import Array

if TYPE_CHECKING:
    from rsens._explain._explanation import Explanation

COLUMNS = (
    "term", "level", "output", "kind", "step", "effect", "lower", "upper", "unit", "per_unit", "per_unit_lower",
    "per_unit_upper", "percent", "percent_lower", "percent_upper", "spread", "spread_lower", "spread_upper",
    "interval_kind",
)  # fmt: skip


def effect_table(explanation: Explanation) -> pd.DataFrame:
    """One line per effect and output; terms by rank, levels as the model knows them."""
    e = explanation._effects
    if e is None or not e.effect_terms:
        return pd.DataFrame({name: [] for name in COLUMNS if name not in _absent(e, 1)})
    outputs = explanation._values.outputs
    texts = {"term": e.effect_terms, "level": e.effect_levels, "kind": e.kinds, "step": _step_texts(e)}
    lines = pd.DataFrame({name: pd.Series(list(values), dtype=object) for name, values in texts.items()})
    lines["unit"] = e.effect_unit
    _with_ends(lines, "percent", _percent(e.effect_log), _percent(e.effect_log_ends))
    _with_ends(lines, "spread", e.effect_spread, e.effect_spread_ends)
    lines["interval_kind"] = pd.Series([explanation.interval_kind] * len(lines), dtype=object)
    frames = []
    for k, output in enumerate(outputs):
        frame = lines.assign(output=output)
        ends = None if e.effect_ends is None else e.effect_ends[..., k]
        _with_ends(frame, "effect", e.effect[:, k], ends, short=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            times = np.where(e.effect_step > 0.0, e.effect_unit / e.effect_step, np.nan)
        _with_ends(frame, "per_unit", e.effect[:, k] * times, None if ends is None else ends * times)
        frames.append(frame.assign(line=range(len(frame))))
    together = pd.concat(frames).sort_values("line", kind="stable")
    rank = explanation.main.rank(ascending=False, method="first")
    together = together.assign(rank=together["term"].map(rank)).sort_values("rank", kind="stable", ignore_index=True)
    together["level"] = together["level"].astype(object).where(together["level"].notna(), None)
    return together[[name for name in COLUMNS if name not in _absent(e, len(outputs))]]


def _absent(effects: Effects | None, n_outputs: int) -> set[str]:
    """The columns that say nothing here."""
    absent = set() if n_outputs > 1 else {"output"}
    for start, known in (("percent", effects and effects.effect_log), ("spread", effects and effects.effect_spread)):
        if known is None:
            absent |= {name for name in COLUMNS if name.startswith(start)}
    return absent


def _with_ends(
    frame: pd.DataFrame, name: str, values: Array | None, ends: Array | None, *, short: bool = False
) -> None:
    """Columns for values and the ends of their intervals; missing where they are not known."""
    frame[name] = np.nan if values is None else values
    for k, end in enumerate(("lower", "upper")):
        frame[end if short else f"{name}_{end}"] = np.nan if ends is None else ends[k]


def _percent(change_of_log: Array | None) -> Array | None:
    """A change of the logarithm as a share of what it was, in percent."""
    with np.errstate(over="ignore"):
        return None if change_of_log is None else 100.0 * np.expm1(change_of_log)


def _step_texts(effects: Effects) -> list[str]:
    e = effects
    lines = zip(e.kinds, e.effect_step, e.effect_start, e.effect_stop, strict=True)
    return [step_text(kind, *numbers) for kind, *numbers in lines]


def step_text(kind: str, size: float, start: float, stop: float) -> str:
    """What changes: "1 sd (4.42)", "from 12 to 85", "against the rest"."""
    if kind == SLOPE:
        return f"1 sd ({number(size)})"
    return f"from {value_text(start)} to {value_text(stop)}" if kind == STEP else "against the rest"


def value_text(value: float) -> str:
    """A value of a column as people write it: 0, 12, −0.0446; a count or a date stays whole."""
    return f"{value:.{4 if abs(value) < 1e4 else 7}g}".replace("-", "−")
