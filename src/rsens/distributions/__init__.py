"""Predictive families: parameters λ, Fisher norm, Rényi divergence, log density, sampling."""

from rsens.distributions._base import Distribution as Distribution
from rsens.distributions._base import Link as Link
from rsens.distributions._base import Univariate as Univariate
from rsens.distributions._base import flat_draws as flat_draws
from rsens.distributions._base import namespace as namespace
from rsens.distributions._bernoulli import Bernoulli as Bernoulli
from rsens.distributions._bernoulli import Binomial as Binomial
from rsens.distributions._bernoulli import Categorical as Categorical
from rsens.distributions._counts import NegativeBinomial as NegativeBinomial
from rsens.distributions._counts import Poisson as Poisson
from rsens.distributions._counts import beta_cdf as beta_cdf
from rsens.distributions._gamma import Beta as Beta
from rsens.distributions._gamma import Exponential as Exponential
from rsens.distributions._gamma import Gamma as Gamma
from rsens.distributions._gamma import Weibull as Weibull
from rsens.distributions._histogram import Histogram as Histogram
from rsens.distributions._mixture import Mixture as Mixture
from rsens.distributions._mixture import is_event as is_event
from rsens.distributions._multivariate_normal import MultivariateNormal as MultivariateNormal
from rsens.distributions._normal import LogNormal as LogNormal
from rsens.distributions._normal import Normal as Normal
from rsens.distributions._normal import gaussian_log_prob as gaussian_log_prob
from rsens.distributions._student_t import StudentT as StudentT

#: Every family: a new one is one file and one line here. Look it up when you use it, it may grow.
ALL_FAMILIES: list[type[Distribution]] = [
    Normal,
    StudentT,
    LogNormal,
    Gamma,
    Exponential,
    Beta,
    Weibull,
    Bernoulli,
    Binomial,
    Categorical,
    Poisson,
    NegativeBinomial,
    MultivariateNormal,
    Histogram,
    Mixture,
]


def __dir__() -> list[str]:
    """The names that are exported, without the files they come from."""
    return sorted(name for name in globals() if not name.startswith("_"))
