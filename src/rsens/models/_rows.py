"""The rows that a GP is fitted to, and draws of them for a sparse GP of many rows.

Some thousand rows determine the hyperparameters as well as anyone needs, and a search takes a hundred passes; the
posterior needs all rows, but only a few passes. Rows are sorted before a draw, so that the order in which they come
changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rsens._contents import column_order
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
#: A column has levels if about this many rows show at most that many values of it.
SEEN_ROWS, MOST_LEVELS = 1000, 200


@dataclass(frozen=True, eq=False)
class Data:
    """Rows X and targets y, where y depends on mean + f + offset.

    `columns` is their `column_order`, from the numbers before standardising. `thinned` is the most common y and the
    relative chance that a row with it is here.
    """

    X: Array
    y: Array
    offset: Array
    mean: float = 0.0
    columns: Positions | None = None
    thinned: tuple[float, float] | None = None

    def rows(self, rows: NDArray[np.intp]) -> Data:
        """Some of the rows, by position."""
        return replace(self, X=self.X[rows], y=self.y[rows], offset=self.offset[rows])

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
        columns = column_order(self.X, self.y, self.offset) if self.columns is None else self.columns
        return np.argsort(columns)

    @property
    def ordered(self) -> Data:
        """The same rows sorted by y, offset, then X: a choice by place is then a choice by values."""
        columns = self.X.T[np.argsort(self.column_ranks)]
        return self.rows(np.lexsort((*columns[::-1], self.offset, self.y)))

    def drawn(self, n: int, rng: np.random.Generator) -> Data:
        """n of the rows, with rare levels among them; the choice does not depend on the order of the rows."""
        data = self.ordered
        return data.rows(draw_rows(data.X, n, rng))

    def thinned_to(self, n: int, least_rare: int, rng: np.random.Generator) -> Data:
        """n of the rows; at least this many (or all) of those whose y is not the most common one."""
        values, counts = np.unique(self.y, return_counts=True)
        common = float(values[np.argmax(counts)])
        n_rare = min(least_rare, len(self.y) - int(counts.max()))
        if n_rare <= n * (1.0 - counts.max() / len(self.y)):  # an even draw has as many
            return self.drawn(n, rng)
        data = self.ordered
        rare, others = np.flatnonzero(data.y != common), np.flatnonzero(data.y == common)
        draws = [among[draw_rows(data.X[among], k, rng)] for among, k in ((rare, n_rare), (others, n - n_rare))]
        rate = (n - n_rare) / len(others) * len(rare) / n_rare
        return replace(data.rows(np.concatenate(draws)), thinned=(common, rate))


def searched_rows(data: Data, likelihood: Likelihood, most: int, rng: np.random.Generator) -> Data:
    """The rows that hyperparameters are learned from: all, or a draw of `most` (see `ThinnedDensity`)."""
    if len(data.y) <= most:
        return data
    rng = rng.spawn(1)[0]
    return data.drawn(most, rng) if likelihood.target == "numbers" else data.thinned_to(most, LEAST_RARE, rng)


def draw_rows(X: Array, n: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """n rows without replacement, in the order of their places; rows of rare levels are more likely than others.

    A choice by x changes nothing about y given x, so a fit to these rows needs no correction.
    """
    some, weights, by_level = X[:: 1 + len(X) // SEEN_ROWS], np.ones(len(X)), []
    for d, column in enumerate(X.T):
        if 1 < len(np.unique(some[:, d])) <= MOST_LEVELS:
            _, level, counts = np.unique(column, return_inverse=True, return_counts=True)
            by_level.append((len(X) / (len(counts) * counts))[level])
    if by_level:
        weights = (1.0 - BY_LEVEL) * weights + BY_LEVEL * np.mean(by_level, axis=0)
    return np.sort(rng.choice(len(X), n, replace=False, p=weights / weights.sum()))


@dataclass(frozen=True, eq=False)
class ThinnedDensity:
    """p(y | f) among rows of which the common ones were thinned out, as far as Laplace's method asks for it.

    If nearly all classes or counts are the same, 0 for example, the few others tell most about f. A draw keeps them,
    and a share r of the common rows. Among the rows kept, y has the density

        p̃(y | f) = r^[y = common] p(y | f)/(1 − c p(common | f)),  c = 1 − r,

    which has the same f: so hyperparameters learned with p̃ on such a draw are right for the model of all rows.
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


#: Densities that Laplace's method takes.
Density = Likelihood | ThinnedDensity
