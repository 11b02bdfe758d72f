"""Predictions that change in jumps, as those of trees do: how far differences have to reach, chosen from the rows.

Over a small step such a function does not change at all, and its derivative is 0 at nearly every row. Differences over
several jumps are an average slope. Over too few jumps it is mostly noise, which makes R-sens of every column too large;
over too many it smooths away what is there. So the step is the first of 0.15, 0.3 and 0.6 units of a column at which
twice the step gives nearly the same R-sens, and the result says what both give.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rsens._errors import InputError
from rsens._typing import Array
from rsens.derivatives._evaluation import Evaluation, evaluate
from rsens.derivatives._jumps import flat_columns
from rsens.derivatives._quotients import Quotients
from rsens.derivatives._step_checks import check_resolution, is_constant, is_flat, mean_sizes
from rsens.derivatives._steps import Steps
from rsens.distributions import Distribution

#: Steps to choose from, in units of a column.
LADDER = (0.15, 0.3, 0.6)
#: Twice the step may change R-sens by this share of the largest value.
SETTLED = 0.1
#: Rows at which steps are compared.
ROWS = 256


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
        """Whether twice the step gives nearly the same."""
        return self.change <= SETTLED

    def says(self, names: tuple[str, ...]) -> str:
        """The step, and what it and twice as much give for the column that matters most."""
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

    Args:
        fn: The function.
        X: The rows to explain.
        columns: Positions of the columns that are differentiated.
        levels: The categorical columns of X; None if there are none.
    """
    steps = Steps.of(X, None, None)
    some = np.unique(np.linspace(0, len(X) - 1, ROWS).astype(np.intp))
    here = evaluate(fn, X[some])
    quotients = Quotients(fn, X[some], here, columns)
    if not columns or not _is_rough(quotients, steps, here, None if levels is None else levels[some]):
        return None
    gaps = np.array([_usual_gap(column) for column in X.T]) / steps.unit

    def sizes(step: float) -> Array:
        """R-sens per unit of each column, averaged over the rows, (D,); 0 in columns of levels."""
        wide = Steps(np.maximum(step, gaps), steps.unit, steps.centre)
        found = np.zeros(X.shape[1])
        found[columns] = mean_sizes(quotients, wide, quotients.first(wide.widths(quotients.X, 1)))
        return found

    candidates, previous = [], sizes(LADDER[0])
    for step in LADDER:
        doubled = sizes(2.0 * step)
        candidates.append(WideStep(step, np.maximum(step, gaps), previous, doubled))
        if candidates[-1].settled:
            return candidates[-1]
        previous = doubled
    return min(candidates, key=lambda candidate: candidate.change)


def _is_rough(quotients: Quotients, steps: Steps, here: Evaluation, levels: Array | None) -> bool:
    """Whether small differences say nothing: the function is flat between jumps, or computes in single precision."""
    changes = quotients.changes(steps.widths(quotients.X, 1))
    if is_flat(quotients, changes, levels):
        if not is_constant(here.z, levels):
            return True
        wide = Steps(np.full(len(steps.unit), LADDER[-1]), steps.unit, steps.centre)  # one row, or one leaf for all
        return bool(quotients.changes(wide.widths(quotients.X, 1)).any())
    if flat_columns(quotients, steps, changes):
        return True
    try:
        check_resolution(quotients, steps, changes)
    except InputError:
        return True
    return False


def _usual_gap(column: Array) -> float:
    """The median distance between neighbouring values: 1 for whole numbers. A step below it may cross no split."""
    values = np.unique(column)
    return float(np.median(np.diff(values))) if len(values) > 1 else 0.0
