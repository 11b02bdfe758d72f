"""Where to evaluate a mixture of one-number components: even steps along a line that are halved until they settle.

The trapezoidal rule on an even grid converges exponentially in 1/step for functions that are smooth on the whole line
and vanish at both ends, and its nodes nest: halving the step costs only the new ones. The line is y itself, log y or
logit y (`Univariate.line`), and for counts the counts, of which every h-th is taken.

Where components differ a lot in width, or lie far apart, or have heavy tails, even steps would be too many. Then they
are even in

    τ(t) = Σ_b asinh((t − c_b)/s_b)

over one representative (centre c, width s) of every group of similar components: about as fine as s_b near c_b, and
logarithmic far away from all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rsens._typing import Array
from rsens.distributions._univariate import Reach

#: More even steps than this, in units of the finest feature, and the grid is stretched.
_WIDE = 80.0
#: How many nodes a grid may have before it is given up.
_MOST = 2**17
#: Representatives are alike if their widths agree within a factor of 2 and their centres within this many widths.
_ALIKE = 4.0
_NEWTON = 20


@dataclass(frozen=True, eq=False)
class NodeLine:
    """A grid of even steps from `low` in the variable τ, and how τ becomes t."""

    low: float
    high: float
    #: The first step.
    step: float
    #: Representatives (c, s) of the components where τ is stretched; None where τ = t.
    knots: tuple[Array, Array] | None = None
    #: Whether t are counts: steps are whole, and 1 is exact.
    whole: bool = False

    @classmethod
    def through(cls, reach: Reach) -> NodeLine | None:
        """The line for components (S,) with this reach; None if it would need too many nodes."""
        low, high, finest = float(reach.low.min()), float(reach.high.max()), float(reach.spread.min())
        if not (np.isfinite(low) and np.isfinite(high) and finest > 0.0):
            return None
        if high - low <= _WIDE * finest:
            return cls(low, high, finest)
        knots = _representatives(reach)
        ends = _stretched(np.array([low, high]), *knots)
        step = 0.8
        even = (high - low) / finest
        if min(even, (ends[1] - ends[0]) / step) > _MOST:
            return None
        if even < (ends[1] - ends[0]) / step:
            return cls(low, high, finest)
        return cls(float(ends[0]), float(ends[1]), step, knots)

    @classmethod
    def of_counts(cls, reach: Reach) -> NodeLine | None:
        """The same for counts."""
        low, high = max(0.0, np.floor(float(reach.low.min()))), np.ceil(float(reach.high.max()))
        step = 2.0 ** max(0, int(np.floor(np.log2(max(1.0, float(reach.spread.min()))))))
        return None if (high - low) / step > _MOST else cls(low, high, step, whole=True)

    def nodes(self, level: int) -> tuple[Array, Array]:
        """The nodes t (K,) that the `level`-th halving adds, level 0 being the first grid, and dt/dτ there."""
        step = self.step / 2.0**level
        first, gap = (self.low, step) if level == 0 else (self.low + step, 2.0 * step)
        tau = np.arange(first, self.high + gap, gap)
        if self.knots is None:
            return (tau[tau <= self.high] if self.whole else tau), np.ones(())
        return _unstretched(tau, *self.knots)

    def is_done(self, level: int) -> bool:
        """Whether no halving can add anything: every count has been summed."""
        return self.whole and self.step / 2.0**level <= 1.0

    def has_room(self, level: int) -> bool:
        """Whether the `level`-th halving is still affordable."""
        return (self.high - self.low) / self.step * 2.0**level <= _MOST


def _representatives(reach: Reach) -> tuple[Array, Array]:
    """Centres and widths, one pair for each group of components that are alike."""
    scale = np.floor(np.log2(reach.spread))
    with np.errstate(over="ignore"):
        cells = np.stack([scale, np.floor(reach.centre / (_ALIKE * np.exp2(scale)))])
    _, first = np.unique(cells, axis=1, return_index=True)
    return reach.centre[first], reach.spread[first]


def _stretched(t: Array, c: Array, s: Array) -> Array:
    return np.arcsinh((t[:, None] - c) / s).sum(axis=1)


def _unstretched(tau: Array, c: Array, s: Array) -> tuple[Array, Array]:
    """t(τ) and dt/dτ, by Newton's method from a table that is as fine as the representatives."""
    reach = np.abs(tau[[0, -1]]).max() + 1.0
    offsets = np.sinh(np.minimum(np.arange(0.0, reach + 0.25, 0.25), 330.0))
    table = np.unique(np.concatenate([(c + sign * np.multiply.outer(offsets, s)).ravel() for sign in (-1.0, 1.0)]))
    values = _stretched(table, c, s)
    place = np.clip(np.searchsorted(values, tau), 1, len(table) - 1)
    low, high = table[place - 1], table[place]
    t = np.clip(np.interp(tau, values, table), low, high)
    for _ in range(_NEWTON):
        gap = _stretched(t, c, s) - tau
        low, high = np.where(gap < 0.0, t, low), np.where(gap > 0.0, t, high)
        new = t - gap * _slope(t, c, s)
        new = np.where((new >= low) & (new <= high), new, 0.5 * (low + high))
        settled = np.abs(new - t) <= 4.0 * np.spacing(np.abs(t))
        t = new
        if settled.all():
            break
    return t, _slope(t, c, s)


def _slope(t: Array, c: Array, s: Array) -> Array:
    """dt/dτ."""
    slope: Array = 1.0 / (1.0 / np.hypot(t[:, None] - c, s)).sum(axis=1)
    return slope
