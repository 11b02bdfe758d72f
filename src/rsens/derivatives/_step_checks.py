"""Whether differences over a step give the derivative: enough digits, no jumps, the same value at half the step."""

from __future__ import annotations

import warnings

import numpy as np

from rsens._errors import Argument, InputError, RsensWarning
from rsens._text import quoted
from rsens._typing import Array
from rsens.derivatives._evaluation import evaluate_moved
from rsens.derivatives._output import SAME, within_levels
from rsens.derivatives._quotients import Quotients
from rsens.derivatives._steps import DEFAULT_STEP, SINGLE_STEP, Steps

#: Rows at which derivatives are taken over half the step as well.
PROBES = 8
#: The share of their size by which derivatives may differ when the step is halved.
SHARE = 0.01
#: Derivatives below this, in standard deviations of the prediction per unit of the column, count as zero.
SMALL = 0.1


def check_resolution(quotients: Quotients, steps: Steps, changes: Array) -> None:
    """A function in float64 that changes over a step changes over a tiny part of it too.

    If it does not, it computes with fewer digits than float64 somewhere inside, whatever type its result has, and
    differences over a small step are mostly rounding. Each column moves by a different part, so that nothing cancels.
    """
    X, here, columns = quotients.X, quotients.here, quotients.columns
    h = (X + steps.widths(X, 1)) - X
    part = 1e-4 * (0.5 + 0.5 * np.modf(np.arange(X.shape[1]) * 0.618)[0])
    nudge = part * np.minimum(h, DEFAULT_STEP[1] * steps.units(X))
    nudged = X.copy()
    nudged[:, columns] += nudge[:, columns]
    stays = evaluate_moved(quotients.fn, nudged[None], here)[0] == here.z
    expected = np.abs(changes) * ((nudged - X) / (2.0 * h)).T[columns][:, :, None]
    moves = (expected > 10.0 * np.spacing(np.abs(here.z))).any(axis=0)
    if here.single or ((moves & stays).sum(axis=0) > 0.5 * moves.sum(axis=0)).any():
        raise InputError(
            f"{type(here.distribution).__name__}: the function computes in single precision (float32) or rounds, "
            "but differences over a small step need float64. Compute in float64 throughout (converting the result "
            "brings no digits back), or give a ",
            Argument("step"),
            f" of at least {SINGLE_STEP[2]:.2g}; trees and other piecewise-constant models need one of about 0.3.",
        )


def is_constant(z: Array, levels: Array | None) -> bool:
    """Whether z (n, M) is the same for all rows, or, with `levels`, for all rows of the same levels."""
    z = z if levels is None else within_levels(z, levels)
    return bool((np.ptp(z, axis=0) <= SAME * np.abs(z).max(axis=0)).all())


def is_flat(quotients: Quotients, changes: Array, levels: Array | None) -> bool:
    """Whether the differences are nearly all 0: the function is flat between jumps, or depends on the levels only."""
    if levels is not None and (not len(changes) or is_constant(quotients.here.z, levels)):
        return True
    return not (moving(changes) >= 0.1).any()


def warn_if_flat(quotients: Quotients, changes: Array, levels: Array | None) -> None:
    """Warn if the differences are nearly all 0, unless the function depends on the levels only."""
    if not is_flat(quotients, changes, levels) or (
        levels is not None and (not len(changes) or is_constant(quotients.here.z, levels))
    ):
        return
    warning = RsensWarning(
        f"the function did not change in {100 * (1 - moving(changes).mean()):.0f} % of the differences. If its "
        "predictions are piecewise constant (trees, rounding), give a ",
        Argument("step"),
        " over several jumps: from_function(fn, step=0.3).",
    )
    warnings.warn(warning, stacklevel=2)


def moving(changes: Array) -> Array:
    """The share of rows that change in each column."""
    return (changes != 0.0).any(axis=2).mean(axis=1)


def mean_sizes(quotients: Quotients, steps: Steps, first: Array) -> Array:
    """The mean over rows of the Fisher norm of first differences z (n, M, columns), per unit of each column."""
    λ, _ = quotients.here.chain(first, None)
    with np.errstate(all="ignore"):
        norms = steps.units(quotients.X)[:, quotients.columns] * quotients.here.distribution.fisher_norm(λ)
    return np.where(np.isfinite(norms), norms, 0.0).mean(axis=0)


def warn_if_step_matters(quotients: Quotients, steps: Steps, order: int, names: tuple[str, ...]) -> None:
    """Warn if derivatives depend on the step they were taken with: compare with half the step at a few rows."""
    some = quotients.at(np.unique(np.linspace(0, len(quotients.X) - 1, PROBES).astype(np.intp)))
    size, first = _sizes_and_gaps(some, steps, 1)
    largest = max(SMALL, float(size.max()))
    wrong = first > SHARE * largest
    if order == 2:
        size, second = _sizes_and_gaps(some, steps, 2)
        wrong |= second > SHARE * max(largest, float(size.max()))
    if wrong.any():
        named = quoted(names[d] for d, bad in zip(some.columns, wrong, strict=True) if bad)
        warning = RsensWarning(
            f"derivatives in {named} depend on the ",
            Argument("step"),
            f": half of it changes them by more than {100 * SHARE:.0f} %, so do not trust them. The default step is "
            "about 6e-6 (first) and 1e-4 (second derivatives) times the spread of a column. If a column has no spread "
            "in these rows, or the function changes within a small part of it, say over what distance it changes: "
            "from_function(fn, scale=…), one number per column. If the function jumps or rounds, give a wider step: "
            "from_function(fn, step=0.3).",
        )
        warnings.warn(warning, stacklevel=2)


def _sizes_and_gaps(quotients: Quotients, steps: Steps, order: int) -> tuple[Array, Array]:
    """The size of the derivative of this order in each column, and how much half the step changes it.

    Both are mean Fisher norms per unit of the column, so that columns and parameters of any scale can be compared. At a
    kink or jump of the function itself the quotient doubles; that says nothing about the step and does not count.
    """
    X, distribution = quotients.X, quotients.here.distribution
    quotient = quotients.first if order == 1 else quotients.diagonal
    unit = steps.units(X)[:, quotients.columns]

    def size(z: Array) -> Array:
        λ, _ = quotients.here.chain(z, None)
        norms = distribution.fisher_norm(λ)
        for _ in range(order):  # not unit ** order: the square of a large unit does not fit
            norms = unit * norms
        return np.where(np.isfinite(norms), norms, 0.0)

    with np.errstate(all="ignore"):
        whole, half = (quotient(s.widths(X, order)) for s in (steps, steps.halve(order)))
        sizes, gaps = size(whole), size(half - whole)
        doubled = size(half - 2.0 * whole) < SHARE * sizes
    return sizes.mean(axis=0), np.where(doubled, 0.0, gaps).mean(axis=0)
