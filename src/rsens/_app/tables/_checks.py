"""Checks of columns: those without information about a target, and those that would give a wrong answer unchanged."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.linalg import eigh

from rsens._app.tables._cells import as_text, number_cell
from rsens._app.tables._columns import UNNAMED, Note, advice
from rsens._app.tables._reading import Reading
from rsens._coding import MOST_UNNAMED_LEVELS
from rsens._errors import Argument, InputError, Sentence
from rsens._table import columns_of_labels
from rsens._text import counted, quoted
from rsens._typing import Array
from rsens.measures import Terms

#: Names of columns that name rows: id, user_id, customerId, row.
IDENTIFIER = re.compile(r"(?i:(^|[^a-z0-9])(id|ids|uid|uuid|guid|key|index|row|nr|no)([^a-z0-9]|$))|[a-z](Id|ID)$")
#: Text with more levels than this is left out; above `MOST_UNNAMED_LEVELS`, each needs this number of rows on average.
MOST_LEVELS, LEAST_ROWS_PER_LEVEL = 50, 5
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
#: A term is collinear if the others explain this share of its variance (adjusted R²).
HIGH = 0.95
#: Collinear terms belong together above this correlation, or above this partial correlation given all others.
CORRELATED, LINKED = 0.9, 0.3
#: Smaller eigenvalues of a correlation matrix count as 0.
LEAST_EIGENVALUE = 1e-12


def why_useless(name: str, column: Any, reading: Reading, named: bool = False) -> Note | None:
    """Why a column is left out, or None. Missing values do not count.

    A column that was `named` as categorical is left out only if it has fewer than two values; if none of its values
    repeats, that is an error.
    """
    known = column.dropna()
    if not len(known):
        return Note("empty", (name,), f"{name!r} has no values and was left out.")
    values = known.unique()
    if len(values) == 1:
        return Note("constant", (name,), f"{name!r} has only one value, {short_repr(values[0])}, and was left out.")
    each_row = len(values) == len(known) > 2
    if named and each_row:
        text = f", but has a different value in each of {len(known)} rows. Leave the column out with "
        raise InputError(f"{name!r} is named in ", Argument("categorical"), text, Argument("drop", [name]), ".")
    if named:
        return None
    if UNNAMED.fullmatch(name) and (
        each_row if reading.categorical else reading.kind == "number" and counts_rows(known)
    ):
        return Note("identifier", (name,), f"{name!r}, a column without a name, names the rows and was left out.")
    few_rows = len(values) > MOST_UNNAMED_LEVELS and len(known) < LEAST_ROWS_PER_LEVEL * len(values)
    if not reading.categorical or not (each_row or len(values) > MOST_LEVELS or few_rows):
        return None
    texts = [str(value) for value in values[:1000]]
    start = f"{name!r} has {len(values):,} different texts in {counted(len(known), 'row')}"
    if sum(map(has_unit, texts)) >= 0.8 * len(texts):
        text = f"{start}, which look like numbers ({quoted(texts[:3])}), and was left out. Write them as plain numbers."
        return Note("levels", (name,), text, severe=True)
    if each_row:
        return Note("identifier", (name,), f"{start}, like an identifier, and was left out.")
    start += ", too many to compare, and was left out. Group them; or keep them all, which takes long, with "
    return advice("levels", [name], start, "categorical", [name], severe=True)


def has_unit(text: str) -> bool:
    """Whether a cell is a number with a unit of one short word, 12.5 kg, or with other signs around it."""
    with_unit = re.fullmatch(r"[+-]?\d[\d.,]*\s?[a-zA-Zµ°²³/%]{1,6}", text.strip())
    return with_unit is not None or number_cell(text) is not None


def counts_rows(column: Any) -> bool:
    """Whether numbers count rows: 0, 1, 2, … or 1, 2, 3, …, in any order, or as those of the file.

    There may be gaps, as in a part of a table, if at least a tenth of the count is left. Equal gaps are data: 0, 5, 10.
    """
    values = column.to_numpy(dtype=np.float64)
    ordered = np.sort(values)
    steps = np.diff(ordered)
    if (ordered != np.floor(ordered)).any() or steps.min() <= 0.0:
        return False
    from_start = 0.0 <= ordered[0] < SPARSE and ordered[-1] < SPARSE * len(ordered)
    after_rows = np.ptp(values - column.index) == 0.0 and 0.0 <= values[0] - column.index[0] < SPARSE
    return bool((from_start and (steps.max() > steps.min() or steps[0] == 1.0)) or after_rows)


def may_be_identifier(name: str, column: Any) -> bool:
    """Whether distinct whole numbers have no name, or are in order and count rows or are named like an identifier."""
    values = column.to_numpy(dtype=np.float64)
    steps = np.diff(values)
    if len(np.unique(values)) < max(3, len(values)) or not (values == np.floor(values)).all():
        return False
    in_order = (steps > 0.0).all() or (steps < 0.0).all()
    after_rows = np.ptp(values - column.index) == 0.0
    return bool(UNNAMED.fullmatch(name) or (in_order and (IDENTIFIER.search(name) or after_rows)))


def may_be_codes(column: Any) -> bool:
    """Whether whole numbers have few different values, in many rows."""
    values = column.dropna()
    different = values.unique()
    few = 2 < len(different) <= 10 and len(values) >= 3 * len(different)
    return bool(few and (different == np.floor(different)).all())


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
        r = 0.0
        if name in numbers and target in numbers:
            with np.errstate(all="ignore"):  # numbers too large to be squared are like no others
                r = abs(np.corrcoef(table[name].to_numpy(dtype=float), table[target].to_numpy(dtype=float))[0, 1])
        if r > EXACT or (r > NEAR and len(table) >= LEAST_ROWS):
            found[name] = "the target itself, up to scale" + ("" if r > EXACT else " and rounding")
        elif repeats and table[name].nunique() == different == len(table[[name, target]].drop_duplicates()):
            found[name] = "the target in other words: each value goes with one value of the target"
    return found


def missing_codes(values: Array) -> dict[float, int]:
    """Numbers that may mean a missing value, and how often they occur.

    They are the smallest or the largest, far from all others, repeated, and all nines, or negative where no other is.
    Distances are in units of the interquartile range of the others, or of their range if that is 0.
    """
    different, counts = np.unique(values, return_counts=True)
    found: dict[float, int] = {}
    for outermost in (slice(None), slice(None, None, -1)):
        ends, often = different[outermost], counts[outermost]
        for k in range(1, min(MOST_CODES, len(ends) - 2) + 1):
            rest = values[~np.isin(values, ends[:k])]
            codes = [NINES.fullmatch(repr(value)) or value < 0.0 <= rest.min() for value in ends[:k].tolist()]
            low, high = np.quantile(rest, [0.25, 0.75])
            unit = high - low or np.ptp(rest)
            outer, inner = ends[0], ends[k - 1]
            from_half, from_all = max(low - outer, outer - high), max(rest.min() - inner, inner - rest.max())
            if all(codes) and often[:k].min() >= LEAST_COUNT and from_half > FAR * unit and from_all > GAP * unit:
                found |= dict(zip(ends[:k].tolist(), often[:k].tolist(), strict=True))
                break
    return found


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


def suspicions(table: pd.DataFrame, readings: Mapping[str, Reading], target: str) -> Iterator[Note]:
    """Notes on columns that may not be what they were taken for, in a table without missing values; they are kept."""
    inputs = [name for name in table.columns if name != target]
    numbers = [name for name in inputs if readings[name].kind == "number"]
    amounts = [name for name in table.columns if not readings[name].categorical]
    leaks = copies(table, set(amounts), target)
    for words in dict.fromkeys(leaks.values()):
        names = [name for name in leaks if leaks[name] == words]
        text = f"{quoted(names)} {'is' if len(names) == 1 else 'are'} {words}. Leave out columns not known beforehand: "
        yield advice("same", names, text, "drop", names, severe=True)
    for name in inputs:
        if name not in leaks and readings[name].kind != "date":
            yield from _settled(table[name], table[target])
    for name in amounts:
        codes = missing_codes(table[name].to_numpy(dtype=float)) if readings[name].kind != "date" else {}
        for value, count in codes.items():
            text = (
                f"{name!r} is {value:g} in {counted(count, 'row')}, far from all other values: does it mean a missing "
            )
            yield Note("missing_code", (name,), f"{text}value? Then empty these cells.", severe=True)
    for name in numbers:
        if may_be_identifier(name, table[name]):
            text = f"{name!r} counts the rows, as an identifier does. It was kept; if it only names them, leave it out "
            yield advice("identifier", [name], f"{text}with ", "drop", [name])
    if whole := [name for name in numbers if may_be_codes(table[name])]:
        has = "has" if len(whole) == 1 else "have"
        text = f"{quoted(whole)} {has} few different whole numbers, taken as numbers. If they are codes, use "
        yield advice("whole_numbers", whole, text, "categorical", whole)


def _settled(column: Any, y: Any) -> Iterator[Note]:
    """A note on levels that settle the target; a warning if the target has amounts.

    There the level decides whether there is anything to explain. A class that is certain may just be predicted well.
    """
    found = settled_levels(column, y)
    if not found:
        return
    name, severe = column.name, y.dtype.kind in "iuf" and y.nunique() > 2
    values = list(dict.fromkeys(found.values()))
    rows = counted(int(column.isin(list(found)).sum()), "row")
    one = f"{y.name!r} is always {short_repr(values[0])}" if len(values) == 1 else f"each has one value of {y.name!r}"
    start = f"{name!r} settles the target in {rows}: where it is {' or '.join(map(short_repr, found))}, {one}."
    if len(found) == column.nunique():
        text = f"{start} If it is not known beforehand, leave it out with "
        yield advice("settled", [name], text, "drop", [name], severe=severe)
    else:
        conditions = [f"{name}!={as_text(level)}" for level in found]
        use = Argument("where", conditions[0] if len(conditions) == 1 else conditions)
        ask = f" This dominates the ranking. To ask what moves {y.name!r} in the other rows, use "
        yield Note("settled", (name,), Sentence(start, ask, use, "."), severe)


# ---- Columns that determine one another: a total and its parts, the same thing measured twice ------------------------


def collinear_sets(X: pd.DataFrame, terms: Terms) -> list[tuple[tuple[str, ...], float]]:
    """The sets of terms that nearly determine one another, and the largest R² of one on all others.

    Levels of categories count as indicators.
    """
    blocks = _blocks(X, terms)
    n, design = len(X), np.concatenate(blocks, axis=1)
    # With few degrees of freedom left, columns without any relation can seem to determine one another.
    if n - 1 - design.shape[1] < 10 or len(blocks) < 2:
        return []
    ends = np.cumsum([0, *(block.shape[1] for block in blocks)])
    places = [np.arange(*ends[t : t + 2]) for t in range(len(blocks))]
    correlations = design.T @ design / n
    eigenvalues, vectors = eigh(correlations)
    precision = (vectors / np.maximum(eigenvalues, LEAST_EIGENVALUE)) @ vectors.T
    scale = np.sqrt(np.diag(precision))
    linked = (np.abs(precision / np.outer(scale, scale)) > LINKED) | (np.abs(correlations) > CORRELATED)
    # The covariance of a block given all others is the inverse of its block of the precision matrix.
    left = [
        np.trace(np.linalg.inv(precision[np.ix_(own, own)])) / len(own) * (n - 1) / (n - 1 - len(scale) + len(own))
        for own in places
    ]
    collinear = sorted((t for t in range(len(blocks)) if left[t] < 1.0 - HIGH), key=left.__getitem__)
    rest, sets = set(range(len(blocks))), []
    for first in collinear:
        members = [first] if first in rest else []
        for t in members:  # which grows
            rest -= set(members)
            near = (e for e in sorted(rest) if linked[np.ix_(places[t], places[e])].any())
            members += near if t in collinear else ()
        if len(members) > 1:
            sets.append((tuple(terms.names[t] for t in sorted(members)), 1.0 - float(left[first])))
    return sets


def _blocks(X: pd.DataFrame, terms: Terms) -> list[Array]:
    """The columns of every term, standardised; a category has an indicator for every level but its first."""
    labels = columns_of_labels(X)
    blocks = []
    for members in terms.members:
        parts = [
            pd.get_dummies(pd.factorize(X.iloc[:, d])[0], drop_first=True) if d in labels else X.iloc[:, [d]]
            for d in members
        ]
        values = np.concatenate([part.to_numpy(dtype=np.float64) for part in parts], axis=1)
        values = values / np.maximum(np.abs(values).max(axis=0), 1e-300)  # large numbers can be squared
        centred = values - values.mean(axis=0)
        blocks.append(centred / np.maximum(centred.std(axis=0), 1e-300))
    return blocks
