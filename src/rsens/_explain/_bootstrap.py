"""Sums over rows, and the Poisson bootstrap of those sums, in one pass.

In the ordinary bootstrap row i is drawn k_i times, with (k_1 … k_n) multinomial. The Poisson bootstrap draws each
k_i ~ Poisson(1) on its own, so no row needs to know of the others and nothing is kept but the sums Σ k_i w_i r_i and
Σ k_i w_i per replicate. Rows are numbered, from `first_row` on, and the counts of a row depend on its number and the
seed alone: they come from a generator keyed by the number of the block that the row is in. So neither the size of the
chunks in which rows arrive nor a cut into parts changes them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from math import factorial

import numpy as np

from rsens._typing import Array

#: Rows per block: fixed, since the counts drawn and the order of summation depend on it.
BLOCK = 256


@dataclass(frozen=True)
class RowSums:
    """Weighted sums over rows: of every column, and per bootstrap replicate of the first columns."""

    mass: float  # Σ w_i
    total: Array  # Σ w_i r_i, (columns,)
    replicate_mass: Array  # Σ k_ib w_i, (replicates,)
    replicate_total: Array  # Σ k_ib w_i r_i, (replicates, bootstrapped columns)

    def mean(self) -> Array:
        """Σ w_i r_i / Σ w_i; 0 where no row counts."""
        return self.total / self.mass if self.mass > 0.0 else self.total

    def replicate_means(self) -> Array:
        """Σ k_ib w_i r_i / Σ k_ib w_i; replicates that drew no row at all are left out."""
        drawn = self.replicate_mass > 0.0
        return self.replicate_total[drawn] / self.replicate_mass[drawn, np.newaxis]


def row_sums(
    chunks: Iterable[Array],
    weights: Array,
    *,
    bootstrapped: int = 0,
    n_bootstrap: int = 0,
    seed: np.random.SeedSequence | None = None,
    first_row: int = 0,
) -> RowSums:
    """Sum the rows that arrive in `chunks`, each (rows, columns), under `weights` (n,).

    The first `bootstrapped` columns are also summed in `n_bootstrap` replicates.
    """
    summer = RowSummer(weights, bootstrapped=bootstrapped, n_bootstrap=n_bootstrap, seed=seed, first_row=first_row)
    for chunk in chunks:
        summer.add(chunk)
    return summer.sums()


class RowSummer:
    """`row_sums` of chunks that are added one by one. All columns are bootstrapped unless `bootstrapped` is given.

    The same seed draws the same rows, whatever is summed. `first_row` is the number of the first row, where these are
    part of more rows.
    """

    def __init__(
        self,
        weights: Array,
        *,
        bootstrapped: int | None = None,
        n_bootstrap: int = 0,
        seed: np.random.SeedSequence | None = None,
        first_row: int = 0,
    ) -> None:
        self._weights, self._bootstrapped, self._n_bootstrap, self._seed = weights, bootstrapped, n_bootstrap, seed
        self._first = self._row = first_row
        self._held: list[Array] = []
        self._count = 0
        self._total: Array | None = None
        self._replicates: Array | None = None

    def add(self, chunk: Array) -> None:
        """The next rows. They are summed in blocks of `BLOCK`; only the first and the last may be shorter."""
        while self._count + len(chunk) >= (room := BLOCK - self._row % BLOCK):
            cut = room - self._count
            self._sum(np.concatenate([*self._held, chunk[:cut]]))
            self._held, self._count, chunk = [], 0, chunk[cut:]
        if len(chunk):
            self._held.append(chunk)
            self._count += len(chunk)

    def sums(self) -> RowSums:
        """What all rows add up to."""
        if self._held:
            self._sum(np.concatenate(self._held))
            self._held = []
        assert self._total is not None  # a table has at least one row
        assert self._replicates is not None
        return RowSums(float(self._total[0]), self._total[1:], self._replicates[:, 0], self._replicates[:, 1:])

    def _sum(self, block: Array) -> None:
        columns = 1 + (block.shape[1] if self._bootstrapped is None else self._bootstrapped)
        start = self._row - self._first
        w = self._weights[start : start + len(block), np.newaxis]
        weighted = np.concatenate([w, w * block], axis=1)
        if self._replicates is None:
            self._replicates = np.zeros((self._n_bootstrap, columns))
        self._total = weighted.sum(axis=0) if self._total is None else self._total + weighted.sum(axis=0)
        if self._n_bootstrap:
            number, place = divmod(self._row, BLOCK)
            k = _counts(self._seed, number, self._n_bootstrap)[:, place : place + len(block)]
            self._replicates += k @ weighted[:, :columns]
        self._row += len(block)


def percentiles(replicates: Array, level: float) -> Array:
    """The central interval that holds `level` of the replicates, (2, columns); NaN without replicates."""
    if not len(replicates):
        return np.full((2, replicates.shape[1]), np.nan)
    tail = (1.0 - level) / 2.0
    return np.asarray(np.quantile(replicates, [tail, 1.0 - tail], axis=0), dtype=np.float64)


def _counts(seed: np.random.SeedSequence | None, number: int, n_bootstrap: int) -> Array:
    """How often each row of a block is drawn in each replicate, (replicates, BLOCK): Poisson(1), for a full block.

    By inversion on a grid of 2⁻¹⁶: several times faster than `Generator.poisson`, and as good for this purpose.
    """
    assert seed is not None
    child = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, number))
    uniform = np.random.default_rng(child).integers(2**16, size=(n_bootstrap, BLOCK), dtype=np.uint16)
    return _poisson_quantiles()[uniform]


@cache
def _poisson_quantiles() -> Array:
    """The quantile of Poisson(1) at (u + ½)/2¹⁶ for u = 0 … 2¹⁶ − 1."""
    distribution = np.cumsum([np.exp(-1.0) / factorial(k) for k in range(12)])
    return np.searchsorted(distribution, (np.arange(2**16) + 0.5) / 2**16).astype(np.float64)
