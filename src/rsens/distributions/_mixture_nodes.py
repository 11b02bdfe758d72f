"""Where to evaluate a mixture so that sums over its nodes are expectations: Σ_k w_k h(y_k) ≈ ∫ h(y) dy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.special import ndtri

from rsens._typing import Array, Positions
from rsens.distributions._base import Distribution
from rsens.distributions._counts import count_rule
from rsens.distributions._histogram import Histogram
from rsens.distributions._multivariate_normal import MultivariateNormal
from rsens.distributions._normal import Normal
from rsens.distributions._quadrature import gauss_legendre
from rsens.distributions._univariate import Univariate

_TAILS = 10.0 ** -np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0, 16.0, 32.0])
_FAR_TAILS = 10.0 ** -np.array([48.0, 64.0, 96.0, 128.0, 192.0, 256.0, 300.0])
_MEDIAN = np.array([[0.5]])
_FEW_COMPONENTS = 16


def mixture_nodes(components: Sequence[Distribution], weights: Array, tails: bool = False) -> tuple[Array, Array]:
    """y (K, n) [vectors: (K, n, dimension)] and log weights (K, n) for a checked mixture with n rows."""
    if isinstance(components[0], Histogram):
        return _bins(components[0], weights)
    rules: dict[str, Any] = {"continuous": _continuous, "counts": _counts, "classes": _classes, "vector": _vectors}
    return rules[components[0].support](components, weights, tails)


def _bins(component: Histogram, weights: Array) -> tuple[Array, Array]:
    """The middle of each bin, which stands for its width: densities are constant between borders."""
    middles, widths = component._middles[:, None], component._widths[:, None]
    shape = (len(middles), weights.shape[0])
    return np.broadcast_to(middles, shape), np.broadcast_to(np.log(widths), shape)


def supremum(f: Callable[[Array], Array], y: Array) -> float:
    """The largest f = log p/q near the sorted points y, refined around the best point; inf if that is an end point."""
    values = f(y)
    best = int(np.argmax(np.where(np.isnan(values), -np.inf, values)))
    if best in (0, len(y) - 1):
        return np.inf if values[best] > 0.0 else 0.0
    low, high = y[best - 1], y[best + 1]
    for _ in range(60):
        t = np.linspace(low, high, 33)
        top = int(np.argmax(f(t)))
        low, high = t[max(top - 1, 0)], t[min(top + 1, 32)]
    return max(float(f(np.array([0.5 * (low + high)]))[0]), 0.0)


def _continuous(components: Sequence[Univariate], weights: Array, tails: bool) -> tuple[Array, Array]:
    """Gauss–Legendre between the pooled quantiles of the components: fine wherever any component has mass."""
    levels = np.concatenate([_TAILS, _FAR_TAILS]) if tails else _TAILS
    quantiles = np.stack(
        [
            np.concatenate(
                [c._quantile(levels[::-1, None]), c._quantile(_MEDIAN), c._quantile(levels[:, None], upper=True)]
            )
            for c in components
        ]
    )
    quantiles = np.where(np.isfinite(quantiles), quantiles, np.nanmedian(quantiles, axis=1, keepdims=True))
    n, n_levels = weights.shape[0], quantiles.shape[1]
    kept = _pad([_distinct(quantiles[..., i]) for i in range(n)])
    edges = quantiles.reshape(-1, n)[kept, np.arange(n)]
    t, w = gauss_legendre(16)
    share, log_w = 0.5 * (t[:, None] + 1.0), np.log(0.5 * w)[:, None]
    with np.errstate(divide="ignore", invalid="ignore", under="ignore", over="ignore"):
        if all(component.line == "real" for component in components):
            y, log_widths = _about_centres(quantiles, kept // n_levels, edges, share)
        else:
            y, log_widths = _about_zero(edges[:-1, None], edges[1:, None], share)
    empty = edges[1:, None] <= edges[:-1, None]
    y = np.where(empty, edges[len(edges) // 2], y)  # an empty panel weighs nothing, wherever its nodes are
    log_weights = np.where(empty, -np.inf, log_w + log_widths)
    return y.reshape(-1, n), log_weights.reshape(-1, n)


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

    That is y itself near the component and its logarithm in a heavy tail. `owner` is the component of each edge; of the
    two of a panel the one is taken that the panel lies closer to, in its own spreads.
    """
    rows = np.arange(edges.shape[1])
    middle = quantiles.shape[1] // 2
    centre, spread = quantiles[:, middle], quantiles[:, middle + 1] - quantiles[:, middle]
    spread = np.where(spread > 0.0, spread, 1.0)
    both = np.stack([owner[:-1], owner[1:]])
    c, s = centre[both, rows], spread[both, rows]
    nearest = np.argmin(np.abs(0.5 * edges[:-1] + 0.5 * edges[1:] - c) / s, axis=0)[None]
    c, s = (np.take_along_axis(part, nearest, axis=0)[0] for part in (c, s))
    low, high = np.arcsinh((edges[:-1] - c) / s)[:, None], np.arcsinh((edges[1:] - c) / s)[:, None]
    u = low + (high - low) * share
    return c[:, None] + s[:, None] * np.sinh(u), np.log(s)[:, None] + np.log(np.cosh(u)) + np.log(high - low)


def _distinct(quantiles: Array) -> Positions:
    """Which quantiles of all components (S, L), flattened, are sorted panel ends, without near repeats on one scale.

    Each stands for a cell as wide as its distance to the next quantile of its own component, rounded to a power of two:
    a thousand components that lie together need no more panels than one does, and a narrow one among them keeps its
    own.
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


def _pad(rows: list[Positions]) -> Positions:
    """Sorted rows of different lengths as columns of one array, with their last value repeated."""
    longest = max(len(row) for row in rows)
    return np.stack([np.pad(row, (0, longest - len(row)), mode="edge") for row in rows], axis=1)


def _counts(components: Sequence[Distribution], weights: Array, tails: bool) -> tuple[Array, Array]:
    """All counts up to a few thousand; beyond that, a rule around each component: a rate of 1e12 has a narrow peak."""
    # Beyond this a count family has less than 1e-30 of its mass: its tail falls at least as e^{−y·mean/variance}.
    highs = np.stack([c.mean + 12.0 * np.sqrt(c.variance) + 80.0 * (1.0 + c.variance / c.mean) for c in components])
    if np.max(highs) < 4096.0:
        y = np.arange(np.max(highs) + 1.0)
        shape = (len(y), weights.shape[0])
        return np.broadcast_to(y[:, None], shape), np.zeros(shape)
    with np.errstate(divide="ignore"):
        log_weights = np.log(weights)
    parts = []
    for s, component in enumerate(components):

        def log_f(y: Array, component: Distribution = component) -> Array:
            return component._log_prob(y.T).T

        y, w = count_rule(log_f, highs[s])
        # Component s takes only its own share of the sum: h p = Σ_s h p r_s, with r_s its responsibility at y.
        joint = np.stack([log_weights[:, j] + c._log_prob(y.T) for j, c in enumerate(components)])
        share = joint[s] - np.logaddexp.reduce(joint, axis=0)
        parts.append((y.T, w.T + np.where(np.isnan(share), -np.inf, share)))
    return np.concatenate([y for y, _ in parts]), np.concatenate([w for _, w in parts])


def _classes(components: Sequence[Distribution], weights: Array, tails: bool) -> tuple[Array, Array]:
    codes = np.arange(float(len(components[0].parameter_names)))[:, None]
    shape = (len(codes), weights.shape[0])
    return np.broadcast_to(codes, shape), np.zeros(shape)


def _vectors(components: Sequence[MultivariateNormal], weights: Array, tails: bool) -> tuple[Array, Array]:
    """A lattice around each component up to 3 dimensions; beyond, low-discrepancy points, good to three digits."""
    size = components[0].mean.shape[-1]
    if size == 1:
        normals = [Normal(c.mean[:, 0], c.covariance[:, 0, 0]) for c in components]
        numbers, log_numbers = _continuous(normals, weights, tails)
        return numbers[..., None], log_numbers
    z, log_w = _standard_normal_rule(size)
    y, log_weights = [], []
    for s, component in enumerate(components):
        points = component.mean + np.moveaxis(component._factor @ z.T, -1, 0)
        with np.errstate(divide="ignore"):
            density = np.stack([np.log(weights[:, j]) + c._log_prob(points) for j, c in enumerate(components)])
            log_share = np.log(weights[:, s]) + log_w[:, None] - np.logaddexp.reduce(density, axis=0)
        y.append(points)
        log_weights.append(log_share)
    return np.concatenate(y), np.concatenate(log_weights)


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
