"""Histogram: λ = the probabilities of bins between fixed borders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from rsens._errors import Argument, InputError
from rsens._typing import Array, Positions
from rsens.distributions._base import Distribution, RowShaper
from rsens.distributions._categorical import Categorical
from rsens.distributions._domain import Domain
from rsens.distributions._quantiles import bins_from_quantiles
from rsens.distributions._univariate import Univariate


@dataclass(frozen=True, eq=False)
class Histogram(Univariate):
    """Histogram(borders, probabilities): y lies between borders k and k + 1 with probability p_k, evenly spread there.

    λ = (p_0, …, p_{K−1}), and the Fisher information and the divergences are those of the Categorical of the bins,
    I = diag(1/p) on changes that keep Σp = 1. The borders are fixed, so derivatives are as exact as those of p. Finer
    bins see more, but bins finer than what the probabilities were made from only see its jumps.

    Args:
        borders: b_0 < … < b_K, shape (K + 1,), finite, the same for all rows; they may not depend on x.
        probabilities: p, shape (n, K), or (K,) for all rows; between 0 and 1, each row adding up to 1.

    Example:
        >>> from rsens import Histogram
        >>> Histogram([0.0, 1.0, 3.0], [[0.25, 0.75], [0.5, 0.5]]).mean.tolist()
        [1.625, 1.25]
        >>> Histogram([0.0, 1.0, 3.0], [0.25, 0.75]).quantile(0.625).tolist()
        2.0
    """

    borders: Any
    probabilities: Any
    domains: ClassVar[dict[str, Domain]] = {
        "borders": Domain(event_ndim=1),
        "probabilities": Domain(0.0, 1.0, closed=True, event_ndim=1),
    }
    fixed_fields: ClassVar[tuple[str, ...]] = ("borders",)

    @classmethod
    def from_quantiles(cls, levels: ArrayLike, values: Any, borders: ArrayLike | None = None) -> Self:
        """The histogram of predictions that are given as quantiles.

        Between two quantiles the density is constant. Beyond the outermost ones it falls off exponentially, starting at
        the density next to them, or at the row's average if that is lower; what lies outside the borders counts in the
        outermost bins. Quantiles that cross are sorted, with a warning.

        Args:
            levels: The levels of the quantiles, shape (Q,), increasing, between 0 and 1; at least two.
            values: The quantiles, shape (n, Q), or (Q,) for all rows; also JAX arrays and torch tensors, whose
                derivatives are kept.
            borders: The borders of the bins. Inside a function of X they must be given, because they may not depend on
                X. Bins as wide as a typical prediction's standard deviation are a good choice: finer ones see the
                corners between the quantiles. The default is such bins over the range of these values.

        Example:
            >>> quartiles = [[1.0, 2.0, 3.0], [2.0, 4.0, 6.0]]
            >>> family = Histogram.from_quantiles([0.25, 0.5, 0.75], quartiles, borders=[-4.0, 2.0, 4.0, 12.0])
            >>> family.probabilities.round(3).tolist()
            [[0.5, 0.408, 0.092], [0.25, 0.25, 0.5]]
        """
        return cls(*bins_from_quantiles(levels, values, borders))

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return tuple(f"p{k}" for k in range(self.probabilities.shape[-1]))

    def columns(self) -> tuple[Any, ...]:
        return tuple(self.probabilities[..., k] for k in range(self.probabilities.shape[-1]))

    @property
    def mean(self) -> Array:
        me = self._checked
        return me.probabilities @ me._middles

    @property
    def variance(self) -> Array:
        """Of the middles of the bins, and width²/12 within each."""
        me = self._checked
        distance = me._middles - self.mean[..., None]
        return np.sum(me.probabilities * (distance**2 + me._widths**2 / 12.0), axis=-1)

    def _check_jointly(self) -> None:
        borders, bins = self.borders, self.probabilities.shape[-1]
        if borders.shape[-1] != bins + 1 or bins == 0:
            raise InputError(
                "Histogram: ",
                Argument("borders"),
                f" must be one more than the probabilities; got {borders.shape[-1]} borders and {bins} probabilities.",
            )
        if (borders.reshape(-1, bins + 1) != self._borders).any():
            raise InputError(
                "Histogram: ",
                Argument("borders"),
                " must be the same for all rows, shape (K + 1,). Count the probabilities of all rows over one set of "
                "bins, for example with Histogram.from_quantiles(levels, values, borders).",
            )
        wrong = np.flatnonzero(self._widths <= 0.0)
        if wrong.size:
            k = int(wrong[0])
            raise InputError(
                "Histogram: ",
                Argument("borders"),
                f" must increase; got {self._borders[k]:g} and then {self._borders[k + 1]:g} at position {k + 1}.",
            )
        total = self.probabilities.sum(axis=-1)
        off = np.abs(total - 1.0) > 1e-8
        if off.any():
            raise InputError(
                "Histogram: ",
                Argument("probabilities"),
                f" must add up to 1 in every row; got {total[off][0]:.10g} ({int(off.sum())} of {off.size} rows are "
                "wrong). Divide them by their sum; densities times the widths of the bins are probabilities.",
            )

    def with_parameters(self, λ: Any) -> Self:
        return type(self)(self.borders, λ)

    def _matched(self, average: Callable[..., Any]) -> Histogram:
        """The mixture itself; its borders are those of any draw."""
        borders = self.borders if self.borders.ndim == 1 else self.borders[0]
        return Histogram(borders, average(self.probabilities, 1))

    def _collapsed(self, weights: Array) -> Histogram:
        mixed = np.einsum("ns,snk->nk", weights, self.probabilities)
        return self._with({"borders": self.borders[0], "probabilities": mixed})

    # ---- the bins --------------------------------------------------------------------------------------------------

    @property
    def _borders(self) -> Array:
        """The borders, (K + 1,), of checked arrays, which hold them once for each row."""
        borders: Array = self.borders[(0,) * (self.borders.ndim - 1)]
        return borders

    @property
    def _widths(self) -> Array:
        return np.diff(self._borders)

    @property
    def _middles(self) -> Array:
        return self._borders[:-1] + 0.5 * self._widths

    @property
    def _bins(self) -> Categorical:
        """Which bin y falls in."""
        return Categorical(self.probabilities)

    def _bin(self, y: Array) -> Positions:
        """The number of the bin that holds y; −1 outside. A border belongs to the bin above it, the last one below."""
        b = self._borders
        number = np.searchsorted(b, y, side="right") - 1
        number = np.where(y == b[-1], len(b) - 2, number)
        return np.where((y >= b[0]) & (y <= b[-1]), number, -1)

    # ---- methods ---------------------------------------------------------------------------------------------------

    def _log_prob(self, y: Array) -> Array:
        number = self._bin(y)
        with np.errstate(divide="ignore"):
            density = np.log(_chosen(self.probabilities, number)) - np.log(self._widths)[number]
        return np.where(number >= 0, density, -np.inf)

    def _sample(self, rng: np.random.Generator, size: tuple[int, ...]) -> Array:
        number = self._bins._sample(rng, size).astype(np.intp)
        return self._borders[number] + self._widths[number] * rng.random(number.shape)

    def _cdf(self, y: Array, upper: bool) -> Array:
        b = self._borders
        number = np.clip(np.searchsorted(b, y, side="right") - 1, 0, len(b) - 2)
        below = np.clip((y - b[number]) / self._widths[number], 0.0, 1.0)
        inside = _chosen(self.probabilities, number) * ((1.0 - below) if upper else below)
        return inside + _chosen(self._beyond(upper), number)

    def _beyond(self, upper: bool) -> Array:
        """The probability of all bins below each bin, or with `upper` above it: no small tail is a difference."""
        p = self.probabilities[..., ::-1] if upper else self.probabilities
        before = np.concatenate([np.zeros_like(p[..., :1]), np.cumsum(p[..., :-1], axis=-1)], axis=-1)
        return before[..., ::-1] if upper else before

    def _quantile(self, q: Array, upper: bool = False) -> Array:
        beyond = self._beyond(upper)
        # The bins that q reaches past, counted from the side it is counted from; the first bin is always reached.
        passed = (q[..., None] > (beyond[..., -2::-1] if upper else beyond[..., 1:])).sum(axis=-1)
        number = self.probabilities.shape[-1] - 1 - passed if upper else passed
        p = _chosen(self.probabilities, number)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(p > 0.0, np.clip((q - _chosen(beyond, number)) / p, 0.0, 1.0), 0.0)
        return self._borders[number] + self._widths[number] * (1.0 - share if upper else share)

    def _renyi(self, other: Self, alpha: float) -> Array:
        if not np.array_equal(self._borders, other._borders):
            raise InputError(
                "Histogram: renyi compares distributions over the same ",
                Argument("borders"),
                "; they are fixed, not parameters.",
            )
        return self._bins._renyi(other._bins, alpha)

    def _whiten(self, u: Array, row: RowShaper) -> list[Array]:
        return self._bins._whiten(u, row)

    def _score(self, y: Array) -> Array:
        return self._bins._score(self._bin(y).astype(np.float64))

    def _prediction_gradient(self) -> Array:
        return np.broadcast_to(self._middles, self.probabilities.shape)[..., None, :]


def _chosen(values: Array, number: Positions) -> Array:
    """values[…, number]: one entry of the last axis for each number."""
    shape = np.broadcast_shapes(values.shape[:-1], number.shape)
    index = np.broadcast_to(number, shape)[..., None]
    return np.take_along_axis(np.broadcast_to(values, shape + values.shape[-1:]), index, axis=-1)[..., 0]


def check_same_bins(components: Sequence[Distribution]) -> None:
    """Histograms are mixed with histograms over the same borders only."""
    histograms = [component for component in components if isinstance(component, Histogram)]
    if histograms and (
        len(histograms) < len(components)
        or any(not np.array_equal(each._borders, histograms[0]._borders) for each in histograms)
    ):
        raise InputError(
            "Mixture: a Histogram can be mixed with Histograms over the same borders only; all ",
            Argument("components"),
            " must be of that kind. Count the others over these bins: P(a < Y ≤ b) = cdf(b) − cdf(a).",
        )
