"""BayesianLinearRegression: Student-t predictions in closed form (paper, section 2.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from rsens._errors import InputError, warn
from rsens._text import quoted
from rsens._typing import Array
from rsens.distributions import StudentT
from rsens.models._estimator import PredictiveRegressor, read_precision
from rsens.models._weights import LinearDesign, LinearModel, WeightPosterior, triangular

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
        categorical: Names or positions of categorical columns, or {column: levels}. Columns of type category, text or
            bool in a data frame are categorical anyway.

    Attributes:
        coef_, intercept_: β̂; coef_ has one number per continuous column and per level that has an indicator.
        coef_names_: Their names: "age", or "town=Oslo" for a level.
        coef_scale2_: The squared scale matrix of the Student-t posterior of coef_.
        noise_variance_: s².
        degrees_of_freedom_: ν.
        training_inputs_, input_scale_, n_features_in_, feature_names_in_: The training inputs, their standard
            deviations, their number and their names. A categorical column has level codes, and 1 as its scale.
        coding_: The levels of the categorical columns and their frequencies, or None.

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
        """The posterior given rows X and targets y.

        Args:
            X: Rows (N, D).
            y: One number per row.
            offset: A known part of the mean, one number per row.
        """
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
