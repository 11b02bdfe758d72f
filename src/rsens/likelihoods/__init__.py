"""Likelihoods p(y | f): densities and their derivatives in the latent f, and the predictive of a Gaussian f."""

from rsens.likelihoods._base import ALL_LIKELIHOODS as ALL_LIKELIHOODS
from rsens.likelihoods._base import Likelihood as Likelihood
from rsens.likelihoods._base import likelihood_named as likelihood_named
from rsens.likelihoods._base import likelihood_names as likelihood_names
from rsens.likelihoods._base import link_names as link_names
from rsens.likelihoods._base import target_of as target_of
from rsens.likelihoods._base import through_likelihood as through_likelihood
from rsens.likelihoods._classes import LogitLikelihood as LogitLikelihood
from rsens.likelihoods._classes import ProbitLikelihood as ProbitLikelihood
from rsens.likelihoods._counts import NegativeBinomialLikelihood as NegativeBinomialLikelihood
from rsens.likelihoods._counts import PoissonLikelihood as PoissonLikelihood
from rsens.likelihoods._numbers import GaussianLikelihood as GaussianLikelihood
from rsens.likelihoods._numbers import StudentTLikelihood as StudentTLikelihood

#: Every likelihood, for models, the command line and the documentation.
ALL_LIKELIHOODS += [
    GaussianLikelihood,
    StudentTLikelihood,
    PoissonLikelihood,
    NegativeBinomialLikelihood,
    ProbitLikelihood,
    LogitLikelihood,
]


def __dir__() -> list[str]:
    """The names that are exported, without the files they come from."""
    return sorted(name for name in globals() if not name.startswith("_"))
