"""Columns that others determine, of which a product can hardly be told from a square."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from rsens._typing import Array

#: Above this variance inflation, a pair that is not marked "cannot be told" rather than "adds up".
MOST_INFLATION = 5.0


def variance_inflation(rows: Array, categorical: Mapping[int, int], members: Sequence[Sequence[int]]) -> Array:
    """VIF_t = 1/(1 − R²_t), with the adjusted R² of each term given all others; 1 for a term that is constant.

    Levels enter as indicators. The R² of a term of several columns, indicators or a group, is the explained share of
    their variance.
    """
    n = len(rows)
    terms = [np.concatenate([_block(rows[:, d], categorical.get(d)) for d in columns], axis=1) for columns in members]
    inflation = np.ones(len(terms))
    for d, block in enumerate(terms):
        total = float(np.sum(block**2))
        if total == 0.0:
            continue
        others = np.concatenate([np.zeros((n, 1)), *(other for e, other in enumerate(terms) if e != d)], axis=1)
        U, s, _ = np.linalg.svd(others, full_matrices=False)
        rank = int(np.count_nonzero(s > 1e-9 * max(s[0], 1e-300)))
        unexplained = max(0.0, 1.0 - float(np.sum((U[:, :rank].T @ block) ** 2)) / total)
        if rank >= n - 1:
            continue  # as many columns as rows: everything is explained, which says nothing
        adjusted = min(1.0, unexplained * (n - 1) / (n - 1 - rank))
        inflation[d] = np.inf if adjusted < 1e-12 else 1.0 / adjusted
    return inflation


def _block(column: Array, n_levels: int | None) -> Array:
    """A column as the regression sees it, centred and scaled: itself, or indicators of its levels."""
    values = column[:, None] if n_levels is None else (column[:, None] == np.arange(n_levels)).astype(np.float64)
    centred = values - values.mean(axis=0)
    size = float(np.sqrt(np.sum(centred**2)))
    return np.asarray(centred / size if size > 1e-12 * (float(np.sqrt(np.sum(values**2))) or 1.0) else 0.0 * centred)
