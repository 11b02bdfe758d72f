"""From the latent f to the prediction: λ(m, v) with its derivatives in x."""

from __future__ import annotations

from rsens._typing import Array
from rsens.derivatives import Derivatives, chain_rule
from rsens.likelihoods._base import Likelihood


def through_likelihood(
    likelihood: Likelihood, mean: Array, variance: Array, first: Array, second: Array | None = None
) -> Derivatives:
    """The predictive distribution and its derivatives in x, for a latent f(x) ~ N(m(x), v(x)).

    Args:
        likelihood: p(y | f).
        mean: m at each row, (n,).
        variance: v at each row, (n,).
        first: The derivatives of m and v in x, (n, 2, D).
        second: Their second derivatives, (n, 2, D, D), or None for first derivatives only.
    """
    outer = likelihood.predictive_derivatives(mean, variance, 1 if second is None else 2)
    return Derivatives(likelihood.predictive(mean, variance), *chain_rule(first, second, *outer))
