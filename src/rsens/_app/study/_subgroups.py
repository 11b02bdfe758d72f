"""Subgroups of rows for `by`: the values of a column, numbers cut into ranges, small subgroups put together."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from rsens._app.tables import Note
from rsens._errors import Argument, InputError
from rsens._explain import Division
from rsens._text import counted, number, quoted

BY = Argument("by")
#: A subgroup with fewer rows says too little; such subgroups are put together.
LEAST_ROWS = 10
#: Numbers with more different values are cut into ranges: four, or three if there are fewer rows than this.
MOST_VALUES, ROWS_FOR_FOUR = 6, 80
#: The most subgroups that anybody can read.
MOST_SUBGROUPS = 20
OTHERS, MISSING = "(others)", "(missing)"


def check_by(by: Any, target: str | None, cluster: str | None) -> str | None:
    """The argument `by`: the name of a column that can divide the rows."""
    if by is None:
        return None
    if isinstance(by, list | tuple | set | dict | np.ndarray | pd.Series):
        raise InputError(BY, f" must be the name of one column; got a {type(by).__name__}.")
    name = str(by)
    if name == target:
        raise InputError(f"{name!r} is the target and cannot divide the rows. Name another ", BY, ".")
    if name == cluster:
        raise InputError(
            f"{name!r} says which rows belong together, and each would be a subgroup of its own. Name another ", BY, "."
        )
    return name


def division_of(column: Any, name: str) -> tuple[Division, list[Note]]:
    """The subgroup of each row, with notes on what was cut or put together; an error if the column divides nothing."""
    labels, how = _labels(column)
    counts = labels.value_counts(sort=False)
    small = [label for label in counts.index if counts[label] < LEAST_ROWS]
    names = [str(label) for label in _ordered(labels) if label not in small]
    texts = labels.astype(str)
    notes = [Note("by", (name,), f"{name!r} was cut into {how}.")] if how else []
    if small:
        few = int(counts[small].sum())
        what = f"{counted(len(small), 'value')} of {name!r} with fewer than {LEAST_ROWS} rows each"
        if few >= LEAST_ROWS:
            names.append(OTHERS)
            texts = texts.mask(labels.isin(small), OTHERS)
            notes.append(Note("by", (name,), f"{what} are one subgroup, {OTHERS}: {few:,} rows."))
        else:
            text = f"{what} ({counted(few, 'row')}) are in no subgroup; they count among the other rows."
            notes.append(Note("by", (name,), text))
    if len(names) < 2:
        found = quoted([str(label) for label in counts.index], 3)
        raise InputError(
            BY,
            f": {name!r} has no two subgroups of at least {LEAST_ROWS} rows; its values are {found}. Name a column "
            "that divides the rows.",
        )
    if len(names) > MOST_SUBGROUPS:
        raise InputError(
            BY,
            f": {name!r} has {len(names)} subgroups, more than {MOST_SUBGROUPS}. Name a column with fewer values, or "
            "put some together first.",
        )
    codes = np.asarray(pd.Index(names).get_indexer(texts), dtype=np.intp)  # −1 for rows in no subgroup
    return Division(tuple(names), codes), notes


def _labels(column: Any) -> tuple[Any, str]:
    """A label for each row, and how numbers were cut, if they were."""
    values = pd.Series(column).reset_index(drop=True)
    truth = pd.api.types.infer_dtype(values, skipna=True) == "boolean"  # with missing cells these are objects
    if not truth and (values.dtype == object or isinstance(values.dtype, pd.StringDtype)):
        numbers = pd.to_numeric(values, errors="coerce")
        if numbers[values.notna()].notna().all() and values.notna().any():
            values = numbers
    if values.dtype.kind in "iuf" and values.nunique() > MOST_VALUES:
        return _cut(values)
    missing = values.isna()
    if values.dtype.kind == "f":
        values = _as_texts(values)
    if not isinstance(values.dtype, pd.CategoricalDtype):
        values = values.astype(object)
    elif missing.any():
        values = values.cat.add_categories(MISSING)
    return values.mask(missing, MISSING), ""


def _as_texts(values: Any) -> Any:
    """Numbers as they are written, in their order: 5 before 10."""
    texts = {value: f"{value:.6g}" for value in sorted(values.dropna().unique())}
    return pd.Series(pd.Categorical(values.map(texts), categories=list(dict.fromkeys(texts.values())), ordered=True))


def _cut(values: Any) -> tuple[Any, str]:
    """Ranges of about as many rows: the quarters or the thirds of the rows, as far as equal values allow."""
    count = 4 if len(values) >= ROWS_FOR_FOUR else 3
    edges = np.unique(np.quantile(values.dropna(), np.arange(1, count) / count))
    edges = edges[edges < values.max()]
    if not len(edges):  # most rows have the largest value
        edges = np.array([values[values < values.max()].max()])
    texts = next(
        found for digits in range(3, 18) if len(set(found := [number(edge, digits) for edge in edges])) == len(edges)
    )
    names = [f"up to {texts[0]}", *(f"{a} to {b}" for a, b in pairwise(texts))]
    names.append(f"above {texts[-1]}")
    codes = np.searchsorted(edges, values, side="left")
    known = pd.Series(pd.Categorical([names[code] for code in codes], categories=names, ordered=True))
    if values.isna().any():
        known = known.cat.add_categories(MISSING).mask(values.isna(), MISSING)
    return known, f"{counted(len(edges) + 1, 'range')} of about as many rows, at {', '.join(texts)}"


def _ordered(labels: Any) -> list[Any]:
    """The labels that occur: categories in their order, others sorted where they can be; missing ones last."""
    if isinstance(labels.dtype, pd.CategoricalDtype):
        return [label for label in labels.cat.categories if (labels == label).any()]
    found = list(labels.unique())
    try:
        return sorted(found, key=lambda label: (label == MISSING, label))
    except TypeError:
        return sorted(found, key=str)
