"""Effects as a table of pandas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
    e, outputs = explanation._effects, explanation._values.outputs
    if e is None or not e.effect_terms:
        return pd.DataFrame({name: [] for name in COLUMNS if name not in _absent(e, 1)})
    # Printing asks for this table again and again: columns are put in order as arrays, and pandas has them once.
    ranks = explanation.main.rank(ascending=False, method="first").to_dict()
    order = np.argsort([ranks.get(term, np.nan) for term in e.effect_terms], kind="stable")
    line, k = np.repeat(order, len(outputs)), np.tile(np.arange(len(outputs)), len(order))
    levels = [None if pd.isna(level) else level for level in e.effect_levels]
    texts = {"term": e.effect_terms, "level": levels, "kind": e.kinds, "step": _step_texts(e)}
    table: dict[str, Any] = {
        name: pd.Series([of[i] for i in line.tolist()], dtype=object) for name, of in texts.items()
    }
    table["output"] = pd.Series([outputs[i] for i in k.tolist()])
    table["interval_kind"] = pd.Series([explanation.interval_kind] * len(line), dtype=object)
    table["unit"] = e.effect_unit[line]
    with np.errstate(divide="ignore", invalid="ignore"):
        times = np.where(e.effect_step > 0.0, e.effect_unit / e.effect_step, np.nan)[line]
    effect = e.effect[line, k]
    ends = None if e.effect_ends is None else e.effect_ends[:, line, k]
    table |= _with_ends("effect", effect, ends, ("lower", "upper"))
    table |= _with_ends("per_unit", effect * times, None if ends is None else ends * times)
    for name, of_lines, ends_of_lines in (
        ("percent", _percent(e.effect_log), _percent(e.effect_log_ends)),
        ("spread", e.effect_spread, e.effect_spread_ends),
    ):
        if of_lines is not None:
            table |= _with_ends(name, of_lines[line], None if ends_of_lines is None else ends_of_lines[:, line])
    return pd.DataFrame({name: table[name] for name in COLUMNS if name not in _absent(e, len(outputs))})


def _absent(effects: Effects | None, n_outputs: int) -> set[str]:
    """The columns that say nothing here."""
    absent = set() if n_outputs > 1 else {"output"}
    for start, known in (("percent", effects and effects.effect_log), ("spread", effects and effects.effect_spread)):
        if known is None:
            absent |= {name for name in COLUMNS if name.startswith(start)}
    return absent


def _with_ends(
    name: str, values: Array, ends: Array | None, ends_are_called: tuple[str, str] | None = None
) -> dict[str, Array]:
    """Columns for values and the ends of their intervals; missing where they are not known."""
    lower, upper = np.full((2, len(values)), np.nan) if ends is None else ends
    first, second = ends_are_called or (f"{name}_lower", f"{name}_upper")
    return {name: values, first: lower, second: upper}


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
