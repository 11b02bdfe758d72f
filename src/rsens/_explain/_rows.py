"""The rows that were explained: their labels, and which of them lie outside the data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rsens._explain._subgroups import Label, plain_label
from rsens._explain._values import Sums
from rsens._files import fingerprint
from rsens._results import Part, stored
from rsens._table import Table, column_deviations
from rsens._typing import Array, Flags


@dataclass(frozen=True, eq=False, kw_only=True)
class Rows(Part):
    """The rows; without the values of single ones only their number."""

    n: int = stored("How many rows.")
    outside: int = stored("How many of them extrapolate.")
    row_labels: tuple[Label, ...] | None = stored("The labels of the rows; None for 0, 1, …", default=None)
    row_label_name: str | None = stored("Name of the index of X.", default=None)
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

    @classmethod
    def of_table(cls, table: Table, training: Array | None, weights: Array | None) -> tuple[Rows, pd.Index]:
        """The rows of a table, and their labels."""
        prints = tuple(fingerprint(values) for values in _columns(table))
        return cls._of(index_of(table), extrapolates(table, training), weights, prints)

    @classmethod
    def of_chunks(cls, sums: Sums) -> tuple[Rows, pd.Index | None]:
        """The rows of all chunks, and their labels if values of single rows were kept."""
        if sums.local is None:
            return cls(n=sums.main.rows, outside=sums.outside), None
        indices: list[Any] = [each.index for each in sums.local]
        if all(index.equals(pd.RangeIndex(len(index))) for index in indices):  # every chunk counts its own rows
            index: pd.Index = pd.RangeIndex(sum(map(len, indices)), name=indices[0].name)
        else:
            index = indices[0].append(indices[1:])
        flags: Any = [each.outside for each in sums.local]
        weights = [each.weights for each in sums.local if each.weights is not None]
        shares = np.concatenate(weights) / sums.main.weight if weights else None
        return cls._of(index, np.concatenate(flags), shares, None)

    @classmethod
    def _of(
        cls, index: pd.Index, extrapolation: Flags, weights: Array | None, fingerprints: tuple[str, ...] | None
    ) -> tuple[Rows, pd.Index]:
        numbered = index.equals(pd.RangeIndex(len(index)))
        rows = cls(
            n=len(index),
            outside=int(extrapolation.sum()),
            row_labels=None if numbered else tuple(plain_label(value) for value in index),
            row_label_name=None if index.name is None else str(index.name),
            extrapolation=extrapolation,
            row_weights=weights,
            column_fingerprints=fingerprints,
        )
        return rows, index

    def only_counted(self) -> Rows:
        """The same without single rows."""
        return Rows(n=self.n, outside=self.outside)

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


def _columns(table: Table) -> Iterator[Any]:
    """The values of each column; labels of levels, since models have different codes for them."""
    for d, values in enumerate(table.values.T):
        if table.coding is not None and d in table.coding.categorical:
            yield "\n".join(str(table.coding[d].labels[int(code)]) for code in values)
        else:
            yield values


def extrapolates(table: Table, training: Array | None) -> Flags:
    """Which rows lie outside the cloud of data, in the continuous columns: levels that are unknown are errors."""
    columns = list(range(len(table.names)) if table.coding is None else table.coding.continuous)
    return outside(table.values[:, columns], None if training is None else training[:, columns])


# Which rows lie outside the cloud of data: there a model answers from its prior, and its sensitivities mean little.
# Distance is Mahalanobis, in the span of the cloud (its columns may be collinear, or more than its rows):
#
#     d²(x) = (x − m)ᵀ S⁺ (x − m),        m, S mean and covariance of the cloud.
#
# * The training inputs are known: a row is outside when it leaves their span, or is farther than the farthest of them
#   (the ellipsoid rule for hidden extrapolation in regression).
# * They are not: each row is judged against the others. For a Gaussian cloud of rank r, with d²₍ᵢ₎ the distance of row
#   i in the mean and covariance of the n − 1 others,
#
#     d²₍ᵢ₎ (n − 1)(n − 1 − r) / (n r (n − 2))  ~  F(r, n − 1 − r),
#
#   and a row is outside beyond the quantile 1 − 0.01/n: one chance in a hundred that a Gaussian cloud of any size has a
#   flag at all. With n ≤ r + 1 rows, each row is a separate direction: nothing can be compared, and none is flagged.


CHANCE_OF_A_FLAG = 0.01
OFF_SPAN = 1e-6  # of the length of the row, in standard deviations


def outside(rows: Array, training: Array | None) -> Flags:
    """True for the rows that lie outside the training inputs or, without them, away from the other rows."""
    n = len(rows)
    if not rows.shape[1]:
        return np.zeros(n, dtype=np.bool_)
    cloud = _Cloud.of(rows if training is None else training)
    distance2 = cloud.distance2(rows)
    if training is not None:
        # Rounding must not flag the farthest training row itself.
        farthest = float(cloud.distance2(training).max()) * (1.0 + 1e-9)
        return np.asarray(distance2 > farthest) | cloud.leaves_span(rows)
    rank = len(cloud.deviations)
    if rank == 0 or n <= rank + 1:
        return np.zeros(n, dtype=np.bool_)
    from scipy.stats import f

    # Leverage without the mean, h = d²/(n − 1) ≤ 1 − 1/n, gives the distance from the others without refitting.
    h = np.minimum(distance2 / (n - 1), 1.0 - 1.0 / n)
    with np.errstate(divide="ignore"):
        others = (n - 2) * (n / (n - 1)) ** 2 * h / (1.0 - h * n / (n - 1))
    statistic = others * (n - 1) * (n - 1 - rank) / (n * rank * (n - 2))
    return np.asarray(statistic > f.isf(CHANCE_OF_A_FLAG / n, rank, n - 1 - rank), dtype=np.bool_)


@dataclass(frozen=True)
class _Cloud:
    """Mean, and principal directions with their standard deviations, of columns brought to unit spread."""

    mean: Array
    spread: Array
    directions: Array  # (D, rank)
    deviations: Array  # (rank,)

    @classmethod
    def of(cls, rows: Array) -> _Cloud:
        mean, spread = rows.mean(axis=0), column_deviations(rows)
        # A constant column has no spread; its size decides which rows leave it.
        constant = spread <= 1e-12 * np.abs(mean)
        spread = np.where(constant, np.maximum(np.abs(mean), 1.0), spread)
        z = np.where(constant, 0.0, (rows - mean) / spread)
        # The triangle of a QR factorisation has the singular values of z, and is small however many rows there are.
        triangle = np.linalg.qr(z, mode="r")
        _, singular, directions = np.linalg.svd(triangle, full_matrices=False)
        kept = singular > max(rows.shape) * 1e-13 * max(singular.max(initial=0.0), 1e-300)
        return cls(mean, spread, directions[kept].T, singular[kept] / np.sqrt(max(len(rows) - 1, 1)))

    def distance2(self, rows: Array) -> Array:
        z = (rows - self.mean) / self.spread
        return np.asarray((((z @ self.directions) / self.deviations) ** 2).sum(axis=1), dtype=np.float64)

    def leaves_span(self, rows: Array) -> Flags:
        z = (rows - self.mean) / self.spread
        rest = z - (z @ self.directions) @ self.directions.T
        return np.asarray(np.linalg.norm(rest, axis=1) > OFF_SPAN * (1.0 + np.linalg.norm(z, axis=1)), dtype=np.bool_)
