"""R-sens and R-sens₂ (paper eqs. 3 and 4), from the derivatives of λ.

The calls `rsens` and `rsens2`, `explain`, `compare` and the null level all come to `rsens_of` and `rsens2_of`. A term
is a column, or a group of columns that move together.

In a categorical column, contrasts with its other levels, averaged with their frequencies, replace derivatives. With l₀
the row's own level, w_l the frequency of level l and x_l the row with level l,

    R_c(x) = Σ_{l≠l₀} w_l sqrt(2 D_α[p(y | x) ‖ p(y | x_l)]/α) / Σ_{l≠l₀} w_l.

The step is a whole one, so the Fisher norm of λ(x_l) − λ(x) would depend on how the family is parametrised; the
divergence does not. R-sens₂ applies two operators, and has a parametrisation anyway:

    category c and continuous d:    Σ_l w_l ‖∂_d λ(x_l) − ∂_d λ(x)‖ / Σ_l w_l
    categories c and c':            Σ_l Σ_l' w_l w_l' ‖λ(x_ll') − λ(x_l) − λ(x_l') + λ(x)‖ / Σ_l Σ_l' w_l w_l'

in the Fisher norm at x, times sqrt(α). A category with itself has 0: two switches of one column are one switch.

A contrast is per switch, a derivative per unit. In units of standard deviations a switch counts √(P(two rows differ)/2)
(`level_deviations`). Numeric columns of two values have contrasts too where `explain` and its kin ask for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from numbers import Real
from typing import Any

import numpy as np

from rsens._errors import Argument, InputError, warnings_once
from rsens._table import Table
from rsens._typing import Array
from rsens.adapters import read_for
from rsens.derivatives import Contrast, Derivatives, Model, iterate
from rsens.distributions import Distribution, Mixture
from rsens.measures._terms import Terms, units_and_terms

#: By position of a categorical column: the part of R_c that each of its L levels adds, (n, L).
Switches = Mapping[int, Array]
#: The number of rows whose divergences are found at once.
_AT_ONCE = 4096
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
    return _at_rows(rsens_of, model, X, 1, "R-sens", alpha)


def rsens2(model: Any, X: Any, *, alpha: float = 1.0) -> Array:
    """R-sens₂ of every row and pair, shape (n, D, D): sqrt(α · ∂²λ/∂x_d∂x_eᵀ I(λ) ∂²λ/∂x_d∂x_e), paper eq. (4).

    How strongly x_d and x_e interact in the predictive distribution; symmetric in d and e. Unlike R-sens it depends on
    how the family is parametrised, so every family fixes its λ and documents it.

    In a categorical column a contrast takes the place of the derivative: ‖∂_d λ(x_l) − ∂_d λ(x)‖ with a continuous
    column d, ‖λ(x_ll') − λ(x_l) − λ(x_l') + λ(x)‖ with another categorical one, averaged over levels with their
    frequencies, times sqrt(α). With itself it is 0.

    Args:
        model, X, alpha: As for `rsens`.

    Returns:
        R-sens₂ of row i for the columns d and e at [i, d, e], at least 0; d = e is the curvature in one column.

    Example:
        >>> from rsens import Normal, from_function, rsens2
        >>> model = from_function(lambda X: Normal(X[:, 0] * X[:, 1], 4.0))
        >>> rsens2(model, [[0.0, 5.0], [1.0, 6.0]])[0].round(6).tolist()
        [[0.0, 0.5], [0.5, 0.0]]
    """
    return _at_rows(rsens2_of, model, X, 2, "R-sens₂", alpha)


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
    for column, of_levels in (switches_of(derivatives, alpha) if switches is None else switches).items():
        values[:, terms.of_column(column)] = of_levels.sum(axis=1) * units[column]
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
        size_of_first=lambda change: root * family.fisher_norm(terms.along(change * units, family)),
        size_of_value=lambda change: root * family.fisher_norm(change),
        units=units,
        terms=terms,
    )


def _at_rows(value: ValueOf, model: Any, X: Any, order: int, what: str, alpha: Any) -> Array:
    """`value` of the derivatives of a model at all rows X; errors call it `what`."""
    alpha = check_alpha(alpha)
    source, table = read_for(model, X)
    with warnings_once():
        return gathered(chunks_of(value, order, what)(source, table, alpha), len(table))


def chunks_of(value: ValueOf, order: int, what: str) -> Callable[..., Chunks]:
    """Local values at the rows of a table, chunk by chunk: (model, table, alpha, units, terms) → `Chunks`."""

    def chunks(
        model: Model, table: Table, alpha: float, units: Array | None = None, terms: Terms | None = None
    ) -> Chunks:
        names = table.names if terms is None else terms.names
        for rows, derivatives in iterate(model, table, order, watch=value is rsens2_of):
            with np.errstate(over="ignore", invalid="ignore"):  # what does not fit in float64 is reported by `finite`
                local = value(derivatives, alpha, units, terms)
            yield rows, finite(local, rows, names, order, what)

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


def switches_of(derivatives: Derivatives, alpha: float) -> Switches:
    """w_l sqrt(2 D_α[p(x) ‖ p(x_l)]/α) of every level of every categorical column; R_c and its parts add them up."""
    return {
        contrast.column: contrast.weights * _distances(derivatives.distribution, contrast, alpha)
        for contrast in derivatives.contrasts
    }


def filled_second(
    pairs: Array,
    derivatives: Derivatives,
    *,
    size_of_first: Callable[[Array], Array],
    size_of_value: Callable[[Array], Array],
    units: Array,
    terms: Terms,
    first: Callable[[Distribution, Array], Array] = lambda p, first: first,
    value: Callable[[Distribution], Array] = lambda p: p.parameters,
) -> Array:
    """Pairs (n, …, T, T) of terms with the contrasts of categorical ones, of λ or some f(λ), filled in; diagonal 0."""
    here, by_column = derivatives.distribution, {contrast.column: contrast for contrast in derivatives.contrasts}
    slope, point = first(here, derivatives.first), value(here)
    categorical = [terms.of_column(column) for column in by_column]
    rest = [t for t in range(len(terms)) if t not in categorical]
    pairs[..., categorical, categorical] = 0.0
    for contrast in derivatives.contrasts:
        t, unit = terms.of_column(contrast.column), units[contrast.column]
        slopes = (first(*at) for at in zip(contrast.levels, contrast.first, strict=True))
        values = weighted_sum(contrast, (size_of_first(there - slope) for there in slopes))
        pairs[..., t, rest] = pairs[..., rest, t] = values[..., rest] * unit
        for column, predictions in (contrast.pairs or {}).items():
            s, later = terms.of_column(column), by_column[column]
            alone = _stacked(later.levels, value) - point[..., None]
            mixed = (
                size_of_value((_stacked(row, value) - value(one)[..., None]) - alone)
                for row, one in zip(predictions, contrast.levels, strict=True)
            )
            averages = (weighted_sum(later, np.moveaxis(of_both, -1, 0)) for of_both in mixed)
            pairs[..., t, s] = pairs[..., s, t] = weighted_sum(contrast, averages) * unit * units[column]
    return pairs


def weighted_sum(contrast: Contrast, values: Iterable[Array]) -> Array:
    """Σ_l w_l times the values (n, …) of each level, which may be NaN at the row's own level, where w_l = 0."""
    total: Any = 0.0
    for w, at_level in zip(contrast.weights.T, values, strict=True):
        w = w.reshape(-1, *(1,) * (at_level.ndim - 1))
        total = total + np.where(w > 0.0, w * at_level, 0.0)
    return total


def _stacked(levels: Sequence[Distribution], value: Callable[[Distribution], Array]) -> Array:
    """The values (n, …) at all levels, on a last axis."""
    return np.stack([value(level) for level in levels], -1)


def _distances(here: Distribution, contrast: Contrast, alpha: float) -> Array:
    """sqrt(2 D_α[p(x) ‖ p(x_l)]/α) (n, L), 0 where a level has no weight: the row's own has none."""
    counts = contrast.weights > 0.0
    if isinstance(here, Mixture) or not here.domains:  # these have no arrays, one entry per row, to put together
        divergence = np.where(
            counts, _stacked(contrast.levels, lambda there: Distribution.renyi(here, there, alpha)), 0.0
        )
    else:
        divergence, there = np.zeros(counts.shape), here.joined(contrast.levels)
        level, row = np.nonzero(counts.T)
        for start in range(0, len(row), _AT_ONCE):
            l, i = level[start : start + _AT_ONCE], row[start : start + _AT_ONCE]
            divergence[i, l] = here.at_rows(i).renyi(there.at_rows(l * len(counts) + i), alpha)
    infinite = np.isinf(divergence).any(axis=1)
    if infinite.any():
        raise InputError(
            f"The divergence of order {alpha:g} between levels of column {contrast.name!r} is infinite in "
            f"{int(infinite.sum())} rows. {'Use alpha = 1, or a' if alpha >= 1.0 else 'A'} model whose predictions at "
            "all levels overlap."
        )
    return np.sqrt(2.0 / alpha * np.maximum(divergence, 0.0))  # rounding may leave −1e-30


# How much of R-sens comes from which part of λ: "moves the prediction" against "moves the uncertainty".


def parts_of(
    derivatives: Derivatives,
    alpha: float,
    units: Array | None = None,
    terms: Terms | None = None,
    switches: Switches | None = None,
) -> dict[str, Array]:
    """The parts of `rsens_of`, (n, T) each, by name: contrasts are split as the squared norm of λ(x_l) − λ(x) is."""
    units, terms = units_and_terms(derivatives, units, terms)
    family = derivatives.distribution
    if not family.part_names:
        return {}
    by_part = parts(family, terms.along(derivatives.first * units, family), alpha=alpha)
    switches = switches_of(derivatives, alpha) if switches is None else switches
    for contrast in derivatives.contrasts:
        column, t = contrast.column, terms.of_column(contrast.column)
        changes = _stacked(contrast.levels, lambda there: there.parameters) - family.parameters[..., None]
        for name, share in family.shares(changes).items():
            by_part[name][:, t] = (switches[column] * share).sum(axis=1) * units[column]
    return by_part


def pair_parts_of(
    derivatives: Derivatives, pairs: Array, alpha: float, units: Array | None = None, terms: Terms | None = None
) -> dict[str, Array]:
    """The parts of `pairs` = `rsens2_of(…)`, (n, P) each, by name; pairs s < t in the order of `np.triu_indices`.

    R₂ of a pair is the norm of one change of λ, and the part of block b is R_b²/R₂ of that change; of a contrast,
    averaged over levels as R₂ is. The last block is R₂ minus the others, so the parts add up to R₂ to the last digit.
    """
    derivatives = derivatives.for_pairs
    family, (units, terms) = derivatives.distribution, units_and_terms(derivatives, units, terms)
    if not family.part_names:
        return {}
    *leading, last = family.part_names
    upper = np.triu_indices(len(terms), 1)
    change = np.sqrt(alpha) * _along_pairs(derivatives, units, terms, upper)
    whole = rest = pairs[:, *upper]
    result, shares = {}, family.shares(change)

    def part_of(change: Array, name: str) -> Array:
        """R_b²/R of a change of λ."""
        return np.sqrt(alpha) * family.fisher_norm(change) * family.shares(change)[name]

    for name in leading:
        by_term = np.zeros_like(pairs)
        by_term[:, *upper] = whole * shares[name]
        by_term = filled_second(
            by_term,
            derivatives,
            size_of_first=lambda change, name=name: part_of(terms.along(change * units, family), name),  # type: ignore[misc]
            size_of_value=partial(part_of, name=name),
            units=units,
            terms=terms,
        )
        result[name] = np.minimum(by_term[:, *upper], rest)  # rounding
        rest = rest - result[name]
    return result | {last: rest}


def parts(distribution: Distribution, derivative: Array, *, alpha: float = 1.0) -> dict[str, Array]:
    """R-sens split over the parts of λ, by name; empty for families that cannot be split.

    `derivative` is ∂λ (n, M, D), or ∂²λ (n, M, D, D) for R-sens₂; each part has the shape of the local values.
    With R_b the norm of the orthogonal block b alone, R² = Σ R_b², and the part is R_b²/R: the parts add up to R.
    Written as R · (R_b/R)², because R_b² need not fit in float64 where R does; 0 where R = 0. Mixtures of draws have
    parts of another kind (`Mixture.shares`).

    Example:
        >>> import numpy as np
        >>> from rsens import Normal
        >>> from rsens.measures import parts
        >>> parts(Normal([0.0], [1.0]), np.array([[[3.0], [4.0 * 2.0**0.5]]]))  # R-sens is 5
        {'mean': array([[1.8]]), 'variance': array([[3.2]])}
    """
    root = np.sqrt(check_alpha(alpha))
    if not distribution.part_names:
        return {}
    whole = distribution.fisher_norm(derivative)
    return {name: root * whole * share for name, share in distribution.shares(derivative).items()}


def _along_pairs(derivatives: Derivatives, units: Array, terms: Terms, pairs: tuple[Any, Any]) -> Array:
    """∂²λ (n, M, P) of each of the pairs of terms: of two columns, or the combination that a group's norm is of."""
    second, family = derivatives.second, derivatives.distribution
    assert second is not None  # asked for with order = 2
    firsts = np.array([members[0] for members in terms.members])
    d, e = firsts[pairs[0]], firsts[pairs[1]]
    change = second[:, :, d, e] * (units[d] * units[e])
    for p, (s, t) in enumerate(zip(*pairs, strict=True)):
        if s in terms.grouped or t in terms.grouped:
            a, b = (index.ravel() for index in np.meshgrid(terms.members[s], terms.members[t], indexing="ij"))
            links = second[:, :, a, b] * (units[a] * units[b])
            # The first right singular vector of B ∂²λ, Bᵀ B = I(λ), over all links of the two terms.
            _, _, weights = np.linalg.svd(family.whiten(links), full_matrices=False)
            change[:, :, p] = np.einsum("nml,nl->nm", links, weights[:, 0])
    return change
