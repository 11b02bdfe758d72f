"""Whether second differences say anything: at their largest, does the function bend, or does it jump or scatter?

Over a shorter step s the second difference of a smooth function shrinks like s², at a kink like s, and where the
function jumps, rounds or is noisy it does not shrink (the idea of a difference table: Hamming, 1962; Moré and Wild,
2011, *Estimating computational noise*). So we take the largest second differences found, look at them over half the
step, and, if that changes them, search the step for the place that makes them: twice 17 points, each time around the
largest second difference of three neighbours.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rsens._errors import Argument, InputError, RsensWarning
from rsens._typing import Array
from rsens.derivatives._evaluation import evaluate_moved
from rsens.derivatives._jumps import JUMP, POINTS, norms, sizes_of, zoomed
from rsens.derivatives._noise import MOST, Noise
from rsens.derivatives._quotients import Quotients
from rsens.derivatives._step_checks import PROBES, SMALL
from rsens.derivatives._steps import Steps

#: Second differences below this share of the largest slope are not looked at.
VISIBLE = 0.1
#: Half the step may change a second difference by this share.
CHANGE = 0.5
#: No slope changes by this many times its size over one unit of a column: then jumps decide.
ABSURD = 10.0
#: From an eighth to a 64th of the step a kink's second difference falls to 1/8, a smooth one's to 1/64.
KINK = 0.06
#: The part of the largest average that may come from jumps.
SHARE = 0.1


class NoSecondDerivativesError(InputError):
    """Second differences of a function say nothing about its second derivatives; its first ones may be right."""


@dataclass(frozen=True, eq=False)
class _Entries:
    """Second differences, by row, column and column, with their sizes, (K,) each."""

    rows: NDArray[np.intp]
    d: NDArray[np.intp]
    e: NDArray[np.intp]
    size: Array


def check_second(quotients: Quotients, steps: Steps, first: Array, second: Array, noise: Noise | None = None) -> None:
    """An error where jumps, rounding or noise decide second differences z (n, M, C, C); a warning if they only share.

    A step of the user's own may span jumps and kinks on purpose: then an error only where the result is absurd.
    """
    n, columns = len(quotients.X), len(quotients.columns)
    if not columns:
        return
    unit = steps.units(quotients.X)[:, quotients.columns]
    slopes = float((unit * norms(quotients, first)).mean(axis=0).max())
    curvatures = norms(quotients, second.reshape(*second.shape[:2], -1)).reshape(n, columns, columns)
    with np.errstate(over="ignore"):
        sizes = (
            unit[:, :, None] * curvatures * unit[:, None, :]
        )  # units one after the other: their product may overflow
    worth = VISIBLE * max(SMALL, slopes)
    if noise is not None:
        _, floor = noise.floors(quotients.here, steps)  # of a pair ε/(2h²), in one column √6 ε/h²
        floors = floor * np.where(np.eye(columns, dtype=bool), 2.0 * np.sqrt(6.0), 1.0)
        if floor > worth and (floors > MOST * sizes.mean(axis=0)).all():
            raise NoSecondDerivativesError(*_nothing("its predictions are random"))
        return
    entries = _largest(sizes, worth)
    if not len(entries.rows):
        return
    given = steps.step is not None
    kept, slow = _searched(quotients, steps, entries, second, everywhere=given)
    jumps, largest = kept > JUMP, float(sizes.mean(axis=0).max())
    bad = jumps if given else jumps | slow
    decided = bad.sum() >= 0.5 * len(bad) or float(entries.size[bad].sum()) / n > SHARE * largest
    if decided and (not given or largest > ABSURD * max(SMALL, slopes)):
        raise NoSecondDerivativesError(
            *_nothing("it jumps, rounds its predictions or computes in fewer digits" if jumps.any() else "it has kinks")
        )
    if not given or not (decided or float(np.median(kept * entries.size)) > SHARE * largest):
        return
    warning = RsensWarning(
        "the function jumps within the ",
        Argument("step"),
        ", as predictions of trees and rounded ones do: its second differences, and so R-sens₂ of pairs, are partly "
        "the jumps and depend on the step. Read them as rough averages, take a wider step, or explain a smooth model.",
    )
    warnings.warn(warning, stacklevel=2)


def refuse_flat() -> None:
    """A function that changes over a wide step but not over a narrow one is piecewise constant: nothing bends."""
    raise NoSecondDerivativesError(*_nothing("it is piecewise constant, as predictions of trees are"))


def _nothing(why: str) -> tuple[str | Argument, ...]:
    return (
        f"second differences of the function say nothing about its second derivatives: {why}, so R-sens₂ would be a "
        "number without meaning. Leave out pairs (",
        Argument("pairs", False),
        "), give a wider ",
        Argument("step"),
        ": from_function(fn, step=0.3), or compute without rounding in float64.",
    )


def _largest(sizes: Array, worth: float) -> _Entries:
    """The few largest entries with d ≤ e."""
    d, e = np.triu_indices(sizes.shape[1])
    upper = sizes[:, d, e]
    order = np.argsort(upper, axis=None)[::-1][:PROBES]
    order = order[upper.ravel()[order] > worth]
    rows, pair = (i.astype(np.intp) for i in np.unravel_index(order, upper.shape))
    return _Entries(rows, d[pair], e[pair], upper[rows, pair])


def _searched(
    quotients: Quotients, steps: Steps, entries: _Entries, second: Array, everywhere: bool
) -> tuple[Array, NDArray[np.bool_]]:
    """For each entry the share of it that a jump makes, and whether it shrinks as slowly as at a kink.

    Only where half the step changes it, unless `everywhere`.
    """
    at = quotients.at(entries.rows)
    h = steps.widths(at.X, 2)
    k = np.arange(len(entries.rows))
    columns = np.array(quotients.columns)
    d, e = columns[entries.d], columns[entries.e]
    whole = second[entries.rows, :, entries.d, entries.e]
    changed = np.full(len(k), everywhere)
    if not everywhere:
        changed = sizes_of(at, _mixed(at, 0.5 * h, d, e) - whole) > CHANGE * sizes_of(at, whole)
    kept, slow = np.zeros(len(k)), np.zeros(len(k), dtype=bool)
    if changed.any():
        numerator = sizes_of(at, whole) * h[k, d] * h[k, e] * np.where(d == e, 1.0, 4.0)
        for side in (-1.0, 1.0):
            X = at.X.copy()
            X[k, d] += np.where(d == e, 0.0, side * h[k, d])  # the two edges of the square along e
            coarse, fine = zoomed(at, X, e, h[k, e])
            jump = changed & (fine > JUMP * coarse)
            share = np.where(jump, fine / np.where(numerator > 0.0, numerator, 1.0), 0.0)
            slow |= changed & (fine > KINK * coarse) & (coarse > numerator / POINTS)
            kept = np.maximum(kept, share)
    return kept, slow & (kept <= JUMP)


def _mixed(at: Quotients, h: Array, d: Array, e: Array) -> Array:
    """The second difference in the columns d and e of each row, (K, M)."""
    k = np.arange(len(at.X))
    up, down = np.where(d == e, 0.5, 1.0), np.where(d == e, -0.5, -1.0)  # for d = e the two halves add up to ± h or 0

    def moved(a: Array, b: Array) -> Array:
        X = at.X.copy()
        X[k, d] += a * h[k, d]
        X[k, e] += b * h[k, e]
        return X

    corners = np.stack([moved(up, up), moved(up, down), moved(down, up), moved(down, down)])
    pp, pm, mp, mm = evaluate_moved(at.fn, corners, at.here)
    width = h[k, d] * h[k, e] * np.where(d == e, 1.0, 4.0)
    return ((pp - pm) - (mp - mm)) / width[:, None]
