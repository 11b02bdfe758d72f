"""Integrals over the y of a mixture, one row at a time: its Fisher information along given changes, its divergences.

With p = Σ w_s p_s and a change u of λ, g = Σ w_s p_s (score_s · u_s) is the change of the density, and

    uᵀ I u = ∫ g²/p dy.

The values a_k = g/√p at the nodes times the root of their weight have aᵀa = uᵀIu for all pairs of directions, and
nothing is squared before it is scaled. Components on one line are integrated over a `Grid`; the nodes for supports that
differ, for vectors and for far tails are made by `nodes_of`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri

from rsens._errors import InputError
from rsens._threads import one_thread
from rsens._typing import Array, Positions
from rsens.distributions._base import Distribution, Reach, Univariate
from rsens.distributions._counts import count_rule
from rsens.distributions._histogram import Histogram
from rsens.distributions._jensen import finite_renyi, gauss_legendre, largest
from rsens.distributions._normal import Normal

_TAILS = 10.0 ** -np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 16.0, 32.0])
_FAR_TAILS = 10.0 ** -np.array([48.0, 64.0, 96.0, 128.0, 192.0, 256.0, 300.0])
_FEW_COMPONENTS = 16
#: How many densities to hold at once: few enough for the processor's cache.
_BLOCK = 2**16
#: Halving stops when an integral changes by less than this share. The rule converges exponentially, so that the error
#: left is about the square of the last change; sums over counts may converge more slowly.
_SETTLED = 1e-7
_SETTLED_COUNTS = 1e-10
#: Below this share of the sum over single components, a change is the rounding of changes that cancel.
_ROUNDING = 1e-24
#: Differences of log densities round at 1e-16, and the divergence of close mixtures with them.
_ROUNDING_RENYI = 1e-18
#: The least spread of a component, as a share of where it lies: four digits are left of differences between the two.
_RESOLVED = 1e-12


@dataclass(frozen=True, eq=False)
class Group:
    """The components of a mixture that are of one family, as one family with arrays (S, n), or (S, n, …)."""

    family: Distribution
    #: (n, S).
    weights: Array
    #: Positions of their parameters in the λ of the mixture, (S, M).
    columns: Positions

    def row(self, i: int) -> Group:
        """The components with a weight at one row; arrays are (S,) and (S, …)."""
        held = self.weights[i] > 0.0
        index = slice(None) if held.all() else held
        family = self.family._taken((index, i))
        return Group(family, self.weights[i][index], self.columns[index])


def blocks(groups: Sequence[Group], nodes: int) -> list[slice]:
    """The nodes in blocks of a bounded number of component densities."""
    size = max(1, _BLOCK // sum(len(group.weights) for group in groups))
    return [slice(k, k + size) for k in range(0, nodes, size)]


def log_density(groups: Sequence[Group], points: Array, of: Callable[[Any, Array], Array] | None = None) -> Array:
    """log Σ w_s p_s at the points (K,), or vectors (K, k); `of` gives other log densities of a family than for y."""
    result, weights = np.empty(len(points)), np.concatenate([group.weights for group in groups])
    of = of or (lambda family, y: family._log_prob(y))
    for here in blocks(groups, len(points)):
        log_p = np.concatenate([of(group.family, points[here, None]) for group in groups], axis=1)
        top = log_p.max(axis=1, keepdims=True)
        top = np.where(np.isfinite(top), top, 0.0)
        result[here] = np.log(np.exp(log_p - top) @ weights) + top[:, 0]
    return result


def line_through(groups: Sequence[Group]) -> Grid | None:
    """The line that all components of a row lie on; None if they do not share one."""
    families: list[Any] = [group.family for group in groups]
    if not all(isinstance(family, Univariate) for family in families) or len({f.line for f in families}) > 1:
        return None
    reach = Reach(*(np.concatenate(parts) for parts in zip(*(f._reach() for f in families), strict=True)))
    if (reach.spread < _RESOLVED * np.abs(reach.centre)).any():
        raise InputError(
            "Mixture: a component is too narrow for float64 at the place where it lies. Subtract a "
            "constant from y, or leave such components out."
        )
    return Grid.of_counts(reach) if families[0].support == "counts" else Grid.through(reach)


def changes_at_nodes(groups: Sequence[Group], u: Array) -> Array:
    """a (K, R) with aᵀa = uᵀ I u for the changes u (M, R) of λ at one row, with the groups of that row."""
    line = line_through(groups)
    if line is not None:
        with one_thread("blas"):  # products of thin matrices: a second thread would only wait
            settled = _settled(groups, u, line)
        if settled is not None:
            return settled
    # Supports that differ, vectors, counts from 0 to millions.
    y, log_weights = nodes_of(groups)
    parts = [slice(k, k + 1024) for k in range(0, len(y), 1024)]
    return np.concatenate(
        [_ratio(*_density_and_change(groups, y[k], u, 0.0, plain=True), log_weights[k]) for k in parts]
    )


def _settled(groups: Sequence[Group], u: Array, line: Grid) -> Array | None:
    """a on ever finer grids, until the lengths of its columns settle; None if they do not."""
    families: list[Any] = [group.family for group in groups]
    centres = [(f, np.floor(f._reach().centre) if line.whole else f._reach().centre) for f in families]
    top = max(float(_on_line(family, centre).max()) for family, centre in centres)
    tolerance = _SETTLED_COUNTS if line.whole else _SETTLED
    kept: list[Array] = []
    total, before, scale, bound = np.zeros(u.shape[1]), None, None, None
    for t, slope, step, is_last in line.halvings():
        a = _ratio(*_density_and_change(groups, t, u, top), top + np.log(slope))
        kept.append(a)
        if scale is None:
            scale = np.abs(a).max(axis=0, initial=0.0)
            scale = np.where(scale > 0.0, scale, 1.0)
        total = total + ((a / scale) ** 2).sum(axis=0)
        now = step * total
        moving = np.full(now.shape, True) if before is None else np.abs(now - before) > tolerance * now
        if before is not None and moving.any():
            if bound is None:
                bound = np.sum([g.weights @ g.family.fisher_norm(u[g.columns]) ** 2 for g in groups], axis=0)
            moving &= now * scale**2 > _ROUNDING * bound
        if is_last or not moving.any():
            return np.sqrt(step) * np.concatenate(kept)
        before = now
    return None


def _density_and_change(
    groups: Sequence[Group], t: Array, u: Array, top: float, plain: bool = False
) -> tuple[Array, Array]:
    """p (K,) and g (K, R) at the nodes t, both times e^{−top}; with `plain` t is y itself, not a point on the line."""
    p, g = np.zeros(len(t)), np.zeros((len(t), u.shape[1]))
    changes = [[u[columns] for columns in group.columns.T] for group in groups]
    moving = [[bool(change.any()) for change in of_group] for of_group in changes]
    for here in blocks(groups, len(t)):
        for i, group in enumerate(groups):
            family: Any = group.family
            y = t[here, None]
            if plain:
                log_p, scores = family._log_prob(y), list(np.moveaxis(family._score(y), -1, 0))
            else:
                log_p, scores = family._log_prob_and_scores(y)
            density = np.exp(log_p - top)
            density *= group.weights
            p[here] += density.sum(axis=1)
            for m, score in enumerate(scores):
                if moving[i][m]:
                    moved = density * score
                    if not np.isfinite(moved.sum()):  # an infinite score where the density is 0
                        moved = np.where(density > 0.0, moved, 0.0)
                    g[here] += moved @ changes[i][m]
    return p, g


def _ratio(p: Array, g: Array, log_weight: Any) -> Array:
    """g/√p times the root of the weight; 0 where p = 0."""
    held = p > 0.0
    root = np.exp(0.5 * np.broadcast_to(log_weight, p.shape))
    return np.where(held, root / np.sqrt(np.where(held, p, 1.0)), 0.0)[:, None] * g


def mixture_renyi(p: Sequence[Group], q: Sequence[Group], alpha: float) -> float:
    """D_α[p ‖ q] of the mixtures whose components, at one row, are these groups."""
    line = line_through([*p, *q])
    if line is not None and alpha <= 1.0:  # beyond, far tails decide whether it is finite
        settled = _along_line(p, q, alpha, line)
        if settled is not None:
            return settled
    support = p[0].family.support
    y, w = nodes_of([*p, *q], tails=True)

    if np.isinf(alpha) and support == "continuous":  # the largest log p/q, refined around the best point

        def f(y: Array) -> Array:
            return log_density(p, y) - log_density(q, y)

        values = f(y)
        best = int(np.argmax(np.where(np.isnan(values), -np.inf, values)))
        if best in (0, len(y) - 1):
            return np.inf if values[best] > 0.0 else 0.0
        return float(largest(lambda t: f(t[0])[None], y[best - 1 : best], y[best + 1 : best + 2])[0])
    log_p, log_q = log_density(p, y), log_density(q, y)
    d = _difference(log_p, log_q)
    if alpha > 1.0 and support == "continuous":
        # Infinite if the integrand is still large at the outermost nodes, which reach tail probabilities of 1e-300.
        integrand = log_p + (1.0 - alpha) * d + w
        integrand = integrand[np.isfinite(integrand)]
        if integrand.size and max(integrand[0], integrand[-1]) > integrand.max() - 30.0:
            return np.inf
    return float(finite_renyi(log_p + w, log_q + w, d, alpha, exact=support == "classes"))


def _along_line(p: Sequence[Group], q: Sequence[Group], alpha: float, line: Grid) -> float | None:
    """The divergence on ever finer grids along the line of all components, until it settles; None if it does not."""
    kept: list[tuple[Array, Array, Array]] = []
    before = None
    for t, slope, step, is_last in line.halvings():
        kept.append((log_density(p, t, _on_line), log_density(q, t, _on_line), np.log(slope) + np.zeros(len(t))))
        log_p, log_q, log_slope = (np.concatenate(each) for each in zip(*kept, strict=True))
        w = log_slope + np.log(step)
        # The line goes through all components of both, so Σp = Σq = 1 on it, as on a finite set.
        now = float(finite_renyi(log_p + w, log_q + w, _difference(log_p, log_q), alpha))
        if is_last or (before is not None and abs(now - before) <= _SETTLED * now + _ROUNDING_RENYI):
            return now
        before = now
    return None


def _on_line(family: Univariate, t: Array) -> Array:
    return family._log_prob_and_scores(t)[0]


def _difference(log_p: Array, log_q: Array) -> Array:
    """d = log q/p; 0 where p = 0."""
    return np.where(np.isneginf(log_p), 0.0, log_q - log_p)


# ---- A line: even steps, stretched where components differ -----------------------------------------------------------


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


# ---- Nodes for all other integrals -----------------------------------------------------------------------------------


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
    """Gauss–Legendre between the pooled quantiles of the components, so that it is fine near each of them."""
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

    Each represents a cell as wide as its distance to the next quantile of its component, rounded to a power of two.
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
