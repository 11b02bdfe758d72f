"""Columns that determine one another: a total and its parts, the same thing measured twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.linalg import eigh

from rsens._table import columns_of_labels
from rsens._typing import Array
from rsens.measures import Terms

#: A term is collinear if the others explain this share of its variance (adjusted R²).
HIGH = 0.95
#: The most columns that are named together.
MOST = 8
#: Below this share of the variance, what is left is rounding.
EXACT = 1e-9
#: Smaller eigenvalues of a correlation matrix count as 0.
LEAST_EIGENVALUE = 1e-12


@dataclass(frozen=True)
class CollinearSet:
    """Terms that belong together, how much of the first is explained by the others, and the sum that they are."""

    names: tuple[str, ...]
    r2: float
    formula: str | None


def collinear_sets(X: pd.DataFrame, terms: Terms) -> list[CollinearSet]:
    """The small sets of terms in which one is nearly a linear function of the others; levels count as indicators."""
    blocks = _blocks(X, terms)
    n, width = len(X), sum(block.shape[1] for block in blocks)
    # With few degrees of freedom left, columns without any relation can seem to determine one another.
    if n - 1 - width < 10 or len(blocks) < 2:
        return []
    ends = np.cumsum([0, *(block.shape[1] for block in blocks)])
    places = [list(range(ends[t], ends[t + 1])) for t in range(len(blocks))]
    design = np.concatenate(blocks, axis=1)
    search = _Search(design.T @ design / n, places, n)
    found: list[tuple[int, ...]] = []
    for t in sorted(range(len(blocks)), key=search.left.__getitem__):
        if search.left[t] < 1.0 - HIGH and not any(t in members for members in found):
            members = search.members(t)
            if members:
                found.append((t, *members))
    exact = [each for each in found if search.unexplained(each[0], list(each[1:])) < EXACT]
    sets = []
    for first, *others in (*exact, *_merged([each for each in found if each not in exact])):
        left = search.unexplained(first, others)
        members = sorted([first, *others])
        formula = _formula(members, X, terms) if left < EXACT else None
        sets.append(CollinearSet(tuple(terms.names[t] for t in members), 1.0 - left, formula))
    return sets


@dataclass
class _Search:
    """Which other terms explain a term, from the correlations of all columns.

    left: The share of the variance of each term that all others leave unexplained.
    """

    correlations: Array
    places: list[list[int]]
    n: int

    def __post_init__(self) -> None:
        eigenvalues, vectors = eigh(self.correlations)
        root = vectors / np.sqrt(np.maximum(eigenvalues, LEAST_EIGENVALUE))
        # The covariance of a block given all others is the inverse of its block of the precision matrix.
        self.left = [
            self._adjusted(float(np.trace(np.linalg.inv(root[own] @ root[own].T))) / len(own), len(root) - len(own))
            for own in self.places
        ]

    def members(self, t: int) -> list[int]:
        """The fewest terms, found one after the other, that explain as much as all others do, or nearly."""
        enough = max(3.0 * self.left[t], EXACT)
        chosen: list[int] = []
        while len(chosen) < MOST - 1 and self.unexplained(t, chosen) > enough:
            if len(chosen) == len(self.places) - 1:
                break
            rest = [e for e in range(len(self.places)) if e not in (t, *chosen)]
            chosen.append(min(rest, key=lambda e: self.unexplained(t, [*chosen, e])))
        reached = max(enough, self.unexplained(t, chosen))
        for e in list(chosen):
            fewer = [other for other in chosen if other != e]
            if self.unexplained(t, fewer) <= reached:
                chosen = fewer
        return chosen if self.unexplained(t, chosen) < 1.0 - HIGH else []

    def _columns(self, terms: list[int]) -> list[int]:
        return [column for t in terms for column in self.places[t]]

    def _slopes(self, by: list[int], of: list[int]) -> Array:
        G = self.correlations
        return np.asarray(np.linalg.lstsq(G[np.ix_(by, by)], G[np.ix_(by, of)], rcond=LEAST_EIGENVALUE)[0])

    def unexplained(self, t: int, others: list[int]) -> float:
        """The share of the variance of a term that these leave unexplained."""
        own, by = self.places[t], self._columns(others)
        if not by:
            return 1.0
        G, slopes = self.correlations, self._slopes(by, own)
        explained = float(np.sum(slopes * G[np.ix_(by, own)])) / len(own)
        return self._adjusted(max(0.0, 1.0 - explained), len(by))

    def _adjusted(self, unexplained: float, width: int) -> float:
        return unexplained * (self.n - 1) / (self.n - 1 - width)


def _blocks(X: pd.DataFrame, terms: Terms) -> list[Array]:
    """The columns of every term, standardised; a category has an indicator for every level but its first."""
    labels = columns_of_labels(X)
    blocks = []
    for members in terms.members:
        parts = []
        for d in members:
            column = X.iloc[:, d]
            if d in labels:
                codes, levels = pd.factorize(column)
                parts.append((codes[:, None] == np.arange(1, len(levels))).astype(np.float64))
            else:
                parts.append(column.to_numpy(dtype=np.float64)[:, None])
        values = np.concatenate(parts, axis=1)
        values = values / np.maximum(np.abs(values).max(axis=0), 1e-300)  # large numbers can be squared
        centred = values - values.mean(axis=0)
        blocks.append(centred / np.maximum(centred.std(axis=0), 1e-300))
    return blocks


def _merged(found: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Sets that share a term are one: several measurements of one thing."""
    merged: list[tuple[int, ...]] = []
    for members in found:
        touching = [each for each in merged if set(each) & set(members)]
        merged = [each for each in merged if each not in touching]
        merged.append(tuple(dict.fromkeys(t for each in (*touching, members) for t in each)))
    return merged


def _formula(members: list[int], X: pd.DataFrame, terms: Terms) -> str | None:
    """total = a + b, if one column is the sum of the others, up to a constant; else None."""
    labels = columns_of_labels(X)
    if any(len(terms.members[t]) > 1 or terms.members[t][0] in labels for t in members):
        return None
    columns = {terms.names[t]: X.iloc[:, terms.members[t][0]].to_numpy(dtype=np.float64) for t in members}
    for total, values in columns.items():
        parts: dict[str, Any] = {name: part for name, part in columns.items() if name != total}
        rest = values - sum(parts.values())
        if np.ptp(rest) <= 1e-9 * max(np.abs(part).max() for part in columns.values()):
            return f"{total} = {' + '.join(parts)}" if abs(rest.mean()) <= 1e-9 * np.abs(values).max() else None
    return None
