"""Likelihoods p(y | f): densities and their derivatives in the latent f, and the predictive of a Gaussian f."""

from rsens.likelihoods._base import Likelihood as Likelihood
from rsens.likelihoods._counts import CountLikelihood as CountLikelihood
from rsens.likelihoods._gaussian import GaussianLikelihood as GaussianLikelihood
from rsens.likelihoods._logit import LogitLikelihood as LogitLikelihood
from rsens.likelihoods._negative_binomial import NegativeBinomialLikelihood as NegativeBinomialLikelihood
from rsens.likelihoods._poisson import PoissonLikelihood as PoissonLikelihood
from rsens.likelihoods._probit import ProbitLikelihood as ProbitLikelihood
from rsens.likelihoods._student_t import StudentTLikelihood as StudentTLikelihood

ALL_LIKELIHOODS: tuple[type[Likelihood], ...] = (
    GaussianLikelihood,
    StudentTLikelihood,
    PoissonLikelihood,
    NegativeBinomialLikelihood,
    ProbitLikelihood,
    LogitLikelihood,
)
