"""GPRegressor and GPClassifier: Gaussian processes as scikit-learn estimators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from rsens._arguments import one_of, whole_number
from rsens._coding import Coding
from rsens._contents import column_order
from rsens._errors import Argument, InputError, warn, warnings_once
from rsens._table import column_deviations
from rsens._typing import Array
from rsens.derivatives import Finding, result_bytes, rows_for
from rsens.kernels import EQ, Categorical, Kernel
from rsens.likelihoods import Likelihood, likelihood_named, likelihood_names, link_names, target_of
from rsens.models._averages import averaged_mean
from rsens.models._estimator import Predictive, PredictiveClassifier, PredictiveRegressor, read_offset
from rsens.models._inference import FittedGP, Search, fit_gp, warn_of_copies
from rsens.models._optimize import check_priors
from rsens.models._rows import ENOUGH, SEARCH_ROWS, Data
from rsens.models._sparse import NOTHING, InducingCheck, checked_inducing
from rsens.posteriors import Latent, LatentPosterior, Mean

#: Without `inducing`, a GP is exact up to MOST_EXACT_ROWS rows, and has INDUCING inducing inputs above.
MOST_EXACT_ROWS = 3000
INDUCING = 500
#: The memory for latent values, the record and the steps of the chain rule, in units of the record.
RECORDS = 4


class GPSettings(Predictive):
    """The settings that both have, and the attributes of a fit that both set."""

    kernel: Kernel | None
    standardize: bool
    optimize: bool
    n_restarts: int
    priors: str | Mapping[str, tuple[float, float]] | None
    inducing: float | None
    tolerance: float
    random_state: int | np.random.RandomState | np.random.Generator | None
    _truths: ClassVar[tuple[str, ...]] = ("standardize", "optimize")
    #: With inducing inputs, the most rows that the hyperparameters are learned from. Refits take fewer.
    search_rows: int = SEARCH_ROWS

    @property
    def description(self) -> str:
        return "Gaussian process" if self.n_inducing is None else "Sparse Gaussian process"

    @property
    def n_inducing(self) -> int | None:
        """The number of inducing inputs, before the fit as the setting asks; None if the process is exact."""
        if not hasattr(self, "inducing_inputs_"):
            return None if self.inducing is None or self.inducing == np.inf else int(self.inducing)
        inputs = self.inducing_inputs_
        each = inputs if isinstance(inputs, tuple) else (inputs,)
        return max((len(one) for one in each if one is not None), default=None)

    def inducing_check(self, X: Any = None) -> InducingCheck | None:
        """Compare R-sens from all M inducing inputs with R-sens from the first half: are M enough?

        Both have the same hyperparameters and use all training data, and nothing is fitted again. Print it, or read
        `passed`, `largest_change`, `changed_order`. If R-sens of a column changes little from M/2 to M, it changes
        little from M to 2M.

        Args:
            X: Rows to compare at, at most 1,000 of them; None for the training inputs. Levels of categorical columns
                are not compared.

        Returns:
            None if the GP is exact, or has one inducing input only.
        """
        return checked_inducing(self, X)

    def _findings(self, X: Any) -> Iterator[Finding]:
        """Findings of `rsens.check` about a Gaussian process."""
        check = self.inducing_check(X)
        if check is not None:
            passed = check.passed
            yield Finding("inducing inputs", "ok" if passed else "warning", str(check) if passed else check.advice)

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        """The number of rows that `derivatives` can take at once; kernels work in smaller chunks of fixed memory."""
        return rows_for(RECORDS * result_bytes(n_columns, order))

    @property
    def _latents(self) -> list[ScaledPosterior]:
        return [ScaledPosterior(self._units, gp.posterior) for gp in self._gps]

    @property
    def _predictive_likelihood(self) -> Likelihood:
        return self.likelihood_

    def _start_kernel(self, n_columns: int) -> Kernel:
        """The kernel from which the search starts, which fits the columns of X."""
        if self.kernel is None:
            return _default_kernel(n_columns, self.coding_)
        if not isinstance(self.kernel, Kernel):
            raise InputError(Argument("kernel"), f" must be one of rsens.kernels or None; got {self.kernel!r:.100}.")
        needed = self.kernel.n_dims
        if needed is not None and needed > n_columns:
            raise InputError(
                Argument("kernel"),
                f" uses column {needed - 1}, and X has columns 0 to {n_columns - 1}; got {self.kernel!r}.",
            )
        self.kernel.diag(np.zeros((1, n_columns)))  # an error if it has values for fewer columns
        return self.kernel

    def _search(self, n_rows: int) -> Search:
        if not (isinstance(self.tolerance, Real) and self.tolerance > 0.0):
            raise InputError(Argument("tolerance"), f" must be a positive number; got {self.tolerance!r}.")
        return Search(
            optimize=bool(self.optimize),
            n_restarts=whole_number(self.n_restarts, "n_restarts", 0),
            priors=check_priors(self.priors),
            n_inducing=self._n_inducing(n_rows),
            tolerance=float(self.tolerance),
            rng=_generator(self.random_state),
            enough=ENOUGH if self.inducing is None and n_rows > self.search_rows else NOTHING,
            search_rows=self.search_rows,
        )

    def _n_inducing(self, n_rows: int) -> int | None:
        """None for the exact GP."""
        if self.inducing is None:
            return None if n_rows <= MOST_EXACT_ROWS else INDUCING
        wrong = isinstance(self.inducing, bool) or not isinstance(self.inducing, Real)
        if wrong or not self.inducing >= 1 or (self.inducing < n_rows and self.inducing != int(self.inducing)):
            raise InputError(
                Argument("inducing"), f" must be a whole number of at least 1, math.inf or None; got {self.inducing!r}."
            )
        return None if self.inducing >= n_rows else int(self.inducing)

    def _standard(self, rows: Array) -> Standard:
        D = rows.shape[1]
        if not self.standardize:
            return Standard(np.zeros(D), np.ones(D))
        mean = rows.mean(axis=0)
        mean[self._categorical] = 0.0  # their scale is 1: level codes do not change
        return Standard(mean, np.where(self.input_scale_ > 0.0, self.input_scale_, 1.0))

    def _warn_of_few_inducing(self) -> None:
        """After a fit of many rows: the check costs little then, and M may have been our choice."""
        if len(self.training_inputs_) <= self.search_rows:
            return
        try:
            check = self.inducing_check()
        except InputError:  # a kernel without derivatives predicts, but has no R-sens
            return
        if check is not None and not check.passed:
            warn(check.advice)

    def _keep_fitted(self, gps: tuple[FittedGP, ...], units: Standard, log_marginal_likelihood: float) -> None:
        """Set the attributes, in the units of the data; tuples if there are several GPs."""
        self._gps, self._units = gps, units
        self.likelihood_: Likelihood = gps[0].likelihood.in_units(units.output_scale**2)
        self.log_marginal_likelihood_ = log_marginal_likelihood
        kernels = tuple(gp.kernel.in_units(units.input_scale, units.output_scale**2) for gp in gps)
        inputs = (gp.inducing for gp in gps)
        inducing = tuple(None if Z is None else units.input_mean + units.input_scale * Z for Z in inputs)
        self.kernel_: Kernel | tuple[Kernel, ...] = kernels if len(gps) > 1 else kernels[0]
        self.inducing_inputs_: Array | tuple[Array | None, ...] | None = inducing if len(gps) > 1 else inducing[0]
        self.jitter_: float = max(gp.posterior.jitter for gp in gps)
        self.n_iter_: int = sum(gp.steps for gp in gps)
        self.input_mean_: Array = units.input_mean


class GPRegressor(GPSettings, PredictiveRegressor):
    """A Gaussian process for real numbers or counts.

    f ~ GP(mean, kernel) and y | f follows the likelihood. With Gaussian noise the posterior is exact; otherwise it is
    Laplace's approximation. The hyperparameters maximise the (approximate) marginal likelihood times their priors.

    With `standardize` the GP works with (x − mean)/sd of each column and (y − mean)/sd. The kernel and noise_variance
    that you *give* are in these units: a length-scale of 1 is one standard deviation of its column. Everything that is
    *reported* is in the units of the data: `kernel_` has length-scales and periods times the sd of their column, and
    variances times the variance of y (for Linear also divided by the variance of the column). A length-scale shared by
    columns with different sd becomes one per column. f has the covariance kernel_(X − input_mean_), which matters for
    Linear only: its lines go through the mean of the data. Level codes of Categorical have no unit.
    Without `standardize` nothing is centred or scaled, f has mean 0, and everything is in the units of the data.

    The kernel sees categorical columns as level codes 0, 1, … (`coding_` has the labels), never standardised. If you
    give a kernel, let it look at them through `Categorical(dims=…)` only, and give the other parts their `dims` too.

    Args:
        kernel: A kernel of `rsens.kernels`, where the search starts. None means EQ with one length-scale per column,
            times Categorical for the categorical columns.
        likelihood: "gaussian", "student_t" (4 degrees of freedom), "poisson", "negative_binomial" (both with log
            link), or a likelihood of `rsens.likelihoods`.
        noise_variance: Where the search for the noise variance ("gaussian") or squared scale ("student_t") starts.
        standardize: Whether to standardise inputs and target inside. Counts are never standardised: f then has the mean
            log(mean count).
        optimize: Whether to learn the hyperparameters; otherwise they stay as given.
        n_restarts: How many more random starts the search makes; 0 starts once, from the kernel given. With more than
            600 rows, the starts search on 300 of them, and only the best continues with all.
        priors: None for no priors; "weak" for log-normal ones, with median c and standard deviation s of the logarithm:

                variance                                c = 1, of Linear 1/q     s = 2
                lengthscale                             √q                       1
                period, and lengthscale of Periodic     the value given          0.5
                alpha, and lengthscale of Categorical   1                        1
                noise_variance, scale2                  0.04                     2
                size of the negative binomial           10                       2

            in units of the sd of the columns and of y (for counts, f has no unit), with q the number of columns that a
            kernel looks at. {"lengthscale": (4.0, 1.0)} replaces (c, s), in the units of the kernel given, for all
            hyperparameters of that name; the others keep their weak priors.
        inducing: The number M of inducing inputs, the rows that the GP is built on: a fit on N rows then costs N M².
            Each is chosen where the variance given the others is largest. Gaussian noise uses the variational bound,
            other likelihoods use Laplace's approximation with the low-rank prior. None means exact up to 3000 rows and
            500 inducing inputs above (fewer above 5000 rows, if fewer leave nothing of the prior variance). `math.inf`,
            or any number ≥ the number of rows, means exact.
            With more than 5000 rows, the hyperparameters of a sparse GP are learned on 5000 of them, drawn so that
            rare levels, classes and counts are among them, and the posterior is made from all. The fit then warns if
            the ranking of the variables depends on M; `inducing_check()` shows how much, for any sparse GP.
        tolerance: L-BFGS-B stops when a step gains less than this, relative to the value.
        random_state: For the starts and the rows of the first search: a whole number, a NumPy Generator or RandomState.
        categorical: Names or positions of categorical columns, or {column: levels}. Columns of type category, text or
            bool in a data frame are categorical anyway.

    Attributes:
        kernel_, likelihood_: The kernel and the likelihood after the fit, in the units of the data.
        noise_variance_: The noise variance of "gaussian", the squared scale of "student_t", else None.
        log_marginal_likelihood_: log p(y) of the data, without priors.
        jitter_: The number added to the diagonal of a covariance matrix of the standardised data to factor it.
        inducing_inputs_: The inducing inputs, in the units of the data, or None if the GP is exact.
        n_iter_: Steps of L-BFGS-B, over all starts.
        input_mean_: The mean subtracted from the inputs; zeros without `standardize` and for categorical columns.
        training_inputs_, input_scale_, n_features_in_, feature_names_in_: The training inputs, their standard
            deviations, their number and their names. A categorical column has level codes, and 1 as its scale.
        coding_: The levels of the categorical columns and their frequencies, or None.

    Example:
        >>> import numpy as np
        >>> import rsens
        >>> X = np.linspace(0.0, 6.0, 25)[:, None]
        >>> model = rsens.GPRegressor(random_state=0).fit(X, np.sin(X[:, 0]))
        >>> model.predict([[1.0], [2.0]]).round(2).tolist()
        [0.84, 0.91]
        >>> near, far = model.predict_distribution([[3.0], [20.0]]).variance
        >>> bool(near < 0.01 < 1.0 < far)
        True
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
        tolerance: float = 1e-9,
        random_state: Any = None,
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
        self.tolerance = tolerance
        self.random_state = random_state
        self.categorical = categorical

    def fit(self, X: Any, y: Any, *, offset: Any = None) -> Self:
        """Learn the hyperparameters and condition on the rows X (N, D) with one number y each.

        `offset` is a known part of the latent value, one number per row: for counts, the log of the exposure.
        """
        rows, y, offset, _ = self._read_training(X, y, offset=offset)
        likelihood = _regression_likelihood(self.likelihood, self.noise_variance)
        y = likelihood.checked_target(y)
        if self.optimize and likelihood.noise is not None:
            warn_of_copies(rows, y, offset)
        standard, mean, columns = self._standard(rows), 0.0, column_order(rows, y, offset)
        if self.standardize and likelihood.target == "numbers":
            known = y - offset
            scale = float(column_deviations(known[:, None])[0]) or 1.0
            standard = replace(standard, output_mean=float(np.mean(known)), output_scale=scale)
            y, offset = (known - standard.output_mean) / scale, np.zeros(len(y))
        elif self.standardize:
            # log of the mean count per exposure, with half a count if all counts are zero
            mean = float(np.log(np.sum(y) or 0.5) - np.logaddexp.reduce(offset))
        inputs, search = standard.inputs(rows), self._search(len(y))
        gp = fit_gp(self._start_kernel(rows.shape[1]), likelihood, Data(inputs, y, offset, mean, columns), search)
        value = gp.log_marginal_likelihood - len(y) * float(np.log(standard.output_scale))
        self._keep_fitted((gp,), standard, value)
        self.noise_variance_: float | None = self.likelihood_.noise
        self._warn_of_few_inducing()
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = target_of(self.likelihood) == "counts"
        return tags

    def partial_dependence(self, columns: Sequence[int], at: Any, X: Any) -> Array | None:
        """The mean prediction with some columns held fixed, averaged over the rows X; None without a closed form.

        There is one for Gaussian and Student-t noise if the kernel separates these columns from the others: sums and
        products of EQ, Periodic, Categorical, Linear, Constant, and of other kernels whose `dims` are all on one side.

        `columns` are positions, and `at` (m, columns) the values to hold them at, level codes in categorical columns.
        For each of the values, the result (m, 1) is the average of `predict` over X with the columns replaced.
        """
        rows = self._rows(X)
        if self.likelihood_.target != "numbers":  # the mean of a count is not linear in the mean of f
            return None
        held = np.repeat(rows[:1], len(at), axis=0)
        held[:, list(columns)] = at
        mean = averaged_mean(self._gps[0].posterior, columns, self._units.inputs(held), self._units.inputs(rows))
        return None if mean is None else (self._units.output_mean + self._units.output_scale * mean)[:, None]

    def predict_point(self, X: Any, *, offset: Any = None) -> Array:
        rows = self._rows(X)
        if self.likelihood_.target != "numbers":  # the mean of a count depends on the variance of f
            return super().predict_point(X, offset=offset)
        return (self._latents[0].mean_derivatives(rows, 0)[0] + read_offset(offset, len(rows)))[:, None]


class GPClassifier(GPSettings, PredictiveClassifier):
    """A Gaussian process for two or more classes, by Laplace's approximation.

    Two classes: f ~ GP(0, kernel) and p(second class | f) = Φ(f) ("probit") or 1/(1 + e^{−f}) ("logit"); the predictive
    probability integrates over f. More than two: one such GP per class against the rest, normalised; `kernel_` is then
    a tuple with one kernel per class, and `log_marginal_likelihood_` the sum over the classes.

    Args:
        kernel: A kernel of `rsens.kernels`, where the search starts. None means EQ with one length-scale per column,
            times Categorical for the categorical columns.
        link: "probit" or "logit".
        standardize: Whether to standardise the inputs inside. The kernel that you give is then in these units, and
            `kernel_` in the units of the data.
        optimize, n_restarts, priors, inducing, tolerance, random_state, categorical: As for `GPRegressor`.

    Attributes:
        classes_: The classes, sorted.
        inducing_inputs_: The inducing inputs, in the units of the data, or None if the GP is exact; a tuple if there
            are more than two classes.
        kernel_, likelihood_, log_marginal_likelihood_, jitter_, n_iter_, input_mean_, coding_: As for `GPRegressor`.
        training_inputs_, input_scale_, n_features_in_, feature_names_in_: As for `GPRegressor`.

    Example:
        >>> import numpy as np
        >>> import rsens
        >>> X = np.linspace(-2.0, 2.0, 20)[:, None]
        >>> y = np.where(np.abs(X[:, 0]) < 1.0, "inside", "outside")
        >>> model = rsens.GPClassifier(random_state=0).fit(X, y)
        >>> model.predict([[0.0], [1.8]]).tolist()
        ['inside', 'outside']
        >>> model.predict_proba([[0.0], [1.8]]).round(1).tolist()
        [[1.0, 0.0], [0.1, 0.9]]
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
        tolerance: float = 1e-9,
        random_state: Any = None,
        categorical: Any = None,
    ) -> None:
        self.kernel = kernel
        self.link = link
        self.standardize = standardize
        self.optimize = optimize
        self.n_restarts = n_restarts
        self.priors = priors
        self.inducing = inducing
        self.tolerance = tolerance
        self.random_state = random_state
        self.categorical = categorical

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the hyperparameters and condition on the rows X (N, D) with one label each."""
        rows, codes, _ = self._read_training(X, y)
        likelihood = likelihood_named(one_of(self.link, "link", link_names()))()
        units, kernel, search = self._standard(rows), self._start_kernel(rows.shape[1]), self._search(len(rows))
        inputs, no_offset = units.inputs(rows), np.zeros(len(rows))
        columns = column_order(rows, codes)
        with warnings_once():  # one fit for each class
            data = (Data(inputs, target, no_offset, 0.0, columns) for target in self._targets(codes))
            gps = tuple(fit_gp(kernel, likelihood, each, search) for each in data)
        self._keep_fitted(gps, units, float(sum(gp.log_marginal_likelihood for gp in gps)))
        self._warn_of_few_inducing()
        return self


def _regression_likelihood(given: str | Likelihood, noise_variance: float) -> Likelihood:
    if isinstance(given, Likelihood):
        if given.target == "classes":
            raise InputError(Argument("likelihood"), f": {type(given).__name__} is for classes. Use GPClassifier.")
        return given
    if given in likelihood_names():
        return likelihood_named(given).start(noise_variance)
    raise InputError(
        Argument("likelihood"),
        f" must be {', '.join(map(repr, likelihood_names()))} or a likelihood of rsens.likelihoods; got {given!r}.",
    )


def _generator(random_state: Any) -> np.random.Generator:
    """A generator from anything that scikit-learn or NumPy accepts as a random state."""
    if isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state.integers(2**31))
    try:
        return np.random.default_rng(check_random_state(random_state).randint(2**31))
    except ValueError:
        raise InputError(
            Argument("random_state"),
            f" must be None, a whole number, Generator or RandomState; got {random_state!r}.",
        ) from None


def _default_kernel(n_columns: int, coding: Coding | None) -> Kernel:
    """EQ on the continuous columns times Categorical on the others, with one length-scale per column."""
    if coding is None:
        return EQ(1.0, (float(np.sqrt(n_columns)),) * n_columns)
    levels = Categorical(1.0, (1.0,) * len(coding.categorical), dims=coding.categorical)
    q = len(coding.continuous)
    return EQ(1.0, (float(np.sqrt(q)),) * q, dims=coding.continuous) * levels if q else levels


@dataclass(frozen=True, eq=False)
class Standard:
    """x̃ = (x − input_mean)/input_scale and f = output_mean + output_scale·f̃; the GP works with x̃ and f̃."""

    input_mean: Array
    input_scale: Array
    output_mean: float = 0.0
    output_scale: float = 1.0

    def inputs(self, X: Array) -> Array:
        return (X - self.input_mean) / self.input_scale


@dataclass(frozen=True, eq=False)
class ScaledPosterior:
    """The posterior of f as a function of x, from the posterior of f̃ as a function of x̃."""

    units: Standard
    posterior: LatentPosterior

    def moments(self, rows: Array) -> Latent:
        return self._scaled(self.posterior.moments(self.units.inputs(rows)))

    def derivatives(self, rows: Array, order: int) -> Latent:
        return self._scaled(self.posterior.derivatives(self.units.inputs(rows), order))

    def mean_derivatives(self, rows: Array, order: int) -> Mean:
        mean, first, second = self.posterior.mean_derivatives(self.units.inputs(rows), order)
        factors = self.units.output_scale / self.units.input_scale
        return (
            self.units.output_mean + self.units.output_scale * mean,
            None if first is None else first * factors,
            None if second is None else second * factors[:, None] / self.units.input_scale,
        )

    def combination_variances(self, rows: Array, weights: Array) -> Array:
        return self.units.output_scale**2 * self.posterior.combination_variances(self.units.inputs(rows), weights)

    def _scaled(self, latent: Latent) -> Latent:
        scale, input_scale = self.units.output_scale, self.units.input_scale
        factors = np.array([scale, scale**2])[:, None] / input_scale
        return Latent(
            self.units.output_mean + scale * latent.mean,
            scale**2 * latent.variance,
            None if latent.first is None else latent.first * factors,
            None if latent.second is None else latent.second * factors[:, :, None] / input_scale,
        )
