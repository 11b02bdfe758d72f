"""Nodes and weights for integrals over the y of a mixture: Σ_k w_k h(y_k) ≈ ∫ h(y) dy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from rsens._typing import Array, Positions
from rsens.distributions._base import Distribution
from rsens.distributions._counts import count_rule
from rsens.distributions._histogram import Histogram
from rsens.distributions._jensen import gauss_legendre
from rsens.distributions._normal import Normal
from rsens.distributions._univariate import Reach

_TAILS = 10.0 ** -np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 16.0, 32.0])
_FAR_TAILS = 10.0 ** -np.array([48.0, 64.0, 96.0, 128.0, 192.0, 256.0, 300.0])
_FEW_COMPONENTS = 16
#: How many densities to hold at once: few enough for the processor's cache.
_BLOCK = 2**16


@dataclass(frozen=True, eq=False)
class Group:
    """The components of a mixture that are of one family, as one family with arrays (S, n), or (S, n, …)."""

    family: Distribution
    #: (n, S).
    weights: Array
    #: Where each of their parameters stands in the λ of the mixture, (S, M).
    columns: Positions
    #: Where they stand among the components of the mixture, (S,).
    members: Positions

    def row(self, i: int) -> Group:
        """The components with a weight at one row; arrays are (S,) and (S, …)."""
        held = self.weights[i] > 0.0
        index = slice(None) if held.all() else held
        family = self.family._taken((index, i))
        return Group(family, self.weights[i][index], self.columns[index], self.members[index])


def blocks(groups: Sequence[Group], nodes: int) -> list[slice]:
    """The nodes in blocks of a bounded number of component densities."""
    size = max(1, _BLOCK // sum(len(group.weights) for group in groups))
    return [slice(k, k + size) for k in range(0, nodes, size)]


def log_density(groups: Sequence[Group], points: Array, of: Callable[[Any, Array], Array] | None = None) -> Array:
    """log Σ w_s p_s at the points (K,), or vectors (K, k); `of` a family are log densities other than those of y."""
    result, weights = np.empty(len(points)), np.concatenate([group.weights for group in groups])
    of = of or (lambda family, y: family._log_prob(y))
    for here in blocks(groups, len(points)):
        log_p = np.concatenate([of(group.family, points[here, None]) for group in groups], axis=1)
        top = log_p.max(axis=1, keepdims=True)
        top = np.where(np.isfinite(top), top, 0.0)
        result[here] = np.log(np.exp(log_p - top) @ weights) + top[:, 0]
    return result


def nodes_of(groups: Sequence[Group], tails: bool = False) -> tuple[Array, Array]:
    """y (K,) [vectors: (K, dimension)] and log weights (K,) at one row; with `tails` also far out."""
    family = groups[0].family
    if isinstance(family, Histogram):  # densities are constant between borders
        return family._middles, np.log(family._widths)
    match family.support:
        case "classes":
            return np.arange(float(len(family.parameter_names))), np.zeros(len(family.parameter_names))
        case "counts":
            return _counts(groups)
        case "vector":
            return _vectors(groups, tails)
    return _continuous([group.family for group in groups], tails)


def _continuous(families: Sequence[Any], tails: bool) -> tuple[Array, Array]:
    """Gauss–Legendre between the pooled quantiles of the components: fine wherever any component has mass."""
    levels = (np.concatenate([_TAILS, _FAR_TAILS]) if tails else _TAILS)[:, None]
    half = np.array([[0.5]])
    each = [(f._quantile(levels[::-1]), f._quantile(half), f._quantile(levels, upper=True)) for f in families]
    quantiles = np.concatenate([np.concatenate(parts) for parts in each], axis=1).T  # (S, L)
    quantiles = np.where(np.isfinite(quantiles), quantiles, np.nanmedian(quantiles, axis=1, keepdims=True))
    ends = _distinct(quantiles)
    edges = quantiles.ravel()[ends]
    t, w = gauss_legendre(16)
    if all(family.line == "real" for family in families):
        y, log_widths = _about_centres(quantiles, ends // quantiles.shape[1], edges, 0.5 * (t + 1.0))
    else:
        y, log_widths = _about_zero(edges[:-1, None], edges[1:, None], 0.5 * (t + 1.0))
    return y.ravel(), (np.log(0.5 * w) + log_widths).ravel()


def _about_zero(low: Array, high: Array, share: Array) -> tuple[Array, Array]:
    """Nodes between low and high, and log dy/dshare: in log y where a panel spans scales, as at a pole at 0."""
    wide = ((low > 0.0) & (high > 2.0 * low)) | ((high < 0.0) & (low < 2.0 * high))
    log_low, log_high = np.log(np.abs(low)), np.log(np.abs(high))
    in_log = np.sign(high) * np.exp(log_low + (log_high - log_low) * share)
    y = np.where(wide, in_log, low + (high - low) * share)
    in_log_width = np.log(np.abs(log_high - log_low)) + np.log(np.abs(y))
    return y, np.where(wide, in_log_width, np.log(high - low))


def _about_centres(quantiles: Array, owner: Positions, edges: Array, share: Array) -> tuple[Array, Array]:
    """Nodes between the edges, and log dy/dshare, along y = c + s sinh u for the nearest component's centre and spread.

    That is y itself near the component and its logarithm in a heavy tail. `owner` is the component of each edge.
    """
    middle = quantiles.shape[1] // 2
    centre, spread = quantiles[:, middle], quantiles[:, middle + 1] - quantiles[:, middle]
    spread = np.where(spread > 0.0, spread, 1.0)
    both = np.stack([owner[:-1], owner[1:]])
    distance = np.abs(0.5 * edges[:-1] + 0.5 * edges[1:] - centre[both]) / spread[both]
    nearest = np.where(distance[0] <= distance[1], *both)
    c, s = centre[nearest, None], spread[nearest, None]
    low, high = np.arcsinh((edges[:-1, None] - c) / s), np.arcsinh((edges[1:, None] - c) / s)
    u = low + (high - low) * share
    return c + s * np.sinh(u), np.log(s) + np.log(np.cosh(u)) + np.log(high - low)


def _distinct(quantiles: Array) -> Positions:
    """Which quantiles of all components (S, L), flattened, are sorted panel ends, without near repeats on one scale.

    Each stands for a cell as wide as its distance to the next quantile of its component, rounded to a power of two.
    """
    flat = quantiles.ravel()
    if len(quantiles) <= _FEW_COMPONENTS:
        return np.unique(flat, return_index=True)[1]
    gaps = np.diff(quantiles, axis=1)
    spacing = np.minimum(np.pad(gaps, ((0, 0), (1, 0)), mode="edge"), np.pad(gaps, ((0, 0), (0, 1)), mode="edge"))
    scale = np.floor(np.log2(np.where(spacing > 0.0, spacing, 1.0)))
    cells = np.stack([scale.ravel(), np.floor(flat / np.exp2(scale.ravel() - 1.0))])
    _, first = np.unique(cells, axis=1, return_index=True)
    return first[np.unique(flat[first], return_index=True)[1]]


def _counts(groups: Sequence[Group]) -> tuple[Array, Array]:
    """All counts up to a few thousand; beyond that, a rule around each component: a rate of 1e12 has a narrow peak."""
    families: list[Any] = [group.family for group in groups]
    # Beyond this a count family has less than 1e-30 of its mass: its tail falls at least as e^{−y·mean/variance}.
    highs = [f.mean + 12.0 * np.sqrt(f.variance) + 80.0 * (1.0 + f.variance / f.mean) for f in families]
    largest = np.ceil(np.max(np.concatenate(highs)))
    if largest <= 4096.0:
        return np.arange(largest + 1.0), np.zeros(int(largest) + 1)
    parts = []
    for group, high in zip(groups, highs, strict=True):

        def log_p(y: Array, family: Distribution = group.family) -> Array:
            return family._log_prob(y.T).T

        y, w = count_rule(log_p, high)  # (S, K)
        # Component s takes only its own share of the sum: h p = Σ_s h p r_s, with r_s its responsibility at y.
        share = np.log(group.weights)[:, None] + log_p(y) - log_density(groups, y.ravel()).reshape(y.shape)
        parts.append((y.ravel(), (w + np.where(np.isnan(share), -np.inf, share)).ravel()))
    return np.concatenate([y for y, _ in parts]), np.concatenate([w for _, w in parts])


def _vectors(groups: Sequence[Group], tails: bool) -> tuple[Array, Array]:
    """A lattice around each component up to 3 dimensions; beyond, low-discrepancy points, good to three digits."""
    families: list[Any] = [group.family for group in groups]
    size = families[0].mean.shape[-1]
    if size == 1:
        y, log_weights = _continuous([Normal(f.mean[:, 0], f.covariance[:, 0, 0]) for f in families], tails)
        return y[:, None], log_weights
    z, log_w = _standard_normal_rule(size)
    parts = []
    for group, family in zip(groups, families, strict=True):
        y = (family.mean[:, None] + z @ np.swapaxes(family._factor, -1, -2)).reshape(-1, size)
        parts.append((y, (np.log(group.weights)[:, None] + log_w).ravel() - log_density(groups, y)))
    return np.concatenate([y for y, _ in parts]), np.concatenate([w for _, w in parts])


def _standard_normal_rule(size: int) -> tuple[Array, Array]:
    """Nodes z and log weights with Σ w h(z) ≈ E h(z): an even lattice, whose error falls exponentially in 1/step."""
    if size > 3:
        from scipy.stats import qmc

        points = ndtri(qmc.Sobol(size, scramble=True, rng=np.random.default_rng(0)).random_base2(13))
        return points, np.full(len(points), -np.log(len(points)))
    step = {2: 0.25, 3: 0.5}[size]
    axis = step * np.arange(-round(9.0 / step), round(9.0 / step) + 1)
    points = np.stack(np.meshgrid(*[axis] * size, indexing="ij"), -1).reshape(-1, size)
    log_weights = -0.5 * (points**2).sum(axis=1)
    return points, log_weights - np.log(np.exp(log_weights).sum())


#: More even steps than this, in units of the finest feature, and the grid is stretched.
_WIDE = 80.0
#: How many nodes a grid may have before it is given up.
_MOST = 2**17
#: Representatives are alike if their widths agree within a factor of 2 and their centres within this many widths.
_ALIKE = 4.0
_NEWTON = 20


@dataclass(frozen=True, eq=False)
class Grid:
    """A grid of even steps from `low` in the variable τ, and how τ becomes t on the line of the components.

    The trapezoidal rule on it converges exponentially in 1/step for smooth functions that vanish at both ends, and its
    nodes nest. Where components differ a lot in width or distance, τ(t) = Σ_b asinh((t − c_b)/s_b) over representatives
    (centre c, width s) of similar components: as fine as s_b near c_b, and logarithmic far away.
    """

    low: float
    high: float
    #: The first step.
    step: float
    #: Representatives (c, s) of the components where τ is stretched; None where τ = t.
    knots: tuple[Array, Array] | None = None
    #: Whether t are counts: steps are whole, and 1 is exact.
    whole: bool = False

    @classmethod
    def through(cls, reach: Reach) -> Grid | None:
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
    def of_counts(cls, reach: Reach) -> Grid | None:
        """The same for counts."""
        low, high = max(0.0, np.floor(float(reach.low.min()))), np.ceil(float(reach.high.max()))
        step = 2.0 ** max(0, int(np.floor(np.log2(max(1.0, float(reach.spread.min()))))))
        return None if (high - low) / step > _MOST else cls(low, high, step, whole=True)

    def halvings(self) -> Iterator[tuple[Array, Array, float, bool]]:
        """New nodes t (K,), dt/dτ there, the step, and whether no halving can add anything: every count was summed."""
        step, gap, first = self.step, self.step, self.low
        while (self.high - self.low) / step <= _MOST:
            tau = np.arange(first, self.high + gap, gap)
            is_last = self.whole and step <= 1.0
            if self.knots is None:
                yield (tau[tau <= self.high] if self.whole else tau), np.ones(()), step, is_last
            else:
                yield *_unstretched(tau, *self.knots), step, is_last
            step, gap = 0.5 * step, step
            first = self.low + step


def _representatives(reach: Reach) -> tuple[Array, Array]:
    """Centres and widths, one pair for each group of components that are alike."""
    scale = np.floor(np.log2(reach.spread))
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
