"""What GPRegressor and GPClassifier share: their settings, and how these are read."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from rsens._arguments import one_of, whole_number
from rsens._coding import Coding
from rsens._errors import Argument, InputError, RsensWarning
from rsens._progress import bar
from rsens._typing import Array
from rsens.derivatives import Derivatives, Finding, result_bytes, rows_for
from rsens.kernels import EQ, Categorical, Kernel
from rsens.likelihoods import Likelihood, likelihood_named, likelihood_names, link_names, through_likelihood
from rsens.models._inducing import NOTHING
from rsens.models._inducing_check import InducingCheck, checked_inducing
from rsens.models._inference import FittedGP, Search
from rsens.models._link import Mean, by_mean
from rsens.models._priors import check_priors
from rsens.models._standard import Standard
from rsens.models._subset_search import ENOUGH
from rsens.posteriors import Latent

#: Without `inducing`, a GP is exact up to MOST_EXACT_ROWS rows, and has INDUCING inducing inputs above.
MOST_EXACT_ROWS = 3000
INDUCING = 500
#: The memory for latent values, the record and the steps of the chain rule, in units of the record.
RECORDS = 4


class GPSettings:
    """The settings that both have, and the attributes of a fit that both set."""

    kernel: Kernel | None
    standardize: bool
    optimize: bool
    n_restarts: int
    priors: str | Mapping[str, tuple[float, float]] | None
    inducing: float | None
    max_iter: int
    tolerance: float
    search_rows: int
    random_state: int | np.random.RandomState | np.random.Generator | None
    progress: bool
    training_inputs_: Array
    input_scale_: Array
    coding_: Coding | None
    _truths: ClassVar[tuple[str, ...]] = ("standardize", "optimize", "progress")

    @property
    def description(self) -> str:
        """What to call the model at the beginning of a sentence."""
        return "Gaussian process" if self.n_inducing is None else "Sparse Gaussian process"

    @property
    def n_inducing(self) -> int | None:
        """How many inducing inputs the process has, or will have if it is not fitted yet; None if it is exact."""
        if not hasattr(self, "inducing_inputs_"):
            return None if self.inducing is None or self.inducing == np.inf else int(self.inducing)
        inputs = self.inducing_inputs_
        each = inputs if isinstance(inputs, tuple) else (inputs,)
        return max((len(one) for one in each if one is not None), default=None)

    def inducing_check(self, X: Any = None) -> InducingCheck | None:
        """Whether there are enough inducing inputs: R-sens from all M of them against R-sens from the first half.

        Both have the same hyperparameters and use all training data, and nothing is fitted again. Print it, or read
        `passed`, `largest_change`, `changed_order`, `to_frame()`. A column whose R-sens hardly changes from M/2 to M
        hardly changes from M to 2M.

        Args:
            X: Rows to compare at, at most 1,000 of them; None for the training inputs. Levels of categorical columns
                are not compared.

        Returns:
            None if the GP is exact, or has one inducing input only.
        """
        return checked_inducing(self, X)

    def _findings(self, X: Any) -> Iterator[Finding]:
        """What `rsens.check` says of a Gaussian process."""
        check = self.inducing_check(X)
        if check is not None:
            said = str(check) if check.passed else check.advice
            yield Finding("inducing inputs", "ok" if check.passed else "warning", said)

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        """How many rows `derivatives` can take at once; inside, kernels work in smaller chunks of fixed memory."""
        return rows_for(RECORDS * result_bytes(n_columns, order))

    def _latent_means(self, rows: Array, order: int) -> list[Mean]:
        return [self._units.latent_mean(gp.posterior, rows, order) for gp in self._gps]

    def _by_latent_mean(self, rows: Array) -> list[Array]:
        latents = [self._units.latent(gp.posterior.moments(self._units.inputs(rows))) for gp in self._gps]
        several = len(latents) > 1
        return [by_mean(self.likelihood_, latent.mean, latent.variance, of_log=several) for latent in latents]

    def _combination_variances(self, rows: Array, weights: Iterable[Array]) -> list[Array]:
        inputs, square = self._units.inputs(rows), self._units.output_scale**2
        pairs = zip(self._gps, weights, strict=True)
        return [square * gp.posterior.combination_variances(inputs, w) for gp, w in pairs]

    def _start_kernel(self, n_columns: int) -> Kernel:
        """Where the search starts: a kernel that fits the columns of X."""
        if self.kernel is None:
            return _default_kernel(n_columns, self.coding_)
        if not isinstance(self.kernel, Kernel):
            raise InputError(
                Argument("kernel"),
                " must be one of rsens.kernels, such as EQ(variance=1.0, lengthscale=1.0), or None; "
                f"got {type(self.kernel).__name__}.",
            )
        needed = self.kernel.n_dims
        if needed is not None and needed > n_columns:
            raise InputError(
                Argument("kernel"),
                f" uses column {needed - 1}, in its dims or with a value of its own, but X has {n_columns} columns, "
                f"numbered from 0 to {n_columns - 1}; got {self.kernel!r}.",
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
            max_iter=whole_number(self.max_iter, "max_iter", 1),
            tolerance=float(self.tolerance),
            bar=partial(bar, disable=not self.progress, leave=False),
            rng=_generator(self.random_state),
            enough=ENOUGH if self.inducing is None and n_rows > self.search_rows else NOTHING,
            search_rows=whole_number(self.search_rows, "search_rows", 2),
        )

    def _n_inducing(self, n_rows: int) -> int | None:
        """None for the exact GP."""
        if self.inducing is None:
            return None if n_rows <= MOST_EXACT_ROWS else INDUCING
        wrong = isinstance(self.inducing, bool) or not isinstance(self.inducing, Real)
        if wrong or not self.inducing >= 1 or (self.inducing < n_rows and self.inducing != int(self.inducing)):
            raise InputError(
                Argument("inducing"),
                f" must be a whole number of at least 1, math.inf for the exact GP, or None; got {self.inducing!r}.",
            )
        return None if self.inducing >= n_rows else int(self.inducing)

    def _standard(self, rows: Array) -> Standard:
        D = rows.shape[1]
        if not self.standardize:
            return Standard(np.zeros(D), np.ones(D))
        mean = rows.mean(axis=0)
        if self.coding_ is not None:
            mean[list(self.coding_.categorical)] = 0.0  # their scale is 1: level codes stay as they are
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
            warnings.warn(RsensWarning(*check.advice.parts), stacklevel=3)

    def _keep_fitted(self, gps: tuple[FittedGP, ...], units: Standard, log_marginal_likelihood: float) -> None:
        """Set the attributes, in the units of the data; tuples if there are several GPs."""
        self._gps, self._units = gps, units
        self.likelihood_: Likelihood = units.likelihood(gps[0].likelihood)
        self.log_marginal_likelihood_ = log_marginal_likelihood
        kernels = tuple(units.kernel(gp.kernel) for gp in gps)
        inducing = tuple(None if gp.inducing is None else units.original(gp.inducing) for gp in gps)
        self.kernel_: Kernel | tuple[Kernel, ...] = kernels if len(gps) > 1 else kernels[0]
        self.inducing_inputs_: Array | tuple[Array | None, ...] | None = inducing if len(gps) > 1 else inducing[0]
        self.jitter_: float = max(gp.jitter for gp in gps)
        self.n_iter_: int = sum(gp.steps for gp in gps)
        self.input_mean_: Array = units.input_mean


def regression_likelihood(given: str | Likelihood, noise_variance: float) -> Likelihood:
    """The likelihood, given by name or as an object, for real numbers or counts."""
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


def link_likelihood(link: str) -> Likelihood:
    """The likelihood of classes with this name."""
    return likelihood_named(one_of(link, "link", link_names()))()


def _generator(random_state: Any) -> np.random.Generator:
    """A generator from anything that scikit-learn or NumPy accepts as a random state."""
    if isinstance(random_state, np.random.Generator):
        return np.random.default_rng(random_state.integers(2**31))
    try:
        return np.random.default_rng(check_random_state(random_state).randint(2**31))
    except ValueError:
        raise InputError(
            Argument("random_state"),
            f" must be None, a whole number of at least 0, or a NumPy Generator or RandomState; got {random_state!r}.",
        ) from None


def _default_kernel(n_columns: int, coding: Coding | None) -> Kernel:
    """EQ on the continuous columns times Categorical on the others, with one length-scale per column."""
    if coding is None:
        return EQ(1.0, (float(np.sqrt(n_columns)),) * n_columns)
    levels = Categorical(1.0, (1.0,) * len(coding.categorical), dims=coding.categorical)
    q = len(coding.continuous)
    return EQ(1.0, (float(np.sqrt(q)),) * q, dims=coding.continuous) * levels if q else levels


def prediction(likelihood: Likelihood, latent: Latent) -> Derivatives:
    """The prediction with its derivatives in x, from a latent with derivatives."""
    assert latent.first is not None
    return through_likelihood(likelihood, latent.mean, latent.variance, latent.first, latent.second)
