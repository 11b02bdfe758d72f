"""The rows that were explained: their labels, and which of them lie outside the data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rsens._errors import InputError
from rsens._explain._extrapolation import outside
from rsens._explain._subgroups import Label, plain_label
from rsens._files import fingerprint, label, number, or_none, text, truth, tuple_of
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
    row_weights: Array | None = stored(
        "How much each row counts, adding up to 1; None if all count the same.", number, "rows", optional=True,
        default=None,
    )  # fmt: skip
    column_fingerprints: tuple[str, ...] | None = stored(
        "A fingerprint of the values in each column of X: two explanations with the same ones explain the same rows.",
        or_none(tuple_of(text)), default=None,
    )  # fmt: skip

    @classmethod
    def of(cls, table: Table, extrapolation: Flags, weights: Array | None) -> Rows:
        """From the rows, whose labels become text unless they are numbers or text."""
        index = index_of(table)
        numbered = index.equals(pd.RangeIndex(len(index)))
        return cls(
            row_labels=None if numbered else tuple(plain_label(value) for value in index),
            row_label_name=None if index.name is None else str(index.name),
            extrapolation=extrapolation,
            row_weights=weights,
            column_fingerprints=tuple(fingerprint(values) for values in _columns(table)),
        )

    @property
    def index(self) -> pd.Index:
        """The labels as an index."""
        index = pd.RangeIndex(len(self.extrapolation)) if self.row_labels is None else pd.Index(list(self.row_labels))
        return index.rename(self.row_label_name)

    @property
    def shares(self) -> Array:
        """How much each row counts, adding up to 1."""
        n = len(self.extrapolation)
        return np.full(n, 1.0 / n) if self.row_weights is None else self.row_weights

    def check(self) -> None:
        weights = self.row_weights
        if weights is not None and not ((weights >= 0.0).all() and abs(weights.sum() - 1.0) < 1e-6):
            raise InputError("row_weights are negative or do not add up to 1")
        if self.row_labels is not None and len(self.row_labels) != len(self.extrapolation):
            raise InputError(f"row_labels has {len(self.row_labels)} entries, expected {len(self.extrapolation)}")


def index_of(table: Table) -> pd.Index:
    """The row labels of a data frame, else 0, 1, …"""
    return table.source.index if isinstance(table.source, pd.DataFrame) else pd.RangeIndex(len(table.values))


def _columns(table: Table) -> Iterator[Any]:
    """The values of each column; of levels their labels, whatever code a model has for them."""
    levels = () if table.coding is None else table.coding.categorical
    for d, values in enumerate(table.values.T):
        if table.coding is not None and d in levels:
            labels = table.coding[d].labels
            yield "\n".join(str(labels[int(code)]) for code in values)
        else:
            yield values


def extrapolates(table: Table, training: Array | None) -> Flags:
    """Which rows lie outside the cloud of data, in the continuous columns: levels that are unknown are errors."""
    if table.coding is None:
        return outside(table.values, training)
    columns = list(table.coding.continuous)
    if not columns:
        return np.zeros(len(table.values), dtype=np.bool_)
    return outside(table.values[:, columns], None if training is None else training[:, columns])
