"""The numbers of a profile: what a model predicts, and how sensitive it is, along one variable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from scipy.special import ndtri

from rsens._coding import Coding
from rsens._table import Table
from rsens._typing import Array
from rsens.adapters import as_model, classes_of
from rsens.derivatives import Derivatives, Model, iterate, prepare
from rsens.distributions import Distribution, is_event
from rsens.measures import (
    check_alpha,
    contrast_parts,
    contrast_values,
    finite,
    first_of_prediction,
    parts,
    switches_of,
)
from rsens.plots._bands import central_intervals

Kind = Literal["number", "count", "probability", "vector"]

#: The probability within one standard deviation of a normal distribution.
ONE_SD = np.array([0.6826894921370859])


@dataclass(frozen=True)
class Along:
    """g points along one variable, P outputs. Sensitivities are per step of the variable."""

    kind: Kind  # what the prediction is
    middle: str  # what the line in the middle is: "mean" or "median"
    prediction: Array  # (g, P)
    bands: Array  # (g, bands, 2, P), narrowest first
    rsens: Array  # (g,)
    parts: dict[str, Array]  # (g,) each; they add up to R-sens
    slope: Array  # (g,), |∂ prediction|, summed over outputs as in `measures.ead`
    spread: Array  # (g,), predictive standard deviation
    curve: Array | None = None  # (g, 2, P), the band of the prediction as a curve; none of a slice
    from_fit: bool = False  # whether that band includes what the fit does not know

    @property
    def naive(self) -> Array | None:
        """|∂ prediction| over a typical standard deviation: R-sens if the uncertainty were the same everywhere.

        The derivative alone has the unit of y and cannot share an axis with R-sens. None where nothing is uncertain.
        """
        typical = float(np.median(self.spread))
        with np.errstate(over="ignore"):
            line = self.slope / typical if 0.0 < typical < np.inf else np.array(np.nan)
        return line if np.isfinite(line).all() else None


def along(prepared: Model, rows: Table, column: int, *, step: float, shares: Array, alpha: float) -> Along:
    """Evaluate a model at some rows; it was prepared for these, or for others."""
    alpha = check_alpha(alpha)
    chunks = []
    for where, derivatives in iterate(prepared, with_contrasts_of(rows, (column,)), 1):
        chunks.append(_evaluate(derivatives, column, step, shares, alpha))
        finite(chunks[-1].rsens[:, None], where, (rows.names[column],), 1, "R-sens")
    return Along(
        kind=chunks[0].kind,
        middle=chunks[0].middle,
        prediction=np.concatenate([chunk.prediction for chunk in chunks]),
        bands=np.concatenate([chunk.bands for chunk in chunks]),
        rsens=np.concatenate([chunk.rsens for chunk in chunks]),
        parts={name: np.concatenate([chunk.parts[name] for chunk in chunks]) for name in chunks[0].parts},
        slope=np.concatenate([chunk.slope for chunk in chunks]),
        spread=np.concatenate([chunk.spread for chunk in chunks]),
    )


def prepared_for(model: Any, table: Table) -> Model:
    """The model prepared for the rows of a table: steps and levels come from the data, wherever it is evaluated."""
    return prepare(as_model(model).coded(table), table)


def with_contrasts_of(rows: Table, columns: Sequence[int]) -> Table:
    """The rows with contrasts in these columns only: those of other columns take long and are not drawn."""
    if rows.coding is None:
        return rows
    own = tuple(levels for levels in rows.coding.columns if levels.position in columns)
    return replace(rows, coding=Coding(rows.coding.names, own) if own else None)


def _evaluate(derivatives: Derivatives, column: int, step: float, shares: Array, alpha: float) -> Along:
    family = derivatives.distribution
    with np.errstate(over="ignore", invalid="ignore"):  # what does not fit in float64 is found by `finite` and `naive`
        first = derivatives.first[:, :, [column]] * step
        slope = first_of_prediction(derivatives)[:, :, column] * step
        rsens = np.sqrt(alpha) * family.fisher_norm(first)[:, 0]
        split = parts(family, first, alpha=alpha)
        switches = switches_of(derivatives, alpha)
        for position, values in contrast_values(switches):
            if position == column:
                rsens = values * step
        for position, of_contrast in contrast_parts(derivatives, switches) if split else ():
            if position == column:
                split = {name: part[:, None] * step for name, part in of_contrast.items()}
    kind, middle, prediction, bands = predictive(family, shares)
    return Along(
        kind=kind,
        middle=middle,
        prediction=prediction,
        bands=bands,
        rsens=rsens,
        parts={name: part[:, 0] for name, part in split.items()},
        slope=np.sqrt(alpha) * family.output_weight * np.abs(slope).sum(axis=1),
        spread=spread_of(family),
    )


def output_names(model: Any, kind: Kind, n_outputs: int) -> tuple[str, ...]:
    """The classes where the model names them."""
    classes = classes_of(model)
    if kind == "probability" and classes is not None and len(classes) == n_outputs:
        return tuple(str(name) for name in classes)
    return tuple(f"class {k}" if kind == "probability" else f"y{k}" for k in range(n_outputs))


def predictive(family: Distribution, shares: Array) -> tuple[Kind, str, Array, Array]:
    """What to draw: probabilities as they are, numbers with central intervals, vectors with standard deviations."""
    with np.errstate(over="ignore", invalid="ignore"):  # a mean that does not fit in float64 counts as none
        mean = np.asarray(family.mean, dtype=np.float64)
    if family.support == "classes" or is_event(family):
        mean = mean.reshape(len(mean), -1)
        return "probability", "mean", mean, np.empty((len(mean), 0, 2, mean.shape[1]))
    if family.support == "vector":
        z = ndtri(0.5 + 0.5 * shares)[:, None, None] * np.array([[-1.0], [1.0]])  # (bands, 2, 1)
        return "vector", "mean", mean, mean[:, None, None] + z * np.sqrt(family.variance)[:, None, None]
    kind: Kind = "count" if family.support == "counts" else "number"
    bands = central_intervals(family, shares)[..., None]
    if np.isfinite(mean).all():
        return kind, "mean", mean[:, None], bands
    return kind, "median", central_intervals(family, np.zeros(1))[:, 0, :1], bands


def spread_of(family: Distribution) -> Array:
    """Predictive standard deviation per row, or half the central interval of one where it does not exist."""
    with np.errstate(over="ignore", invalid="ignore"):
        variance = np.asarray(family.variance, dtype=np.float64)
    if family.support in ("classes", "vector"):
        return np.sqrt(family.output_weight * variance.sum(axis=1))
    missing = ~np.isfinite(variance)
    if not missing.any():
        return np.sqrt(variance)
    half = 0.5 * np.diff(central_intervals(family, ONE_SD)[:, 0], axis=1)[:, 0]
    return np.where(missing, half, np.sqrt(np.where(missing, 0.0, variance)))
