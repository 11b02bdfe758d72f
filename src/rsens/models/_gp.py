"""GPRegressor and GPClassifier: Gaussian processes as scikit-learn estimators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np

from rsens._errors import InputError
from rsens._typing import Array
from rsens.derivatives import Derivatives
from rsens.distributions import Distribution
from rsens.kernels import Kernel
from rsens.likelihoods import Likelihood, LogitLikelihood, ProbitLikelihood, target_of
from rsens.models._averages import averaged_mean
from rsens.models._estimator import PredictiveClassifier, PredictiveRegressor
from rsens.models._fit_warnings import warn_of_copies
from rsens.models._gp_settings import GPSettings, regression_likelihood, through
from rsens.models._inference import Data, FittedGP, fit_gp
from rsens.models._multiclass import normalized, normalized_derivatives, one_vs_rest_targets
from rsens.models._posterior import Latent
from rsens.models._reading import deviations
from rsens.models._standard import Standard


class GPRegressor(GPSettings, PredictiveRegressor):
    """A Gaussian process for real numbers or counts.

    f ~ GP(mean, kernel) and y | f follows the likelihood. With Gaussian noise the posterior is exact; otherwise it is
    Laplace's approximation. The hyperparameters maximise the (approximate) marginal likelihood times their priors.

    With `standardize` the GP works with (x − mean)/sd of each column and (y − mean)/sd, and the kernel and
    noise_variance *given* are in these units: a length-scale of 1 is one standard deviation of its column. Everything
    *reported* is in the units of the data: `kernel_` holds length-scales and periods multiplied by the sd of their
    columns, variances multiplied by that of y, and those of Linear divided by that of their columns too. One
    length-scale shared by columns of different sd becomes one per column. f has the covariance
    kernel_(X − input_mean_), which makes a difference to Linear only: its lines go through the mean of the data. Level
    codes of Categorical only need to be told apart, and have no unit.
    Without `standardize` nothing is centred or scaled, f has mean 0, and all is in the units of the data.

    Categorical columns are given to the kernel as level codes 0, 1, … (`coding_` has the labels), never standardised.
    A kernel of yours should look at them through `Categorical(dims=…)` only, and at the others through `dims` too.

    Args:
        kernel: A kernel of `rsens.kernels`, where the search starts. None: EQ with one length-scale per column, times
            Categorical for the categorical columns.
        likelihood: "gaussian", "student_t" (4 degrees of freedom), "poisson", "negative_binomial" (both with log
            link), or a likelihood of `rsens.likelihoods`.
        noise_variance: Where the search for the noise variance ("gaussian") or squared scale ("student_t") starts.
        standardize: Whether inputs and target are standardised inside. The target of a count model is not: f then
            has the mean log(mean count).
        optimize: Whether hyperparameters are learned; otherwise they stay as given.
        n_restarts: Further starts of the search, at random; 0 starts once, from the kernel given. With more than 600
            rows, the starts search on 300 of them, and only the best continues with all.
        priors: None for none; "weak" for log-normal ones, with median c and standard deviation s of the logarithm:

                variance                                c = 1, of Linear 1/q     s = 2
                lengthscale                             √q                       1
                period, and lengthscale of Periodic     the value given          0.5
                alpha, and lengthscale of Categorical   1                        1
                noise_variance, scale2                  0.04                     2
                size of the negative binomial           10                       2

            with the sd of the columns and of y as units (of counts, f has no unit) and q the number of columns that a
            kernel looks at. Or {"lengthscale": (4.0, 1.0)}, other (c, s) in the units of the kernel given, for all
            hyperparameters of that name; the others keep their weak ones.
        inducing: How many inducing inputs, rows that the GP is built on: the cost of a fit is then N M² for N rows.
            They are chosen greedily, where the variance given the others is largest. Gaussian noise: the variational
            bound; else Laplace's approximation on the prior of low rank. None: exact up to 3000 rows, 500 inducing
            inputs above; math.inf, or any number not below that of the rows: exact.
        max_iter: Steps of L-BFGS-B for each start.
        tolerance: L-BFGS-B ends when a step gains less than this, relative to the value.
        random_state: For the starts and the rows of the first search: a whole number, a NumPy Generator or RandomState.
        progress: Whether a bar shows the progress of the search.
        categorical: Names or positions of categorical columns, or {column: levels}. Columns of type category, text or
            bool in a data frame are categorical anyway.

    Attributes:
        kernel_, likelihood_: What was learned, in the units of the data.
        noise_variance_: The noise variance of "gaussian", the squared scale of "student_t", else None.
        log_marginal_likelihood_: log p(y) of the data, without priors.
        jitter_: What had to be added to the diagonal of a covariance matrix of the standardised data to factor it.
        inducing_inputs_: The inducing inputs, in the units of the data, or None if the GP is exact.
        n_iter_: Steps of L-BFGS-B, of all starts together.
        input_mean_: What is subtracted from the inputs; zeros without `standardize` and for categorical columns.
        training_inputs_, input_scale_, n_features_in_, feature_names_in_: The training inputs, their standard
            deviations, their number and their names. A categorical column has level codes, and 1 as its scale.
        coding_: The levels of the categorical columns and their frequencies, or None.
    """

    def __init__(
        self,
        kernel: Kernel | None = None,
        likelihood: str | Likelihood = "gaussian",
        noise_variance: float = 0.1,
        standardize: bool = True,
        optimize: bool = True,
        n_restarts: int = 2,
        priors: str | Mapping[str, tuple[float, float]] | None = "weak",
        inducing: float | None = None,
        max_iter: int = 500,
        tolerance: float = 1e-9,
        random_state: Any = None,
        progress: bool = False,
        categorical: Any = None,
    ) -> None:
        self.kernel = kernel
        self.likelihood = likelihood
        self.noise_variance = noise_variance
        self.standardize = standardize
        self.optimize = optimize
        self.n_restarts = n_restarts
        self.priors = priors
        self.inducing = inducing
        self.max_iter = max_iter
        self.tolerance = tolerance
        self.random_state = random_state
        self.progress = progress
        self.categorical = categorical

    def fit(self, X: Any, y: Any, *, offset: Any = None) -> Self:
        """Learn the hyperparameters and condition on the data.

        Args:
            X: Rows (N, D).
            y: One number per row; counts may not be negative.
            offset: A known part of the latent value, one number per row: for counts, the log of the exposure.
        """
        rows, y, offset, _ = self._read_training(X, y, offset=offset)
        likelihood = regression_likelihood(self.likelihood, self.noise_variance)
        y = likelihood.checked_target(y)
        if self.optimize and likelihood.noise is not None:
            warn_of_copies(rows, y, offset)
        standard, mean = self._standard(rows), 0.0
        if self.standardize and likelihood.target == "numbers":
            known = y - offset
            scale = float(deviations(known[:, None], None)[0]) or 1.0
            standard = replace(standard, output_mean=float(np.mean(known)), output_scale=scale)
            y, offset = (known - standard.output_mean) / scale, np.zeros(len(y))
        elif self.standardize:
            mean = _log_mean_count(y, offset)
        inputs, search = standard.inputs(rows), self._search(len(y))
        gp = fit_gp(self._start_kernel(rows.shape[1]), likelihood, Data(inputs, y, offset, mean), search)
        value = gp.log_marginal_likelihood - len(y) * float(np.log(standard.output_scale))
        self._keep_fitted((gp,), standard, value)
        return self

    def _keep_fitted(self, gps: tuple[FittedGP, ...], units: Standard, log_marginal_likelihood: float) -> None:
        super()._keep_fitted(gps, units, log_marginal_likelihood)
        self.noise_variance_ = self.likelihood_.noise

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = target_of(self.likelihood) == "counts"
        return tags

    def partial_dependence(self, columns: Sequence[int], at: Any, X: Any) -> Array | None:
        """The mean prediction with some columns held, averaged over the rows X, in closed form; None if it has none.

        It has one for Gaussian and Student-t noise if the kernel separates these columns from the others: sums and
        products of EQ, Periodic, Categorical, Linear, Constant, and of others whose `dims` are all on one side.

        `columns` are positions, and `at` (m, columns) the values to hold them at, level codes in categorical columns.
        The result (m, 1) is what `predict` gives on average over X with the columns replaced, for each of the values.
        """
        rows = self._rows(X)
        if self.likelihood_.target != "numbers":  # the mean of a count is not linear in that of f
            return None
        held = np.repeat(rows[:1], len(at), axis=0)
        held[:, list(columns)] = at
        mean = averaged_mean(self._gps[0].posterior, columns, self._units.inputs(held), self._units.inputs(rows))
        return None if mean is None else (self._units.output_mean + self._units.output_scale * mean)[:, None]

    def _moments(self, rows: Array) -> Latent:
        return self._units.latent(self._gps[0].posterior.moments(self._units.inputs(rows)))

    def _predict_point(self, rows: Array, offset: Array) -> Array:
        if self.likelihood_.target != "numbers":  # the mean of a count depends on the variance of f
            return super()._predict_point(rows, offset)
        mean = self._gps[0].posterior.means(self._units.inputs(rows))
        return (self._units.output_mean + self._units.output_scale * mean + offset)[:, None]

    def _predict_distribution(self, rows: Array, offset: Array) -> Distribution:
        latent = self._moments(rows)
        return self.likelihood_.predictive(latent.mean + offset, latent.variance)

    def _derivatives(self, rows: Array, order: int, offset: Array) -> Derivatives:
        latent = self._units.latent(self._gps[0].posterior.derivatives(self._units.inputs(rows), order))
        return through(self.likelihood_, replace(latent, mean=latent.mean + offset), order)

    def _log_predictive_density(self, rows: Array, y: Array, offset: Array) -> Array:
        latent = self._moments(rows)
        y = self.likelihood_.checked_target(y)
        return self.likelihood_.log_predictive_density(y, latent.mean + offset, latent.variance)

    def _predictive_cdf(self, rows: Array, y: Array, offset: Array) -> Array:
        latent = self._moments(rows)
        return self.likelihood_.predictive_cdf(y, latent.mean + offset, latent.variance)


class GPClassifier(GPSettings, PredictiveClassifier):
    """A Gaussian process for two or more classes, by Laplace's approximation.

    Two classes: f ~ GP(0, kernel) and p(second class | f) = Φ(f) ("probit") or 1/(1 + e^{−f}) ("logit"); the predictive
    probability integrates over f. More: one such GP per class against the rest, normalised; `kernel_` then is a tuple
    with one kernel per class, and `log_marginal_likelihood_` the sum of theirs.

    Args:
        kernel: A kernel of `rsens.kernels`, where the search starts. None: EQ with one length-scale per column, times
            Categorical for the categorical columns.
        link: "probit" or "logit".
        standardize: Whether inputs are standardised inside; the kernel given is in these units, that reported in those
            of the data.
        optimize: Whether hyperparameters are learned; otherwise they stay as given.
        n_restarts: Further starts of the search, at random; 0 starts once, from the kernel given. With more than 600
            rows, the starts search on 300 of them, and only the best continues with all.
        priors: "weak", None, or {"lengthscale": (4.0, 1.0)}, the median and the standard deviation of the logarithm;
            GPRegressor has the table of the weak ones.
        inducing: How many inducing inputs, rows that the GP is built on. None: exact up to 3000 rows, 500 inducing
            inputs above; math.inf, or any number not below that of the rows: exact.
        max_iter: Steps of L-BFGS-B for each start.
        tolerance: L-BFGS-B ends when a step gains less than this, relative to the value.
        random_state: For the starts and the rows of the first search: a whole number, a NumPy Generator or RandomState.
        progress: Whether a bar shows the progress of the search.
        categorical: Names or positions of categorical columns, or {column: levels}. Columns of type category, text or
            bool in a data frame are categorical anyway.

    Attributes:
        classes_: The classes, sorted.
        kernel_, likelihood_: What was learned, in the units of the data.
        log_marginal_likelihood_: log p(y) of the data, without priors.
        jitter_: What had to be added to the diagonal of a covariance matrix of the standardised data to factor it.
        inducing_inputs_: The inducing inputs, in the units of the data, or None if the GP is exact; a tuple, if there
            are more than two classes.
        n_iter_: Steps of L-BFGS-B, of all starts and classes together.
        input_mean_: What is subtracted from the inputs; zeros without `standardize` and for categorical columns.
        training_inputs_, input_scale_, n_features_in_, feature_names_in_: The training inputs, their standard
            deviations, their number and their names. A categorical column has level codes, and 1 as its scale.
        coding_: The levels of the categorical columns and their frequencies, or None.
    """

    def __init__(
        self,
        kernel: Kernel | None = None,
        link: str = "probit",
        standardize: bool = True,
        optimize: bool = True,
        n_restarts: int = 2,
        priors: str | Mapping[str, tuple[float, float]] | None = "weak",
        inducing: float | None = None,
        max_iter: int = 500,
        tolerance: float = 1e-9,
        random_state: Any = None,
        progress: bool = False,
        categorical: Any = None,
    ) -> None:
        self.kernel = kernel
        self.link = link
        self.standardize = standardize
        self.optimize = optimize
        self.n_restarts = n_restarts
        self.priors = priors
        self.inducing = inducing
        self.max_iter = max_iter
        self.tolerance = tolerance
        self.random_state = random_state
        self.progress = progress
        self.categorical = categorical

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the hyperparameters and condition on the rows X (N, D) with one label each."""
        rows, codes, _ = self._read_training(X, y)
        if self.link not in ("probit", "logit"):
            raise InputError(f"link must be 'probit' or 'logit'; got {self.link!r}.")
        likelihood = ProbitLikelihood() if self.link == "probit" else LogitLikelihood()
        units, kernel, search = self._standard(rows), self._start_kernel(rows.shape[1]), self._search(len(rows))
        inputs, no_offset = units.inputs(rows), np.zeros(len(rows))
        targets = one_vs_rest_targets(codes, len(self.classes_))
        targets = targets[1:] if len(targets) == 2 else targets
        gps = tuple(fit_gp(kernel, likelihood, Data(inputs, y, no_offset), search) for y in targets)
        self._keep_fitted(gps, units, float(sum(gp.log_marginal_likelihood for gp in gps)))
        return self

    def _predict_distribution(self, rows: Array) -> Distribution:
        inputs = self._units.inputs(rows)
        latents = [gp.posterior.moments(inputs) for gp in self._gps]
        members = [self.likelihood_.predictive(latent.mean, latent.variance) for latent in latents]
        return normalized(members) if len(members) > 1 else members[0]

    def _derivatives(self, rows: Array, order: int) -> Derivatives:
        inputs = self._units.inputs(rows)
        latents = [self._units.latent(gp.posterior.derivatives(inputs, order)) for gp in self._gps]
        members = [through(self.likelihood_, latent, order) for latent in latents]
        return normalized_derivatives(members) if len(members) > 1 else members[0]


def _log_mean_count(y: Array, offset: Array) -> float:
    """log of the mean count per exposure; where all counts are zero, as if there had been half a count."""
    return float(np.log(np.sum(y) or 0.5) - np.logaddexp.reduce(offset))
