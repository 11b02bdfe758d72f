"""Columns of labels: find them in a data frame, number the labels, and put them back as columns of the same type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rsens._errors import InputError
from rsens._table import is_frame, is_pandas
from rsens._typing import Positions


def column_of(source: Any, position: int) -> Any:
    """A column of a data frame or array, by position."""
    return source.iloc[:, position] if is_frame(source) else source[:, position]


def columns_of_labels(source: Any) -> list[int]:
    """Positions of a data frame's columns that hold labels. An array cannot say; its columns have to be named."""
    if not is_pandas(source):
        return []
    # Most columns are numbers, and their type alone says so.
    return [d for d, dtype in enumerate(source.dtypes) if dtype.kind not in "iufc" and holds_labels(source, d)]


def holds_labels(source: Any, position: int) -> bool:
    """Whether a data frame's column holds categories, text or truth values."""
    if not is_pandas(source):
        return False
    import pandas as pd

    column = column_of(source, position)
    if isinstance(column.dtype, pd.CategoricalDtype) or pd.api.types.is_bool_dtype(column.dtype):
        return True
    if column.dtype == object:
        return pd.api.types.infer_dtype(column, skipna=True) in ("string", "boolean")
    return bool(pd.api.types.is_string_dtype(column.dtype))


def factorized(column: Any) -> tuple[Positions, list[Any]]:
    """Codes by order of appearance, −1 where a label is missing, and the labels as plain values."""
    import pandas as pd

    series = column if is_pandas(column) else pd.Series(np.asarray(column))
    try:
        codes, labels = pd.factorize(series)
    except TypeError:  # lists, dicts
        raise InputError(
            f"labels of categorical columns must be text, numbers or truth values; got {type(series.iloc[0]).__name__}."
        ) from None
    return np.asarray(codes, dtype=np.intp), [plain(label) for label in labels]


def plain(label: Any) -> Any:
    """The label without NumPy's type around it."""
    return label.item() if isinstance(label, np.generic) else label


def with_labels(frame: Any, labels: Mapping[int, Any]) -> Any:
    """The data frame with whole columns set to a label: {position: label}."""
    import pandas as pd

    new = {
        frame.columns[d]: series_of([label] * len(frame), frame.iloc[:, d].dtype, frame.index)
        for d, label in labels.items()
    }
    return pd.DataFrame({label: new.get(label, frame[label]) for label in frame.columns}, index=frame.index)


def series_of(labels: list[Any], dtype: Any, index: Any) -> Any:
    """Labels as a column of this type if it can hold them; categories it does not know are added."""
    import pandas as pd

    if isinstance(dtype, pd.CategoricalDtype):
        unknown = [label for label in dict.fromkeys(labels) if label not in dtype.categories]
        dtype = pd.CategoricalDtype([*dtype.categories, *unknown], dtype.ordered) if unknown else dtype
    try:
        return pd.Series(labels, index=index, dtype=dtype)
    except (TypeError, ValueError):
        return pd.Series(labels, index=index)
