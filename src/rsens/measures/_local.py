"""Local values: one pass over the rows, in chunks, every value checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from numbers import Real
from typing import Any

import numpy as np

from rsens._errors import Argument, InputError
from rsens._table import Table
from rsens._typing import Array
from rsens.derivatives import Derivatives, Model, iterate

#: Which rows, and their values, with one entry per column (or pair of columns) on the last axis (axes).
Chunks = Iterator[tuple[slice, Array]]


def check_alpha(alpha: Any) -> float:
    """The order α of the divergence as a float; the sensitivities exist for 0 < α < ∞ (paper, eq. 2)."""
    try:
        order = float(alpha) if isinstance(alpha, Real) and not isinstance(alpha, bool) else np.nan
    except OverflowError:  # a whole number or fraction beyond float64
        order = np.inf
    if not 0.0 < order < 1e308:
        raise InputError(
            Argument("alpha"), f" must be a number greater than 0 and finite; got {alpha!r}. The usual choice is 1."
        )
    return order


def from_derivatives(
    model: Model,
    table: Table,
    order: int,
    value: Callable[[Derivatives], Array],
    what: str,
    column_axes: int | None = None,
    watch: bool = False,
    names: tuple[str, ...] | None = None,
) -> Chunks:
    """`value` of the derivatives, chunk by chunk; its last axes, `column_axes` or `order` of them, run over columns.

    `names` are what errors call the entries of these axes, where they are not the columns of the table.

    With `watch`, a warning says if second derivatives cannot show interactions (see `iterate`): one measure of a
    comparison says it for all.
    """
    for rows, derivatives in iterate(model, table, order, watch=watch):
        with np.errstate(over="ignore", invalid="ignore"):  # what does not fit in float64 is reported by `finite`
            local = value(derivatives)
        yield rows, finite(local, rows, names or table.names, column_axes or order, what)


def gathered(chunks: Chunks, n: int) -> Array:
    """The chunks as one array, one entry for each of the n rows."""
    result: Array | None = None
    for rows, values in chunks:
        if result is None:
            result = np.empty((n, *values.shape[1:]))
        result[rows] = values
    assert result is not None  # a table has at least one row
    return result


def finite(values: Array, rows: slice, names: tuple[str, ...], column_axes: int, what: str) -> Array:
    """The values, or an error that names the first row and column where one is not finite."""
    bad = ~np.isfinite(values)
    if not bad.any():
        return values
    row, *where = (int(i) for i in np.argwhere(bad)[0])
    columns = " and ".join(repr(names[d]) for d in where[-column_axes:])
    raise InputError(
        f"{what} is not a finite number at row {rows.start + row}, column {columns} ({int(bad.sum())} of {bad.size} "
        "values are not): parameters or derivatives are too extreme for float64. Rescale the column or y, or leave "
        "these rows out."
    )
