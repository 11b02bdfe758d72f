"""R-sens and R-sens₂ (paper eqs. 3 and 4), from the derivatives of λ.

`rsens_of` and `rsens2_of` are the only places where they are computed: the calls `rsens` and `rsens2`, `explain`,
`compare` and the null level all come here. A term is a column, or a group of columns that move together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from numbers import Real
from typing import Any

import numpy as np

from rsens._errors import Argument, InputError
from rsens._table import Table
from rsens._typing import Array
from rsens._warnings import warnings_once
from rsens.adapters import read_for
from rsens.derivatives import Derivatives, Model, iterate
from rsens.measures._contrasts import Switches, contrast_values, filled_second, switches_of
from rsens.measures._terms import Groups, Terms, check_groups, units_and_terms
from rsens.measures._units import check_scale

#: Which rows, and their values, with one entry per column (or pair of columns) on the last axis (axes).
Chunks = Iterator[tuple[slice, Array]]
#: Local values of a record, (record, alpha, units (D,), terms): raw and by column where the last two are None.
ValueOf = Callable[[Derivatives, float, Array | None, Terms | None], Array]


def rsens(model: Any, X: Any, *, alpha: float = 1.0) -> Array:
    """R-sens of every row and column, shape (n, D): sqrt(α · ∂λ/∂x_dᵀ I(λ) ∂λ/∂x_d), paper eq. (3).

    How fast the predictive distribution changes, relative to its uncertainty, when x_d moves. The unit is one over the
    unit of the column.

    In a categorical column it is the contrast with the other levels, averaged with their frequencies w_l and per
    switch: Σ w_l sqrt(2 D_α[p(y | x) ‖ p(y | x with level l)]/α) / Σ w_l. It has the size of a derivative times a step
    from level to level; `explain` counts the step √(P(two rows differ)/2) where others count a standard deviation.

    Args:
        model: A fitted model, of rsens or another library, or a wrapped function: anything that `explain` takes.
        X: The rows to explain, (n, D): a data frame or an array.
        alpha: α, the order of the Rényi divergence, greater than 0; it multiplies everything by its square root. 1 is
            Kullback–Leibler.

    Returns:
        R-sens of row i in column d at [i, d], at least 0. The mean over rows is the importance of a column, which
        `explain` gives with its uncertainty.

    Example:
        A mean of 3 x₀ and a standard deviation of 2: one unit of x₀ moves the prediction by 1.5 standard deviations.

        >>> from rsens import Normal, from_function, rsens
        >>> model = from_function(lambda X: Normal(3.0 * X[:, 0], 4.0))
        >>> rsens(model, [[0.0, 5.0], [1.0, 6.0]]).round(6).tolist()
        [[1.5, 0.0], [1.5, 0.0]]
    """
    return local_values(rsens_of, model, X, 1, "R-sens", alpha)


def rsens2(model: Any, X: Any, *, alpha: float = 1.0) -> Array:
    """R-sens₂ of every row and pair, shape (n, D, D): sqrt(α · ∂²λ/∂x_d∂x_eᵀ I(λ) ∂²λ/∂x_d∂x_e), paper eq. (4).

    How strongly x_d and x_e interact in the predictive distribution; symmetric in d and e. Unlike R-sens it depends on
    how the family is parametrised, so every family fixes its λ and documents it.

    In a categorical column a contrast takes the place of the derivative: ‖∂_d λ(x_l) − ∂_d λ(x)‖ with a continuous
    column d, ‖λ(x_ll') − λ(x_l) − λ(x_l') + λ(x)‖ with another categorical one, averaged over levels with their
    frequencies, times sqrt(α). With itself it is 0.

    Args:
        model: A fitted model, of rsens or another library, or a wrapped function: anything that `explain` takes.
        X: The rows to explain, (n, D): a data frame or an array.
        alpha: α, the order of the Rényi divergence, greater than 0; it multiplies everything by its square root.

    Returns:
        R-sens₂ of row i for the columns d and e at [i, d, e], at least 0; d = e is the curvature in one column.

    Example:
        >>> from rsens import Normal, from_function, rsens2
        >>> model = from_function(lambda X: Normal(X[:, 0] * X[:, 1], 4.0))
        >>> rsens2(model, [[0.0, 5.0], [1.0, 6.0]])[0].round(6).tolist()
        [[0.0, 0.5], [0.5, 0.0]]
    """
    return local_values(rsens2_of, model, X, 2, "R-sens₂", alpha)


def group_rsens(model: Any, X: Any, groups: Groups, *, alpha: float = 1.0, scale: Any = None) -> Array:
    """R-sens of groups of columns, shape (n, terms): the largest R-sens over directions within the group.

    `groups` maps a name to the names or positions of its columns. A column in no group is a term by itself;
    `resolve_groups` gives the names of the terms in order. `scale`, one number per column, sets the units in which a
    direction within the group has length 1.

    With G_S the block of G(x) = α Jᵀ I(λ) J that belongs to the columns S, the value is sqrt(λ_max(G_S)): how fast the
    prediction changes when the group moves by one unit in the direction that matters most. For one column this is
    R-sens; it does not change when the columns of the group are rotated into each other (sine and cosine of a shifted
    season); and a column that changes nothing adds nothing. A sum or trace over the group would count once per column
    what is one direction, so that the same information spread over more columns looks more important.

    A categorical column has no directions and cannot be in a group.

    Example:
        A mean of 3 s + 4 c is steepest in the direction (0.6, 0.8), where its slope is 5.

        >>> from rsens import Normal, from_function
        >>> from rsens.measures import group_rsens
        >>> model = from_function(lambda X: Normal(3.0 * X[:, 0] + 4.0 * X[:, 1] + X[:, 2], 1.0))
        >>> X = [[0.0, 5.0, 1.0], [1.0, 6.0, 2.0]]
        >>> group_rsens(model, X, {"season": [0, 1]})[0].round(4).tolist()
        [5.0, 1.0]
    """
    order = check_alpha(alpha)
    source, table = read_for(model, X)
    units = check_scale(scale, table.names)
    terms = Terms.of(groups, table.names)
    check_groups(terms, table)
    return gathered(chunks_of(rsens_of, 1, "R-sens")(source, table, order, units, terms), len(table))


def rsens_of(
    derivatives: Derivatives,
    alpha: float,
    units: Array | None = None,
    terms: Terms | None = None,
    switches: Switches | None = None,
) -> Array:
    """R-sens (n, T) of a record, per `units` (D,) of the columns, by term; raw and by column where these are None.

    `switches` are `switches_of(derivatives, alpha)`, where the caller has them already.

    Example:
        >>> import numpy as np
        >>> from rsens import Derivatives, Normal
        >>> from rsens.measures import rsens_of
        >>> record = Derivatives(Normal([0.0], [4.0]), first=np.array([[[3.0], [0.0]]]))
        >>> rsens_of(record, alpha=1.0).tolist()
        [[1.5]]
    """
    units, terms = units_and_terms(derivatives, units, terms)
    family, root = derivatives.distribution, np.sqrt(alpha)
    values = root * family.fisher_norm(terms.along(derivatives.first * units, family))  # eq. 3
    for column, contrast in contrast_values(switches_of(derivatives, alpha) if switches is None else switches):
        values[:, terms.of_column(column)] = contrast * units[column]
    return values


def rsens2_of(derivatives: Derivatives, alpha: float, units: Array | None = None, terms: Terms | None = None) -> Array:
    """R-sens₂ (n, T, T) of a record of second order, per product of units, by pair of terms.

    Example:
        >>> from rsens import Normal, from_function
        >>> from rsens.measures import rsens2_of
        >>> model = from_function(lambda X: Normal(X[:, 0] * X[:, 1], 4.0))
        >>> record = model.derivatives([[0.0, 5.0], [1.0, 6.0]], order=2)
        >>> rsens2_of(record, alpha=1.0)[0].round(4).tolist()
        [[0.0, 0.5], [0.5, 0.0]]
    """
    derivatives = derivatives.for_pairs
    assert derivatives.second is not None  # asked for with order = 2
    units, terms = units_and_terms(derivatives, units, terms)
    family, root, products = derivatives.distribution, np.sqrt(alpha), np.outer(units, units)
    pairs = root * family.fisher_norm(derivatives.second) * products  # eq. 4
    pairs = 0.5 * pairs + 0.5 * pairs.swapaxes(1, 2)  # some sources differ by rounding
    if terms.grouped:
        pairs = terms.pair_norms(pairs, root * family.whiten(derivatives.second * products))
    return filled_second(
        pairs,
        derivatives,
        size_of_first=lambda change: root * terms.norms(change * units, family),
        size_of_value=lambda change: root * family.fisher_norm(change),
        units=units,
        terms=terms,
    )


def local_values(value: ValueOf, model: Any, X: Any, order: int, what: str, alpha: Any = 1.0) -> Array:
    """`value` of the derivatives of a model at all rows X; errors call it `what`."""
    alpha = check_alpha(alpha)
    source, table = read_for(model, X)
    with warnings_once():
        return gathered(chunks_of(value, order, what)(source, table, alpha), len(table))


def chunks_of(value: ValueOf, order: int, what: str, column_axes: int | None = None) -> Callable[..., Chunks]:
    """Local values at the rows of a table, chunk by chunk: (model, table, alpha, units, terms) → `Chunks`."""

    def chunks(
        model: Model, table: Table, alpha: float, units: Array | None = None, terms: Terms | None = None
    ) -> Chunks:
        names = table.names if terms is None else terms.names
        for rows, derivatives in iterate(model, table, order, watch=value is rsens2_of):
            with np.errstate(over="ignore", invalid="ignore"):  # what does not fit in float64 is reported by `finite`
                local = value(derivatives, alpha, units, terms)
            yield rows, finite(local, rows, names, column_axes or order, what)

    return chunks


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
