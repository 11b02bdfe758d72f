"""Effects as a table of pandas."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rsens._explain._effects import LEVEL, SLOPE, STEP, Effects
from rsens._text import listed, number, short
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
    for start, of_lines, its_ends in (
        ("percent_", _percent(e.effect_log), _percent(e.effect_log_ends)),
        ("spread_", e.effect_spread, e.effect_spread_ends),
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
        "percent": effects is not None and effects.effect_log is not None,
        "spread": effects is not None and effects.effect_spread is not None,
    }
    return [name for name in COLUMNS if known.get(name.partition("_")[0], True)]


def _percent(change_of_log: Array | None) -> Array | None:
    """A change of the logarithm as a share of what it was, in percent."""
    with np.errstate(over="ignore"):
        return None if change_of_log is None else 100.0 * np.expm1(change_of_log)


def _step_text(kind: str, size: float, start: float, stop: float) -> str:
    """What changes: "1 sd (4.42)", "from 12 to 85", "against the rest"."""
    if kind == SLOPE:
        return f"1 sd ({number(size)})"
    return f"from {value_text(start)} to {value_text(stop)}" if kind == STEP else "against the rest"


def value_text(value: float) -> str:
    """A value of a column as people write it: 0, 12, −0.0446; a count or a date stays whole."""
    return f"{value:.{4 if abs(value) < 1e4 else 7}g}".replace("-", "−")


#: The most levels of one category in a short table: those with the largest effects.
MOST_LEVELS = 4


@dataclass(frozen=True)
class EffectLine:
    """One line of a short table: what changes, and by how much the prediction and its spread do, as texts."""

    term: str
    level: str | None
    output: str | None
    step: str
    effect: str
    lower: str
    upper: str
    per_unit: str
    percent: str
    spread: str

    @property
    def name(self) -> str:
        """The term, and the level and the class if there are any."""
        of_level = "" if self.level is None else f" = {self.level}"
        return f"{self.term}{of_level}" + ("" if self.output is None else f" → {self.output}")


def in_points(explanation: Explanation) -> bool:
    """Whether effects are changes of a probability, stated in percentage points."""
    return explanation.family in ("Bernoulli", "Categorical")


def has_steps(explanation: Explanation) -> bool:
    """Whether the effect of some number is that of a step from one value to another."""
    return explanation._effects is not None and STEP in explanation._effects.kinds


def leading_effects(explanation: Explanation, most_terms: int | None) -> pd.DataFrame:
    """The effects of the leading terms: of two levels the second (the first mirrors it), of many the largest."""
    table = explanation.effects
    if not len(table):
        return table
    table = table.assign(size=table["effect"].abs())
    if "output" in table:
        table = table.loc[table.groupby(["term", "level"], dropna=False, sort=False)["size"].idxmax()]
    kept = []
    for _, lines in table.groupby("term", sort=False):
        if len(lines) == 2:
            lines = lines.iloc[1:]
        elif len(lines) > MOST_LEVELS:
            lines = lines.loc[lines["size"].nlargest(MOST_LEVELS).index.sort_values()]
        kept.append(lines)
    return pd.concat(kept[:most_terms]).drop(columns="size").reset_index(drop=True)


def effect_lines(explanation: Explanation, most_terms: int | None) -> list[EffectLine]:
    """The leading effects as texts."""
    times, table = 100.0 if in_points(explanation) else 1.0, leading_effects(explanation, most_terms)
    spreads = signed(table["spread"]) if "spread" in table else [""] * len(table)
    found = []
    for line, spread in zip(table.to_dict("records"), spreads, strict=True):
        effect, lower, upper = signed([times * line[name] for name in ("effect", "lower", "upper")])
        per_unit, *_ = signed([times * line[name] for name in ("per_unit", "per_unit_lower", "per_unit_upper")])
        percent = ""
        if np.isfinite(line.get("percent", np.nan)):
            percent = f"{signed([line['percent'], line['percent_lower'], line['percent_upper']])[0]} %"
        found.append(
            EffectLine(
                term=str(line["term"]),
                level=line["level"],
                output=line.get("output"),
                step=line["step"],
                effect=effect,
                lower=lower,
                upper=upper,
                per_unit=f"{per_unit} per {line['unit']:,.10g}" if per_unit else "",
                percent=percent,
                spread=spread,
            )
        )
    return found


def signed(values: Iterable[float], digits: int = 2) -> list[str]:
    """Numbers with their sign, with decimals that show so many digits of what differs between them."""
    values = [float(value) for value in values]
    known = [value for value in values if np.isfinite(value)]
    if not known:
        return [""] * len(values)
    size = max(map(abs, known))
    differs = max(known) - min(known) or size
    if size and not 1e-4 <= size < 1e7:
        return [_plus(value, number(value)) if np.isfinite(value) else "" for value in values]
    decimals = 0 if not differs else _decimals(differs, digits)
    decimals = decimals if not size else min(decimals, _decimals(size, 4))  # of numbers that hardly differ, four digits
    return [_plus(value, f"{value:,.{decimals}f}".replace("-", "−")) if np.isfinite(value) else "" for value in values]


def _decimals(size: float, digits: int) -> int:
    return max(0, digits - 1 - math.floor(math.log10(size)))


def _plus(value: float, text: str) -> str:
    """+2.1, −2.1, and 0.0 for what rounds to it."""
    if not any(digit in text for digit in "123456789"):
        return text.removeprefix("−")
    return f"+{text}" if value > 0.0 else text


def effects_legend(explanation: Explanation, lines: Sequence[EffectLine]) -> list[str]:
    """What the columns of a short table of effects mean."""
    shown, e = {line.term for line in lines}, explanation._effects
    kinds = set() if e is None else {k for term, k in zip(e.effect_terms, e.kinds, strict=True) if term in shown}
    what = "probability, in percentage points" if in_points(explanation) else "prediction"
    legend = [f"effect: mean change of the {what}, over the rows, all other columns as they are in each"]
    if SLOPE in kinds:
        legend.append("1 sd: the mean slope times one standard deviation; per …: the same slope in units of the column")
    if LEVEL in kinds:
        legend.append("against the rest: this level minus the mean of the others, weighted by how often they occur")
    table = explanation.effects
    stepping = table.loc[(table["kind"] == STEP) & ~table["term"].isin(explanation.two_valued), "term"]
    if len(stepping):
        names = listed([short(str(term)) for term in dict.fromkeys(stepping)], 6)
        legend.append(
            "from … to …: between two quartiles, asking the model near the rows in between; a standard deviation of "
            f"{names} leads beyond most values (mostly one value, or a long tail)"
        )
    if any(line.spread for line in lines):
        legend.append("spread: change of the predictive standard deviation")
    if any(line.percent for line in lines):
        legend.append("percent: the same change as a share of the prediction")
    return legend
