"""Models that are linear in x: a Gaussian posterior of the weights, and the linear predictor that follows at a row.

With ζ(x) = (1, z) and z = (φ(x) − centre)/scale (without an intercept ζ = z), where φ(x) = x unless X has categorical
columns, the posterior N(w, C) of the weights gives a linear predictor with

    m(x) = ζᵀw        v(x) = ζᵀCζ        ∂m = w_z/scale        ∂v = 2 (Cζ)_z/scale        ∂²v = 2 C_zz/(scale scaleᵀ).

`BayesianLinearRegression` has Student-t predictions in closed form (paper, section 2.2); the models of `_glm.py` have
Laplace's posterior.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from rsens._coding import Coding
from rsens._errors import InputError, warn
from rsens._table import column_deviations
from rsens._text import quoted
from rsens._typing import Array
from rsens.distributions import StudentT
from rsens.models._estimator import Predictive, PredictiveRegressor, read_precision
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


ADVICE = "Drop columns, or set a prior, for example prior_precision=1.0 with standardize=True."
EPS = float(np.finfo(np.float64).eps)


class BayesianLinearRegression(LinearModel, PredictiveRegressor):
    """Linear regression with Gaussian noise, all parameters integrated out: λ = (location, scale²) of a Student-t.

    The prior is flat in (β, log σ) unless `prior_precision` is given. With X (N, D) the design, including its column of
    ones, the prediction is (paper, section 2.2, where the squared scale is called Var)

        StudentT(xβ̂, s²(1 + x(XᵀX)⁻¹xᵀ), ν),   β̂ = (XᵀX)⁻¹Xᵀy,   s² = |y − Xβ̂|²/ν,   ν = N − D.

    This needs N > D and columns that are neither constant nor collinear. With a prior it needs neither:
    β | σ² ~ N(0, σ²/prior_precision) for the slopes and still p(σ²) ∝ 1/σ². Then β̂ and (XᵀX)⁻¹ come from ridge
    regression, νs² = |y − Xβ̂|² + prior_precision·|β̂|², and ν = N: a proper prior costs no degrees of freedom. The prior
    of the intercept stays flat and costs one, so ν = N − 1 with an intercept.

    A categorical column enters as one indicator per level, so that D counts levels. With the prior, every level has an
    effect ~ N(0, σ²/prior_precision), with or without `standardize`. Under the flat prior the effects are differences
    from the first level; predictions do not depend on which level is first. (Without an intercept, the first
    categorical column keeps all its levels.)

    Args:
        fit_intercept: Whether there is an intercept. It is never penalised.
        prior_precision: None for the flat prior, or the prior precision of β relative to the precision of the noise.
        standardize: Whether the prior is about β per standard deviation of its column, so that one precision suits
            columns in different units. It makes no difference to the flat prior.
        categorical: As for `GPRegressor`.

    Attributes:
        coef_, intercept_: β̂; coef_ has one number per continuous column and per level that has an indicator.
        coef_names_: Their names: "age", or "town=Oslo" for a level.
        coef_scale2_: The squared scale matrix of the Student-t posterior of coef_.
        noise_variance_: s².
        degrees_of_freedom_: ν.
        training_inputs_, input_scale_, n_features_in_, feature_names_in_, coding_: As for `GPRegressor`.

    Example:
        >>> import rsens
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.1, 1.9, 3.0]
        >>> model = rsens.BayesianLinearRegression().fit(X, y)
        >>> model.coef_.round(2).tolist(), model.degrees_of_freedom_
        ([0.98], 2)
        >>> model.predict_distribution([[1.5]]).scale2.round(5).tolist()
        [0.01125]
        >>> rsens.rsens(model, [[1.5]]).round(1).tolist()
        [[7.2]]
    """

    description: ClassVar[str] = "Bayesian linear model"
    _truths: ClassVar[tuple[str, ...]] = ("fit_intercept", "standardize")

    def __init__(
        self,
        fit_intercept: bool = True,
        prior_precision: float | None = None,
        standardize: bool = False,
        categorical: Any = None,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.prior_precision = prior_precision
        self.standardize = standardize
        self.categorical = categorical

    def fit(self, X: Any, y: Any, *, offset: Any = None) -> Self:
        """The posterior given rows X (N, D) and targets y. `offset` is a known part of the mean, one number per row."""
        proper = self.prior_precision is not None
        rows, y, offset, _ = self._read_training(X, y, offset=offset, keep_unused=proper)
        design = LinearDesign.of(
            rows,
            self._column_names,
            self.coding_,
            proper=proper,
            intercept=self.fit_intercept,
            centred=self.fit_intercept,
        )
        self.degrees_of_freedom_: int = len(rows) - int(self.fit_intercept) - (0 if proper else len(design))
        self._check_size(len(rows))
        y = y - offset
        centre = y.mean() if self.fit_intercept else 0.0
        precision, matrix = self._prior(design), design.matrix(rows)
        if proper and len(rows) < len(design):
            weight_mean, root, root_rss = _by_rows(matrix, y - centre, precision, intercept=self.fit_intercept)
        else:
            # With [A, y] = QR, the leading block of R is a root of AᵀA, its last column holds Qᵀy, its corner √RSS.
            prior = np.pad(np.diag(np.sqrt(precision)), ((0, 0), (0, 1)))
            R = triangular(np.vstack([np.column_stack([matrix, y - centre]), prior]))
            U, singular, Vt = np.linalg.svd(R[:-1, :-1])
            self._check_rank(rows, design, singular, Vt)
            root = Vt.T / singular
            weight_mean, root_rss = root @ (U.T @ R[:-1, -1]), abs(R[-1, -1])
        if self.fit_intercept:
            weight_mean[0] += centre
        self.noise_variance_: float = _noise_variance(root_rss, self.degrees_of_freedom_, np.abs(y).max())
        self._keep_posterior(WeightPosterior(design, weight_mean, root))  # in units of noise
        self.coef_scale2_: Array = self.noise_variance_ * self._posterior.coef_covariance
        return self

    def _prior(self, design: LinearDesign) -> Array:
        """Prior precision of the weights of the design, relative to the precision of the noise."""
        slopes = np.zeros(len(design.scale))
        if self.prior_precision is not None:
            precision = read_precision(self.prior_precision, "prior_precision")
            slopes += precision if self.standardize else precision / design.scale**2
        return np.concatenate([np.zeros(int(self.fit_intercept)), slopes])

    def _check_size(self, n: int) -> None:
        if self.degrees_of_freedom_ <= 0:
            flat = self.prior_precision is None
            raise InputError(
                f"{type(self).__name__} {'with its flat prior ' * flat}needs more rows than coefficients, at least "
                f"{n + 1 - self.degrees_of_freedom_}; got {n} sample{'s' * (n != 1)}. ",
                ADVICE if flat else "",
            )

    def _check_rank(self, rows: Array, design: LinearDesign, singular: Array, Vt: Array) -> None:
        """Under the flat prior the data must determine every direction, by more than the rounding of the inputs."""
        values, names = design.features(rows), np.array(design.names, dtype=object)
        rounding = float((np.abs(values).max(axis=0) / design.scale).max(initial=0.0))
        free = singular <= EPS * (max(len(rows), len(singular)) + 4.0 * rounding) * singular[0]
        if self.prior_precision is not None or not free.any():
            return
        involved = (np.abs(Vt[free]) > 1e-4).any(axis=0)[design.inputs]
        constant = (values == (values[0] if self.fit_intercept else 0.0)).all(axis=0)
        found = [
            f"{what}: {quoted(names[which])}"
            for what, which in (("constant", constant), ("collinear", involved & ~constant))
            if which.any()
        ]
        raise InputError(
            f"{type(self).__name__} with its flat prior cannot tell the coefficients of some columns apart "
            f"({'; '.join(found)}). ",
            ADVICE,
        )

    @property
    def _predictive_likelihood(self) -> UnknownNoise:
        return UnknownNoise(self.noise_variance_, self.degrees_of_freedom_)

    def prediction_variances(self, X: Any, weights: Array) -> Array:
        # The posterior is in units of the noise, whose variance is unknown: a Student-t with ν degrees of freedom.
        ν = self.degrees_of_freedom_
        unit = self.noise_variance_ * (ν / (ν - 2.0) if ν > 2 else 3.0)  # with ν ≤ 2 it has none: as with 3
        return unit * super().prediction_variances(X, weights)


@dataclass(frozen=True)
class UnknownNoise:
    """y given f ~ N(m, σ²v), with σ² integrated out: StudentT(m, s²(1 + v), ν). It predicts as a `Likelihood` does."""

    noise_variance: float
    degrees_of_freedom: int

    def checked_target(self, y: Array) -> Array:
        """Any number."""
        return y

    def predictive(self, m: Array, v: Array) -> StudentT:
        """The distribution of y; λ = (location, scale²)."""
        return StudentT(m, self.noise_variance * (1.0 + v), self.degrees_of_freedom)

    def predictive_derivatives(self, m: Array, v: Array, order: int) -> tuple[Array, Array | None]:
        """∂λ/∂(m, v) = diag(1, s²)."""
        first = np.broadcast_to(np.diag([1.0, self.noise_variance]), (len(m), 2, 2))
        return first, np.zeros((len(m), 2, 2, 2)) if order == 2 else None

    def log_predictive_density(self, y: Array, m: Array, v: Array) -> Array:
        """log p(y)."""
        return self.predictive(m, v).log_prob(y)

    def predictive_cdf(self, y: Array, m: Array, v: Array) -> Array:
        """P(Y ≤ y)."""
        return self.predictive(m, v).cdf(y)


def _by_rows(design: Array, y: Array, precision: Array, *, intercept: bool) -> tuple[Array, Array, float]:
    """Mean and root of the posterior of more weights than rows, and √RSS, all from the SVD of the rows.

    With A Λ^(−½) = U S Vᵀ, (AᵀA + Λ)⁻¹ is the square of Λ^(−½) (1 + V ((1 + S²)^(−½) − 1) Vᵀ).
    """
    first = int(intercept)
    unit = precision[first:] ** -0.5
    U, s, Vt = np.linalg.svd(design[:, first:] * unit, full_matrices=False)
    shrunk, c = 1.0 / (1.0 + s**2), U.T @ y
    root = np.eye(len(precision))
    root[:first, :first] /= np.sqrt(len(y))
    root[first:, first:] += (Vt.T * np.expm1(0.5 * np.log(shrunk))) @ Vt
    root[first:] *= unit[:, np.newaxis]
    mean = np.concatenate([np.full(first, y.mean()), unit * (Vt.T @ (s * shrunk * c))])
    rss = np.sum(shrunk * c**2) + np.sum((y - U @ c) ** 2)
    return mean, root, float(np.sqrt(rss))


def _noise_variance(root_rss: float, degrees_of_freedom: int, size: float) -> float:
    """s², or the square of the rounding error of y if y is a linear function of the columns."""
    s = root_rss / np.sqrt(degrees_of_freedom)
    least = 8.0 * EPS * (size or 1.0)
    if s > least:
        return float(s**2)
    warn(
        f"y is a linear function of the columns up to rounding, without noise to estimate. noise_variance_ is "
        f"set to {least**2:.2g}, which makes sensitivities huge. Check whether y is among the columns."
    )
    return float(least**2)
