"""Subgroups of rows, for `explain(by=…)`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._errors import Argument, InputError
from rsens._results import Part, stored
from rsens._table import Table
from rsens._text import first_few
from rsens._typing import Array, Flags, Positions

Label = str | int | float | bool
MAX_SUBGROUPS = 100


@dataclass(frozen=True, eq=False, kw_only=True)
class Subgroups(Part):
    """R-sens within subgroups of rows."""

    subgroups: tuple[Label, ...] = stored("The labels of the subgroups, in their natural order.")
    subgroup_counts: NDArray[np.int64] = stored("Number of rows in each subgroup.", "subgroups")
    subgroup_values: Array = stored(
        "R-sens averaged within each subgroup, subgroups × terms; None without `by`.", "subgroups", "terms"
    )
    subgroup_rest: Array | None = stored("R-sens averaged over all other rows.", "subgroups", "terms", default=None)
    subgroup_intervals: Array | None = stored("Lower and upper ends of `by`.", 2, "subgroups", "terms", default=None)
    subgroup_differences: Array | None = stored(
        "Lower and upper ends of the difference between a subgroup and all other rows.",
        2, "subgroups", "terms", default=None,
    )  # fmt: skip
    subgroup_p_values: Array | None = stored(
        "How rarely chance alone gives a difference as large; None without refits.",
        "subgroups", "terms", default=None,
    )  # fmt: skip
    subgroup_interval_kind: str | None = stored('What these intervals come from: "refits" or "rows".', default=None)


@dataclass(frozen=True)
class Division:
    """Which subgroup every row belongs to: `codes` are positions in `labels`, or −1 for rows that are in none."""

    labels: tuple[Label, ...]
    codes: Positions
    categories: tuple[Label, ...] | None = None  # those that do not occur included, in their order, if it is known


def average(local: Array, rows: Flags, weights: Array, aggregate: str) -> Array:
    """Weighted mean or root mean square of the local values of some rows; NaN where none of them counts."""
    share = np.where(rows, weights, 0.0)
    if not share.any():
        return np.full(local.shape[1], np.nan)
    share = share / share.sum()
    return np.asarray(np.sqrt(share @ local**2) if aggregate == "rms" else share @ local)


def division_of(by: Any, X: Any, table: Table) -> Division:
    """The subgroup of every row: `by` is the name of a column of X or one label per row."""
    import pandas as pd

    n = len(table.values)
    if isinstance(by, Division):
        return by
    if isinstance(by, str):
        if by not in table.names:
            raise InputError(
                Argument("by"),
                f": X has no column {by!r}. It has {first_few(list(table.names))}. Or give one label per row.",
            )
        by = _column(_with_labels(by, X, table), by, table.values[:, table.names.index(by)])
    try:
        labels = pd.Series(by)
    except (TypeError, ValueError):
        raise InputError(
            Argument("by"), f" must be a column of X or one label per row; got {type(by).__name__}."
        ) from None
    if isinstance(by, str | bytes | dict) or len(labels) != n:
        raise InputError(
            Argument("by"), f" must be a column of X or one label for each of the {n} rows; got {len(labels)}."
        )
    missing = int(labels.isna().sum())
    if missing:
        raise InputError(
            Argument("by"), f" has no label for {missing} of {n} rows. Fill them in, for example with 'unknown'."
        )
    try:
        codes, found = _factorize(labels)
    except TypeError:  # lists or dicts
        raise InputError(
            Argument("by"),
            f": labels must be text, numbers or truth values; got {type(labels.iloc[0]).__name__}.",
        ) from None
    if len(found) > MAX_SUBGROUPS:
        raise InputError(
            Argument("by"),
            f" has {len(found)} different labels, more than {MAX_SUBGROUPS}. Cut numbers into classes first, for "
            "example with pandas.qcut.",
        )
    categories = tuple(map(plain_label, labels.cat.categories)) if hasattr(labels, "cat") else None
    return Division(tuple(plain_label(each) for each in found), codes, categories)


def _with_labels(by: Any, X: Any, table: Table) -> Any:
    """X; as a data frame where it is an array whose column `by` is categorical, so that subgroups have its labels."""
    if table.coding is None or hasattr(X, "columns") or by not in table.names:
        return X
    import pandas as pd

    labels = table.coding.labelled(table.values, table.source)
    return pd.DataFrame(labels, columns=list(table.names)).infer_objects()


def plain_label(value: Any) -> Label:
    """A label as text, number or truth value: these can be stored; anything else becomes its text."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating) and np.isfinite(value):
        return float(value)
    return str(value)


def _column(X: Any, name: str, values: Array) -> Any:
    """The column as it was given (whole numbers stay whole), or as it was read."""
    if hasattr(X, "columns") and hasattr(X, "iloc"):
        position = [str(column) for column in X.columns].index(name)
        return X.iloc[:, position].reset_index(drop=True)
    return values


def _factorize(labels: Any) -> tuple[Positions, list[Any]]:
    """Codes and labels that occur; categories keep their order, others are sorted where they can be."""
    import pandas as pd

    if isinstance(labels.dtype, pd.CategoricalDtype):
        labels = labels.cat.remove_unused_categories()
        return labels.cat.codes.to_numpy(dtype=np.intp), list(labels.cat.categories)
    try:
        codes, found = pd.factorize(labels, sort=True)
    except TypeError:  # labels without an order: as they appear
        codes, found = pd.factorize(labels)
    return np.asarray(codes, dtype=np.intp), list(found)
