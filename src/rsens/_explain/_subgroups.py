"""Subgroups of rows, for `explain(by=…)`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._errors import InputError
from rsens._table import Table

Label = str | int | float | bool
MAX_SUBGROUPS = 100


@dataclass(frozen=True)
class Subgroups:
    """The subgroup of every row: `codes` are positions in `labels`."""

    labels: tuple[Label, ...]
    codes: NDArray[np.intp]


def subgroups(by: Any, X: Any, names: tuple[str, ...], values: NDArray[np.float64]) -> Subgroups:
    """Rows by subgroup: `by` is the name of a column of X or one label per row. Labels are in their natural order."""
    import pandas as pd

    n = len(values)
    if isinstance(by, str):
        if by not in names:
            raise InputError(f"by: X has no column {by!r}. It has {', '.join(names)}. Or give one label per row.")
        by = _column(X, by, values[:, names.index(by)])
    try:
        labels = pd.Series(by)
    except (TypeError, ValueError):
        raise InputError(f"by must be a column of X or one label per row; got {type(by).__name__}.") from None
    if isinstance(by, str | bytes | dict) or len(labels) != n:
        raise InputError(f"by must be a column of X or one label for each of the {n} rows; got {len(labels)}.")
    missing = int(labels.isna().sum())
    if missing:
        raise InputError(f"by has no label for {missing} of {n} rows. Fill them in, for example with 'unknown'.")
    try:
        codes, found = _factorized(labels)
    except TypeError:  # lists or dicts
        raise InputError(
            f"by: labels must be text, numbers or truth values; got {type(labels.iloc[0]).__name__}."
        ) from None
    if len(found) > MAX_SUBGROUPS:
        raise InputError(
            f"by has {len(found)} different labels, more than {MAX_SUBGROUPS}. "
            "Cut numbers into classes first, for example with pandas.qcut."
        )
    return Subgroups(tuple(plain_label(label) for label in found), codes)


def labels_or_rows(by: Any, X: Any, table: Table) -> Any:
    """X; as a data frame where it is an array whose column `by` is categorical, so that subgroups have its labels."""
    if table.coding is None or hasattr(X, "columns") or by not in table.names:
        return X
    import pandas as pd

    labels = table.coding.labelled(table.values, table.source)
    return pd.DataFrame(labels, columns=list(table.names)).infer_objects()


def plain_label(label: Any) -> Label:
    """The label as text, number or truth value: these can be stored; anything else becomes its text."""
    if isinstance(label, bool | np.bool_):
        return bool(label)
    if isinstance(label, int | np.integer):
        return int(label)
    if isinstance(label, float | np.floating) and np.isfinite(label):
        return float(label)
    return str(label)


def _column(X: Any, name: str, values: NDArray[np.float64]) -> Any:
    """The column as it was given (whole numbers stay whole), or as it was read."""
    if hasattr(X, "columns") and hasattr(X, "iloc"):
        position = [str(column) for column in X.columns].index(name)
        return X.iloc[:, position].reset_index(drop=True)
    return values


def _factorized(labels: Any) -> tuple[NDArray[np.intp], list[Any]]:
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
