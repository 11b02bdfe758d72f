"""What a change of a variable does to the prediction, in the units of the target: `Explanation.effects`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rsens._explain._bootstrap import percentiles
from rsens._explain._effect_sums import Key, RowEffects
from rsens._explain._query import Query
from rsens._explain._stated import Stated
from rsens._explain._steps import readable_unit
from rsens._results import Part, stored
from rsens._typing import Array

#: What a line is about: a slope times a standard deviation; a step between two values; a level against the rest.
SLOPE, STEP, LEVEL = "slope", "step", "level"


@dataclass(frozen=True, eq=False, kw_only=True)
class Effects(Part):
    """One line for each number, and for each level of a category, in the order of the terms. Groups have none."""

    effect_terms: tuple[str, ...] = stored("The term of each effect.")
    effect_levels: tuple[str | None, ...] = stored("The level of each effect; None for numbers.")
    effect_start: Array = stored("Where a step between two values starts; NaN for other effects.", "effect_terms")
    effect_stop: Array = stored("Where a step between two values stops; NaN for other effects.", "effect_terms")
    effect_step: Array = stored(
        "How long the step is: a standard deviation, or from start to stop; NaN for levels.",
        "effect_terms",
    )  # fmt: skip
    effect_unit: Array = stored(
        "A readable unit of the column, 1 or a power of ten; NaN for levels.",
        "effect_terms",
    )  # fmt: skip
    effect: Array = stored("Mean change of the point prediction.", "effect_terms", "outputs")
    effect_ends: Array | None = stored(
        "Lower and upper ends of the intervals of `effect`.",
        2, "effect_terms", "outputs", default=None,
    )  # fmt: skip
    effect_spread: Array | None = stored(
        "Mean change of the predictive standard deviation; None for classes.",
        "effect_terms", default=None,
    )  # fmt: skip
    effect_spread_ends: Array | None = stored(
        "Lower and upper ends of the intervals of `effect_spread`.",
        2, "effect_terms", default=None,
    )  # fmt: skip
    effect_log: Array | None = stored(
        "Mean change of the logarithm of the prediction, for families of positive numbers.",
        "effect_terms", default=None,
    )  # fmt: skip
    effect_log_ends: Array | None = stored(
        "Lower and upper ends of the intervals of `effect_log`.",
        2, "effect_terms", default=None,
    )  # fmt: skip

    @classmethod
    def of(cls, found: RowEffects, query: Query, n_rows: int, level: float) -> Effects:
        """From the rows, of which `n_rows` count: the effects, and intervals over rows if there are replicates."""
        keys = list(found.edges)
        deviation = {query.terms.names[t]: query.deviations[m[0]] for t, m in enumerate(query.terms.members)}
        start, stop = (np.array([np.nan if key[k] is None else key[k] for key in keys]) for k in (2, 3))
        numbers = np.array([key[1] is None for key in keys], dtype=np.bool_)
        sd = np.array([deviation[key[0]] for key in keys])
        step = np.where(numbers, np.where(np.isnan(start), sd, stop - start), np.nan)
        unit = np.array([readable_unit(size) for size in step])
        lines = cls(
            effect_terms=tuple(key[0] for key in keys),
            effect_levels=tuple(key[1] for key in keys),
            effect_start=start,
            effect_stop=stop,
            effect_step=step,
            effect_unit=np.where(numbers, unit, np.nan),
            effect=np.empty((len(keys), found.stated.outputs)),
        )
        return lines.over_rows(found, n_rows, level)

    def over_rows(self, found: RowEffects, n_rows: int, level: float) -> Effects:
        """These lines with what was found over rows, of which `n_rows` count."""
        values, replicates = found.values, found.replicates
        ends = None
        if values and replicates is not None:
            ends = np.stack([percentiles(drawn, level) for drawn in replicates.values()], axis=1)
            if n_rows < 2:  # a single row that counts says nothing about its spread
                ends = np.full_like(ends, np.nan)
        all_values = np.array(list(values.values())).reshape(len(values), len(found.stated))
        return self.with_values(found.stated, self.per_step(all_values), self.per_step(ends))

    @property
    def stated(self) -> Stated:
        """What effects are stated of."""
        return Stated(self.effect.shape[1], self.effect_spread is not None, self.effect_log is not None)

    @property
    def keys(self) -> list[Key]:
        """What each line is about."""
        starts, stops = (
            [None if np.isnan(value) else float(value) for value in values]
            for values in (self.effect_start, self.effect_stop)
        )
        return list(zip(self.effect_terms, self.effect_levels, starts, stops, strict=True))

    @property
    def kinds(self) -> list[str]:
        """What each line is about, in a word."""
        return [
            LEVEL if level is not None else SLOPE if np.isnan(start) else STEP
            for level, start in zip(self.effect_levels, self.effect_start, strict=True)
        ]

    def per_step(self, values: Any) -> Any:
        """Slopes per unit become slopes per step."""
        if values is None:
            return None
        times = np.where([kind == SLOPE for kind in self.kinds], self.effect_step, 1.0)
        return values * times[:, np.newaxis]

    def with_values(self, stated: Stated, values: Array, ends: Array | None) -> Effects:
        """These with values (lines, Q) and their ends (2, lines, Q)."""
        names = ("effect", "effect_spread", "effect_log")
        parts: dict[str, Any] = dict(zip(names, stated.split(_finite(values)), strict=True))
        if ends is not None:
            parts |= dict(zip((f"{name}_ends" for name in names), stated.split(_finite(ends)), strict=True))
        return replace(self, **parts)


def _finite(values: Array) -> Array:
    """NaN for what does not fit in float64, or does not exist: a Student-t with df ≤ 2 has no spread."""
    return np.where(np.isfinite(values), values, np.nan)
