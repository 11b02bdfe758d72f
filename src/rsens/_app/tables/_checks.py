"""Columns without information about a target: empty, constant, or with a different name in each row.

Other columns give a wrong answer if used unchanged: the target in other words, and codes for missing values.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from rsens._app.tables._cells import as_written, has_unit
from rsens._app.tables._columns import UNNAMED, Note, advice
from rsens._app.tables._reading import Reading
from rsens._coding import MOST_UNNAMED_LEVELS
from rsens._errors import Argument, InputError, Sentence
from rsens._text import counted, quoted
from rsens._typing import Array

#: Names of columns that name rows: id, user_id, customerId, row.
IDENTIFIER = re.compile(r"(?i:(^|[^a-z0-9])(id|ids|uid|uuid|guid|key|index|row|nr|no)([^a-z0-9]|$))|[a-z](Id|ID)$")
#: Text with more levels than this is left out; above `MOST_UNNAMED_LEVELS`, each needs this number of rows on average.
MOST_LEVELS, LEAST_ROWS_PER_LEVEL = 50, 5
#: The number of columns compared with all others at once: the correlations of 20,000 columns would take 3 GB.
TOGETHER = 512
#: Numbers without a name that count rows begin below this, and end below this many times their number.
SPARSE = 10
#: Above these correlations with the target, a column holds the same numbers: exactly, or up to rounding.
EXACT, NEAR = 1.0 - 1e-12, 0.9999
#: With fewer rows, two columns may agree, or match the target one to one, by chance.
LEAST_ROWS, LEAST_LABELLED = 10, 20
#: -9, 999, 99.99, -999.25: numbers that mean a missing value in many files.
NINES = re.compile(r"-?9+(\.0|\.9+|\.25)?")
#: A number that means a missing value occurs at least this often; at most this many of them lie on one side.
LEAST_COUNT, MOST_CODES = 3, 3
#: In interquartile ranges: from the outermost to the middle half of the other values, and from all to all others.
FAR, GAP = 5.0, 1.0
#: The fewest rows of a level that settles the target, and the most values of a column that is looked at for them.
LEAST_ROWS_SETTLED, MOST_SETTLED_VALUES = 5, 20
#: How improbable it must be that all rows of a level have one value of the target by chance, at any of the levels.
CHANCE = 0.001


def why_useless(name: str, column: Any, reading: Reading, named: bool = False) -> Note | None:
    """Why a column is left out, or None. Missing values do not count.

    A column that was `named` as categorical is left out only if it has fewer than two values; if none of its values
    repeats, that is an error.
    """
    known = column.dropna()
    if not len(known):
        return Note("empty", (name,), f"{name!r} has no values and was left out.")
    different = known.nunique()
    if different == 1:
        return Note("constant", (name,), f"{name!r} has only one value, {short_repr(known.iloc[0])}, and was left out.")
    each_row = different == len(known) > 2
    if named:
        if each_row:
            reason = (
                f", but has a different value in each of {counted(len(known), 'row')}: the effect of a level that "
                "occurs in one row is the effect of that row. Leave the column out with "
            )
            out = Sentence(reason, Argument("drop", [name]), ", or do not name it.")
            raise InputError(f"{name!r} is named in ", Argument("categorical"), out)
        return None
    if UNNAMED.fullmatch(name) and (each_row if reading.categorical else counts_rows(known, reading)):
        return Note("identifier", (name,), f"{name!r}, a column without a name, names the rows and was left out.")
    if not reading.categorical:
        return None
    few_rows = different > MOST_UNNAMED_LEVELS and len(known) < LEAST_ROWS_PER_LEVEL * different
    return _rarely_repeats(name, known, each_row) if each_row or different > MOST_LEVELS or few_rows else None


def _rarely_repeats(name: str, known: Any, each_row: bool) -> Note:
    """A note on text that is left out; a warning if it may be numbers with a unit, or numbers that cannot be read."""
    different = known.unique()
    texts = [str(value) for value in different[:1000]]
    are_numbers = sum(map(has_unit, texts)) >= 0.8 * len(texts)
    if each_row and not are_numbers:
        text = f"{name!r} has a different text in each row, like an identifier, and was left out."
        return Note("identifier", (name,), text)
    start = f"{name!r} has {len(different):,} different texts in {counted(len(known), 'row')}, "
    if not are_numbers:
        start += "too many to compare, and was left out. Group them; or keep them all, which takes long, with "
        return advice("levels", [name], start, "categorical", [name], severe=True)
    examples = quoted(different[:3])
    text = f"{start}which look like numbers ({examples}), and was left out. If they are, write them as plain numbers."
    return Note("levels", (name,), text, severe=True)


def counts_rows(column: Any, reading: Reading) -> bool:
    """Whether numbers count rows: 0, 1, 2, … or 1, 2, 3, …, in any order, or those of the file.

    There may be gaps, as in a part of a table, if at least a tenth of the count is left. Equal gaps are data: 0, 5, 10.
    """
    if reading.kind != "number":
        return False
    ordered = np.sort(column.to_numpy(dtype=np.float64))
    steps = np.diff(ordered)
    whole = bool((ordered == np.floor(ordered)).all() and steps.min() > 0.0)
    from_start = 0.0 <= ordered[0] < SPARSE and ordered[-1] < SPARSE * len(ordered)
    by_start = whole and from_start and (steps.max() > steps.min() or steps[0] == 1.0)
    return by_start or (_counts_rows_of_file(column) and 0.0 <= column.iloc[0] - column.index[0] < SPARSE)


def _counts_rows_of_file(column: Any) -> bool:
    rows = column.index.to_numpy()
    return bool(rows.dtype.kind in "iu" and np.ptp(column.to_numpy(dtype=np.float64) - rows) == 0.0)


def may_be_identifier(name: str, column: Any) -> bool:
    """Whether numbers count the rows of the file, or are distinct, in order, and named like an identifier.

    Distinct whole numbers without a name are taken for one in any order.
    """
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    if len(values) < 3 or not np.isfinite(values).all() or (values != np.floor(values)).any():
        return False
    if UNNAMED.fullmatch(name):
        return len(np.unique(values)) == len(values)
    steps = np.diff(values)
    in_order = (steps > 0.0).all() or (steps < 0.0).all()
    return bool(in_order and (IDENTIFIER.search(name) or _counts_rows_of_file(column)))


def may_be_codes(column: Any) -> bool:
    """Whether whole numbers have few different values, in many rows."""
    if column.dtype.kind not in "iuf":
        return False
    values = column.dropna()
    different = values.unique()
    few = 2 < len(different) <= 10 and len(values) >= 3 * len(different)
    return bool(few and (different == np.floor(different)).all())


def same_numbers(table: Any) -> list[list[str]]:
    """Groups of number columns, none constant, in which each is a linear function of the others."""
    values = table.to_numpy(dtype=np.float64)
    with np.errstate(all="ignore"):  # numbers too large to be squared are like no others
        centred = values - values.mean(axis=0)
        centred /= np.linalg.norm(centred, axis=0)
    groups: list[list[str]] = []
    seen: set[int] = set()
    for start in range(0, values.shape[1], TOGETHER):
        with np.errstate(all="ignore"):
            same = np.abs(centred[:, start : start + TOGETHER].T @ centred) > 1.0 - 1e-12
        for column, like in enumerate(same, start):
            group = [other for other in np.flatnonzero(like).tolist() if other not in seen]
            if column in group and len(group) > 1:
                groups.append([str(table.columns[other]) for other in group])
                seen.update(group)
    return groups


def short_repr(value: Any) -> str:
    """A value for a sentence, cut if it is long."""
    text = repr(value.item() if isinstance(value, np.generic) else value)
    return text if len(text) <= 60 else text[:59] + "…"


def copies(table: pd.DataFrame, numbers: Collection[str], target: str) -> dict[str, str]:
    """Columns that repeat the target, and how they do it: linear in it, or one to one with its values."""
    found = {}
    different = table[target].nunique()
    repeats = len(table) >= LEAST_LABELLED and 2 * different <= len(table)
    for name in [name for name in table.columns if name != target]:
        r = _correlation(table[name], table[target]) if name in numbers and target in numbers else 0.0
        if r > EXACT:
            found[name] = "the target itself, up to scale"
        elif r > NEAR and len(table) >= LEAST_ROWS:
            found[name] = f"almost the target itself, up to scale (correlation above {NEAR})"
        elif repeats and table[name].nunique() == different == len(table[[name, target]].drop_duplicates()):
            found[name] = "the target in other words: each value goes with one value of the target"
    return found


def _correlation(x: Any, y: Any) -> float:
    """The size of the correlation; NaN if numbers are too large to be squared."""
    with np.errstate(all="ignore"):
        dx, dy = (values - values.mean() for values in (x.to_numpy(dtype=float), y.to_numpy(dtype=float)))
        return float(np.abs(dx @ dy / (np.linalg.norm(dx) * np.linalg.norm(dy))))


def missing_codes(values: Array) -> dict[float, int]:
    """Numbers that may mean a missing value, and how often they occur.

    They are the smallest or the largest, far from all others, repeated, and all nines, or negative where no other is.
    """
    different, counts = np.unique(values, return_counts=True)
    found: dict[float, int] = {}
    for outermost in (slice(None), slice(None, None, -1)):
        ends, often = different[outermost], counts[outermost]
        for k in range(1, min(MOST_CODES, len(ends) - 2) + 1):
            rest = values[~np.isin(values, ends[:k])]
            if often[:k].min() < LEAST_COUNT:
                break
            codes = [NINES.fullmatch(repr(value)) or value < 0.0 <= rest.min() for value in ends[:k].tolist()]
            if all(codes) and _are_far(ends[:k], rest):
                found |= dict(zip(ends[:k].tolist(), often[:k].tolist(), strict=True))
                break
    return found


def _are_far(ends: Array, rest: Array) -> bool:
    """Whether values are far from all others, in units of their interquartile range, or of their range if that is 0."""
    outer, inner = ends[0], ends[-1]
    low, high = np.quantile(rest, [0.25, 0.75])
    unit = high - low or np.ptp(rest)
    from_half, from_all = max(low - outer, outer - high), max(rest.min() - inner, inner - rest.max())
    return bool(from_half > FAR * unit and from_all > GAP * unit)


def settled_levels(column: Any, target: Any) -> dict[Any, Any]:
    """The levels that settle the target, and its one value there: closed on these days, so all counts are 0.

    They dominate every ranking. With s the share of all rows that have this value, n rows have it by chance with the
    probability sⁿ; for all levels of the column together it must stay below `CHANCE`.
    """
    if not 1 < column.nunique() <= MOST_SETTLED_VALUES:
        return {}
    targets = pd.Series(np.asarray(target)).groupby(column.to_numpy())
    sizes, values, shares = targets.size(), targets.first(), pd.Series(target).value_counts(normalize=True)
    settled = sizes.index[(targets.nunique() == 1) & (sizes >= LEAST_ROWS_SETTLED)]
    improbable = [level for level in settled if len(sizes) * shares[values[level]] ** int(sizes[level]) < CHANCE]
    return {level: values[level] for level in improbable}


# ---- Notes on columns that may not be what they were taken for -------------------------------------------------------


def suspicions(table: pd.DataFrame, readings: Mapping[str, Reading], target: str) -> list[Note]:
    """Notes on columns that may not be what they were taken for, in a table without missing values; they are kept."""
    inputs = [name for name in table.columns if name != target]
    numbers = [name for name in inputs if readings[name].kind == "number"]
    amounts = [name for name in table.columns if not readings[name].categorical]
    leaks = copies(table, set(amounts), target)
    plain = [name for name in inputs if name not in leaks and readings[name].kind != "date"]
    notes = [
        *_leaks(leaks),
        *_settled(table, plain, target),
        *_missing_codes(table[[name for name in amounts if readings[name].kind != "date"]]),
    ]
    for name in numbers:
        if may_be_identifier(name, table[name]):
            text = f"{name!r} counts the rows, as an identifier does. It was kept; if it only names them, leave it out "
            notes.append(advice("identifier", [name], f"{text}with ", "drop", [name]))
    if whole := [name for name in numbers if may_be_codes(table[name])]:
        has = "has" if len(whole) == 1 else "have"
        text = f"{quoted(whole)} {has} few different whole numbers, taken as numbers. If they are codes, use "
        notes.append(advice("whole_numbers", whole, text, "categorical", whole))
    for group in same_numbers(table[[name for name in amounts if name != target and name not in leaks]]):
        text = f"{quoted(group)} are the same up to scale and share their importance. Keep one of them: "
        notes.append(advice("same", group, text, "drop", group[1:]))
    return notes


def _leaks(found: Mapping[str, str]) -> Iterable[Note]:
    """One note for all columns that are the target in the same way."""
    for words in dict.fromkeys(found.values()):
        names = [name for name in found if found[name] == words]
        text = f"{quoted(names)} {'is' if len(names) == 1 else 'are'} {words}. Leave out columns not known beforehand: "
        yield advice("same", names, text, "drop", names, severe=True)


def _missing_codes(numbers: pd.DataFrame) -> Iterable[Note]:
    for name in numbers.columns:
        for value, count in missing_codes(numbers[name].to_numpy(dtype=float)).items():
            text = (
                f"{name!r} is {value:g} in {counted(count, 'row')}, far from all other values: does it mean a missing "
                "value? Then empty these cells."
            )
            yield Note("missing_code", (name,), text, severe=True)


def _settled(table: pd.DataFrame, names: Sequence[str], target: str) -> Iterable[Note]:
    """A note for each column with levels that settle the target; a warning if the target has amounts.

    There the level decides whether there is anything to explain. A class that is certain may just be predicted well.
    """
    y = table[target]
    severe = y.dtype.kind in "iuf" and y.nunique() > 2
    for name in names:
        found = settled_levels(table[name], y)
        if not found:
            continue
        values = list(dict.fromkeys(found.values()))
        rows = counted(int(table[name].isin(list(found)).sum()), "row")
        levels = " or ".join(map(short_repr, found))
        one = (
            f"{target!r} is always {short_repr(values[0])}" if len(values) == 1 else f"each has one value of {target!r}"
        )
        start = f"{name!r} settles the target in {rows}: where it is {levels}, {one}."
        if len(found) == table[name].nunique():
            text = f"{start} If it is not known beforehand, leave it out with "
            yield advice("settled", [name], text, "drop", [name], severe=severe)
        else:
            conditions = [f"{name}!={as_written(level)}" for level in found]
            use = Argument("where", conditions[0] if len(conditions) == 1 else conditions)
            ask = f" This dominates the ranking. To ask what moves {target!r} in the other rows, use "
            yield Note("settled", (name,), Sentence(start, ask, use, "."), severe)
