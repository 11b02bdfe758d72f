"""The finite-perturbation method: move a column a little and take the divergence of the two predictions.

Paananen et al. (2019), "Variable selection for Gaussian processes via sensitivity analysis of the posterior predictive
distribution"; the supplement of the paper shows that sqrt(2 D)/|Δ| tends to R-sens. (The √2 is missing in their code.)
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from rsens._errors import Argument, InputError
from rsens._table import Table, positive_per_column
from rsens._typing import Array
from rsens.adapters import read_for
from rsens.derivatives import Derivatives, Model, contrasts_at, prepare, step_unit, without_derivatives
from rsens.distributions import Distribution
from rsens.measures._rsens import Chunks, check_alpha, finite, gathered, switches_of

#: D is about R²Δ²/2. An absolute error of eps in D leaves eps/Δ² in R, and truncation leaves Δ²: at eps^(1/4) both are
#: 1e-8. A family whose divergence keeps its digits would allow a smaller step, but this one is right for all. It is not
#: a power of two, by which round rows, under round coefficients, would give predictions with too few digits: they look
#: like single precision.
DEFAULT_STEP = 0.99 * float(np.finfo(np.float64).eps) ** 0.25
#: The same balance for predictions that were computed in single precision; below it their rounding decides the result.
SINGLE_STEP = float(np.finfo(np.float32).eps) ** 0.25


def kl(
    model: Any,
    X: Any,
    *,
    step: Any = None,
    scale: Any = None,
    sided: Literal["both", "one"] = "both",
    alpha: float = 1.0,
) -> Array:
    """R-sens of every row and column by finite perturbation, shape (n, D). Needs predictions only, no derivatives.

    sqrt(D(+Δ) + D(−Δ))/|Δ|, whose error falls as Δ²; with `sided="one"` sqrt(2 D(+Δ))/|Δ| as in the paper, whose error
    falls as Δ only. D(Δ) = D_α[p(y | x) ‖ p(y | x + Δ e_d)], Kullback–Leibler for alpha = 1. In a categorical column it
    equals `rsens`, the average over switches of the level.

    Args:
        model: Anything that gives a predictive distribution for rows.
        X: Rows.
        step: Δ in units of each column's scale, one number or one per column. The default is about 1.2e-4.
        scale: The unit of each column, one number or one per column. The default is its standard deviation over X, or
            the spread of its middle half where a few values far outside make that much larger; where all values are
            equal, their magnitude, at least 1. For absolute steps give `scale=1`.
        sided: "both" or "one".
        alpha: Order of the divergence; it multiplies the result by about its square root.

    Example:
        >>> from rsens import Normal, from_function
        >>> from rsens.measures import kl
        >>> model = from_function(lambda X: Normal(3.0 * X[:, 0], 4.0))
        >>> kl(model, [[0.0, 5.0], [1.0, 6.0]]).round(4).tolist()
        [[1.5, 0.0], [1.5, 0.0]]
    """
    order = check_alpha(alpha)
    source, table = read_for(model, X)
    return gathered(kl_chunks(source, table, order, step=step, scale=scale, sided=sided), len(table.values))


def kl_chunks(
    model: Model, table: Table, alpha: float, *, step: Any = None, scale: Any = None, sided: str = "both"
) -> Chunks:
    """R-sens by finite perturbation of all rows, chunk by chunk."""
    n, columns = table.values.shape
    relative = positive_per_column(DEFAULT_STEP if step is None else step, columns, "step")
    unit = step_unit(table.values) if scale is None else positive_per_column(scale, columns, "scale")
    if sided not in ("both", "one"):
        raise InputError(Argument("sided"), f" must be 'both' or 'one'; got {sided!r}.")
    signs, step = (1.0, -1.0) if sided == "both" else (1.0,), relative * unit
    model = prepare(model, table)
    moving = list(range(columns) if table.coding is None else table.coding.continuous)
    # One evaluation moves each row 2D times, as much as two first derivatives by differences or forward mode.
    most = max(1, model.rows_per_chunk(columns, 1) // 2)
    for start in range(0, n, most):
        rows = slice(start, min(n, start + most))
        x = table.values[rows]
        moved = [_moved(x, d, sign * step[d]) for sign in signs for d in moving]
        stacked = model.predict_distribution(table.like(np.concatenate([x, *moved])))
        stacked = stacked.checked((1 + len(moved)) * len(x))
        if relative.min() < SINGLE_STEP:
            _check_double(stacked, None if table.coding is None else len(x))
        here = _rows_of(stacked, slice(0, len(x)))
        squares = np.zeros_like(x)
        for k, there in enumerate(moved):
            d = moving[k % len(moving)]
            divergence = here.renyi(_rows_of(stacked, slice((k + 1) * len(x), (k + 2) * len(x))), alpha)
            if np.isinf(divergence).any():
                raise InputError(
                    f"The divergence of order {alpha:g} between x and x + Δ is infinite at row "
                    f"{start + int(np.isinf(divergence).argmax())}, column {table.names[d]!r}. "
                    f"Use {'alpha = 1, ' if alpha > 1.0 else ''}a smaller step, or rsens, which needs no step."
                )
            width = there[:, d] - x[:, d]  # what Δ really is after rounding
            squares[:, d] += 2.0 / len(signs) * np.maximum(divergence, 0.0) / width**2  # rounding may leave −1e-30
        values = np.sqrt(squares)
        if table.coding is not None:
            record = without_derivatives(here, columns, 1)
            contrasts = contrasts_at(model, table, rows, record, 1)
            for column, of_levels in switches_of(Derivatives(here, record.first, None, contrasts), alpha).items():
                values[:, column] = of_levels.sum(axis=1)
        yield rows, finite(values, rows, table.names, 1, "The divergence between x and x + Δ")


def _moved(x: Array, d: int, step: float) -> Array:
    moved = x.copy()
    moved[:, d] += np.copysign(np.maximum(abs(step), 4.0 * np.spacing(np.abs(x[:, d]))), step)
    return moved


def _rows_of(distribution: Distribution, rows: slice) -> Distribution:
    return distribution.rebuilt(iter([leaf[rows] for leaf in distribution.leaves()]))


def _check_double(stacked: Distribution, n: int | None) -> None:
    """Predictions in single precision, though converted afterwards, have no digits left for a small step."""
    parameters = stacked.parameters
    before = parameters[0] if n is None else np.resize(parameters[:n], parameters.shape)
    with np.errstate(over="ignore"):
        single = (parameters.astype(np.float32) == parameters).all(axis=0) & (parameters != before).any(axis=0)
    if single.any():
        name = stacked.parameter_names[int(single.argmax())]
        raise InputError(
            f"{type(stacked).__name__}: {name} was computed in single precision (float32), and the small default step "
            f"needs float64. Compute in float64, or give a step of at least {SINGLE_STEP:.1g}."
        )
