"""The Fisher information of a mixture along given changes of λ, one row at a time.

With p = Σ w_s p_s and a change u of λ, g = Σ w_s p_s (score_s · u_s) is the change of the density, and

    uᵀ I u = ∫ g²/p dy.

Scores are never put side by side: at K nodes there is one array (K, S) of component densities, and matrix products
with the changes of all directions at once. What is returned are the values a_k = g/√p at the nodes times the root of
their weight, so that aᵀa = uᵀIu for all pairs of directions, and nothing is squared before it is scaled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rsens._errors import InputError
from rsens._threads import one_thread
from rsens._typing import Array
from rsens.distributions._grid import Grid
from rsens.distributions._mixture_groups import Group
from rsens.distributions._mixture_nodes import mixture_nodes
from rsens.distributions._numbers import norm
from rsens.distributions._univariate import Reach, Univariate

#: Halving stops when uᵀIu changes by less than this share. The rule converges exponentially, so that the error left is
#: about the square of the last change; sums over counts may converge more slowly.
_SETTLED = 1e-7
_SETTLED_COUNTS = 1e-10
#: Below this share of what the components alone would give, a change is the rounding of changes that cancel.
_ROUNDING = 1e-24
#: The least spread of a component, as a share of where it lies: four digits are left of differences between the two.
_RESOLVED = 1e-12
#: How many densities to hold at once: few enough for the processor's cache.
_BLOCK = 2**16


def changes_at_nodes(groups: Sequence[Group], u: Array) -> Array:
    """a (K, R) with aᵀa = uᵀ I u for the changes u (M, R) of λ at one row; the groups are those of the row."""
    line = line_through(groups)
    if line is not None:
        with one_thread("blas"):  # products of thin matrices: a second thread would only wait
            settled = _settled(groups, u, line)
        if settled is not None:
            return settled
    # Supports that differ, vectors, counts from 0 to millions: one rule for all, with more nodes than most need.
    members = [group.family._taken((slice(s, s + 1),)) for group in groups for s in range(len(group.weights))]
    weights = np.concatenate([group.weights for group in groups])
    y, log_weights = mixture_nodes(members, weights[None])
    return np.concatenate(
        [
            _ratio(
                *_density_and_change(groups, y[k : k + 1024, 0], u, 0.0, plain=True),
                log_weights[k : k + 1024, 0],
            )
            for k in range(0, len(y), 1024)
        ]
    )


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


def _settled(groups: Sequence[Group], u: Array, line: Grid) -> Array | None:
    """a on ever finer grids, until the lengths of its columns settle; None if they do not."""
    top = max(float(_at_centres(group.family).max()) for group in groups)
    bound: Array | None = None
    tolerance = _SETTLED_COUNTS if line.whole else _SETTLED
    kept: list[Array] = []
    total, before, scale = np.zeros(u.shape[1]), None, None
    for level in range(30):
        if not line.has_room(level):
            return None
        t, slope = line.nodes(level)
        a = _ratio(*_density_and_change(groups, t, u, top), top + np.log(slope))
        kept.append(a)
        if scale is None:
            scale = np.abs(a).max(axis=0, initial=0.0)
            scale = np.where(scale > 0.0, scale, 1.0)
        total = total + ((a / scale) ** 2).sum(axis=0)
        step = line.step / 2.0**level
        now = step * total
        if line.is_done(level):
            break
        if before is not None:
            moving = np.abs(now - before) > tolerance * now
            if moving.any() and bound is None:
                bound = np.sum([g.weights @ g.family.fisher_norm(u[g.columns]) ** 2 for g in groups], axis=0)
            if bound is None or not (moving & (now * scale**2 > _ROUNDING * bound)).any():
                break
        before = now
    return np.sqrt(step) * np.concatenate(kept)


def _at_centres(family: Any) -> Array:
    """log density of each component at its own centre."""
    centre = family._reach().centre
    if family.support == "counts":
        centre = np.floor(centre)
    log_p, _ = family._log_prob_and_scores(centre)
    return log_p


def _density_and_change(
    groups: Sequence[Group], t: Array, u: Array, top: float, plain: bool = False
) -> tuple[Array, Array]:
    """p (K,) and g (K, R) at the nodes t, both times e^{−top}; with `plain` t is y itself, not a point on the line."""
    members = sum(len(group.weights) for group in groups)
    size = max(1, _BLOCK // members)
    p, g = np.zeros(len(t)), np.zeros((len(t), u.shape[1]))
    changes = [[u[columns] for columns in group.columns.T] for group in groups]
    moving = [[bool(change.any()) for change in of_group] for of_group in changes]
    for k in range(0, len(t), size):
        here = slice(k, k + size)
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


def lengths(changes: Array) -> Array:
    """The lengths (R,) of the columns of a."""
    return norm(changes, 0)
