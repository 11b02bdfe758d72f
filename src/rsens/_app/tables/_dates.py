"""Dates in text: which of their numbers is the day, found from the whole column, and the columns that dates become.

A form fits a column if every cell is a date in it. If two forms fit, dots mean day first (03.04.2024 is never anything
else); so may rows that are in order of time under one form only, or other columns of the table. Otherwise day first is
assumed, with a note. `pandas.to_datetime` would take the form of the first cell, and month first where both fit.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._typing import Array

#: Dates in numbers, by their first number; dates with names of months; months without a day, taken as their first day.
DAY, MONTH, YEAR, NAMED, MONTHS = "day-first", "month-first", "year-first", "named", "months"
ORDERS = {DAY: "day first", MONTH: "month first", YEAR: "year first"}
D, M, Y = r"(?P<day>\d{1,2})", r"(?P<month>\d{1,2})", r"(?P<year>\d{4})"
DD, MM, YY = r"(?P<day>\d{2})", r"(?P<month>\d{2})", r"(?P<year>\d{2})"
LIKELY, NAME = r"(?P<year>1[6-9]\d{2}|2[01]\d{2})", r"(?P<name>[a-z]{3,9})"
SAME, AGAIN, GAP = r"(?P<sign>[/.-])\s?", r"(?P=sign)\s?", r"(?:st|nd|rd|th)?[\s,./'’-]*"
WEEKDAY = r"(?:(?:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)(?:day|nesday|urday)?\.?,?\s+)?"
#: How each form is written. Two digits of a year need slashes, or two digits of day and month: 1.2.10 is not a date.
FORMS = {
    DAY: (D + SAME + M + AGAIN + Y, f"{D}/{M}/{YY}", DD + SAME + MM + AGAIN + YY),
    MONTH: (M + SAME + D + AGAIN + Y, f"{M}/{D}/{YY}", MM + SAME + DD + AGAIN + YY),
    YEAR: (Y + SAME + M + AGAIN + D,),
    NAMED: (
        WEEKDAY + D + GAP + NAME + GAP + r"(?P<year>\d{4}|\d{2})",
        WEEKDAY + NAME + GAP + D + GAP + Y,
        Y + GAP + NAME + GAP + D,
    ),
    MONTHS: (NAME + GAP + r"(?P<year>\d{4}|\d{2})", f"{LIKELY}[/-]{MM}", f"{M}[/-]{LIKELY}"),
}
PATTERNS = {form: [re.compile(pattern, re.IGNORECASE) for pattern in patterns] for form, patterns in FORMS.items()}
MONTH_NAMES = "january, february, march, april, may, june, july, august, september, october, november, december"
MONTH_NUMBERS = {"sept": 9} | {
    text: k for k, name in enumerate(MONTH_NAMES.split(", "), 1) for text in (name, name[:3])
}
#: A date, and behind a T, spaces or a comma the time, which has a colon.
DATE_AND_TIME = re.compile(r"(.*?)(?:(?:T|[ ,\t\u00a0]+)(\d{1,2}:.*))?", re.DOTALL)
CLOCK = re.compile(
    r"(?P<hour>\d{1,2}):(?P<minute>[0-5]\d)(?::(?P<second>\d{2}(?:[.,]\d+)?))?(?:\s?(?P<half>[ap])\.?m\.?)?"
    r"(?:\s?(?P<zone>Z|UTC|GMT|(?P<ahead>[+-])(?P<hours>\d{2}):?(?P<minutes>\d{2})?))?",
    re.IGNORECASE,
)
#: Different cells that are looked at first: enough to recognise most columns of text.
FIRST = 50
MICROSECONDS = 1_000_000
NO_TIME = np.iinfo(np.int64).min  # not-a-time


def moments_of(cells: Sequence[str], form: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Points in time, local and in UTC; not-a-time where a cell is not a date in this form.

    A column of a million moments has few different days and times of day: each of these is read once.
    """
    parts = [DATE_AND_TIME.fullmatch(cell.strip()).groups("") for cell in cells]  # type: ignore[union-attr]
    days = {text: _day(text, form) for text in {day for day, _ in parts}}
    times = {text: _time(text) for text in {time for _, time in parts}}
    day = np.array([days[text] for text, _ in parts], dtype=np.int64)
    clock, ahead = np.array([times[text] for _, text in parts], dtype=np.int64).reshape(-1, 2).T
    known = (day != NO_TIME) & (clock != NO_TIME)
    local = np.where(known, day * (86_400 * MICROSECONDS) + clock, NO_TIME)
    return local.view("datetime64[us]"), np.where(known, local - ahead, NO_TIME).view("datetime64[us]")


def date_forms(values: Sequence[str]) -> tuple[str, ...]:
    """The forms that these different cells, in the order of rows, may have, the most likely first; () if not dates."""
    fitting: dict[str, NDArray[Any]] = dict.fromkeys(FORMS, np.empty(0))
    for some in (values[:FIRST], values):
        found = {form: moments_of(some, form)[1] for form in fitting}
        fitting = {form: utc for form, utc in found.items() if len(utc) and not np.isnat(utc).any()}
    # Fewer than 10 steps may all go the same way by chance.
    steps = {form: np.diff(utc.astype(np.int64)) for form, utc in fitting.items() if len(values) > 10}
    in_order = [form for form, each in steps.items() if (each > 0).all() or (each < 0).all()]
    if len(in_order) == 1:
        return (in_order[0],)
    return (DAY,) if DAY in fitting and "." in values[0] else tuple(fitting)


def forms_of_cells(cells: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """The forms in which each cell is a date, for cells with any; empty if few of the first cells are dates."""
    found: dict[str, tuple[str, ...]] = {}
    for some in (cells[:FIRST], cells):
        known = {form: ~np.isnat(moments_of(some, form)[0]) for form in FORMS}
        found = {cell: forms for k, cell in enumerate(some) if (forms := tuple(f for f in FORMS if known[f][k]))}
        if 2 * len(found) < len(some):
            return {}
    return found


def is_time_of_day(cell: str) -> bool:
    """Whether a cell is just a time, 14:30 or 2:30 pm, without a zone."""
    match = CLOCK.fullmatch(cell.strip())
    return match is not None and match["zone"] is None


def hours(cell: str) -> float:
    """The time in a cell in hours; a `ValueError` if it is something else. Beyond 24 it is a length of time."""
    match = CLOCK.fullmatch(cell.strip())
    if match is None:
        raise ValueError("not a time")
    return _seconds(match) / 3600.0


def _day(text: str, form: str) -> int:
    """Days since 1970."""
    match = next(filter(None, (pattern.fullmatch(text) for pattern in PATTERNS[form])), None)
    if match is None:
        return NO_TIME
    fields = match.groupdict()
    name, year = fields.get("name"), int(fields["year"])
    if len(fields["year"]) == 2:
        year += 1900 if year >= 69 else 2000  # as in POSIX
    month = int(fields["month"]) if name is None else MONTH_NUMBERS.get(name.lower(), 0)
    try:
        return date(year, month, int(fields.get("day", 1))).toordinal() - date(1970, 1, 1).toordinal()
    except ValueError:  # such as 31 February
        return NO_TIME


def _time(text: str) -> tuple[int, int]:
    """Microseconds since midnight, and how many the clock is ahead of UTC."""
    if not text:
        return 0, 0
    match = CLOCK.fullmatch(text)
    if match is None or not _seconds(match) < 86_400.0 or (match["half"] and int(match["hour"]) > 12):
        return NO_TIME, 0
    ahead = 60 * int(match["hours"] or 0) + int(match["minutes"] or 0)
    ahead = -ahead if match["ahead"] == "-" else ahead
    return round(_seconds(match) * MICROSECONDS), ahead * 60 * MICROSECONDS


def _seconds(match: re.Match[str]) -> float:
    hour, half = int(match["hour"]), (match["half"] or "").lower()
    if half:
        hour = hour % 12 + 12 * (half == "p")
    return 3600.0 * hour + 60.0 * int(match["minute"]) + float((match["second"] or "0").replace(",", "."))


# ---- A date as columns of numbers: days since the first, and where it pays the time of year, the weekday and the hour
# A cycle is a pair, sin and cos of 2π t/period, so that December is next to January and 23:59 next to 0:00. A pair
# pays, unless the user decides, if
#
# - the dates cover at least one and a half periods: before, days carry the same information;
# - they fall into at least 3 months, 4 weekdays or 3 hours of the day;
# - there are at least 24 rows for the time of year, 70 for the weekday, 48 for the hour;
# - for the weekday, there are at least as many different days as weeks: not the case for dates of birth.
#
# A column that is constant, or determined by the columns before it (R² above 0.999), is never made.

DAYS = "days"
#: A wave, which goes from -1 to 1, is constant if its standard deviation is below this.
LEAST_SPREAD = 0.05


@dataclass(frozen=True)
class Cycle:
    """A period in days, in words, its steps (a unit of NumPy, and their number), and the rules by which it pays."""

    name: str
    words: str
    period: float
    unit: str
    n_steps: int
    least_steps: int
    least_rows: int

    def phase(self, local: NDArray[Any]) -> Array:
        """Position in the period, from 0 to 1; the weekday in whole days, from Monday."""
        if self.name == "weekday":
            return (_days(local, "2001-01-01") // 1.0) % 7.0 / 7.0  # a Monday
        return _days(local, "2000-01-01") / self.period % 1.0

    def pays(self, local: NDArray[Any]) -> bool:
        """Whether the rules above allow it."""
        span = np.ptp(_days(local, "2000-01-01")) if len(local) else 0.0
        if len(local) < self.least_rows or span < 1.5 * self.period:
            return False
        if self.name == "weekday" and len(np.unique(local.astype("M8[D]"))) < span / 7.0:
            return False
        steps = local.astype(f"M8[{self.unit}]").astype(np.int64) % self.n_steps
        return len(np.unique(steps)) >= self.least_steps


CYCLES = (
    Cycle("year", "time of year", 365.2425, "M", 12, 3, 24),
    Cycle("weekday", "weekday", 7.0, "D", 7, 4, 70),
    Cycle("hour", "hour", 1.0, "h", 24, 3, 48),
)
WAVES: dict[str, Callable[[Array], Array]] = {"sin": np.sin, "cos": np.cos}
#: The parts that can be asked for, and the columns that are made of them.
PARTS = (DAYS, *(cycle.name for cycle in CYCLES))
PIECES = (DAYS, *(f"{cycle.name} {wave}" for cycle in CYCLES for wave in WAVES))


def pieces_of(days: Array, local: NDArray[Any], parts: Sequence[str]) -> tuple[str, ...]:
    """The columns to make of these parts, by default where they pay; constant and redundant ones are left out."""
    if not parts:
        parts = (DAYS, *(cycle.name for cycle in CYCLES if cycle.pays(local)))
    kept: dict[str, Array] = {}
    for name in [name for name in PIECES if name.split()[0] in parts]:
        values = piece(name, days, local)
        centred = values - values.mean()
        total = float(centred @ centred)
        if total == 0.0 or (name != DAYS and total < LEAST_SPREAD**2 * len(values)):
            continue
        before = np.column_stack([np.ones(len(values)), *kept.values()])
        residual = values - before @ np.linalg.lstsq(before, values, rcond=None)[0]
        if float(residual @ residual) > (1.0 - 0.999) * total:
            kept[name] = values
    return tuple(kept)


def piece(name: str, days: Array, local: NDArray[Any]) -> Array:
    """One column, by its name in `PIECES`."""
    if name == DAYS:
        return days
    cycle, wave = name.split()
    angle = 2.0 * np.pi * next(each for each in CYCLES if each.name == cycle).phase(local)
    return WAVES[wave](angle)


def _days(local: NDArray[Any], since: str) -> Array:
    days: Array = (local.astype("M8[us]") - np.datetime64(since, "us")) / np.timedelta64(1, "D")
    return days
