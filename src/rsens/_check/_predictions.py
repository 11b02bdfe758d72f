"""Whether predictions are the same each time, each row's its own, and as wide as the targets ask for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._table import Table
from rsens._text import percent
from rsens._typing import Array
from rsens.derivatives import Finding, Model
from rsens.distributions import Distribution

#: How far λ may differ between two calls, relative to its size: the rounding of bad conditioning.
SAME = 1e-6
#: What is left of a variance without noise, relative to the squared range of predictions.
ROUNDING = 1e-9
#: Rows that are predicted again on their own.
ROWS = 3
#: How many rows it takes to say something about intervals, and which shares of y in them are no accident: less than
#: this in the 90 % interval, more than this in the 50 % interval.
LEAST_ROWS, TOO_FEW, TOO_MANY = 20, 0.75, 0.9


def prediction_findings(source: Model, table: Table, family: Distribution) -> Iterator[Finding]:
    """Two calls with the same rows, and rows on their own."""
    here = family.parameters
    again = source.predict_distribution(table.source).checked(len(table)).parameters
    if _differ(again, here, family):
        yield Finding("repeatable", "wrong", "the same rows get other predictions each time: fix the random numbers.")
        return
    yield Finding("repeatable", "ok", "the same rows get the same predictions.")
    picked = np.unique(np.linspace(0, len(table) - 1, ROWS).astype(int))
    alone = [source.predict_distribution(table.rows(i, i + 1)).checked(1).parameters[0] for i in picked.tolist()]
    if _differ(np.array(alone), here[picked], family):
        text = (
            "a row gets another prediction when other rows are beside it: something is computed from X that belongs "
            "to the training data (a mean, a scale, batch normalisation)."
        )
        yield Finding("rows on their own", "wrong", text)
    else:
        yield Finding("rows on their own", "ok", "a row's prediction does not depend on the rows beside it.")


def coverage_finding(family: Distribution, y: NDArray[Any]) -> Finding | None:
    """Whether the 90 % interval holds about 90 % of the targets; None for classes, vectors and few rows.

    Nor is there one for a model that meets every target: it has no noise, and its variance there is rounding.
    """
    if family.support not in ("continuous", "counts") or len(y) < LEAST_ROWS or y.dtype.kind not in "fiub":
        return None
    upper = np.asarray(family.cdf(y.astype(np.float64)))  # type: ignore[attr-defined]
    lower = upper if family.support == "continuous" else np.asarray(family.cdf(y - 1.0))  # type: ignore[attr-defined]
    if np.abs(family.prediction()[:, 0] - y).max() <= SAME * np.ptp(y):
        return None

    def held_by(level: float) -> float:
        tail = 0.5 * (1.0 - level)
        return float(np.mean((upper >= tail) & (lower <= 1.0 - tail)))

    share, half = held_by(0.9), held_by(0.5)
    held = f"the 90 % interval holds {percent(share)} of y"
    if share < TOO_FEW:
        text = f"{held}: far too narrow. Is the noise of an observation missing, or X in other units than the model's?"
        return Finding("width", "warning", text)
    if half > TOO_MANY and family.support == "continuous":  # a few large counts may be all there is to an interval
        text = f"the 50 % interval holds {percent(half)} of y: too wide. Is noise counted twice, or y in another unit?"
        return Finding("width", "warning", text)
    return Finding("width", "ok", f"{held}.")


def _differ(a: Array, b: Array, family: Distribution) -> bool:
    """Whether λ differs by more than rounding; a variance that is itself rounding, without noise, may differ freely."""
    if a.shape != b.shape:
        return True
    allowed = SAME * np.abs(b).max(axis=0, initial=0.0)
    if {"variance", "scale2"} & {*family.parameter_names} and len(family.parameter_names) == 2:
        allowed[1] += ROUNDING * np.ptp(family.prediction()) ** 2
    return bool((np.abs(a - b) > allowed).any())
