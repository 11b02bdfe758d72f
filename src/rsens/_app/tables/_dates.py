"""Dates in text: which of their numbers is the day, found from the whole column, and the moments they stand for.

A form fits a column if every cell is a date in it. Of two forms that both fit, dots say day first (03.04.2024 is never
anything else), or rows that are in order of time under one of them only, or other columns of the table; else day first
is taken, and that is said. A column of a million moments has few different days and times of day: these are read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._errors import Argument, InputError
from rsens._text import listed
from rsens._typing import Array

#: Dates in numbers, by what comes first; dates with names of months; months without a day, taken as their first day.
DAY, MONTH, YEAR, NAMED, MONTHS = "day-first", "month-first", "year-first", "named", "months"
FORMS = (DAY, MONTH, YEAR, NAMED, MONTHS)
#: Different cells that are looked at first: most columns of text are told by these.
FIRST = 50
#: A form that spreads dates over a span this many times as long is the wrong one.
SPREAD = 3.0

_WEEKDAY = r"(?:(?:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)(?:day|nesday|urday)?\.?,?\s+)?"
_NAME = (
    r"(?P<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|"
    r"oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{4}|\d{2})"
_LIKELY_YEAR = r"(?P<year>1[6-9]\d{2}|2[01]\d{2})"  # 3/1000 is no month
#: A dot may have a space behind it. Two-digit years need slashes or two digits everywhere: 1.2.10 is no date.
_SLASHED = r"(?P<{0}>\d{{1,2}})/(?P<{1}>\d{{1,2}})/(?P<year>\d{{4}}|\d{{2}})"
_DOTTED = r"(?P<{0}>\d{{1,2}})(?P<mark>-|\.\s?)(?P<{1}>\d{{1,2}})(?P=mark)(?P<year>\d{{4}})"
_SHORT = r"(?P<{0}>\d{{2}})(?P<mark>[.-])(?P<{1}>\d{{2}})(?P=mark)(?P<year>\d{{2}})"


def _patterns(*texts: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(text, re.IGNORECASE) for text in texts)


PATTERNS = {
    DAY: _patterns(*(text.format("day", "month") for text in (_SLASHED, _DOTTED, _SHORT))),
    MONTH: _patterns(*(text.format("month", "day") for text in (_SLASHED, _DOTTED, _SHORT))),
    YEAR: _patterns(
        r"(?P<year>\d{4})(?P<mark>[/-]|\.\s?)(?P<month>\d{1,2})(?P=mark)(?P<day>\d{1,2})\.?",
        r"(?P<year>\d{2})(?P<mark>[/.-])(?P<month>\d{2})(?P=mark)(?P<day>\d{2})",
    ),
    NAMED: _patterns(
        rf"{_WEEKDAY}{_DAY}[\s./-]*{_NAME}[\s,./-]*{_YEAR}",
        rf"{_WEEKDAY}{_NAME}[\s-]*{_DAY}(?:,\s*|\s+|-)(?P<year>\d{{4}})",
        rf"(?P<year>\d{{4}})[\s./-]*{_NAME}[\s./-]*{_DAY}",
    ),
    MONTHS: _patterns(
        rf"{_NAME}[\s,./'’-]*{_YEAR}",
        rf"{_LIKELY_YEAR}[/-](?P<month>\d{{2}})",
        rf"(?P<month>\d{{1,2}})[/-]{_LIKELY_YEAR}",
    ),
}
MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
CLOCK = re.compile(
    r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}(?:[.,]\d+)?))?(?:\s?(?P<half>[ap])\.?m\.?)?"
    r"(?:\s?(?P<zone>Z|UTC|GMT|(?P<ahead>[+-])(?P<hours>\d{2}):?(?P<minutes>\d{2})?))?",
    re.IGNORECASE,
)
ORDERS = {DAY: "day first", MONTH: "month first", YEAR: "year first"}
MICROSECONDS = 1_000_000
NO_TIME = np.iinfo(np.int64).min  # not-a-time


def moments_of(cells: Sequence[str], form: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Points in time, on the clock on the wall and in UTC; not-a-time where a cell is no date in this form.

    Every different day, and every different time of day, is read once.
    """
    parts = [_date_and_time(cell.strip()) for cell in cells]
    days = {text: _day(text, form) for text in {day for day, _ in parts}}
    times = {text: _time(text) for text in {time for _, time in parts}}
    day = np.array([days[text] for text, _ in parts], dtype=np.int64)
    clock, ahead = np.array([times[text] for _, text in parts], dtype=np.int64).reshape(-1, 2).T
    known = (day != NO_TIME) & (clock != NO_TIME)
    wall = np.where(known, day * (86_400 * MICROSECONDS) + clock, NO_TIME)
    return wall.view("datetime64[us]"), np.where(known, wall - ahead, NO_TIME).view("datetime64[us]")


def forms_of(values: Sequence[str]) -> tuple[str, ...]:
    """The forms that these different cells, in the order of rows, may have, the most likely first; () if no dates."""
    fitting = _forms_of(values, _forms_of(values[:FIRST], FORMS)) if values else {}
    return _most_likely(fitting, values[0]) if fitting else ()


def date_words(cell: str, form: str) -> str:
    """How dates in a form of `FORMS` are written, by an example: day first (dd/mm/yyyy)."""
    day, time = _date_and_time(cell.strip())
    match = next(filter(None, (pattern.fullmatch(day) for pattern in PATTERNS[form])))
    fields = sorted((match.span(name), name) for name in match.groupdict() if name != "mark")
    letters, end = "", fields[0][0][0]
    for (start, stop), name in fields:
        length = stop - start
        shown = {"year": "y" * length, "month": "mm", "day": "dd", "name": "Month" if length > 3 else "Mon"}
        letters, end = f"{letters}{day[end:start]}{shown[name]}", stop
    clock = CLOCK.fullmatch(time)
    if clock is not None:
        letters += " hh:mm" + (":ss" if clock["second"] else "") + (" am/pm" if clock["half"] else "")
    return f"{ORDERS[form]} ({letters})" if form in ORDERS else f"written as {letters}"


def dates_by_form(cells: Sequence[str]) -> dict[tuple[str, ...], set[str]]:
    """Cells that are dates in each form, by "date" and the form; nothing if few of the first cells are dates."""
    found: dict[tuple[str, ...], set[str]] = {}
    for some in (cells[:FIRST], cells):
        known = {form: ~np.isnat(moments_of(some, form)[0]) for form in FORMS}
        if 2 * np.count_nonzero(np.logical_or.reduce(list(known.values()))) < len(some):
            return {}
        found = {("date", form): {some[k] for k in np.flatnonzero(known[form]).tolist()} for form in FORMS}
    return found


def is_time_of_day(cell: str) -> bool:
    """Whether a cell is nothing but a time, 14:30 or 2:30 pm; without a zone."""
    match = CLOCK.fullmatch(cell.strip())
    return match is not None and match["zone"] is None and int(match["minute"]) < 60


def hours(cell: str) -> float:
    """The time in a cell in hours; a `ValueError` if it is none. Beyond 24 it is a length of time."""
    match = CLOCK.fullmatch(cell.strip())
    if match is None:
        raise ValueError("no time")
    return _seconds(match) / 3600.0


def _forms_of(cells: Sequence[str], forms: Iterable[str]) -> dict[str, NDArray[Any]]:
    """Those of the forms in which all cells are dates, with their moments in UTC."""
    found = {form: moments_of(cells, form)[1] for form in forms}
    return {form: utc for form, utc in found.items() if not np.isnat(utc).any()}


def _most_likely(fitting: dict[str, NDArray[Any]], cell: str) -> tuple[str, ...]:
    """One of the forms that fit, and those that cannot be ruled out."""
    names = tuple(fitting)
    in_order = [name for name in names if _is_in_order(fitting[name])]
    if len(in_order) == 1:
        return (in_order[0],)
    if DAY in names and "." in cell:
        return (DAY,)
    if YEAR in names and len(names) > 1:  # two digits for the year: the wrong order spreads dates over decades
        spans = {name: float(np.ptp(fitting[name].astype(np.int64))) for name in names}
        others = tuple(name for name in names if name != YEAR)
        if spans[YEAR] * SPREAD < min(spans[name] for name in others):
            return (YEAR,)
        if spans[YEAR] > SPREAD * max(spans[name] for name in others):
            return others
    return names


def _is_in_order(moments: NDArray[Any]) -> bool:
    steps = np.diff(moments.astype(np.int64))  # fewer than 10 may all go the same way by chance
    return len(steps) >= 10 and bool((steps > 0).all() or (steps < 0).all())


def _date_and_time(cell: str) -> tuple[str, str]:
    """What is before a time of day, which has a colon, and the time; behind the date is a T, a space or a comma."""
    colon = cell.find(":")
    if colon < 1:
        return cell, ""
    start = colon - 2 if cell[colon - 2 : colon].isdigit() else colon - 1
    before = cell[:start]
    day = before[:-1] if before.endswith("T") else before.rstrip(" ,\t\u00a0")
    return (day, cell[start:]) if day != before else (cell, "")


def _day(text: str, form: str) -> int:
    """Days since 1970."""
    match = next(filter(None, (pattern.fullmatch(text) for pattern in PATTERNS[form])), None)
    if match is None:
        return NO_TIME
    fields = match.groupdict()
    year, name = int(fields["year"]), fields.get("name")
    if len(fields["year"]) == 2:
        year += 1900 if year >= 69 else 2000  # as in POSIX
    month = 1 + MONTH_NAMES.index(name[:3].lower()) if name else int(fields["month"])
    try:
        return date(year, month, int(fields.get("day", 1))).toordinal() - date(1970, 1, 1).toordinal()
    except ValueError:  # no such day
        return NO_TIME


def _time(text: str) -> tuple[int, int]:
    """Microseconds since midnight, and how many the clock is ahead of UTC."""
    if not text:
        return 0, 0
    match = CLOCK.fullmatch(text)
    if match is None:
        return NO_TIME, 0
    seconds = _seconds(match)
    if int(match["minute"]) > 59 or not 0.0 <= seconds < 86_400.0 or (match["half"] and int(match["hour"]) > 12):
        return NO_TIME, 0
    ahead = 60 * int(match["hours"] or 0) + int(match["minutes"] or 0)
    ahead = -ahead if match["ahead"] == "-" else ahead
    return round(seconds * MICROSECONDS), ahead * 60 * MICROSECONDS


def _seconds(match: re.Match[str]) -> float:
    hour, half = int(match["hour"]), (match["half"] or "").lower()
    if half:
        hour = hour % 12 + 12 * (half == "p")
    return 3600.0 * hour + 60.0 * int(match["minute"]) + float((match["second"] or "0").replace(",", "."))


# A date as columns of numbers: days since the first, and where it pays the time of year, the weekday and the hour.
# What comes round again is a pair, sin and cos of 2π t/period, so that December is next to January and 23:59 next to
# 0:00. A pair pays, unless the user decides, if
#
# - the dates cover at least one and a half periods: before, days say the same;
# - they fall into at least 3 months, 4 weekdays or 3 hours of the day;
# - there are at least 24 rows for the time of year, 70 for the weekday, 48 for the hour;
# - for the weekday, there are at least as many different days as weeks: not so for dates of birth.
#
# A column that is constant, or that the columns before it determine (R² above 0.999), is never made.


DAYS = "days"
#: A wave, which goes from -1 to 1, is constant if its standard deviation is below this.
LEAST_SPREAD = 0.05


@dataclass(frozen=True)
class Cycle:
    """A period in days, in words, its steps (a unit of NumPy, and how many), and the rules by which it pays."""

    name: str
    words: str
    period: float
    unit: str
    n_steps: int
    least_steps: int
    least_rows: int

    def phase(self, wall: NDArray[Any]) -> Array:
        """How far into the period, from 0 to 1; the weekday in whole days, from Monday."""
        if self.name == "weekday":
            return (_days(wall, "2001-01-01") // 1.0) % 7.0 / 7.0  # a Monday
        return _days(wall, "2000-01-01") / self.period % 1.0

    def pays(self, wall: NDArray[Any]) -> bool:
        """Whether the rules above allow it."""
        if len(wall) < self.least_rows or np.ptp(_days(wall, "2000-01-01")) < 1.5 * self.period:
            return False
        if self.name == "weekday" and len(np.unique(wall.astype("M8[D]"))) < np.ptp(_days(wall, "2000-01-01")) / 7.0:
            return False
        steps = wall.astype(f"M8[{self.unit}]").astype(np.int64) % self.n_steps
        return len(np.unique(steps)) >= self.least_steps


CYCLES = (
    Cycle("year", "time of year", 365.2425, "M", 12, 3, 24),
    Cycle("weekday", "weekday", 7.0, "D", 7, 4, 70),
    Cycle("hour", "hour", 1.0, "h", 24, 3, 48),
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
    kept: dict[str, Array] = {}
    for name in [name for name in PIECES if name.split()[0] in parts]:
        values = piece(name, days, wall)
        centred = values - values.mean()
        total = float(centred @ centred)
        if total == 0.0 or (name != DAYS and total < LEAST_SPREAD**2 * len(values)):
            continue
        before = np.column_stack([np.ones(len(values)), *kept.values()])
        residual = values - before @ np.linalg.lstsq(before, values, rcond=None)[0]
        if float(residual @ residual) > (1.0 - 0.999) * total:
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
