"""Sums over rows: the local values of a chunk become `Sums`, and the sums of chunks add up.

With weights w_i and local values r_i, a column keeps

    n, W = Σ w_i, c = Σ w_i r_i / W, Σ w_i², Σ w_i² (r_i − c), √(Σ w_i² (r_i − c)²).

Its average is c, and the influence of row i on c is w_i (r_i − c)/W. So the standard error of c over rows is

    se² = n/(n − 1) Σ w_i² (r_i − c)² / W².

Sums around the mean lose no digits where rows hardly differ; `RowMoments.pooled` moves them to a common mean, exactly.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rsens._explain._intervals import Spread
from rsens._typing import Array, Flags

if TYPE_CHECKING:
    from rsens._explain._effects import Quantities


@dataclass(frozen=True, eq=False)
class RowMoments:
    """Weighted sums of some columns over some rows; see the top of this file."""

    rows: int
    counted: int  # rows with a weight above 0
    weight: float
    mean: Array  # 0 where no row counts
    squares: float
    first: Array
    error: Array

    @classmethod
    def of(cls, values: Array, weights: Array) -> RowMoments:
        """From values (n, columns) under weights (n,)."""
        total = float(weights.sum())
        with np.errstate(over="ignore", invalid="ignore"):  # columns that are not finite have no mean
            # Equal columns have equal sums, whatever is beside them: rows are added one by one, not by BLAS.
            values = np.ascontiguousarray(values)
            mean = np.zeros(values.shape[1])
            if total > 0.0:
                mean = ((weights / total)[:, np.newaxis] * values).sum(axis=0)
            away = weights[:, np.newaxis] * (values - mean)
            scale = _scale(np.abs(away).max(axis=0, initial=0.0))
            error = scale * np.sqrt(((away / scale) ** 2).sum(axis=0))
        return cls(
            len(values), int(np.count_nonzero(weights)), total, mean, float((weights**2).sum()), weights @ away, error
        )  # fmt: skip

    @classmethod
    def pooled(cls, cells: Sequence[RowMoments]) -> RowMoments:
        """The sums over all rows of several."""
        weight = sum(cell.weight for cell in cells)
        with np.errstate(over="ignore", invalid="ignore"):
            shares = np.array([cell.weight / weight if weight > 0.0 else 0.0 for cell in cells])
            means = np.array([cell.mean for cell in cells])
            mean = shares @ means
            first, error = (np.array([getattr(cell, name) for cell in cells]) for name in ("first", "error"))
            squares = np.array([cell.squares for cell in cells])[:, np.newaxis]
            moved = np.where(shares[:, np.newaxis] > 0.0, means - mean, 0.0)
            scale = _scale((error + np.abs(moved) * np.sqrt(squares)).max(axis=0))
            second = (error / scale) ** 2 + 2.0 * (moved / scale) * (first / scale) + (moved / scale) ** 2 * squares
            return cls(
                sum(cell.rows for cell in cells),
                sum(cell.counted for cell in cells),
                weight,
                mean,
                float(squares.sum()),
                (first + moved * squares).sum(axis=0),
                scale * np.sqrt(np.maximum(second.sum(axis=0), 0.0)),
            )

    @property
    def average(self) -> Array:
        """The mean; NaN where no row counts."""
        return self.mean if self.weight > 0.0 else np.full(len(self.mean), np.nan)

    @property
    def spread(self) -> Spread:
        """The standard error of the mean over rows; NaN where fewer than two rows count."""
        if self.counted < 2:
            return Spread.of(np.full(len(self.mean), np.nan), 1.0)
        return Spread.of(np.sqrt(self.counted / (self.counted - 1.0)) * self.error / self.weight, self.counted - 1.0)


def _scale(largest: Array) -> Array:
    """What values are divided by before they are squared, so that squares neither overflow nor vanish."""
    return np.where(np.isfinite(largest) & (largest > 0.0), largest, 1.0)


@dataclass(frozen=True, eq=False)
class LocalValues:
    """Values of single rows, and for rows that come in chunks their labels, weights and whether they extrapolate."""

    main: Array
    pairs: Array | None = None
    index: pd.Index | None = None
    outside: Flags | None = None
    weights: Array | None = None


@dataclass(frozen=True, eq=False)
class Sums:
    """Everything that an explanation takes from some rows; `+` adds other rows.

    `moments` has the columns "main", "pairs", "parts", "pair_parts", "direction", "size" (of the direction) and
    "effects"; ("by", label) for each subgroup; and (line, k) for the parts k of an effect that is a step.
    """

    family: str
    quantities: Quantities
    part_names: tuple[str, ...]
    pair_part_names: tuple[str, ...]
    lines: Mapping[Any, tuple[float, ...]]  # the lines of effects; of a step, the widths of its parts
    moments: Mapping[Hashable, RowMoments]
    draws: Array | None = None  # (draws, terms) sums of R-sens of each posterior draw
    draw_weights: Array | None = None
    label_order: tuple[Any, ...] | None = None  # of subgroups, if they are categories
    outside: int = 0  # how many rows extrapolate, of rows in chunks
    local: tuple[LocalValues, ...] | None = None

    def __add__(self, other: Sums) -> Sums:
        keys = dict.fromkeys([*self.moments, *other.moments])
        having = {key: [each.moments[key] for each in (self, other) if key in each.moments] for key in keys}
        return replace(
            self,
            moments={key: RowMoments.pooled(cells) for key, cells in having.items()},
            draws=None if self.draws is None or other.draws is None else self.draws + other.draws,
            outside=self.outside + other.outside,
            local=None if self.local is None or other.local is None else self.local + other.local,
        )

    @property
    def main(self) -> RowMoments:
        """R-sens of each term."""
        return self.moments["main"]

    @property
    def pairs(self) -> RowMoments | None:
        """R-sens₂ of each pair."""
        return self.moments.get("pairs")

    @property
    def local_main(self) -> Array | None:
        """R-sens of each row and term, if it was kept."""
        return None if self.local is None else np.concatenate([each.main for each in self.local])

    @property
    def local_pairs(self) -> Array | None:
        """R-sens₂ of each row and pair, if it was kept."""
        pairs = [] if self.local is None else [each.pairs for each in self.local if each.pairs is not None]
        return np.concatenate(pairs) if pairs else None
