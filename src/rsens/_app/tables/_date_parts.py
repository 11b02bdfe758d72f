"""A date as columns of numbers: days since the first, and where it pays the time of year, the weekday and the hour.

What comes round again is a pair, sin and cos of 2π t/period, so that December is next to January and 23:59 next to
0:00. A pair pays, unless the user decides, if

- the dates cover at least one and a half periods: before, days say the same;
- they fall into at least 3 months, 4 weekdays or 3 hours of the day;
- there are at least 24 rows for the time of year, 70 for the weekday, 48 for the hour;
- for the weekday, there are at least as many different days as weeks: not so for dates of birth.

A column that is constant, or that the columns before it determine (R² above 0.999), is never made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._errors import Argument, InputError
from rsens._text import listed
from rsens._typing import Array

DAYS = "days"
#: A pair pays if dates cover its period this many times.
LEAST_PERIODS = 1.5
#: A wave, which goes from -1 to 1, is constant if its standard deviation is below this.
LEAST_SPREAD = 0.05
#: Above this R² on the columns before, a column is not made.
DETERMINED = 0.999


@dataclass(frozen=True)
class Cycle:
    """What comes round again: its period in days, in words, its steps, and what it takes to pay."""

    name: str
    words: str
    period: float
    unit: str  # the steps that are counted
    least_steps: int
    least_rows: int

    def phase(self, wall: NDArray[Any]) -> Array:
        """How far into the period, from 0 to 1; the weekday in whole days, from Monday."""
        if self.name == "weekday":
            return (_days(wall, "2001-01-01") // 1.0) % 7.0 / 7.0  # a Monday
        return _days(wall, "2000-01-01") / self.period % 1.0

    def pays(self, wall: NDArray[Any]) -> bool:
        """Whether the rules above allow it."""
        if len(wall) < self.least_rows or np.ptp(_days(wall, "2000-01-01")) < LEAST_PERIODS * self.period:
            return False
        if self.name == "weekday" and len(np.unique(wall.astype("M8[D]"))) < np.ptp(_days(wall, "2000-01-01")) / 7.0:
            return False
        return len(np.unique(self._steps(wall))) >= self.least_steps

    def _steps(self, wall: NDArray[Any]) -> NDArray[Any]:
        if self.unit == "month":
            return wall.astype("M8[M]").astype(np.int64) % 12
        return (self.phase(wall) * self.period * (24.0 if self.unit == "hour" else 1.0) + 1e-6).astype(np.int64)


CYCLES = (
    Cycle("year", "time of year", 365.2425, "month", 3, 24),
    Cycle("weekday", "weekday", 7.0, "day", 4, 70),
    Cycle("hour", "hour", 1.0, "hour", 3, 48),
)
WAVES: dict[str, Callable[[Array], Array]] = {"sin": np.sin, "cos": np.cos}
#: What can be asked for, and the columns that are made of it.
PARTS = (DAYS, *(cycle.name for cycle in CYCLES))
PIECES = (DAYS, *(f"{cycle.name} {wave}" for cycle in CYCLES for wave in WAVES))


def read_parts(parts: str | Iterable[str], name: str) -> tuple[str, ...]:
    """The parts asked for, in the order of `PARTS`: a list, or a text with commas between; an `InputError` if wrong."""
    asked = [part.strip() for part in parts.split(",")] if isinstance(parts, str) else [str(part) for part in parts]
    unknown = [part for part in asked if part not in PARTS]
    if unknown or not asked:
        got = f"got {unknown[0]!r}" if unknown else "got none"
        raise InputError(Argument("date_parts"), f" must be some of {listed(PARTS)} for {name!r}; {got}.")
    return tuple(part for part in PARTS if part in asked)


def parts_that_pay(wall: NDArray[Any]) -> tuple[str, ...]:
    """Days, and the cycles that pay."""
    return (DAYS, *(cycle.name for cycle in CYCLES if cycle.pays(wall)))


def pieces_of(days: Array, wall: NDArray[Any], parts: Sequence[str]) -> tuple[str, ...]:
    """The columns to make of these parts, "days" or "year sin": neither constant nor determined by those before."""
    names = [name for name in PIECES if name.split()[0] in parts]
    kept: dict[str, Array] = {}
    for name in names:
        values = piece(name, days, wall)
        centred = values - values.mean()
        total = float(centred @ centred)
        if total == 0.0 or (name != DAYS and total < LEAST_SPREAD**2 * len(values)):
            continue
        before = np.column_stack([np.ones(len(values)), *kept.values()])
        residual = values - before @ np.linalg.lstsq(before, values, rcond=None)[0]
        if float(residual @ residual) > (1.0 - DETERMINED) * total:
            kept[name] = values
    return tuple(kept)


def piece(name: str, days: Array, wall: NDArray[Any]) -> Array:
    """One column, by its name in `PIECES`."""
    if name == DAYS:
        return days
    cycle, wave = name.split()
    angle = 2.0 * np.pi * next(each for each in CYCLES if each.name == cycle).phase(wall)
    return WAVES[wave](angle)


def in_words(pieces: Sequence[str]) -> list[str]:
    """Time of year, weekday: the cycles among these columns."""
    return [cycle.words for cycle in CYCLES if any(each.startswith(f"{cycle.name} ") for each in pieces)]


def _days(wall: NDArray[Any], since: str) -> Array:
    days: Array = (wall.astype("M8[us]") - np.datetime64(since, "us")) / np.timedelta64(1, "D")
    return days
