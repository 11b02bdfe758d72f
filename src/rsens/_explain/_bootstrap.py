"""Sums over rows, and the Poisson bootstrap of those sums, in one pass.

In the ordinary bootstrap row i is drawn k_i times, with (k_1 … k_n) multinomial. The Poisson bootstrap draws each
k_i ~ Poisson(1) on its own, so no row needs to know of the others and nothing is kept but the sums Σ k_i w_i r_i and
Σ k_i w_i per replicate. The counts of a block of rows come from a generator keyed by the number of that block, so the
size of the chunks in which rows arrive changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
        """Σ w_i r_i / Σ w_i."""
        return self.total / self.mass

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
) -> RowSums:
    """Sum the rows that arrive in `chunks`, each (rows, columns), under `weights` (n,).

    The first `bootstrapped` columns are also summed in `n_bootstrap` replicates.
    """
    start = 0
    total: Array | None = None
    replicates = np.zeros((n_bootstrap, 1 + bootstrapped))
    for number, block in enumerate(_blocks(chunks)):
        w = weights[start : start + len(block), np.newaxis]
        start += len(block)
        weighted = np.concatenate([w, w * block], axis=1)
        total = weighted.sum(axis=0) if total is None else total + weighted.sum(axis=0)
        if n_bootstrap:
            k = _counts(seed, number, n_bootstrap)[:, : len(block)]
            replicates += k @ weighted[:, : 1 + bootstrapped]
    assert total is not None  # a table has at least one row
    return RowSums(float(total[0]), total[1:], replicates[:, 0], replicates[:, 1:])


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


def _blocks(chunks: Iterable[Array]) -> Iterator[Array]:
    """The same rows, cut into blocks of `BLOCK` rows; only the last may be shorter."""
    held: list[Array] = []
    count = 0
    for chunk in chunks:
        while count + len(chunk) >= BLOCK:
            cut = BLOCK - count
            yield np.concatenate([*held, chunk[:cut]])
            held, count, chunk = [], 0, chunk[cut:]
        if len(chunk):
            held.append(chunk)
            count += len(chunk)
    if held:
        yield np.concatenate(held)
