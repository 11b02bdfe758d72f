"""Likelihoods p(y | f): densities and their derivatives in the latent f, and the predictive of a Gaussian f."""

from rsens.likelihoods._base import Likelihood as Likelihood
from rsens.likelihoods._base import through_likelihood as through_likelihood
from rsens.likelihoods._classes import LogitLikelihood as LogitLikelihood
from rsens.likelihoods._classes import ProbitLikelihood as ProbitLikelihood
from rsens.likelihoods._counts import NegativeBinomialLikelihood as NegativeBinomialLikelihood
from rsens.likelihoods._counts import PoissonLikelihood as PoissonLikelihood
from rsens.likelihoods._numbers import GaussianLikelihood as GaussianLikelihood
from rsens.likelihoods._numbers import StudentTLikelihood as StudentTLikelihood

#: Every likelihood, for models, the command line and the documentation.
ALL_LIKELIHOODS: list[type[Likelihood]] = [
    GaussianLikelihood,
    StudentTLikelihood,
    PoissonLikelihood,
    NegativeBinomialLikelihood,
    ProbitLikelihood,
    LogitLikelihood,
]


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


def __dir__() -> list[str]:
    """The names that are exported, without the files they come from."""
    return sorted(name for name in globals() if not name.startswith("_"))
