"""The finite-perturbation method: move a column a little and take the divergence of the two predictions.

Paananen et al. (2019), "Variable selection for Gaussian processes via sensitivity analysis of the posterior predictive
distribution"; the supplement of the paper shows that sqrt(2 D)/|Δ| tends to R-sens. (The √2 is missing in their code.)
"""

from __future__ import annotations

import numpy as np

from rsens._errors import InputError
from rsens._table import Table
from rsens._typing import Array
from rsens.derivatives import Derivatives, Model, contrasts_at, prepare, step_unit, without_derivatives
from rsens.distributions import Distribution
from rsens.measures._rsens import Chunks, finite, switches_of

#: Δ in units of `step_unit`. D is about R²Δ²/2. An absolute error of eps in D leaves eps/Δ² in R, and truncation leaves
#: Δ²: at eps^(1/4) both are 1e-8. It is not a power of two, by which round rows, under round coefficients, would give
#: predictions with too few digits: they look like single precision.
STEP = 0.99 * float(np.finfo(np.float64).eps) ** 0.25


def kl_chunks(model: Model, table: Table, alpha: float) -> Chunks:
    """sqrt(D(+Δ) + D(−Δ))/|Δ| of all rows, chunk by chunk, with D(Δ) = D_α[p(y | x) ‖ p(y | x + Δ e_d)].

    It needs predictions only, no derivatives, and its error falls as Δ²; that of the paper's sqrt(2 D(+Δ))/|Δ| falls as
    Δ only. In a categorical column it equals `rsens`, the average over switches of the level.
    """
    n, columns = table.values.shape
    step = STEP * step_unit(table.values)
    model = prepare(model, table)
    moving = list(range(columns) if table.coding is None else table.coding.continuous)
    # One evaluation moves each row 2D times, as much as two first derivatives by differences or forward mode.
    most = max(1, model.rows_per_chunk(columns, 1) // 2)
    for start in range(0, n, most):
        rows = slice(start, min(n, start + most))
        x = table.values[rows]
        moved = [_moved(x, d, sign * step[d]) for sign in (1.0, -1.0) for d in moving]
        stacked = model.predict_distribution(table.like(np.concatenate([x, *moved])))
        stacked = stacked.checked((1 + len(moved)) * len(x))
        _check_double(stacked, None if table.coding is None else len(x))
        leaves = [leaf.reshape(1 + len(moved), len(x), *leaf.shape[1:]) for leaf in stacked.leaves()]
        here, *away = (stacked.rebuilt(iter(each)) for each in zip(*leaves, strict=True))
        squares = np.zeros_like(x)
        for k, (there, predicted) in enumerate(zip(moved, away, strict=True)):
            d = moving[k % len(moving)]
            divergence = here.renyi(predicted, alpha)
            if np.isinf(divergence).any():
                raise InputError(
                    f"The divergence of order {alpha:g} between x and x + Δ is infinite at row "
                    f"{start + int(np.isinf(divergence).argmax())}, column {table.names[d]!r}. "
                    f"Use {'alpha = 1, or ' if alpha > 1.0 else ''}rsens, which needs no step."
                )
            width = there[:, d] - x[:, d]  # what Δ really is after rounding
            squares[:, d] += np.maximum(divergence, 0.0) / width**2  # rounding may leave −1e-30
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


def _check_double(stacked: Distribution, n: int | None) -> None:
    """Predictions in single precision, though converted afterwards, have no digits left for a small step."""
    parameters = stacked.parameters
    before = parameters[0] if n is None else np.resize(parameters[:n], parameters.shape)
    with np.errstate(over="ignore"):
        single = (parameters.astype(np.float32) == parameters).all(axis=0) & (parameters != before).any(axis=0)
    if single.any():
        name = stacked.parameter_names[int(single.argmax())]
        raise InputError(
            f"{type(stacked).__name__}: {name} was computed in single precision (float32), and the small step of kl "
            "needs float64. Compute in float64, or use rsens."
        )
