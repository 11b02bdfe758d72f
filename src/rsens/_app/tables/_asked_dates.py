"""Dates as the user describes them: the form of a column, a format of strptime, and the parts of a date to use."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from rsens._app.tables._cells import MISSING, is_mark
from rsens._app.tables._columns import find_all
from rsens._app.tables._date_parts import read_parts
from rsens._app.tables._dates import DAY, MONTH, WORDS, YEAR, DateForm
from rsens._app.tables._readings import Reading, as_text, date_reading, read_moments
from rsens._app.tables._tally import tally
from rsens._errors import Argument, InputError
from rsens._text import counted, quoted

#: Forms that can be asked for by name.
NAMES = (DAY, MONTH, YEAR)
#: How people write formats, and the same for strptime.
LETTERS = {
    "yyyy": "%Y",
    "yy": "%y",
    "mmm": "%b",
    "mon": "%b",
    "hh:mm:ss": "%H:%M:%S",
    "hh:mm": "%H:%M",
    "mm": "%m",
    "dd": "%d",
}
#: Directives that say which year it is.
WITH_YEAR = re.compile(r"%[YyGcxs]")


def read_formats(given: Any) -> dict[str, str]:
    """The argument `date`: a dict from columns to formats; an `InputError` if one of these is none."""
    formats = _mapping(given, "date", "{'when': '%d/%m/%Y'}")
    for name, form in formats.items():
        _check_format(name, form)
    return {name: str(form) for name, form in formats.items()}


def read_all_parts(given: Any) -> dict[str, tuple[str, ...]]:
    """The argument `date_parts`: a dict from columns to lists of parts."""
    parts = _mapping(given, "date_parts", "{'when': ['days', 'year']}")
    return {name: read_parts(each, name) for name, each in parts.items()}


def reading_as_asked(column: Any, name: str, form: str) -> tuple[Any, Reading, Counter[str]]:
    """The column without marks of missing values, how it is read, and the marks; an `InputError` if it does not fit."""
    if pd.api.types.infer_dtype(column, skipna=True) in ("datetime64", "datetime", "date"):
        return column, date_reading(column, None), Counter()
    texts, marks = without_marks(column)
    counts = tally(texts)
    cells = list(pd.unique(texts.dropna()))
    wrong = [cell for cell, moment in zip(cells, read_moments(cells, form)[1], strict=True) if np.isnat(moment)]
    if wrong:
        raise InputError(
            Argument("date", {name: form}),
            f" does not fit {int(counts[wrong].sum()):,} of {counted(int(counts.sum()), 'cell')} in {name!r}: "
            f"{quoted([cell[:30] for cell in wrong], 3)}.",
        )
    words = DateForm(form, f"as asked for ({WORDS.get(form, form)})")
    return texts, date_reading(texts, form, words), marks


def without_marks(column: Any) -> tuple[Any, Counter[str]]:
    """Dates as text, without marks of missing values, and these."""
    texts = column.astype(object).map(as_text, na_action="ignore").astype(object)
    marks = Counter({cell: int(n) for cell, n in tally(texts).items() if is_mark(cell)})
    known = texts.where(~texts.isin(list(marks)) & texts.notna(), None)
    return known, Counter({cell: n for cell, n in marks.items() if cell not in MISSING})


def check_names(
    formats: Mapping[str, str], parts: Mapping[str, Any], names: list[str], codes: set[str], target: str
) -> None:
    """An error if there are no such columns, or if they cannot be dates."""
    find_all([*formats, *parts], names, "the table", "date column", whole=True)
    both = [name for name in formats if name in codes]
    if both:
        raise InputError(
            f"{both[0]!r} is named in ", Argument("categorical"), " and in ", Argument("date"), ": leave out one."
        )
    if target in parts:
        raise InputError(Argument("date_parts"), f": {target!r} is the target, which is counted in days. Leave it out.")


def check_have_dates(left: Mapping[str, Any], columns: Iterable[str]) -> None:
    """An error for parts of columns that have no dates; a column that was left out has its own note."""
    wrong = [name for name in left if name in columns]
    if wrong:
        raise InputError(
            Argument("date_parts"),
            f": {wrong[0]!r} was not read as dates. If it has dates, say how they are written with ",
            Argument("date", {wrong[0]: "%d/%m/%Y"}),
            ".",
        )


def _mapping(given: Any, argument: str, example: str) -> dict[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        got = type(given).__name__
        raise InputError(Argument(argument), f" must be a dict from columns, such as {example}; got a {got}.")
    return {str(name): value for name, value in given.items()}


def _check_format(name: str, form: Any) -> None:
    what = f" must be {', '.join(NAMES)} or a format such as %d/%m/%Y for {name!r}"
    if not isinstance(form, str):
        raise InputError(Argument("date"), f"{what}; got {form!r}.")
    if form in NAMES:
        return
    if "%" not in form:
        meant = form.lower()
        for letters, directive in LETTERS.items():
            meant = meant.replace(letters, directive)
        hint = f" Did you mean {meant}?" if WITH_YEAR.search(meant) else ""
        raise InputError(Argument("date"), f"{what}; got {form!r}.{hint}")
    try:
        pd.to_datetime(pd.Series(["a date"], dtype=object), format=form, errors="coerce", utc=True)
    except (ValueError, re.error) as error:
        reason = str(error).rstrip(".")
        raise InputError(Argument("date"), f"{what}; got {form!r}: {reason}.") from None
    if not WITH_YEAR.search(form):
        raise InputError(Argument("date"), f"{what}; got {form!r}, which has no year (%Y or %y).")
