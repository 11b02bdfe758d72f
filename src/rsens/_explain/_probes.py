"""Conditional probes: columns that go with the other columns of X as the real one does, and have nothing to do with y.

A shuffled copy of a column loses its relation with y, but also its collinearity, and collinear columns reach higher
values even where they are irrelevant. So only the part that the other columns do not explain is shuffled (as in
conditional permutation importance, Strobl et al., 2008, and model-X knockoffs, Candès et al., 2018, whose exact version
needs the joint distribution of the columns).

**Numbers.** Regress column x on all other columns, categories as indicators: fitted values h, R². With few rows R² is
too high, so take a = adjusted R², at least 0, and shrink:

    h′ = mean + √(a/R²) (h − mean),  e = x − h′, centred and brought to the variance (1 − a) var(x),  probe = h′ + e[π]

with a random permutation π of the rows. For a = 0 the probe is the shuffled column.

**Levels.** The same regression of the indicators gives probabilities p of every level in every row, shrunk in the same
way, clipped to [0.001, 0.999] and brought to the sum 1. The level with the largest log p + g, g standard Gumbel, has
these probabilities (McFadden, 1974). We draw g given the level that the row has, move it to other rows as we move e,
and assign levels so that each keeps its count, the rarest first. With two levels, one goes to the rows with the largest
logit p + logistic noise.

**Rank.** Columns that are exact sums of others, and more columns than rows, need no special case: we regress on the
leading principal components of the other columns, without zeros, and at most half as many as there are rows.
Adjusted R² counts these. a is at most 0.999, so that the variance inflation 1/(1 − a) stays finite.

**Clusters.** The e, or g, of a cluster of rows move together to another cluster. A column that is constant within
clusters stays so: it is treated in the table of cluster means, with one row per cluster. For other columns adjusted R²
counts n / (1 + (m − 1) ρ) rows, with m rows per cluster and ρ the intraclass correlation of the column (Kish, 1965).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import eigh

from rsens._table import column_deviations
from rsens._typing import Array, Flags, Positions

MOST_EXPLAINED = 0.999
CLIP = 0.001

#: From a random generator and the rows that move to the places 0, 1, …: the values of a probe in these places.
_Column = Callable[[np.random.Generator, Positions], Array]


@dataclass(frozen=True, eq=False)
class Shuffle:
    """The rows that may change places in a probe: any with any or, with `clusters`, whole clusters.

    Rows that depend on one another in another way need another `draw` and another `independent`, and nothing else.
    """

    n: int
    clusters: Positions | None = None

    def draw(self, rng: np.random.Generator) -> Positions:
        """Which row moves to each place; within a cluster at random, or visits would keep their order."""
        if self.clusters is None:
            return rng.permutation(self.n)
        rows = np.empty(self.n, dtype=np.intp)
        places = np.split(np.argsort(self.clusters, kind="stable"), np.cumsum(np.bincount(self.clusters))[:-1])
        for place, other in zip(places, rng.permutation(len(places)), strict=True):
            rows[place] = rng.choice(places[other], len(place), replace=len(places[other]) < len(place))
        return rows

    def independent(self, x: Array) -> float:
        """How many independent rows x (n, m) is worth: n / (1 + (m − 1) ρ), ρ from an analysis of variance."""
        n, clusters = self.n, self.clusters
        if clusters is None:
            return float(n)
        counts = np.bincount(clusters)
        means = np.stack([np.bincount(clusters, column) for column in x.T], axis=1) / counts[:, np.newaxis]
        m, c = n / len(counts), len(counts)
        within = float(np.sum((x - means[clusters]) ** 2)) / max(n - c, 1)
        between = float(np.sum(counts[:, np.newaxis] * (means - x.mean(axis=0)) ** 2)) / (c - 1)
        spread = between + (m - 1.0) * within
        rho = min(max((between - within) / spread, 0.0), 1.0) if spread > 0.0 else 0.0
        return n / (1.0 + (m - 1.0) * rho)


@dataclass(frozen=True)
class ProbeSource:
    """One term of k columns that probes can be made of. `explained` is a, of a single column; of a group it is 0."""

    columns: tuple[int, ...]
    explained: float
    _draws: tuple[_Column, ...]
    _shuffle: Shuffle
    _places: Positions | None  # of the n rows in the table of cluster means, for a term constant within clusters

    @property
    def inflation(self) -> float:
        """The variance inflation factor 1/(1 − a)."""
        return 1.0 / (1.0 - self.explained)

    def probe(self, rng: np.random.Generator) -> Array:
        """A new probe, shape (n, k): the only place where one is drawn. The columns of a group move together."""
        rows = self._shuffle.draw(rng)
        values = np.column_stack([draw(rng, rows) for draw in self._draws])
        return values if self._places is None else values[self._places]


def sources_of(
    values: Array, members: tuple[tuple[int, ...], ...], contrasts: tuple[int, ...], clusters: Positions | None = None
) -> list[ProbeSource]:
    """The source of each term: `members` are the positions of its columns, `contrasts` of the columns with levels."""
    whole, means = _Others.of(values, contrasts, Shuffle(len(values), clusters)), None
    of_clusters = values if clusters is None else values[np.unique(clusters, return_index=True)[1]]
    constant = np.zeros(0) if clusters is None else (values == of_clusters[clusters]).all(axis=0)  # within clusters
    sources = []
    for columns in members:
        own, others, places = values, whole, None
        if clusters is not None and constant[list(columns)].all():
            means = means or whole.averaged(clusters)
            own, others, places = of_clusters, means, clusters
        made = [(_levels if d in contrasts else _number)(own[:, d], others, columns) for d in columns]
        explained = made[0][1] if len(columns) == 1 else 0.0
        sources.append(ProbeSource(columns, explained, tuple(draw for draw, _ in made), others.shuffle, places))
    return sources


@dataclass(frozen=True)
class _Others:
    """The regressors: all columns as numbers Z = QR, standardised; `owner[p]` is the column of Z_p."""

    z: Array  # (n, P)
    q: Array
    r: Array
    owner: Positions
    shuffle: Shuffle

    @classmethod
    def of(cls, values: Array, contrasts: tuple[int, ...], shuffle: Shuffle) -> _Others:
        columns, owner = [], []
        for d, column in enumerate(values.T):
            made = [column == level for level in np.unique(column)[1:]] if d in contrasts else [column]
            columns += made
            owner += [d] * len(made)
        return cls._of(np.column_stack(columns).astype(np.float64), np.array(owner, dtype=np.intp), shuffle)

    @classmethod
    def _of(cls, z: Array, owner: Positions, shuffle: Shuffle) -> _Others:
        sd = column_deviations(z)
        z, owner = z[:, sd > 0.0] / sd[sd > 0.0], owner[sd > 0.0]
        z = z - z.mean(axis=0)
        q, r = np.linalg.qr(z)
        return cls(z, q, r, owner, shuffle)

    def averaged(self, clusters: Positions) -> _Others:
        """The same in the table of cluster means."""
        counts = np.bincount(clusters)
        sums = np.zeros((len(counts), self.z.shape[1]))
        np.add.at(sums, clusters, self.z)
        return self._of(sums / counts[:, np.newaxis], self.owner, Shuffle(len(counts)))

    def explain(self, y: Array, but: tuple[int, ...]) -> tuple[Array, float]:
        """Regression of y (n, m) on all columns `but` these, shrunk: √(a/R²) (h − mean), and a."""
        n = self.shuffle.independent(y)
        centred = y - y.mean(axis=0)
        basis = self.q @ self._leading(~np.isin(self.owner, but), max(0, int((n - 1.0) // 2.0)))
        rank = basis.shape[1]
        fitted = basis @ (basis.T @ centred)
        total = float(np.sum(centred**2))
        r2 = float(np.sum(fitted**2)) / total if total > 0.0 else 0.0
        a = 1.0 - (1.0 - r2) * (n - 1.0) / (n - 1.0 - rank) if rank else 0.0
        a = min(max(a, 0.0), MOST_EXPLAINED)
        return (fitted * np.sqrt(a / r2) if a > 0.0 else np.zeros_like(fitted)), a

    def _leading(self, chosen: Flags, most: int) -> Array:
        """The leading left singular vectors of columns of R; if there are more, eigenvectors of RRᵀ, much faster."""
        columns = len(self.r)
        if 0 < most < min(columns, int(chosen.sum())):
            left_out = self.r[:, ~chosen]
            values, vectors = eigh(self._gram - left_out @ left_out.T, subset_by_index=[columns - most, columns - 1])
            if values[0] > 1e-10 * values[-1]:  # else rounding decides what is above 0
                return np.asarray(vectors[:, ::-1])
        u, s, _ = np.linalg.svd(self.r[:, chosen], full_matrices=False)
        return u[:, : min(int(np.sum(s > 1e-8 * s.max(initial=0.0))), most)]

    @cached_property
    def _gram(self) -> Array:
        return self.r @ self.r.T


def _number(x: Array, others: _Others, but: tuple[int, ...]) -> tuple[_Column, float]:
    """How to draw a probe of a column of numbers, and a."""
    scale = float(np.abs(x).max()) or 1.0  # squares of tiny and huge values stay within float64
    shrunk, a = others.explain(x[:, np.newaxis] / scale, but)
    if a == 0.0:
        return lambda rng, rows: x[rows], 0.0
    h = x.mean() + scale * shrunk[:, 0]
    e = x - h
    e = e - e.mean()
    e = e * np.sqrt(1.0 - a) * np.std(x / scale) / np.std(e / scale)
    return lambda rng, rows: h + e[rows], a


def _levels(x: Array, others: _Others, but: tuple[int, ...]) -> tuple[_Column, float]:
    """How to draw a probe of a column of levels, and a."""
    levels, codes = np.unique(x, return_inverse=True)
    codes = codes.reshape(-1)
    indicators = np.eye(len(levels))[codes]
    shrunk, a = others.explain(indicators, but)
    if a == 0.0:
        return lambda rng, rows: x[rows], 0.0
    p = np.clip(indicators.mean(axis=0) + shrunk, CLIP, 1.0 - CLIP)
    log_p = np.log(p / p.sum(axis=1, keepdims=True))
    counts = indicators.sum(axis=0).astype(np.intp)
    return lambda rng, rows: levels[assign(log_p + gumbel_given(codes, log_p, rng)[rows], counts)], a


def gumbel_given(codes: Positions, log_p: Array, rng: np.random.Generator) -> Array:
    """Standard Gumbel noise g (n, L), given that log p + g is largest at the codes.

    The largest is itself Gumbel, as Σp = 1; the others are Gumbel around log p cut off there (Maddison, Tarlow and
    Minka, 2014).
    """
    rows = np.arange(len(codes))
    largest = -np.log(rng.exponential(size=len(codes)))
    below = -np.log(np.exp(-largest)[:, np.newaxis] + rng.exponential(size=log_p.shape) * np.exp(-log_p))
    below[rows, codes] = largest
    return np.asarray(below - log_p)


def assign(utility: Array, counts: Positions) -> Positions:
    """A level for each row, by its utilities (n, L), so that level l goes to counts[l] rows; the rarest chooses first.

    It takes the rows where its utility is furthest above the largest of the levels that are still to choose.
    """
    codes = np.empty(len(utility), dtype=np.intp)
    free = np.arange(len(utility))
    order = np.argsort(counts, kind="stable")
    for k, level in enumerate(order[:-1]):
        lead = utility[free, level] - utility[np.ix_(free, order[k + 1 :])].max(axis=1)
        first = np.argsort(-lead, kind="stable")
        codes[free[first[: counts[level]]]] = level
        free = np.sort(free[first[counts[level] :]])
    codes[free] = order[-1]
    return codes
