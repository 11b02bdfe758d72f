"""Subgroups of rows for `by`: the values of a column, numbers cut into ranges."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from rsens._app.study._settings import BY
from rsens._app.tables import Note
from rsens._errors import InputError
from rsens._explain import Division
from rsens._text import counted, number, quoted

#: A value with fewer rows is too small for an average: its rows are in no subgroup.
LEAST_ROWS = 10
#: Numbers with more different values are cut into ranges: four, or three if there are fewer rows than this.
MOST_VALUES, ROWS_FOR_FOUR = 6, 80
#: The most subgroups that anybody can read.
MOST_SUBGROUPS = 20
MISSING = "(missing)"


def division_of(column: Any, name: str) -> tuple[Division, list[Note]]:
    """The subgroup of each row, and notes on ranges and on values with few rows."""
    labels, how = _labels(pd.Series(column).reset_index(drop=True))
    counts = labels.value_counts()[lambda count: count > 0]
    small = [label for label in counts.index if counts[label] < LEAST_ROWS]
    names = [label for label in labels.cat.categories if label in counts and label not in small]
    notes = [Note("by", (name,), f"{name!r} was cut into {how}.")] if how else []
    if small:
        few = f"{counted(len(small), 'value')} of {name!r} with fewer than {LEAST_ROWS} rows each"
        rows = counted(int(counts[small].sum()), "row")
        text = f"{few} ({rows}) are in no subgroup; they count among the other rows."
        notes.append(Note("by", (name,), text))
    if len(names) < 2:
        few_rows = f"has no two subgroups of at least {LEAST_ROWS} rows; its values are {quoted(counts.index, 3)}"
        raise InputError(BY, f": {name!r} {few_rows}. Name a column that divides the rows.")
    if len(names) > MOST_SUBGROUPS:
        many = (
            f": {name!r} has {len(names)} subgroups, more than {MOST_SUBGROUPS}. Name a column with fewer values, or "
        )
        raise InputError(BY, many, "put some together first.")
    codes = np.asarray(pd.Index(names).get_indexer(labels.astype(object)), dtype=np.intp)  # −1 for rows in no subgroup
    return Division(tuple(names), codes), notes


def _labels(values: Any) -> tuple[Any, str]:
    """A label for each row, as categories in their order, and how numbers were cut, if they were."""
    truth = pd.api.types.infer_dtype(values, skipna=True) == "boolean"  # with missing cells these are objects
    if not truth and (values.dtype == object or isinstance(values.dtype, pd.StringDtype)):
        numbers = pd.to_numeric(values, errors="coerce")
        if numbers[values.notna()].notna().all() and values.notna().any():
            values = numbers
    if values.dtype.kind in "iuf" and values.nunique() > MOST_VALUES:
        labels, how = _cut(values)
    else:
        categories = values.astype("category").cat.categories  # sorted where they have an order
        texts = {label: f"{label:.6g}" if isinstance(label, float) else str(label) for label in categories}
        named = values.astype(object).map(texts, na_action="ignore")
        labels, how = pd.Series(pd.Categorical(named, list(dict.fromkeys(texts.values())))), ""
    if labels.isna().any():
        labels = labels.cat.add_categories(MISSING).fillna(MISSING)
    return labels, how


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
    names = [f"up to {texts[0]}", *(f"{a} to {b}" for a, b in pairwise(texts)), f"above {texts[-1]}"]
    how = f"{counted(len(edges) + 1, 'range')} of about as many rows, at {', '.join(texts)}"
    return pd.cut(values, [-np.inf, *edges, np.inf], labels=names), how
