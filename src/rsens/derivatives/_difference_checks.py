"""Whether differences over a step give the derivative: enough digits, no jumps, no kinks, little noise."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rsens._errors import Argument, InputError, warn
from rsens._text import quoted
from rsens._typing import Array
from rsens.derivatives._differences import DEFAULT_STEP, SINGLE_STEP, Differences, Steps, spaced
from rsens.derivatives._output import SAME, evaluate, within_levels
from rsens.distributions import Distribution

#: Rows, or second differences, that are looked at more closely.
PROBES = 8
#: Derivatives below this, in standard deviations of the prediction per unit of the column, count as zero.
SMALL = 0.1
#: The share of their size by which derivatives may differ when the step is halved; second differences at a jump.
SHARE, CHANGE = 0.01, 0.5
#: Points along a wide step.
POINTS = 17
#: A step that spans several jumps of an ordinary tree ensemble, in units of a column.
WIDE = 0.3
#: Second differences below this share of the largest slope are not looked at.
VISIBLE = 0.1
#: No slope changes by this many times its size over one unit of a column: then jumps decide.
ABSURD = 10.0
#: The part of the largest average that may come from second differences that half the step changes.
JUMP_SHARE = 0.1
#: Wide steps to choose from, in units of a column.
LADDER = (0.15, 0.3, 0.6)


class NoSecondDerivativesError(InputError):
    """Second differences of a function are not its second derivatives; first differences may be right."""


def check_first(at: Differences, changes: Array, order: int, names: tuple[str, ...], levels: Array | None) -> bool:
    """Refuse first differences that are rounding; warn and return True if nearly all changes (columns, n, M) are 0."""
    given = at.steps.step
    if at.columns and (given is None or given.min() < SINGLE_STEP[order]) and rounds(at, changes):
        raise InputError(
            f"{type(at.here.distribution).__name__}: the function computes in single precision (float32) or rounds, "
            "but differences over a small step need float64. Compute in float64 throughout (converting the result "
            "brings no digits back), or give a ",
            Argument("step"),
            f" of at least {SINGLE_STEP[2]:.2g}; trees and other piecewise-constant models need one of about 0.3.",
        )
    flat, by_levels = is_flat(at, changes, levels)
    still = ([] if by_levels else at.columns) if flat else flat_columns(at, changes)
    if order == 2 and still and not (flat and is_constant(at.z, levels)):
        raise NoSecondDerivativesError(*_nothing("it is piecewise constant, as predictions of trees are"))
    if still:
        warn(
            f"the function does not change in {quoted(names[d] for d in still)} over the step: if it is piecewise "
            "constant there (trees, rounding), R-sens in these columns has no meaning. Give a step over several jumps: "
            f"from_function(fn, step={WIDE})."
        )
    return flat


def rounds(at: Differences, changes: Array) -> bool:
    """Whether the function has fewer digits than float64: it changes over a step, but not over a tiny part of it."""
    X, columns = at.X, at.columns
    h = (X + at.widths(1)) - X
    # Each column moves by a different part, so that nothing cancels.
    part = 1e-4 * (0.5 + 0.5 * np.modf(np.arange(X.shape[1]) * 0.618)[0])
    nudge = part * np.minimum(h, DEFAULT_STEP[1] * at.steps.units(X))
    nudged = X.copy()
    nudged[:, columns] += nudge[:, columns]
    stays = at.moved(nudged[None])[0] == at.z
    expected = np.abs(changes) * ((nudged - X) / (2.0 * h)).T[columns][:, :, None]
    moves = (expected > 10.0 * np.spacing(np.abs(at.z))).any(axis=0)
    return at.here.single or bool(((moves & stays).sum(axis=0) > 0.5 * moves.sum(axis=0)).any())


def is_constant(z: Array, levels: Array | None) -> bool:
    """Whether z (n, M) is the same for all rows, or, with `levels`, for all rows of the same levels."""
    z = z if levels is None else within_levels(z, levels)
    return bool((np.ptp(z, axis=0) <= SAME * np.abs(z).max(axis=0)).all())


def is_flat(at: Differences, changes: Array, levels: Array | None) -> tuple[bool, bool]:
    """Whether nearly all differences are 0, and whether that is because the function depends on the levels only."""
    by_levels = levels is not None and (not len(changes) or is_constant(at.z, levels))
    return by_levels or not (_share_that_moves(changes) >= 0.1).any(), by_levels


def _share_that_moves(changes: Array) -> Array:
    """The share of rows that change in each column."""
    return (changes != 0.0).any(axis=2).mean(axis=1)


def check_half_step(at: Differences, names: tuple[str, ...]) -> None:
    """Warn if first differences over half the step are others: compare at a few rows."""
    some = at.at(spaced(len(at.X), PROBES))
    h = some.widths(1)
    with np.errstate(all="ignore"):
        whole, half = some.first(h), some.first(0.5 * h)
        sizes, gaps = some.sizes(whole), some.sizes(half - whole)
        # At a kink or jump of the function itself the quotient doubles with any step.
        doubled = some.sizes(half - 2.0 * whole) < SHARE * sizes
    largest = max(SMALL, float(sizes.mean(axis=0).max()))
    wrong = np.where(doubled, 0.0, gaps).mean(axis=0) > SHARE * largest
    _warn_of_steps([d for d, bad in zip(at.columns, wrong, strict=True) if bad], names)


def _warn_of_steps(columns: Iterable[int], names: tuple[str, ...]) -> None:
    if wrong := [names[d] for d in columns]:
        warn(
            f"derivatives in {quoted(wrong)} depend on the step: half of it changes them by more than "
            f"{100 * SHARE:.0f} %, so do not trust them. Give the distance over which the function changes, "
            "from_function(fn, scale=…), one number per column; if it jumps or rounds, a wider step: "
            "from_function(fn, step=0.3)."
        )


def flat_columns(at: Differences, changes: Array) -> list[int]:
    """Columns along which the function is flat at nearly all rows, although it jumps over a wide step at some."""
    narrow = np.broadcast_to(at.steps.of_order(1), at.steps.unit.shape) < WIDE / 3.0
    still = [d for d, share in zip(at.columns, _share_that_moves(changes), strict=True) if share < 0.1 and narrow[d]]
    if not still:
        return []
    some, found = replace(at.at(spaced(len(at.X), PROBES)), columns=still), []
    wide = WIDE * some.steps.units(some.X)
    for d, moved in zip(still, (some.changes(wide) != 0.0).any(axis=2), strict=True):
        if moved.sum() < min(2, len(some.X)):
            continue
        # Somewhere along the wide step a smooth function changes over the small one; a function that jumps does not.
        there, along = some.at(moved), np.eye(some.X.shape[1])[d]
        line = there.X + np.linspace(-1.0, 1.0, POINTS)[:, None, None] * wide[moved] * along
        if (there.moved(line + there.widths(1) * along) != there.moved(line)).any(axis=2).mean() < 0.05:
            found.append(d)
    return found


def check_second(at: Differences, first: Array, second: Array, names: tuple[str, ...]) -> None:
    """An error where jumps, kinks, rounding or noise decide second differences (n, M, C, C).

    Half the step shows it: second differences of jumps and of rounding become 4 times as large or 0, of kinks twice
    as large. A step that was given may span jumps on purpose: there it is an error only if the result is absurd.
    """
    n, columns = len(at.X), len(at.columns)
    if not columns:
        return
    slopes = max(SMALL, float(at.sizes(first).mean(axis=0).max()))
    curvatures = at.here.norms(second.reshape(*second.shape[:2], -1)).reshape(n, columns, columns)
    with np.errstate(over="ignore"):  # units one after the other: their product may overflow
        sizes = at.units[:, :, None] * curvatures * at.units[:, None, :]
    d, e = np.triu_indices(columns)
    upper, largest = sizes[:, d, e], float(sizes.mean(axis=0).max())
    probed = np.argsort(upper, axis=None)[::-1][:PROBES]
    rows, pair = np.unravel_index(probed[upper.ravel()[probed] > VISIBLE * slopes], upper.shape)
    if not len(rows):
        return
    some, size, place = at.at(rows), upper[rows, pair], np.array(at.columns)
    whole = second[rows, :, d[pair], e[pair]]
    d, e = place[d[pair]], place[e[pair]]
    half = _mixed(some, 0.5 * some.widths(2), d, e)
    gaps = some.here.norms((half - whole)[..., None])[:, 0] * size / some.here.norms(whole[..., None])[:, 0]
    changed, given = gaps > CHANGE * size, at.steps.step is not None
    decided = changed.mean() >= 0.5 or size[changed].sum() / n > JUMP_SHARE * largest
    if decided and (not given or largest > ABSURD * slopes):
        raise NoSecondDerivativesError(
            *_nothing("it jumps, has kinks, rounds its predictions or computes in fewer digits")
        )
    if not given:
        wrong = np.where(changed, 0.0, gaps) > SHARE * size
        _warn_of_steps(sorted({*d[wrong], *e[wrong]}), names)
    elif decided or float(np.median(gaps)) / 4.0 > JUMP_SHARE * largest:
        warn(
            "the function jumps or bends within the step, as predictions of trees do: its second differences, and so "
            "R-sens₂ of pairs, depend on the step. Read them as rough averages, take a wider step, or explain a smooth "
            "model."
        )


def _nothing(why: str) -> tuple[str | Argument, ...]:
    return (
        f"second differences of the function are not its second derivatives: {why}, so R-sens₂ would be a "
        "number without meaning. Leave out pairs (",
        Argument("pairs", False),
        "), give a wider step: from_function(fn, step=0.3), or compute without rounding in float64.",
    )


def _mixed(at: Differences, h: Array, d: Any, e: Any) -> Array:
    """The second difference in the columns d and e of each row, (K, M)."""
    k = np.arange(len(at.X))
    half = np.where(d == e, 0.5, 1.0)  # for d = e the two halves add up to ± h or 0
    corners = np.broadcast_to(at.X, (4, *at.X.shape)).copy()
    for corner, (a, b) in zip(corners, ((1, 1), (1, -1), (-1, 1), (-1, -1)), strict=True):
        corner[k, d] += a * half * h[k, d]
        corner[k, e] += b * half * h[k, e]
    pp, pm, mp, mm = at.moved(corners)
    width = h[k, d] * h[k, e] * np.where(d == e, 1.0, 4.0)
    return ((pp - pm) - (mp - mm)) / width[:, None]


@dataclass(frozen=True, eq=False)
class WideStep:
    """The step that was chosen, and R-sens per unit of each column over it and over twice as much, (D,) each."""

    step: float
    #: The step in units of each column, (D,): at least the usual gap between two values of the column.
    by_column: Array
    sizes: Array
    doubled: Array

    @property
    def change(self) -> float:
        """How much twice the step changes R-sens, as a share of the largest value."""
        return float(np.abs(self.doubled - self.sizes).max(initial=0.0) / (self.sizes.max(initial=0.0) or 1.0))

    @property
    def settled(self) -> bool:
        """Whether twice the step changes R-sens by at most a tenth of the largest value."""
        return self.change <= 0.1

    def summary(self, names: tuple[str, ...]) -> str:
        """The step, and R-sens over it and over twice as much for the column that matters most."""
        d = int(self.sizes.argmax())
        return (
            f"differences are taken over ±{self.step:g} of the spread of a column, an average slope. R-sens of "
            f"{names[d]!r}, per spread, is about {self.sizes[d]:.3g}, and {self.doubled[d]:.3g} over twice the step; "
            f"no column changes by more than {100 * self.change:.0f} % of the largest R-sens"
        )


def wide_step(
    fn: Callable[[Array], Distribution], X: Array, columns: list[int], levels: Array | None = None
) -> WideStep | None:
    """The step for a function of numbers X (n, D) that is piecewise constant; None for one that is not.

    The first of `LADDER` at which twice the step gives nearly the same R-sens: over too few jumps differences are
    mostly noise, and over too many they smooth the function away.
    """
    steps, some = Steps.of(X, None, None), spaced(len(X), 256)
    at = Differences.of(fn, X[some], evaluate(fn, X[some]), columns, steps)
    if not columns or not _is_rough(at, None if levels is None else levels[some]):
        return None
    # The median distance between neighbouring values: a step below it may cross no split.
    usual = [np.median(np.diff(values)) if len(values) > 1 else 0.0 for values in map(np.unique, X.T)]
    gaps = np.array(usual) / steps.unit

    def sizes(step: float) -> Array:
        """R-sens per unit of each column, averaged over the rows, (D,); 0 in columns of levels."""
        wide = replace(steps, step=np.maximum(step, gaps))
        found = np.zeros(X.shape[1])
        found[columns] = at.sizes(at.first(wide.widths(at.X, 1))).mean(axis=0)
        return found

    candidates, previous = [], sizes(LADDER[0])
    for step in LADDER:
        doubled = sizes(2.0 * step)
        candidates.append(WideStep(step, np.maximum(step, gaps), previous, doubled))
        if candidates[-1].settled:
            return candidates[-1]
        previous = doubled
    return min(candidates, key=lambda candidate: candidate.change)


def _is_rough(at: Differences, levels: Array | None) -> bool:
    """Whether small differences are useless: the function is flat between jumps, or computes in single precision."""
    changes = at.changes(at.widths(1))
    if is_flat(at, changes, levels)[0]:
        wide = LADDER[-1] * at.steps.units(at.X)  # one row, or one leaf for all
        return not is_constant(at.z, levels) or bool(at.changes(wide).any())
    return bool(flat_columns(at, changes)) or rounds(at, changes)
