"""Likelihoods p(y | f): the density in the latent f, and the prediction for a Gaussian f ~ N(m, v)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import ClassVar, Literal, Self, final

import numpy as np
from numpy.typing import ArrayLike

from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.derivatives import Derivatives, chain_rule
from rsens.distributions import Distribution

Target = Literal["numbers", "counts", "classes"]

#: Standard deviation of the logarithm of a hyperparameter under its weak prior.
DEVIATION = 2.0


class Likelihood(ABC):
    """p(y | f) of one observation given one latent value; y, f, m and v hold one value per row.

    The hyperparameters are positive; `theta` holds their logarithms, in the order of `hyperparameter_names`.

    Example:
        >>> from rsens import GPRegressor
        >>> from rsens.likelihoods import StudentTLikelihood
        >>> model = GPRegressor(likelihood=StudentTLikelihood(df=8.0))  # "student_t" has df=4
        >>> StudentTLikelihood(df=8.0).predictive([0.0], [1.0]).variance.round(4).tolist()
        [2.3333]
    """

    #: The argument `likelihood` (for classes: `link`) of a model.
    name: ClassVar[str]
    #: The distribution of y given f, as in "a Gaussian process with Gaussian noise".
    label: ClassVar[str]
    #: The kind of y: numbers are f plus noise, in the unit of f; counts have mean e^f and no unit; classes are 0 or 1.
    target: ClassVar[Target]
    #: The fields that `theta` is made of.
    hyperparameter_names: ClassVar[tuple[str, ...]] = ()
    #: The name of the likelihood to use if the counts vary more than this one allows.
    overdispersed: ClassVar[str | None] = None

    def __post_init__(self) -> None:
        for name in self.hyperparameter_names:
            object.__setattr__(self, name, positive(type(self).__name__, name, getattr(self, name)))

    @property
    def theta(self) -> Array:
        """Logarithms of the hyperparameters, shape (n_theta,)."""
        return np.log([getattr(self, name) for name in self.hyperparameter_names])

    def with_theta(self, theta: ArrayLike) -> Self:
        """The same likelihood with other hyperparameters, given as logarithms."""
        theta = np.asarray(theta, dtype=np.float64)
        if theta.shape != (len(self.hyperparameter_names),):
            raise InputError(
                f"{type(self).__name__}: ",
                Argument("theta"),
                f" holds the logarithms of {self.hyperparameter_names}; got an array of shape {theta.shape}.",
            )
        with np.errstate(over="ignore", under="ignore"):
            return replace(self, **dict(zip(self.hyperparameter_names, np.exp(theta).tolist(), strict=True)))  # type: ignore[type-var]

    @classmethod
    def start(cls, noise_variance: float) -> Self:
        """The start of the search for hyperparameters; `noise_variance` is for likelihoods that have noise."""
        return cls()

    def priors(self, output_scale: float) -> list[tuple[float, float]]:
        """The mean and deviation of the weak prior of each entry of `theta`, given the standard deviation of y."""
        return [(float(value), DEVIATION) for value in self.theta]

    @property
    def noise(self) -> float | None:
        """The squared scale of y given f if y is f plus noise, else None."""
        return None

    def in_units(self, variance: float) -> Self:
        """p(y | f) for y and f that are √variance times as large; unchanged if y has no unit."""
        return self

    @abstractmethod
    def checked_target(self, y: ArrayLike) -> Array:
        """y as float64, or an `InputError` if y makes no sense for this likelihood. The other methods trust y."""

    @abstractmethod
    def log_density(self, y: Array, f: Array) -> Array:
        """log p(y | f); −inf where it is below every float64, so that a line search can step back."""

    @abstractmethod
    def f_derivatives(self, y: Array, f: Array) -> tuple[Array, Array, Array]:
        """First, second and third derivatives of log p(y | f) in f."""

    @abstractmethod
    def curvature(self, y: Array, f: Array) -> tuple[Array, Array]:
        """(W, dW/df) with W ≥ 0, the curvature that Laplace's method uses."""

    def theta_derivatives(self, y: Array, f: Array) -> tuple[Array, Array, Array]:
        """Derivatives in theta of log p, of its f-derivative and of W, each (n_theta, n): here for n_theta = 0."""
        empty = np.zeros((0, *np.broadcast_shapes(np.shape(y), np.shape(f))))
        return empty, empty, empty

    @abstractmethod
    def predictive(self, m: ArrayLike, v: ArrayLike) -> Distribution:
        """The predictive family whose λ(m, v) the sensitivities differentiate."""

    @abstractmethod
    def predictive_derivatives(self, m: ArrayLike, v: ArrayLike, order: int) -> tuple[Array, Array | None]:
        """Derivatives of λ in z = (m, v): ∂λ/∂z (n, M, 2) and, for order 2, ∂²λ/∂z² (n, M, 2, 2), else None."""

    @abstractmethod
    def log_predictive_density(self, y: Array, m: ArrayLike, v: ArrayLike) -> Array:
        """log ∫ p(y | f) N(f | m, v) df, with f integrated out exactly."""

    @abstractmethod
    def predictive_cdf(self, y: Array, m: ArrayLike, v: ArrayLike) -> Array:
        """P(Y ≤ y) = ∫ P(Y ≤ y | f) N(f | m, v) df for any real y, with f integrated out exactly."""


#: Every likelihood; `rsens.likelihoods` fills the list.
ALL_LIKELIHOODS: list[type[Likelihood]] = []


def likelihood_names() -> tuple[str, ...]:
    """The names that `GPRegressor` accepts: likelihoods of numbers and counts."""
    return tuple(each.name for each in ALL_LIKELIHOODS if each.target != "classes")


def link_names() -> tuple[str, ...]:
    """The names that `GPClassifier` accepts: likelihoods of classes."""
    return tuple(each.name for each in ALL_LIKELIHOODS if each.target == "classes")


def likelihood_named(name: str) -> type[Likelihood]:
    """The likelihood with this name, which must be one of the names above."""
    return next(each for each in ALL_LIKELIHOODS if each.name == name)


def target_of(likelihood: str | Likelihood) -> str | None:
    """The kind of y of a likelihood given by name or as an object; None for an unknown name."""
    if isinstance(likelihood, Likelihood):
        return likelihood.target
    return next((each.target for each in ALL_LIKELIHOODS if each.name == likelihood), None)


class LogConcave(Likelihood):
    """A likelihood with a log density that is concave in f, so that W = −∂² log p/∂f² is never negative."""

    @final
    def curvature(self, y: Array, f: Array) -> tuple[Array, Array]:
        _, second, third = self.f_derivatives(y, f)
        return -second, -third


def positive(where: str, name: str, value: float) -> float:
    """The value of a hyperparameter, if it is a positive finite number."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{where}: ", Argument(name), f" must be a positive number; got {value!r}.") from None
    if not (0.0 < number < np.inf):
        raise InputError(f"{where}: ", Argument(name), f" must be positive and finite; got {number:g}.")
    return number


def real_target(where: str, y: ArrayLike) -> Array:
    """y as finite float64."""
    try:
        target = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{where}: the target must be numeric; got {np.asarray(y).dtype} values.") from None
    if not np.isfinite(target).all():
        raise InputError(f"{where}: the target has missing or infinite values. Drop those rows.")
    return target


def latent(m: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
    """Mean and variance of the latent f, float64 of shape (n,); v = 0 means that f is known exactly."""
    mean, variance = np.broadcast_arrays(np.asarray(m, dtype=np.float64), np.asarray(v, dtype=np.float64))
    mean, variance = np.atleast_1d(mean, variance)
    if mean.ndim != 1:
        raise InputError(f"The latent mean and variance must have one value per row; got the shape {mean.shape}.")
    if not np.isfinite(mean).all():
        raise InputError("The latent mean must be finite.")
    if not (np.isfinite(variance) & (variance >= 0.0)).all():
        raise InputError(f"The latent variance must be finite and not negative; the smallest is {variance.min():g}.")
    return mean, variance


def in_latent(by_m: Array, by_v: Array, *seconds: Array) -> tuple[Array, Array | None]:
    """`predictive_derivatives` of one parameter from its partial derivatives; `seconds` are those by mm, mv and vv."""
    first = np.stack([by_m, by_v], -1)[:, None]
    if not seconds:
        return first, None
    by_mm, by_mv, by_vv = seconds
    return first, np.stack([np.stack([by_mm, by_mv], -1), np.stack([by_mv, by_vv], -1)], -2)[:, None]


def through_likelihood(
    likelihood: Likelihood, mean: Array, variance: Array, first: Array, second: Array | None = None
) -> Derivatives:
    """The predictive distribution with derivatives in x, for a latent f(x) ~ N(m(x), v(x))."""
    outer = likelihood.predictive_derivatives(mean, variance, 1 if second is None else 2)
    return Derivatives(likelihood.predictive(mean, variance), *chain_rule(first, second, *outer))
