"""The rows that a GP is fitted to, and draws of them for a sparse GP of many rows.

Some thousand rows determine the hyperparameters as well as anyone needs, and a search takes a hundred passes; the
posterior needs all rows, but only a few passes. Rows are drawn by keys, hashes of their numbers: the same rows however
the data are sorted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rsens._contents import Keys, contents, distinct, mixed
from rsens._typing import Array, Positions
from rsens.likelihoods import Likelihood

#: The most rows for a search of hyperparameters with inducing inputs.
SEARCH_ROWS = 5000
#: The least rows of them with another class or count than the most common one.
LEAST_RARE = 500
#: If M is ours to choose, inducing inputs are enough when they leave no row more than this share of the prior variance.
ENOUGH = 1e-6
#: The share of the rows that is drawn by level, so that rare levels are among them; the others are drawn evenly.
BY_LEVEL = 0.2
#: A column has levels if this many rows show at most that many values of it.
SEEN_ROWS, MOST_LEVELS = 1000, 200


@dataclass(frozen=True, eq=False)
class Data:
    """Rows X and targets y, where y depends on mean + f + offset.

    `keys` and `columns` (see `contents`) come from the numbers as they were given, since rounding in the units of X and
    y depends on the order of the rows. `thinned` is the most common y and the relative chance of its rows to be here.
    """

    X: Array
    y: Array
    offset: Array
    mean: float = 0.0
    keys: Keys | None = None
    columns: Positions | None = None
    thinned: tuple[float, float] | None = None

    def rows(self, rows: NDArray[np.intp]) -> Data:
        keys = None if self.keys is None else self.keys[rows]
        return replace(self, X=self.X[rows], y=self.y[rows], offset=self.offset[rows], keys=keys)

    @property
    def residual(self) -> Array:
        """The part of y that f and Gaussian noise have to explain."""
        return self.y - self.mean - self.offset

    def density(self, likelihood: Likelihood) -> Density:
        """p(y | f) among these rows."""
        return likelihood if self.thinned is None else ThinnedDensity(likelihood, *self.thinned)

    @property
    def column_ranks(self) -> Positions:
        """The place of each column in the order of the columns."""
        columns = contents(self.X, self.y, self.offset)[1] if self.columns is None else self.columns
        return np.argsort(columns)

    @property
    def ordered(self) -> Data:
        """The same rows in an order of their own, by y, offset, then X: a choice by place is a choice of rows."""
        columns = self.X.T[np.argsort(self.column_ranks)]
        return self.rows(np.lexsort((*columns[::-1], self.offset, self.y)))

    def drawn(self, n: int, rng: np.random.Generator) -> Data:
        """n of the rows, the same ones whatever the order of the rows, with those of rare levels among them."""
        return self.rows(self._draw(np.arange(len(self.y)), n, rng))

    def thinned_to(self, n: int, least_rare: int, rng: np.random.Generator) -> Data:
        """n of the rows; at least this many (or all) of those whose y is not the most common one."""
        values, counts = np.unique(self.y, return_counts=True)
        common = float(values[np.argmax(counts)])
        rare, others = np.flatnonzero(self.y != common), np.flatnonzero(self.y == common)
        n_rare = min(least_rare, len(rare))
        if n_rare <= n * len(rare) / len(self.y):  # an even draw has as many
            return self.drawn(n, rng)
        rows = np.concatenate([self._draw(rare, n_rare, rng), self._draw(others, n - n_rare, rng)])
        rate = (n - n_rare) / len(others) * len(rare) / n_rare
        return replace(self.rows(rows), thinned=(common, rate))

    def _draw(self, among: NDArray[np.intp], n: int, rng: np.random.Generator) -> NDArray[np.intp]:
        keys = contents(self.X, self.y, self.offset)[0] if self.keys is None else self.keys
        return among[draw_rows(self.X[among], keys[among], n, rng)]


def searched_rows(data: Data, likelihood: Likelihood, most: int, rng: np.random.Generator) -> Data:
    """The rows that hyperparameters are learned from: all, or a draw of `most` (see `ThinnedDensity`)."""
    if len(data.y) <= most:
        return data
    rng = rng.spawn(1)[0]
    return data.drawn(most, rng) if likelihood.target == "numbers" else data.thinned_to(most, LEAST_RARE, rng)


def draw_rows(X: Array, keys: Keys, n: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """n rows without replacement, in the order of their places; rows of rare levels are more likely than others.

    Each row waits for an exponential time with its weight as rate, and the first n come (Efraimidis, Spirakis 2006). A
    choice by x changes nothing about y given x, so a fit to these rows needs no correction.
    """
    salt = np.uint64(rng.integers(2**63))
    uniform = (mixed(distinct(keys) ^ salt) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    seen, weights, by_level = np.argsort(uniform)[:SEEN_ROWS], np.ones(len(X)), []
    for column in X.T:
        if 1 < len(np.unique(column[seen])) <= MOST_LEVELS:
            _, level, counts = np.unique(column, return_inverse=True, return_counts=True)
            by_level.append((len(X) / (len(counts) * counts))[level])
    if by_level:
        weights = (1.0 - BY_LEVEL) * weights + BY_LEVEL * np.mean(by_level, axis=0)
    return np.sort(np.argpartition(-np.log1p(-uniform) / weights, n - 1)[:n])


@dataclass(frozen=True, eq=False)
class ThinnedDensity:
    """p(y | f) among rows of which the common ones were thinned out, as far as Laplace's method asks for it.

    If nearly all classes or counts are the same, say 0, the few others say most about f. A draw keeps them, and of the
    common rows a share r. Among the rows kept, y has the density

        p̃(y | f) = r^[y = common] p(y | f)/(1 − c p(common | f)),  c = 1 − r,

    which has the same f: so hyperparameters that are learned with p̃ on such a draw are those of the model of all rows.
    With the logit link, p̃ is a shift of f, known from case-control studies (Prentice and Pyke 1979).
    With l = log p(common | f) and u = c eˡ/(1 − c eˡ), ∂u = u(1 + u)∂l, and log p̃ − log p has the derivative u ∂l.
    """

    likelihood: Likelihood
    common: float
    rate: float  # r

    def log_density(self, y: Array, f: Array) -> Array:
        kept = np.where(y == self.common, np.log(self.rate), 0.0) - np.log(self._denominator(f))
        return self.likelihood.log_density(y, f) + kept

    def f_derivatives(self, y: Array, f: Array) -> tuple[Array, Array, Array]:
        first, second, third = self.likelihood.f_derivatives(y, f)
        l1, l2, l3 = self.likelihood.f_derivatives(np.full_like(y, self.common), f)
        u = self._u(f)
        du = u * (1.0 + u)
        return (
            first + u * l1,
            second + du * l1**2 + u * l2,
            third + du * (1.0 + 2.0 * u) * l1**3 + 3.0 * du * l1 * l2 + u * l3,
        )

    def curvature(self, y: Array, f: Array) -> tuple[Array, Array]:
        """W = −∂² log p̃, cut off at 0."""
        _, second, third = self.f_derivatives(y, f)
        return np.maximum(-second, 0.0), np.where(second < 0.0, -third, 0.0)

    def theta_derivatives(self, y: Array, f: Array) -> tuple[Array, Array, Array]:
        of_log_density, of_slope, of_W = self.likelihood.theta_derivatives(y, f)
        common = np.full_like(y, self.common)
        l1, l2, _ = self.likelihood.f_derivatives(common, f)
        of_l, of_l1, of_minus_l2 = self.likelihood.theta_derivatives(common, f)
        u = self._u(f)
        du = u * (1.0 + u)
        of_second = du * (1.0 + 2.0 * u) * of_l * l1**2 + du * (2.0 * l1 * of_l1 + of_l * l2) - u * of_minus_l2
        curved = self.f_derivatives(y, f)[1] < 0.0
        return of_log_density + u * of_l, of_slope + du * of_l * l1 + u * of_l1, (of_W - of_second) * curved

    def _denominator(self, f: Array) -> Array:
        """1 − c eˡ, which is r + c(1 − eˡ): nothing cancels."""
        l = self.likelihood.log_density(np.full_like(f, self.common), f)
        return self.rate - (1.0 - self.rate) * np.expm1(l)

    def _u(self, f: Array) -> Array:
        denominator = self._denominator(f)
        return (1.0 - denominator) / denominator


#: What Laplace's method takes.
Density = Likelihood | ThinnedDensity
