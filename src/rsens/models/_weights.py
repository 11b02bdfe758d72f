"""Models that are linear in x: a Gaussian posterior of the weights, and the linear predictor that follows at a row.

With ζ(x) = (1, z) and z = (φ(x) − centre)/scale (without an intercept ζ = z), where φ(x) = x unless X has categorical
columns, the posterior N(w, C) of the weights gives a linear predictor with

    m(x) = ζᵀw        v(x) = ζᵀCζ        ∂m = w_z/scale        ∂v = 2 (Cζ)_z/scale        ∂²v = 2 C_zz/(scale scaleᵀ).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from rsens._coding import Coding
from rsens._errors import InputError
from rsens._table import column_deviations
from rsens._typing import Array
from rsens.models._estimator import Predictive
from rsens.posteriors import Latent, Mean

#: From this many rows on, `triangular` takes the faster of its two ways.
MANY_ROWS = 4096
#: The most coefficients: their covariance takes 200 MB.
MOST_FEATURES = 5000


@dataclass(frozen=True, eq=False)
class LinearDesign:
    """Rows of X as rows ζ of the design: features φ(x), centred and scaled, with a column of ones in front.

    φ(x) (P,) has x_d for a continuous column, and [x_c = l] for each level l of a categorical one, column after column.
    """

    names: tuple[str, ...]
    columns: NDArray[np.intp]  # the column of each feature (P,)
    levels: Array  # the level code of an indicator, NaN for a number (P,)
    n_columns: int
    intercept: bool
    centre: Array
    scale: Array

    @classmethod
    def of(
        cls,
        rows: Array,
        names: Sequence[str],
        coding: Coding | None,
        weights: Array | None = None,
        *,
        proper: bool,
        intercept: bool,
        centred: bool,
    ) -> LinearDesign:
        """Numbers scaled to standard deviation 1, constants divided by their size; indicators centred but not scaled.

        Every level has an indicator, except under a flat prior (not `proper`), where features must not be collinear:
        the first level of a column then has none. Without an intercept, the first categorical column keeps them all.
        """
        found: list[tuple[str, int, float]] = []
        dropped = 0 if proper else 1
        skipped = dropped if intercept else 0
        for d, name in enumerate(names):
            if coding is None or d not in coding.categorical:
                found.append((name, d, np.nan))
                continue
            texts = [f"{label:g}" if isinstance(label, float) else str(label) for label in coding[d].labels]
            found += [(f"{name}={text}", d, float(code)) for code, text in list(enumerate(texts))[skipped:]]
            skipped = dropped
        if len(found) > MOST_FEATURES:
            raise InputError(
                f"a linear model keeps the covariance of its coefficients, and can have {MOST_FEATURES} of them; got "
                f"{len(found)} from {len(names)} columns. Drop columns, or use GPRegressor or GPClassifier, which keep "
                "the covariance of the rows."
            )
        columns = np.array([d for _, d, _ in found], dtype=np.intp)
        levels = np.array([level for _, _, level in found], dtype=np.float64)
        one = np.ones(len(found))
        design = cls(tuple(name for name, _, _ in found), columns, levels, len(names), intercept, 0.0 * one, one)
        values = design.features(rows)
        spread = column_deviations(values, None if weights is None else weights / weights.sum())
        if weights is not None:  # a row with weight 0 does not count
            values, weights = values[weights > 0.0], weights[weights > 0.0]
        some = len(found) > 0  # or none: a category with one level, whose effect is part of the intercept
        centre = np.average(values, axis=0, weights=weights) if centred and some else 0.0 * one
        size = np.abs(values).max(axis=0)
        scale = np.where(spread > 0.0, spread, np.where(size > 0.0, size, 1.0))
        # The mean of equal numbers may differ from them by rounding, and a constant column must become exactly 0.
        centre = np.where(spread > 0.0, centre, values[0] if centred else 0.0)
        return replace(design, centre=centre, scale=np.where(design.indicator, 1.0, scale))

    def __len__(self) -> int:
        return len(self.names)

    @property
    def indicator(self) -> NDArray[np.bool_]:
        """The features that are indicators, as a mask."""
        return ~np.isnan(self.levels)

    @property
    def plain(self) -> bool:
        """Whether φ(x) = x."""
        return len(self) == self.n_columns and not self.indicator.any()

    def features(self, rows: Array) -> Array:
        """φ at each row, (n, P)."""
        if self.plain:
            return rows
        values = rows[:, self.columns]
        return np.where(self.indicator, values == self.levels, values)

    def matrix(self, rows: Array) -> Array:
        """ζ at each row, (n, P + 1) with an intercept."""
        z = (self.features(rows) - self.centre) / self.scale
        return np.column_stack([np.ones(len(z)), z]) if self.intercept else z

    @property
    def inputs(self) -> slice:
        """The place of z in ζ."""
        return slice(int(self.intercept), None)

    @property
    def numbers(self) -> slice | NDArray[np.intp]:
        """The features that can be differentiated."""
        return slice(None) if self.plain else np.flatnonzero(~self.indicator)

    def in_columns(self, values: Array, axes: int) -> Array:
        """Derivatives in the D columns, 0 in categorical ones, from those in the C numbers: (…, C) or (…, C, C)."""
        if self.plain:
            return values
        places = self.columns[self.numbers]
        full = np.zeros((*values.shape[:-axes], *(self.n_columns,) * axes))
        if axes == 1:
            full[..., places] = values
        else:
            full[..., places[:, np.newaxis], places] = values
        return full


@dataclass(frozen=True, eq=False)
class WeightPosterior:
    """N(w, C) with C = root rootᵀ, for the weights of the design."""

    design: LinearDesign
    mean: Array  # w (P,)
    root: Array  # (P, P)

    def moments(self, rows: Array) -> Latent:
        """(m, v) of the linear predictor at each row."""
        matrix = self.design.matrix(rows)
        return Latent(matrix @ self.mean, np.sum((matrix @ self.root) ** 2, axis=1))

    def derivatives(self, rows: Array, order: int) -> Latent:
        """(m, v) with first (n, 2, D) and, for order 2, second (n, 2, D, D) derivatives in the columns of x."""
        design, numbers = self.design, self.design.numbers
        matrix = design.matrix(rows)
        half = matrix @ self.root
        root = self.root[design.inputs][numbers] / design.scale[numbers, np.newaxis]
        slopes = 2.0 * half @ root.T
        first = np.stack([np.broadcast_to(self.coef[numbers], slopes.shape), slopes], axis=1)
        latent = Latent(matrix @ self.mean, np.sum(half**2, axis=1), design.in_columns(first, axes=1))
        if order == 1:
            return latent
        curvature = 2.0 * root @ root.T
        second = design.in_columns(np.stack([np.zeros(curvature.shape), curvature]), axes=2)
        return replace(latent, second=np.broadcast_to(second, (len(rows), *second.shape)))

    def mean_derivatives(self, rows: Array, order: int) -> Mean:
        """m at each row, with derivatives in the columns of x up to this order (0, 1 or 2)."""
        n, D, design = len(rows), self.design.n_columns, self.design
        m = design.matrix(rows) @ self.mean
        first = np.tile(design.in_columns(self.coef[design.numbers], axes=1), (n, 1)) if order else None
        return m, first, np.zeros((n, D, D)) if order == 2 else None

    def combination_variances(self, rows: Array, weights: Array) -> Array:
        """The variances of Σ_i w_gi m(x_i) over the rows, for weights (g, n)."""
        return np.sum(((weights @ self.design.matrix(rows)) @ self.root) ** 2, axis=1)

    @property
    def names(self) -> NDArray[np.object_]:
        """The names of the features that the entries of `coef` belong to (P,)."""
        return np.array(self.design.names, dtype=object)

    @property
    def coef(self) -> Array:
        """∂m/∂φ (P,), on the scale of X."""
        return self.mean[self.design.inputs] / self.design.scale

    @property
    def intercept(self) -> float:
        """m at φ = 0."""
        return float(self.mean[0] - self.design.centre @ self.coef) if self.design.intercept else 0.0

    @property
    def coef_covariance(self) -> Array:
        """Covariance of `coef` (P, P)."""
        root = self.root[self.design.inputs] / self.design.scale[:, np.newaxis]
        return root @ root.T


class LinearModel(Predictive):
    """A model with one posterior of its weights for each latent f; here are the attributes of a model with one f."""

    _posteriors: list[WeightPosterior]

    @property
    def _latents(self) -> list[WeightPosterior]:
        return self._posteriors

    @property
    def _posterior(self) -> WeightPosterior:
        return self._posteriors[0]

    def _keep_posterior(self, posterior: WeightPosterior) -> None:
        self._posteriors = [posterior]
        self.coef_names_: NDArray[np.object_] = posterior.names
        self.coef_: Any = posterior.coef
        self.intercept_: Any = posterior.intercept


def triangular(A: Array) -> Array:
    """The R of A = QR: a root of AᵀA that loses half the digits that forming AᵀA would lose.

    For many rows it is Cholesky QR, done twice: as accurate if the first Q is nearly orthogonal, and much faster.
    """
    if len(A) >= MANY_ROWS:
        try:
            first = np.linalg.cholesky(A.T @ A)
            Q = solve_triangular(first, A.T, lower=True)
            gram = Q @ Q.T
            if np.abs(gram - np.eye(len(gram))).max() < 0.1:
                return np.asarray(first @ np.linalg.cholesky(gram)).T
        except np.linalg.LinAlgError:  # collinear columns, or nearly so
            pass
    return np.asarray(np.linalg.qr(A, mode="r"))
