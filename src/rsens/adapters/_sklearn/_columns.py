"""Which columns the parts of a ColumnTransformer take, and where their outputs go."""

from __future__ import annotations

from collections import UserList
from collections.abc import Iterator
from typing import Any

import numpy as np

from rsens._table import is_frame


def column_parts(step: Any, X: Any) -> Iterator[tuple[Any, Any, list[int], slice]]:
    """(transformer, its rows, positions of its columns, place of its outputs) for each part that is not dropped."""
    names = list(X.columns) if is_frame(X) else None
    for name, part, columns in step.transformers_:
        place = step.output_indices_.get(name, slice(0, 0))
        if isinstance(part, str) and part == "drop":
            continue
        positions = positions_of(columns, names, width_of(X))
        if not positions or place.stop == place.start:
            continue
        yield part, X.iloc[:, positions] if is_frame(X) else X[:, positions], positions, place


def positions_of(columns: Any, names: list[Any] | None, n: int) -> list[int]:
    """Columns as a ColumnTransformer names them (names, positions, a slice of either, a mask) as positions."""
    if isinstance(columns, slice):
        start, stop = columns.start, columns.stop
        if isinstance(start, str) or isinstance(stop, str):  # by name, both ends included
            assert names is not None
            first = 0 if start is None else names.index(start)
            return list(range(first, n if stop is None else names.index(stop) + 1))
        return list(range(n))[columns]
    if isinstance(columns, str | int | np.integer):
        columns = [columns]
    listed = list(columns.data if isinstance(columns, UserList) else columns)  # older releases warn of their own list
    if listed and all(isinstance(column, bool | np.bool_) for column in listed):
        return [d for d, chosen in enumerate(listed) if chosen]
    if listed and isinstance(listed[0], str):
        assert names is not None
        return [names.index(column) for column in listed]
    return [int(column) % n for column in listed]


def is_identity(step: Any) -> bool:
    """Whether the step does nothing."""
    return step is None or (isinstance(step, str) and step == "passthrough")


def width_of(X: Any) -> int:
    return int(X.shape[1])
