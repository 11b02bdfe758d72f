"""Histogram: λ = the probabilities of bins between fixed borders."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from rsens._errors import RsensWarning
from rsens._typing import Array, Positions
from rsens.distributions._base import SHARES, Domain, RowShaper, Univariate, as_floats, as_numbers, namespace
from rsens.distributions._bernoulli import Categorical, chosen


@dataclass(frozen=True, eq=False)
class Histogram(Univariate):
    """Histogram(borders, probabilities): y lies between borders k and k + 1 with probability p_k, evenly spread there.

    λ = (p_0, …, p_{K−1}), with the Fisher information and the divergences of the Categorical of the bins: I = diag(1/p)
    on changes that keep Σp = 1. The borders are fixed, so derivatives are as exact as the derivatives of p. Finer bins
    see more, but bins finer than the resolution of the model only see its jumps.

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
    domains: ClassVar[dict[str, Domain]] = {"borders": Domain(event_ndim=1), "probabilities": SHARES}
    fixed_fields: ClassVar[tuple[str, ...]] = ("borders",)
    same_support: ClassVar[bool] = False

    @classmethod
    def from_quantiles(cls, levels: ArrayLike, values: Any, borders: ArrayLike) -> Self:
        """The histogram of predictions that are given as quantiles.

        Between two quantiles the density is constant. Beyond the outermost ones it falls off exponentially, starting at
        the density next to them, or at the row's average if that is lower; what lies outside the borders counts in the
        outermost bins. Quantiles that cross are sorted, with a warning.

        Args:
            levels: The levels of the quantiles, shape (Q,), increasing, between 0 and 1; at least two.
            values: The quantiles, shape (n, Q), or (Q,) for all rows; also JAX arrays and torch tensors, whose
                derivatives are kept.
            borders: The borders of the bins, which may not depend on X. Bins as wide as a typical prediction's standard
                deviation are a good choice: finer ones see the corners between the quantiles.

        Example:
            >>> quartiles = [[1.0, 2.0, 3.0], [2.0, 4.0, 6.0]]
            >>> family = Histogram.from_quantiles([0.25, 0.5, 0.75], quartiles, borders=[-4.0, 2.0, 4.0, 12.0])
            >>> family.probabilities.round(3).tolist()
            [[0.5, 0.408, 0.092], [0.25, 0.25, 0.5]]
        """
        at_levels, values = as_numbers(levels, "levels"), as_floats(values)
        within = (at_levels > 0.0) & (at_levels < 1.0)
        if at_levels.ndim != 1 or len(at_levels) < 2 or not within.all() or (np.diff(at_levels) <= 0.0).any():
            problem = " must be at least two increasing numbers between 0 and 1, such as [0.1, 0.5, 0.9]; got "
            raise cls._refused("levels", f"{problem}{levels!r}.")
        if np.ndim(values) == 0 or np.shape(values)[-1] != len(at_levels):
            problem = f" must be quantiles of shape (rows, {len(at_levels)}), one column per level; got "
            raise cls._refused("values", f"{problem}{tuple(np.shape(values))}.")
        if crossed := _looked_at((values[..., 1:] < values[..., :-1]).any(-1).sum()):
            warnings.warn(
                f"the quantiles of {crossed:.0f} rows cross (a higher level has a lower value). They were sorted.",
                RsensWarning,
                stacklevel=2,
            )
        xp = namespace(values)
        values = xp.sort(values)[0] if xp.__name__ == "torch" else xp.sort(values, axis=-1)
        at = as_numbers(borders, "borders")
        if at.ndim != 1 or len(at) < 2:
            raise cls._refused("borders", f" must be a list of at least two numbers; got shape {at.shape}.")
        return cls(at, _masses(xp, values, at_levels, at))

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
        """The variance of the middles of the bins, and width²/12 within each."""
        me = self._checked
        distance = me._middles - self.mean[..., None]
        return np.sum(me.probabilities * (distance**2 + me._widths**2 / 12.0), axis=-1)

    def _check_jointly(self) -> None:
        borders, bins = self.borders, self.probabilities.shape[-1]
        if borders.shape[-1] != bins + 1 or bins == 0:
            got = f"{borders.shape[-1]} borders and {bins} probabilities"
            raise self._refused("borders", f" must be one more than the probabilities; got {got}.")
        if (borders.reshape(-1, bins + 1) != self._borders).any():
            advice = "Count all rows over one set of bins, for example with Histogram.from_quantiles."
            raise self._refused("borders", f" must be the same for all rows, shape (K + 1,). {advice}")
        wrong = np.flatnonzero(self._widths <= 0.0)
        if wrong.size:
            low, high = self._borders[wrong[0] : wrong[0] + 2]
            problem = f" must increase; got {low:g} and then {high:g} at position {wrong[0] + 1}."
            raise self._refused("borders", problem)
        self._check_sums("probabilities", "Divide them by their sum; a density times the width of its bin is one.")

    def with_parameters(self, λ: Any) -> Self:
        return type(self)(self.borders, λ)

    def _matched(self, average: Callable[..., Any]) -> Histogram:
        """The mixture itself; all draws have the same borders."""
        borders = self.borders if self.borders.ndim == 1 else self.borders[0]
        return Histogram(borders, average(self.probabilities, 1))

    def _collapsed(self, weights: Array) -> Histogram:
        mixed = np.einsum("ns,snk->nk", weights, self.probabilities)
        return self._with({"borders": self.borders[0], "probabilities": mixed})

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

    def _log_prob(self, y: Array) -> Array:
        number = self._bin(y)
        density = np.log(chosen(self.probabilities, number)) - np.log(self._widths)[number]
        return np.where(number >= 0, density, -np.inf)

    def _sample(self, rng: np.random.Generator, size: tuple[int, ...]) -> Array:
        number = self._bins._sample(rng, size).astype(np.intp)
        return self._borders[number] + self._widths[number] * rng.random(number.shape)

    @property
    def _mirrored(self) -> Histogram:
        """The distribution of −y."""
        return Histogram(-self.borders[..., ::-1], self.probabilities[..., ::-1])

    @property
    def _below(self) -> Array:
        """The probability of all bins below each bin."""
        p = self.probabilities[..., :-1]
        return np.concatenate([np.zeros_like(self.probabilities[..., :1]), np.cumsum(p, axis=-1)], axis=-1)

    def _cdf(self, y: Array, upper: bool) -> Array:
        if upper:  # no small tail is a difference
            return self._mirrored._cdf(-y, upper=False)
        b = self._borders
        number = np.clip(np.searchsorted(b, y, side="right") - 1, 0, len(b) - 2)
        share = np.clip((y - b[number]) / self._widths[number], 0.0, 1.0)
        return chosen(self.probabilities, number) * share + chosen(self._below, number)

    def _quantile(self, q: Array, upper: bool = False) -> Array:
        if upper:
            return -self._mirrored._quantile(q)
        below = self._below
        number = (q[..., None] > below[..., 1:]).sum(axis=-1)  # the bins that q reaches past
        p = chosen(self.probabilities, number)
        share = np.where(p > 0.0, np.clip((q - chosen(below, number)) / p, 0.0, 1.0), 0.0)
        return self._borders[number] + self._widths[number] * share

    def _renyi(self, other: Self, alpha: float) -> Array:
        return self._bins._renyi(other._bins, alpha)

    def _whiten(self, u: Array, row: RowShaper) -> list[Array]:
        return self._bins._whiten(u, row)

    def _score(self, y: Array) -> Array:
        return self._bins._score(self._bin(y).astype(np.float64))

    def _prediction_gradient(self) -> Array:
        return np.broadcast_to(self._middles, self.probabilities.shape)[..., None, :]

    def _variance_gradient(self) -> tuple[Array, ...]:
        """V = Σ p_k (width_k²/12 + (middle_k − mean)²), and moving the mean does not change V; where Σ∂p = 0."""
        widths = np.diff(self.borders)  # with draws in front
        middles = self.borders[..., :-1] + 0.5 * widths
        return tuple(np.moveaxis((middles - self.mean[..., np.newaxis]) ** 2 + widths**2 / 12.0, -1, 0))


#: More than this share of the rows' mass outside the borders is worth a warning.
_OUTSIDE = 0.1


def _masses(xp: Any, values: Any, levels: Array, at: Array) -> Any:
    """The probabilities of the bins, (n, K): the distribution function is linear between quantiles, exponential beyond.

    Differences of its monotone pieces are added up, so that no small probability is a difference of large ones.
    """
    b = xp.as_tensor(at, dtype=values.dtype, device=values.device) if xp.__name__ == "torch" else xp.asarray(at)
    # The density at the start of a tail: next to it, or of the whole row if that is lower; quantiles may be tied.
    typical = (values[..., -1:] - values[..., :1]) * float(1.0 / (levels[-1] - levels[0]))
    widths, steps = values[..., 1:] - values[..., :-1], np.diff(levels)
    first = xp.maximum(widths[..., :1] * float(1.0 / steps[0]), typical)
    last = xp.maximum(widths[..., -1:] * float(1.0 / steps[-1]), typical)
    bottom, top = float(levels[0]), float(1.0 - levels[-1])
    pieces = [
        (_tail(xp, values[..., :1] - b, first, bottom), 0.0, bottom),
        (-_tail(xp, b - values[..., -1:], last, top), -top, 0.0),
    ]
    for j, step in enumerate(map(float, steps)):
        pieces.append((step * _ramp(xp, b, values[..., j : j + 1], widths[..., j : j + 1]), 0.0, step))
    outside: Any = sum(at_borders[..., 0] - low + high - at_borders[..., -1] for at_borders, low, high in pieces)
    if (share := _looked_at(outside.mean())) > _OUTSIDE:
        warnings.warn(
            f"{share:.0%} of the predicted probability lies outside the borders and is counted in the outermost bins. "
            "Give borders that reach further.",
            RsensWarning,
            stacklevel=3,
        )
    return sum(_steps(xp, at_borders, low, high) for at_borders, low, high in pieces)


def _ramp(xp: Any, b: Any, low: Any, width: Any) -> Any:
    """From 0 at `low` to 1 at low + width; a step if they are the same."""
    apart = width > 0.0
    ramp = xp.clip((b - low) / xp.where(apart, width, xp.ones_like(width)), 0.0, 1.0)
    return xp.where(apart, ramp, xp.where(b >= low, xp.ones_like(ramp), xp.zeros_like(ramp)))


def _steps(xp: Any, values: Any, low: float, high: float) -> Any:
    """The rise of a monotone function in each bin, with `low` and `high` as its values at the outer borders."""
    ends = xp.concatenate([0.0 * values[..., :1] + low, values[..., 1:-1], 0.0 * values[..., :1] + high], -1)
    return ends[..., 1:] - ends[..., :-1]


def _tail(xp: Any, distance: Any, thinness: Any, mass: float) -> Any:
    """The mass beyond `distance` from the outermost quantile, of a density e^{−distance/(thinness·mass)}/thinness."""
    outside = distance > 0.0
    scale = thinness * mass
    apart = scale > 0.0
    reach = xp.where(outside & apart, distance / xp.where(apart, scale, xp.ones_like(scale)), xp.zeros_like(distance))
    return mass * xp.where(outside & ~apart, xp.zeros_like(reach), xp.exp(-reach))


def _looked_at(value: Any) -> float:
    """The value of an array with one element; 0 inside a trace, where nothing can be looked at."""
    try:
        return float(value)
    except (RuntimeError, TypeError):
        return 0.0
