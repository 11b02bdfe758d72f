"""Generalised linear models with a Gaussian prior and Laplace's posterior (supplement, logistic regression)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.special import logit, logsumexp, ndtri

from rsens._errors import Argument, InputError, warn, warnings_once
from rsens._typing import Array
from rsens.derivatives import result_bytes, rows_for
from rsens.likelihoods import Likelihood, LogitLikelihood, PoissonLikelihood, ProbitLikelihood
from rsens.models import _mode
from rsens.models._estimator import PredictiveClassifier, PredictiveRegressor, read_precision
from rsens.models._linear import LinearDesign, LinearModel, WeightPosterior, triangular
from rsens.models._mode import Point, newton

#: Newton's method ends when gᵀH⁻¹g, the squared distance to the mode in posterior standard deviations, is below this.
TOLERANCE = 1e-24


class _GeneralizedLinear(LinearModel):
    """The prior and the posterior of the weights."""

    description: ClassVar[str] = "Bayesian generalised linear model"
    _truths: ClassVar[tuple[str, ...]] = ("fit_intercept", "standardize")
    _predictive_likelihood: ClassVar[Likelihood]

    def __init__(
        self,
        fit_intercept: bool = True,
        prior_precision: float = 1.0,
        intercept_precision: float = 0.16,
        standardize: bool = True,
        categorical: Any = None,
    ) -> None:
        self.fit_intercept = fit_intercept
        self.prior_precision = prior_precision
        self.intercept_precision = intercept_precision
        self.standardize = standardize
        self.categorical = categorical

    def _posterior_of(
        self, rows: Array, y: Array, offset: Array, weights: Array | None, base: float
    ) -> WeightPosterior:
        """Laplace's posterior; `base` is the prior mean of the intercept, on the scale of f."""
        precision = read_precision(self.prior_precision, "prior_precision")
        flat = read_precision(self.intercept_precision, "intercept_precision", zero=True) == 0.0
        centred = self.fit_intercept and (self.standardize or flat)
        names, intercept = self._column_names, self.fit_intercept
        design = LinearDesign.of(rows, names, self.coding_, weights, proper=True, intercept=intercept, centred=centred)
        slopes = np.full(len(design), precision)
        if not self.standardize:
            slopes /= design.scale**2  # of β·scale, the weights of the scaled columns
        mean, precisions = np.zeros(len(slopes)), slopes
        if self.fit_intercept:
            mean = np.concatenate([[base if self.standardize or flat else 0.0], mean])
            precisions = np.concatenate([[float(self.intercept_precision)], slopes])
        counts = np.ones(len(y)) if weights is None else weights
        kept = counts > 0.0
        matrix, y, offset, counts = design.matrix(rows[kept]), y[kept], offset[kept], counts[kept]
        target = _WeightTarget(self._predictive_likelihood, matrix, y, offset, counts, mean, precisions)
        return WeightPosterior(design, *target.laplace())


@dataclass(frozen=True, eq=False)
class _WeightTarget:
    """Σ_i counts_i log p(y_i | ζ_iᵀw + offset_i) − ½ Σ_p precision_p (w_p − mean_p)², which is concave in w."""

    likelihood: Likelihood
    design: Array
    y: Array
    offset: Array
    counts: Array
    mean: Array
    precision: Array

    def laplace(self) -> tuple[Array, Array]:
        """ŵ, the mode, and a root of H⁻¹, the inverse of the negative Hessian (supplement, logistic regression)."""
        start = self.at(self.mean)
        if start is None:
            raise InputError("y is impossible at the prior mean of the weights. Check y and offset for extreme values.")
        here, _, decrement = newton(start, self.at, self._step, tolerance=TOLERANCE)
        if decrement > _mode.ROUNDING:
            warn(
                f"Newton's method did not find the mode of the weights in {_mode.MAX_STEPS} steps. Scale the inputs "
                "(standardize=True), or use a larger prior_precision."
            )
        return here.w, solve_triangular(self._root(here.W), np.eye(len(here.w)))

    def at(self, w: Array) -> Point | None:
        """The log posterior at w; None if y is impossible there because exp overflows."""
        f = self.design @ w + self.offset
        terms = self.counts * self.likelihood.log_density(self.y, f)
        if not np.isfinite(terms).all():
            return None
        penalty = 0.5 * self.precision @ (w - self.mean) ** 2
        slope, *_ = self.likelihood.f_derivatives(self.y, f)
        W, _ = self.likelihood.curvature(self.y, f)
        gradient = self.design.T @ (self.counts * slope) - self.precision * (w - self.mean)
        return Point(w, float(terms.sum() - penalty), float(np.abs(terms).sum() + penalty), gradient, self.counts * W)

    def _step(self, here: Point) -> Array:
        """H⁻¹g with H itself: ten times as fast as its root for many rows, and accurate enough for a step."""
        H = self.design.T @ (here.W[:, np.newaxis] * self.design)
        H[np.diag_indices_from(H)] += self.precision
        try:
            R = np.asarray(np.linalg.cholesky(H)).T
        except np.linalg.LinAlgError:
            R = self._root(here.W)
        return solve_triangular(R, solve_triangular(R, here.gradient, trans="T"))

    def _root(self, W: Array) -> Array:
        """R with RᵀR = H = ZᵀWZ + diag(precision)."""
        return triangular(np.vstack([np.sqrt(W)[:, np.newaxis] * self.design, np.diag(np.sqrt(self.precision))]))


class _BinaryRegression(_GeneralizedLinear, PredictiveClassifier):
    """Two classes with a link; more than two with one model per class."""

    #: The f at which a class has this probability.
    _link: ClassVar[Any]

    def fit(self, X: Any, y: Any, *, sample_weight: Any = None) -> Self:
        """The posterior given rows X (N, D) and their labels y, of two or more classes.

        A `sample_weight` of 2 counts a row twice.
        """
        rows, codes, weights = self._read_training(X, y, sample_weight=sample_weight)
        counts, posteriors = np.ones(len(rows)) if weights is None else weights, []
        with warnings_once():  # one fit for each class
            for target in self._targets(codes):
                base = float(self._link((counts @ target + 0.5) / (counts.sum() + 1.0)))
                posteriors.append(self._posterior_of(rows, target, np.zeros(len(rows)), weights, base))
        self._posteriors = posteriors
        self.coef_names_: NDArray[np.object_] = posteriors[0].names
        self.coef_: Array = np.stack([posterior.coef for posterior in posteriors])
        self.intercept_: Array = np.array([posterior.intercept for posterior in posteriors])
        self.coef_covariance_: Array = np.stack([posterior.coef_covariance for posterior in posteriors])
        return self

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        """The number of rows that `derivatives` can take at once."""
        return rows_for(result_bytes(n_columns, order, parameters=4 * len(self._posteriors)))


class BayesianProbitRegression(_BinaryRegression):
    """Classification by π = Φ(f) with f linear in x: λ = π = Φ(m/√(1 + v)), weights integrated out in closed form.

    The prior is Gaussian, in units in which every column has mean 0 and standard deviation 1 (`standardize`): slopes
    ~ N(0, 1/prior_precision), and the intercept ~ N(b, 1/intercept_precision), where f = b gives the overall share of
    the class. The posterior is N(β̂, H⁻¹), Laplace's approximation at its mode. The prior keeps the weights finite, also
    for separable classes.

    More than two classes are modelled one against the rest and normalised, p_k = π_k/Σ_j π_j, into a `Categorical`.

    A categorical column enters as one indicator per level, centred but not scaled: the effect of a level
    ~ N(0, 1/prior_precision), with or without `standardize`.

    Args:
        fit_intercept: Whether there is an intercept. Without one, columns are scaled but not centred.
        prior_precision: Precision of the slopes, greater than 0. 1 expects f to change by about 1 over a standard
            deviation of a column.
        intercept_precision: Precision of the intercept; 0 for a flat prior. The default is a standard deviation of 2.5.
        standardize: False puts the prior on the slopes in the units of X, and on the intercept at x = 0, with mean 0.
        categorical: As for `GPRegressor`.

    Attributes:
        classes_: The labels, sorted.
        coef_, intercept_: The mode on the scale of X, (1, P) and (1,) for two classes, else (K, P) and (K,). P counts
            the continuous columns and the levels of the categorical ones.
        coef_names_: The name of each of the P coefficients: "age", or "town=Oslo" for a level.
        coef_covariance_: The posterior covariance of the coefficients, (1, P, P) or (K, P, P).
        training_inputs_, input_scale_, n_features_in_, feature_names_in_, coding_: As for `GPRegressor`.

    Example:
        >>> import rsens
        >>> model = rsens.BayesianProbitRegression().fit([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1])
        >>> model.predict_proba([[0.0], [3.0]]).round(2).tolist()
        [[0.5, 0.5], [0.14, 0.86]]
    """

    _predictive_likelihood: ClassVar[Likelihood] = ProbitLikelihood()
    _link = staticmethod(ndtri)


class BayesianLogisticRegression(_BinaryRegression):
    """Classification by π = 1/(1 + e^{−f}) with f linear in x: λ = π = E[1/(1 + e^{−f})], weights integrated out.

    Prior, posterior, arguments and attributes are as for `BayesianProbitRegression`. The expectation over f ~ N(m, v)
    is a sum that is right to 1e-9.

    Example:
        >>> import rsens
        >>> model = rsens.BayesianLogisticRegression()
        >>> model = model.fit([[-2.0], [-1.0], [1.0], [2.0]], ["no", "no", "yes", "yes"])
        >>> model.predict([[3.0]]).tolist(), model.predict_proba([[3.0]]).round(2).tolist()
        (['yes'], [[0.22, 0.78]])
    """

    _predictive_likelihood: ClassVar[Likelihood] = LogitLikelihood()
    _link = staticmethod(logit)


class BayesianPoissonRegression(_GeneralizedLinear, PredictiveRegressor):
    """Counts with log rate f linear in x: λ = rate = E[e^f] = exp(m + v/2), weights integrated out in closed form.

    Prior, posterior and arguments are as for `BayesianProbitRegression`; the prior of the intercept is centred on the
    log of the overall rate (Σy + ½)/Σe^offset, so that the unit of the exposure makes no difference. All counts may be
    zero. `log_predictive_density` integrates the Poisson density over f, which gives a wider
    distribution than the predictive Poisson.

    Give an exposure (time at risk, area) as offset = log(exposure), to `fit` and to every prediction; without an offset
    the exposure is 1.

    Attributes:
        coef_, intercept_, coef_covariance_: As for `BayesianProbitRegression`, of shape (P,), () and (P, P).
        coef_names_, training_inputs_, input_scale_, n_features_in_, feature_names_in_, coding_: As there.

    Example:
        >>> import rsens
        >>> model = rsens.BayesianPoissonRegression().fit([[0.0], [1.0], [2.0], [3.0]], [1, 2, 4, 8])
        >>> model.predict([[4.0]]).round(1).tolist()
        [16.6]
    """

    _predictive_likelihood: ClassVar[Likelihood] = PoissonLikelihood()

    def fit(self, X: Any, y: Any, *, sample_weight: Any = None, offset: Any = None) -> Self:
        """The posterior given rows X (N, D) and their counts y, which need not be whole.

        A `sample_weight` of 2 counts a row twice; `offset` is the logarithm of the exposure, one number per row.
        """
        rows, y, offset, weights = self._read_training(X, y, offset=offset, sample_weight=sample_weight)
        if (y < 0.0).any():
            raise InputError(f"{type(self).__name__}: y must be counts of at least 0; got {y.min():g}.")
        counts = np.ones(len(y)) if weights is None else weights
        if self.fit_intercept and self.intercept_precision == 0.0 and not counts @ y:
            raise InputError(
                "all counts are 0, so a flat intercept has no mode. Set ", Argument("intercept_precision"), " above 0."
            )
        base = float(np.log(counts @ y + 0.5) - logsumexp(offset, b=counts))
        self._keep_posterior(self._posterior_of(rows, y, offset, weights, base))
        self.coef_covariance_: Array = self._posterior.coef_covariance
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags
