"""The likelihoods the laws are checked on, each with targets, latent values and latent moments it must handle."""

from dataclasses import dataclass

import numpy as np

from rsens._typing import Array
from rsens.likelihoods import (
    GaussianLikelihood,
    Likelihood,
    LogitLikelihood,
    NegativeBinomialLikelihood,
    PoissonLikelihood,
    ProbitLikelihood,
    StudentTLikelihood,
)


@dataclass(frozen=True)
class Case:
    likelihood: Likelihood
    y: Array
    f: Array

    def __str__(self) -> str:
        return str(self.likelihood)


def grid(likelihood: Likelihood, y: list[float], f: list[float]) -> Case:
    targets, latents = np.meshgrid(y, f)
    return Case(likelihood, targets.ravel(), latents.ravel())


REAL = [-3.0, 0.1, 1e3]
COUNTS = [0.0, 0.4, 1.0, 7.0, 300.0, 1e5]
LATENT = [-20.0, -3.0, -0.2, 0.0, 0.7, 3.0, 11.5]
BINARY_LATENT = [-300.0, -40.0, -6.0, -3.0, -2.001, -1.999, -0.3, 0.0, 0.3, 5.0, 36.0]

CASES = [
    grid(GaussianLikelihood(0.3), REAL, LATENT),
    grid(StudentTLikelihood(0.2, df=4.0), REAL, LATENT),
    grid(StudentTLikelihood(2.5, df=2.1), REAL, LATENT),
    grid(StudentTLikelihood(1.5, df=300.0), REAL, LATENT),
    grid(PoissonLikelihood(), COUNTS, LATENT),
    grid(NegativeBinomialLikelihood(0.3), COUNTS, LATENT),
    grid(NegativeBinomialLikelihood(4.0), COUNTS, LATENT),
    grid(NegativeBinomialLikelihood(1e6), COUNTS, LATENT),
    grid(ProbitLikelihood(), [0.0, 1.0], BINARY_LATENT),
    grid(LogitLikelihood(), [0.0, 1.0], BINARY_LATENT),
]

#: Latent mean and variance, from a known latent to one that knows nothing.
MEANS, VARIANCES = (
    a.ravel() for a in np.meshgrid([-6.0, -0.4, 0.0, 1.1, 5.0], [0.0, 1e-12, 1e-3, 0.5, 3.9, 4.1, 30.0, 400.0])
)

#: (y, m, v) for the predictive density, y near and far from its expectation at m; e^800 overflows, the answer does not.
# fmt: off
COUNT_POINTS = [
    (0.0, 0.3, 1e-12), (0.0, -30.0, 400.0), (0.0, 0.0, 400.0), (0.0, 40.0, 400.0),
    (0.0, 800.0, 1.0), (0.0, 3.0, 1400.0), (0.4, 0.0, 2.0), (1.0, 0.0, 400.0),
    (1.0, -700.0, 1.0), (7.0, 2.0, 0.3), (7.0, -40.0, 25.0), (7.0, 90.0, 25.0),
    (300.0, 5.0, 1e-6), (300.0, 5.7, 400.0), (1e5, 11.5, 1e-12), (1e5, 11.5, 0.1),
    (1e5, 0.0, 1e-12), (1e5, 0.0, 1e-4), (1e5, 0.0, 400.0), (1e5, -200.0, 400.0),
    (1e5, 300.0, 400.0),
]
REAL_POINTS = [
    (0.3, 0.3, 1e-12), (2.0, 0.3, 1e-4), (2.0, 0.3, 0.7), (5.0, 0.0, 1.0), (50.0, 0.0, 1.0),
    (50.0, 0.0, 400.0), (0.0, 0.0, 400.0), (-300.0, 20.0, 400.0), (1e5, 0.0, 3.0),
]
# fmt: on
BINARY_POINTS = [
    (y, m, v) for y in (0.0, 1.0) for m in (-40.0, -1.0, 0.0, 3.0) for v in (1e-12, 1.0, 3.99, 4.01, 400.0)
]
PREDICTIVE: list[tuple[Likelihood, list[tuple[float, float, float]]]] = [
    (PoissonLikelihood(), COUNT_POINTS),
    (NegativeBinomialLikelihood(0.1), COUNT_POINTS),
    (NegativeBinomialLikelihood(5.0), COUNT_POINTS),
    (NegativeBinomialLikelihood(1e4), COUNT_POINTS),
    (GaussianLikelihood(0.3), REAL_POINTS),
    (StudentTLikelihood(1.0, 4.0), REAL_POINTS),
    (StudentTLikelihood(0.01, 2.1), REAL_POINTS),
    (StudentTLikelihood(3.0, 40.0), REAL_POINTS),
    (StudentTLikelihood(0.05, 400.0), REAL_POINTS),
    (ProbitLikelihood(), BINARY_POINTS),
    (LogitLikelihood(), BINARY_POINTS),
]

TINY = np.finfo(float).tiny


def close(found: Array, exact: Array, relative: float, absolute: float | Array = TINY) -> None:
    """Every value within its tolerance, or an assertion that shows the first that is not."""
    found, exact, absolute = np.broadcast_arrays(np.asarray(found), np.asarray(exact), absolute)
    with np.errstate(under="ignore"):
        error, allowed = np.abs(found - exact), relative * np.abs(exact) + absolute
    wrong = np.argwhere(~(error <= allowed))
    if len(wrong):
        worst = tuple(wrong[0])
        raise AssertionError(f"{len(wrong)} wrong, the first at {worst}: got {found[worst]!r}, exact {exact[worst]!r}")


#: (m, v) for the derivatives of the class probability, deep in both tails too.
LINK_POINTS = [(m, v) for m in (-40.0, -1.0, 0.0, 0.3, 40.0) for v in (1e-3, 1.0, 30.0, 400.0)]
