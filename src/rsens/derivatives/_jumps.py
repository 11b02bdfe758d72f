"""Jumps of a function: where its changes do not shrink with the distance they are taken over."""

from __future__ import annotations

import warnings

import numpy as np

from rsens._errors import Argument, RsensWarning
from rsens._text import quoted
from rsens._typing import Array
from rsens.derivatives._evaluation import evaluate_moved
from rsens.derivatives._quotients import Quotients
from rsens.derivatives._step_checks import PROBES, moving
from rsens.derivatives._steps import Steps

#: A jump keeps at least this share of a second difference over a small part of the step.
JUMP = 0.25
#: A step that spans several jumps of an ordinary tree ensemble, in units of a column.
WIDE = 0.3
#: Points on a line, per search.
POINTS = 17


def norms(quotients: Quotients, z: Array) -> Array:
    """Fisher norms (n, K) of changes of z (n, M, K)."""
    λ, _ = quotients.here.chain(z, None)
    with np.errstate(all="ignore"):
        found = quotients.here.distribution.fisher_norm(λ)
    return np.where(np.isfinite(found), found, 0.0)


def sizes_of(at: Quotients, z: Array) -> Array:
    """Fisher norms (K,) of changes of z (K, M)."""
    return norms(at, z[..., None])[:, 0]


def zoomed(at: Quotients, X: Array, e: Array, h: Array) -> tuple[Array, Array]:
    """The largest second difference among neighbours on the line x_e ± h, and around it on a line 8 × as short."""
    k = np.arange(len(X))
    low, high, found = X[k, e] - h, X[k, e] + h, []
    for _ in range(2):
        t = low + np.linspace(0.0, 1.0, POINTS)[:, None] * (high - low)  # (points, K)
        points = np.broadcast_to(X, (POINTS, *X.shape)).copy()
        points[:, k, e] = t
        z = evaluate_moved(at.fn, points, at.here)
        gap = np.diff(t, axis=0)[..., None]
        slope = np.diff(z, axis=0) / np.where(gap > 0.0, gap, np.inf)  # divided, since ends are rounded
        bend = np.diff(slope, axis=0) * ((high - low) / (POINTS - 1))[:, None]
        bends = np.stack([sizes_of(at, part) for part in bend])
        place = bends.argmax(axis=0)
        found.append(bends[place, k])
        low, high = t[place, k], t[place + 2, k]
    return found[0], found[1]


def flat_columns(quotients: Quotients, steps: Steps, changes: Array) -> list[int]:
    """Columns along which the function is flat at nearly all rows, although it changes over a wide step at some.

    A column that the function does not use is flat too, but over any step. One in which it is smooth, but flat at most
    rows, is none of these: there the change over the wide step is not a jump.
    """
    narrow = np.broadcast_to(steps.of_order(1), steps.unit.shape) < WIDE / 3.0
    still = [d for d, share in zip(quotients.columns, moving(changes), strict=True) if share < 0.1 and narrow[d]]
    if not still:
        return []
    some = quotients.at(np.unique(np.linspace(0, len(quotients.X) - 1, PROBES).astype(np.intp)))
    wide = Quotients(some.fn, some.X, some.here, still).changes(WIDE * steps.units(some.X))
    found = []
    for d, moved in zip(still, (wide != 0.0).any(axis=2), strict=True):
        if moved.sum() < min(2, len(some.X)):
            continue
        there = some.at(moved)
        coarse, fine = zoomed(there, there.X, np.full(len(there.X), d), WIDE * steps.units(there.X)[:, d])
        if (fine > JUMP * coarse).mean() > 0.5:
            found.append(d)
    return found


def warn_of_flat_columns(columns: list[int], names: tuple[str, ...]) -> None:
    """Name the columns in which first differences say nothing."""
    warning = RsensWarning(
        f"the function does not change in {quoted(names[d] for d in columns)} over the ",
        Argument("step"),
        f", but it does over {WIDE} of the spread: it is piecewise constant there (trees, rounding), and R-sens in "
        f"these columns says nothing. Give a step over several jumps: from_function(fn, step={WIDE}).",
    )
    warnings.warn(warning, stacklevel=2)
