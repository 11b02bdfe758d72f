"""Effects as a table of pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rsens._explain._effects import SLOPE, STEP, Effects
from rsens._text import number, value_text
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
    e, outputs = explanation._effects, explanation._values.outputs
    if e is None or not e.effect_terms:
        return pd.DataFrame({name: [] for name in _known(e, 1)})
    # Printing asks for this table again and again: columns are put in order as arrays, and pandas has them once.
    ranks = explanation.main.rank(ascending=False, method="first").to_dict()
    order = np.argsort([ranks.get(term, np.nan) for term in e.effect_terms], kind="stable")
    line, k = np.repeat(order, len(outputs)), np.tile(np.arange(len(outputs)), len(order))
    texts = {
        "term": e.effect_terms,
        "level": [None if pd.isna(level) else level for level in e.effect_levels],
        "kind": e.kinds,
        "step": list(map(_step_text, e.kinds, e.effect_step, e.effect_start, e.effect_stop)),
    }
    table: dict[str, Any] = {
        name: pd.Series([of[i] for i in line.tolist()], dtype=object) for name, of in texts.items()
    }
    table["output"] = pd.Series([outputs[i] for i in k.tolist()])
    table["interval_kind"] = pd.Series([explanation.interval_kind] * len(line), dtype=object)
    table["unit"] = e.effect_unit[line]
    with np.errstate(divide="ignore", invalid="ignore"):
        times = np.where(e.effect_step > 0.0, e.effect_unit / e.effect_step, np.nan)[line]
    effect, ends = e.effect[line, k], None if e.effect_ends is None else e.effect_ends[:, line, k]
    numbers = {"": (effect, ends), "per_unit_": (effect * times, None if ends is None else ends * times)}
    (_, spread, log), (_, spread_ends, log_ends) = map(e.effect_quantities.split, (e.effect, e.effect_ends))
    for start, of_lines, its_ends in (
        ("percent_", _percent(log), _percent(log_ends)),
        ("spread_", spread, spread_ends),
    ):
        if of_lines is not None:
            numbers[start] = of_lines[line], None if its_ends is None else its_ends[:, line]
    for start, (values, both) in numbers.items():
        lower, upper = np.full((2, len(line)), np.nan) if both is None else both
        table |= {start.removesuffix("_") or "effect": values, f"{start}lower": lower, f"{start}upper": upper}
    return pd.DataFrame({name: table[name] for name in _known(e, len(outputs))})


def _known(effects: Effects | None, n_outputs: int) -> list[str]:
    """The columns that are not empty here."""
    known = {
        "output": n_outputs > 1,
        "percent": effects is not None and effects.effect_quantities.log,
        "spread": effects is not None and effects.effect_quantities.spread,
    }
    return [name for name in COLUMNS if known.get(name.partition("_")[0], True)]


def _percent(change_of_log: Array | None) -> Array | None:
    """A change of the logarithm as a relative change, in percent."""
    with np.errstate(over="ignore"):
        return None if change_of_log is None else 100.0 * np.expm1(change_of_log)


def _step_text(kind: str, size: float, start: float, stop: float) -> str:
    """The change: "1 sd (4.42)", "from 12 to 85", "against the rest"."""
    if kind == SLOPE:
        return f"1 sd ({number(size)})"
    return f"from {value_text(start)} to {value_text(stop)}" if kind == STEP else "against the rest"
