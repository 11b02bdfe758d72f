"""The rows that were explained: their labels, and which of them lie outside the data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rsens._explain._extrapolation import outside
from rsens._explain._subgroups import Label, plain_label
from rsens._files import fingerprint
from rsens._results import Part, stored
from rsens._table import Table
from rsens._typing import Array, Flags, Positions


@dataclass(frozen=True, eq=False, kw_only=True)
class Rows(Part):
    """n rows."""

    row_labels: tuple[Label, ...] | None = stored("The labels of the rows; None for 0, 1, …")
    row_label_name: str | None = stored("What the index of X is called.")
    extrapolation: Flags | None = stored(
        "True for rows outside the cloud of the training inputs (or, where the model does not know them, of X).",
        "rows", default=None,
    )  # fmt: skip
    row_weights: Array | None = stored(
        "How much each row counts, adding up to 1; None if all count the same.", "rows", default=None,
    )  # fmt: skip
    column_fingerprints: tuple[str, ...] | None = stored(
        "A fingerprint of the values in each column of X: two explanations with the same ones explain the same rows.",
        default=None,
    )  # fmt: skip
    row_count: int | None = stored("How many rows; None where `extrapolation` tells.", default=None)
    row_outside: int | None = stored(
        "How many rows are outside of the cloud; None where `extrapolation` tells.", default=None
    )

    @classmethod
    def of(cls, table: Table, extrapolation: Flags, weights: Array | None) -> Rows:
        """From the rows, whose labels become text unless they are numbers or text."""
        return cls._of(
            index_of(table), extrapolation, weights, tuple(fingerprint(values) for values in _columns(table))
        )

    @classmethod
    def together(
        cls, parts: Sequence[Rows], indices: Sequence[pd.Index], order: Positions | None, shares: Sequence[float]
    ) -> Rows:
        """The rows of all parts, one after the other and then in this order; `shares` is what each part counts.

        Only their number, if some part does not know more.
        """
        flags = [part.extrapolation for part in parts if part.extrapolation is not None]
        if len(flags) < len(parts):
            return cls.only_counted(sum(part.n for part in parts), sum(part.outside for part in parts))
        weights = None
        if any(part.row_weights is not None for part in parts):
            weights = np.concatenate([share * part.shares for share, part in zip(shares, parts, strict=True)])
        outside = np.concatenate(flags)
        if order is not None:
            weights, outside = None if weights is None else weights[order], outside[order]
        return cls._of(index_together(indices, order), outside, weights, None)

    @classmethod
    def only_counted(cls, n: int, outside: int) -> Rows:
        """Rows of which nothing else is kept."""
        return cls(row_labels=None, row_label_name=None, extrapolation=None, row_count=n, row_outside=outside)

    @classmethod
    def _of(
        cls, index: pd.Index, extrapolation: Flags, weights: Array | None, fingerprints: tuple[str, ...] | None
    ) -> Rows:
        numbered = index.equals(pd.RangeIndex(len(index)))
        return cls(
            row_labels=None if numbered else tuple(plain_label(value) for value in index),
            row_label_name=None if index.name is None else str(index.name),
            extrapolation=extrapolation,
            row_weights=weights,
            column_fingerprints=fingerprints,
        )

    @property
    def n(self) -> int:
        """How many rows."""
        return self.row_count or 0 if self.extrapolation is None else len(self.extrapolation)

    @property
    def outside(self) -> int:
        """How many of them extrapolate."""
        return self.row_outside or 0 if self.extrapolation is None else int(self.extrapolation.sum())

    @property
    def index(self) -> pd.Index:
        """The labels as an index."""
        index = pd.RangeIndex(self.n) if self.row_labels is None else pd.Index(list(self.row_labels))
        return index.rename(self.row_label_name)

    @property
    def shares(self) -> Array:
        """How much each row counts, adding up to 1."""
        return np.full(self.n, 1.0 / self.n) if self.row_weights is None else self.row_weights


def index_of(table: Table) -> pd.Index:
    """The row labels of a data frame, else 0, 1, …"""
    return table.source.index if isinstance(table.source, pd.DataFrame) else pd.RangeIndex(len(table.values))


def index_together(indices: Sequence[pd.Index], order: Positions | None) -> pd.Index:
    """The labels of all parts; 0, 1, … if every part counts its own rows in this way."""
    first, others = indices[0], list(indices[1:])
    if all(index.equals(pd.RangeIndex(len(index))) for index in indices):
        return pd.RangeIndex(sum(map(len, indices)), name=first.name)
    together = first.append(others)
    return together if order is None else together[order]


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
