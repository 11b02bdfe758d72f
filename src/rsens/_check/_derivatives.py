"""Whether derivatives agree with differences of what they are derivatives of, at training rows too.

First derivatives are compared with differences of λ, second ones with differences of first ones: by central
differences over h and h/2, extrapolated to h = 0 (Richardson), so that smooth models agree to many digits. The size of
an error is its Fisher norm per unit of a column, relative to the largest one: an error of λ that no one could see in
the predictive distribution does not count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from rsens._errors import InputError
from rsens._table import Table, column_scale
from rsens._typing import Array
from rsens.derivatives import Derivatives, Finding, Model, NoSecondDerivativesError

#: Rows at which derivatives are compared, and the step in units of a column.
ROWS, STEP = 4, 1e-3
#: Relative errors up to these are "ok" and "warning". A Matérn-3/2 kernel has differences wrong by O(h) at its inputs.
FINE, DOUBTFUL = 1e-2, 0.1


def derivative_findings(source: Model, table: Table) -> Iterator[Finding]:
    """First and second derivatives at a few rows, and at a few training rows if the model knows any."""
    picked = np.unique(np.linspace(0, len(table) - 1, ROWS).astype(int))
    continuous = list(range(len(table.names)) if table.coding is None else table.coding.continuous)
    if not continuous:
        yield Finding("derivatives", "ok", "there are none: all columns are categorical, and levels are compared.")
        return
    scale = column_scale(table.values)
    units = np.where(scale > 0.0, scale, 1.0)
    yield from _at(source, table, table.values[picked], units, continuous, "")
    training = source.training_inputs_
    if training is not None and table.coding is None and not source.by_differences:
        yield from _at(
            source, table, np.asarray(training, dtype=np.float64)[:ROWS], units, continuous, " at training rows"
        )


def _at(source: Model, table: Table, rows: Array, units: Array, columns: list[int], where: str) -> Iterator[Finding]:
    record = source.derivatives(table.like(rows), 1)
    if not record.first.any():
        yield _flat(source, table, where)
        return
    if source.by_differences:
        text = "by differences; explain compares them with half the step and warns where that matters."
        yield Finding(f"first derivatives{where}", "ok", text)
        yield from _second_by_differences(source, table, rows, where)
        return
    first = _differences(lambda x: _parameters(source, table, x), rows, units, columns)
    ours = record.first[:, :, columns] * units[columns]
    slope = float(record.distribution.fisher_norm(ours).max())
    if slope == 0.0:
        text = "so small beside the units of the columns that R-sens is 0 in float64: there is nothing to compare."
        yield Finding(f"first derivatives{where}", "ok", text)
        return
    yield _compared(record, ours, first * units[columns], slope, f"first derivatives{where}")
    try:
        second = source.derivatives(table.like(rows), 2).for_pairs
    except NoSecondDerivativesError as error:
        yield Finding(f"second derivatives{where}", "warning", str(error.sentence))
        return
    assert second.second is not None
    differences = _differences(
        lambda x: source.derivatives(table.like(x), 2).for_pairs.first[:, :, columns], rows, units, columns
    )
    products = np.outer(units[columns], units[columns])
    ours = second.second[:, :, columns][..., columns] * products
    yield _compared(second, ours, differences * products, slope, f"second derivatives{where}")


def _second_by_differences(source: Model, table: Table, rows: Array, where: str) -> Iterator[Finding]:
    try:
        source.derivatives(table.like(rows), 2)
    except NoSecondDerivativesError as error:
        yield Finding(f"second derivatives{where}", "warning", f"none: {error.sentence}")
    except InputError as error:
        yield Finding(f"second derivatives{where}", "wrong", str(error.sentence))


def _flat(source: Model, table: Table, where: str) -> Finding:
    spread = np.ptp(source.predict_distribution(table.source).checked(len(table)).parameters, axis=0)
    if not spread.any():
        return Finding(f"first derivatives{where}", "ok", "all 0, and so are the differences between rows.")
    text = (
        "all 0, although predictions differ between rows: the model is piecewise constant, or its derivatives are cut "
        "off. Use from_function(fn, step=0.3), which looks across its steps."
    )
    return Finding(f"first derivatives{where}", "wrong", text)


def _parameters(source: Model, table: Table, rows: Array) -> Array:
    parameters: Array = source.predict_distribution(table.like(rows)).checked(len(rows)).parameters
    return parameters


def _differences(function: Callable[[Array], Array], rows: Array, units: Array, columns: list[int]) -> Array:
    """Derivatives of the function (n, …) in the columns, on a new last axis: (4 D(h/2) − D(h))/3."""

    def central(column: int, step: float) -> Array:
        up, down = rows.copy(), rows.copy()
        up[:, column] += step * units[column]
        down[:, column] -= step * units[column]
        width = (up - down)[:, column]
        change = function(up) - function(down)
        return change / width.reshape(-1, *(1,) * (change.ndim - 1))

    return np.stack([(4.0 * central(d, 0.5 * STEP) - central(d, STEP)) / 3.0 for d in columns], axis=-1)


def _compared(record: Derivatives, ours: Array, theirs: Array, slope: float, name: str) -> Finding:
    """Derivatives against differences; second ones may all be 0, so errors are also relative to the largest slope."""
    largest = max(slope, float(record.distribution.fisher_norm(ours).max()))
    relative = float(record.distribution.fisher_norm(ours - theirs).max()) / largest
    text = f"differ from differences by {relative:.1g} of the largest."
    if relative <= FINE:
        return Finding(name, "ok", text)
    return Finding(name, "warning" if relative <= DOUBTFUL else "wrong", f"{text} Do not rely on them.")
