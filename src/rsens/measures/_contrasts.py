"""The first-order operator of a categorical column: contrasts with its other levels, averaged with their frequencies.

With l₀ the row's own level, w_l the frequency of level l and x_l the row with level l,

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
from typing import Any

import numpy as np

from rsens._errors import Argument, InputError, Sentence
from rsens._table import Table
from rsens._text import quoted
from rsens._typing import Array
from rsens.derivatives import Contrast, Derivatives
from rsens.distributions import Distribution, Mixture
from rsens.measures._terms import Terms

#: By position of a categorical column: the part of R_c that each of its L levels adds, (n, L).
Switches = Mapping[int, Array]
#: The number of rows whose divergences are found at once.
_AT_ONCE = 4096


def switches_of(derivatives: Derivatives, alpha: float) -> Switches:
    """w_l sqrt(2 D_α[p(x) ‖ p(x_l)]/α) of every level of every categorical column; R_c and its parts add them up."""
    return {
        contrast.column: contrast.weights * _distances(derivatives.distribution, contrast, alpha)
        for contrast in derivatives.contrasts
    }


def contrast_values(switches: Switches) -> Iterator[tuple[int, Array]]:
    """R_c of every categorical column: its position and the local values (n,)."""
    for column, values in switches.items():
        yield column, values.sum(axis=1)


def contrast_parts(derivatives: Derivatives, switches: Switches) -> Iterator[tuple[int, dict[str, Array]]]:
    """R_c split over the parts of λ, as the squared Fisher norm of λ(x_l) − λ(x) is; the parts add up."""
    here = derivatives.distribution
    for contrast in derivatives.contrasts:
        changes = _stacked(contrast.levels, lambda there: there.parameters) - here.parameters[..., None]
        values = switches[contrast.column]
        yield contrast.column, {name: (values * share).sum(axis=1) for name, share in here.shares(changes).items()}


def prediction_contrasts(derivatives: Derivatives) -> Iterator[tuple[int, Array]]:
    """The absolute contrast of the point prediction, averaged like R_c: position and values (n, P)."""
    here = derivatives.distribution.prediction()
    for contrast in derivatives.contrasts:
        changes = (np.abs(there.prediction() - here) for there in contrast.levels)
        yield contrast.column, _weighted_sum(contrast, changes)


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
        values = _weighted_sum(contrast, (size_of_first(there - slope) for there in slopes))
        pairs[..., t, rest] = pairs[..., rest, t] = values[..., rest] * unit
        for column, predictions in (contrast.pairs or {}).items():
            s, later = terms.of_column(column), by_column[column]
            alone = _stacked(later.levels, value) - point[..., None]
            mixed = (
                _over_levels(later, size_of_value((_stacked(row, value) - value(one)[..., None]) - alone))
                for row, one in zip(predictions, contrast.levels, strict=True)
            )
            pairs[..., t, s] = pairs[..., s, t] = _weighted_sum(contrast, mixed) * unit * units[column]
    return pairs


def filled_first(values: Array, contrasts: Iterator[tuple[int, Array]]) -> Array:
    """Values (n, …, D) of continuous columns, with the contrasts of categorical ones filled in."""
    for column, contrast in contrasts:
        values[..., column] = contrast
    return values


def _weighted_sum(contrast: Contrast, values: Iterable[Array]) -> Array:
    """Σ_l w_l times the values (n, …) of each level, which may be NaN at the row's own level, where w_l = 0."""
    total: Any = 0.0
    for w, at_level in zip(contrast.weights.T, values, strict=True):
        w = w.reshape(-1, *(1,) * (at_level.ndim - 1))
        total = total + np.where(w > 0.0, w * at_level, 0.0)
    return total


def _stacked(levels: Sequence[Distribution], value: Callable[[Distribution], Array]) -> Array:
    """The values (n, …) at all levels, on a last axis."""
    return np.stack([value(level) for level in levels], -1)


def _over_levels(contrast: Contrast, values: Array) -> Array:
    """Σ_l w_l times the values (n, …, L), like `_weighted_sum`."""
    w = contrast.weights.reshape(len(values), *(1,) * (values.ndim - 2), -1)
    return np.where(w > 0.0, w * values, 0.0).sum(axis=-1)


def check_continuous(table: Table, what: str) -> None:
    """An error that names the categorical columns; `what` has a meaning for continuous ones only."""
    if table.coding is not None:
        names = quoted(column.name for column in table.coding.columns)
        numbers = [column.name for column in table.coding.columns if column.numeric]
        raise InputError(
            f"{what} needs derivatives in every column, and these columns are categorical: {names}. Use rsens or "
            "rsens2, which compare their levels, or a model of the other columns",
            Sentence(" and ", Argument("numeric", numbers), ".") if numbers else ".",
        )


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
