"""Integrals over the y of a mixture, one row at a time: its Fisher information along given changes, its divergences.

With p = Σ w_s p_s and a change u of λ, g = Σ w_s p_s (score_s · u_s) is the change of the density, and

    uᵀ I u = ∫ g²/p dy.

The values a_k = g/√p at the nodes times the root of their weight have aᵀa = uᵀIu for all pairs of directions, and
nothing is squared before it is scaled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rsens._errors import InputError
from rsens._threads import one_thread
from rsens._typing import Array
from rsens.distributions._jensen import finite_renyi, largest
from rsens.distributions._mixture_nodes import Grid, Group, blocks, log_density, nodes_of
from rsens.distributions._univariate import Reach, Univariate

#: Halving stops when an integral changes by less than this share. The rule converges exponentially, so that the error
#: left is about the square of the last change; sums over counts may converge more slowly.
_SETTLED = 1e-7
_SETTLED_COUNTS = 1e-10
#: Below this share of what the components alone would give, a change is the rounding of changes that cancel.
_ROUNDING = 1e-24
#: Differences of log densities round at 1e-16, and the divergence of close mixtures with them.
_ROUNDING_RENYI = 1e-18
#: The least spread of a component, as a share of where it lies: four digits are left of differences between the two.
_RESOLVED = 1e-12


def line_through(groups: Sequence[Group]) -> Grid | None:
    """The line that all components of a row lie on; None if they do not share one."""
    families: list[Any] = [group.family for group in groups]
    if not all(isinstance(family, Univariate) for family in families) or len({f.line for f in families}) > 1:
        return None
    reach = Reach(*(np.concatenate(parts) for parts in zip(*(f._reach() for f in families), strict=True)))
    if (reach.spread < _RESOLVED * np.abs(reach.centre)).any():
        raise InputError(
            "Mixture: a component is too narrow beside where it lies for float64, which has 16 digits. Subtract a "
            "constant from y, or leave such components out."
        )
    return Grid.of_counts(reach) if families[0].support == "counts" else Grid.through(reach)


def changes_at_nodes(groups: Sequence[Group], u: Array) -> Array:
    """a (K, R) with aᵀa = uᵀ I u for the changes u (M, R) of λ at one row; the groups are those of the row."""
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
                    if not np.isfinite(moved.sum()):  # an infinite score where there is no density
                        moved = np.where(density > 0.0, moved, 0.0)
                    g[here] += moved @ changes[i][m]
    return p, g


def _ratio(p: Array, g: Array, log_weight: Any) -> Array:
    """g/√p times the root of the weight; 0 where there is no density."""
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

    if np.isinf(alpha) and support == "continuous":
        return _supremum(lambda y: log_density(p, y) - log_density(q, y), y)
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
    """d = log q/p; 0 where there is no p."""
    return np.where(np.isneginf(log_p), 0.0, log_q - log_p)


def _supremum(f: Callable[[Array], Array], y: Array) -> float:
    """The largest f = log p/q near the sorted points y, refined around the best point; inf if that is an end point."""
    values = f(y)
    best = int(np.argmax(np.where(np.isnan(values), -np.inf, values)))
    if best in (0, len(y) - 1):
        return np.inf if values[best] > 0.0 else 0.0
    return float(largest(lambda t: f(t[0])[None], y[best - 1 : best], y[best + 1 : best + 2])[0])
