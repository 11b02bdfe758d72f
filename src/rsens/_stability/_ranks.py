"""Ranks, how often each term has each of them, and the entropy of that."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

from rsens._typing import Array

Ranks = NDArray[np.int64]


def ranks_of(values: Array, ties: NDArray[np.int64]) -> Ranks:
    """Ranks 1 … T of the last axis, 1 for the largest value; among equal values the lower `ties` (T,) leads.

    Every row is a permutation, which makes the table of rank shares doubly stochastic.
    """
    order = np.lexsort((np.broadcast_to(ties, values.shape), -values), axis=-1)
    ranks = np.empty(values.shape, dtype=np.int64)
    np.put_along_axis(ranks, order, np.broadcast_to(np.arange(1, values.shape[-1] + 1), values.shape), axis=-1)
    return ranks


def rank_shares(ranks: Ranks) -> Array:
    """The share of samples in which each term (rows) has each rank (columns), (T, T), from ranks (S, T)."""
    samples, terms = ranks.shape
    counts = np.zeros((terms, terms))
    np.add.at(counts, (np.broadcast_to(np.arange(terms), ranks.shape), ranks - 1), 1.0)
    return counts / samples


def entropy(shares: Array) -> float:
    """The mean over ranks of −Σ_t p_t log p_t, with p_t the share of samples in which term t has that rank.

    From 0 (one ranking only) to log T (every term anywhere). Rows and columns of the table each add up to 1, so the
    mean entropy of its columns (terms at a rank) equals the mean entropy of its rows (ranks of a term).
    """
    return float(entr(shares).sum() / len(shares))
