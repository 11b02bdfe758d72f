"""The constant: what a model without inputs predicts, fitted to the training rows of a fold.

Numbers: the Student-t that Gaussian noise with unknown mean and variance predicts under a flat prior in (mean, log sd),
StudentT(ȳ, s²(1 + 1/N), N − 1), s² with divisor N − 1.
Counts: Poisson or, where the variance exceeds the mean, NegativeBinomial, both with the mean (Σy + ½)/N, whichever has
the larger likelihood; the size of the latter maximises it.
Classes: the shares (n_k + ½)/(N + K/2).
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy.optimize import minimize_scalar

from rsens._errors import InputError
from rsens._typing import Array, Positions
from rsens.distributions import Distribution, NegativeBinomial, Poisson, StudentT

Kind = Literal["numbers", "counts", "classes"]


def constant_for_numbers(y: Array) -> StudentT:
    """The prediction for every further row. If y is constant, its scale is the rounding error of y."""
    n = len(y)
    if n < 2:
        raise InputError("the constant that the model is compared with needs two training rows; there is one.")
    least = 8.0 * np.finfo(np.float64).eps * (float(np.abs(y).max()) or 1.0)
    s2 = max(float(np.var(y, ddof=1)), least**2)
    return StudentT(float(np.mean(y)), s2 * (1.0 + 1.0 / n), n - 1.0)


def constant_for_counts(y: Array) -> Distribution:
    """The prediction for every further row; a size is only sought where the variance exceeds the mean."""
    mean = (float(np.sum(y)) + 0.5) / len(y)
    poisson = Poisson(mean)
    if np.var(y) <= np.mean(y):
        return poisson
    values, times = np.unique(y, return_counts=True)

    def log_likelihood(family: Distribution) -> float:
        return float(times @ family.log_prob(values))

    def loss(log_size: float) -> float:
        return -log_likelihood(NegativeBinomial(mean, np.exp(log_size)))

    best = minimize_scalar(loss, bounds=(-10.0, 20.0), method="bounded")
    return max(poisson, NegativeBinomial(mean, float(np.exp(best.x))), key=log_likelihood)


def constant_for_classes(codes: Positions, n_classes: int) -> Array:
    """The probability of every class."""
    counts = np.bincount(codes, minlength=n_classes)
    return np.asarray((counts + 0.5) / (len(codes) + 0.5 * n_classes))
