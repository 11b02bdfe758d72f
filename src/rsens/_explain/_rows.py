"""The rows that were explained: their labels, and which of them lie outside the data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from rsens._errors import InputError
from rsens._explain._extrapolation import outside
from rsens._explain._subgroups import Label, plain_label
from rsens._files import label, or_none, text, truth, tuple_of
from rsens._results import Part, stored
from rsens._table import Table
from rsens._typing import Array, Flags


@dataclass(frozen=True, eq=False, kw_only=True)
class Rows(Part):
    """n rows."""

    row_labels: tuple[Label, ...] | None = stored("The labels of the rows; None for 0, 1, …", or_none(tuple_of(label)))
    row_label_name: str | None = stored("What the index of X is called.", or_none(text))
    extrapolation: Flags = stored(
        "True for rows outside the cloud of the training inputs (or, where the model does not know them, of X).",
        truth, "rows",
    )  # fmt: skip

    @classmethod
    def of(cls, index: pd.Index, extrapolation: Flags) -> Rows:
        """From an index, whose labels become text unless they are numbers or text."""
        numbered = index.equals(pd.RangeIndex(len(index)))
        return cls(
            row_labels=None if numbered else tuple(plain_label(value) for value in index),
            row_label_name=None if index.name is None else str(index.name),
            extrapolation=extrapolation,
        )

    @property
    def index(self) -> pd.Index:
        """The labels as an index."""
        index = pd.RangeIndex(len(self.extrapolation)) if self.row_labels is None else pd.Index(list(self.row_labels))
        return index.rename(self.row_label_name)

    def check(self) -> None:
        if self.row_labels is not None and len(self.row_labels) != len(self.extrapolation):
            raise InputError(f"row_labels has {len(self.row_labels)} entries, expected {len(self.extrapolation)}")


def index_of(table: Table) -> pd.Index:
    """The row labels of a data frame, else 0, 1, …"""
    return table.source.index if isinstance(table.source, pd.DataFrame) else pd.RangeIndex(len(table.values))


def extrapolates(table: Table, training: Array | None) -> Flags:
    """Which rows lie outside the cloud of data, in the continuous columns: levels that are unknown are errors."""
    if table.coding is None:
        return outside(table.values, training)
    columns = list(table.coding.continuous)
    if not columns:
        return np.zeros(len(table.values), dtype=np.bool_)
    return outside(table.values[:, columns], None if training is None else training[:, columns])
