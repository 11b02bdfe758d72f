"""One binary model per class against the rest, normalised into a Categorical.

With π_k(x) the predictive probability of class k by its own binary model,

    p_k = π_k / S,  S = Σ_j π_j.

The quotient rule gives the derivatives of p from the derivatives of the π_k. With the relative derivatives
ρ_k = ∂π_k/π_k and ρ_k,de = ∂²π_k/π_k, and their averages ρ̄ = Σ_j p_j ρ_j (which is ∂S/S) and ρ̄_de = Σ_j p_j ρ_j,de,

    ∂_d p_k    = p_k (ρ_k,d − ρ̄_d)
    ∂_d∂_e p_k = p_k (ρ_k,de − ρ̄_de − (ρ_k,d − ρ̄_d) ρ̄_e − (ρ_k,e − ρ̄_e) ρ̄_d).

Both add up to 0 over the classes, as the Fisher information of a Categorical requires. Two classes give the binary
classifier: π_0 = 1 − π_1 by the symmetry of probit and logit, so S = 1.

Limits. The K models are independent: they do not know that exactly one class occurs, S is 1 only for K = 2, and p is
not the posterior of a joint (softmax) model. At a row unlike every class all π_k are small, p is a ratio of small
numbers, and its derivatives say which class is the least unlikely. Away from the data every π_k goes to ½ and p to 1/K.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import softmax

from rsens._errors import InputError
from rsens._typing import Array
from rsens.derivatives._derivatives import Derivatives
from rsens.distributions import Bernoulli, Categorical, Distribution


def normalized(members: Sequence[Distribution]) -> Categorical:
    """p_k = π_k/Σ_j π_j from one Bernoulli per class."""
    return Categorical(softmax(_log_probabilities(members), axis=1))


def normalized_derivatives(members: Sequence[Derivatives]) -> Derivatives:
    """The Categorical with the derivatives of all p_k, from the record of one Bernoulli per class."""
    log_pi = _log_probabilities([member.distribution for member in members])
    p = softmax(log_pi, axis=1)
    distribution = Categorical(p)
    scale = np.exp(log_pi)
    relative = _relative(np.stack([member.first[:, 0] for member in members], axis=1), scale)
    average = np.einsum("nk,nkd->nd", p, relative)
    deviation = relative - average[:, None]
    first = p[..., None] * deviation
    seconds = [member.second[:, 0] for member in members if member.second is not None]
    if len(seconds) < len(members):
        return Derivatives(distribution, first)
    relative_second = _relative(np.stack(seconds, axis=1), scale)
    average_second = np.einsum("nk,nkde->nde", p, relative_second)
    cross = deviation[..., :, None] * average[:, None, None, :]
    inner = relative_second - average_second[:, None] - cross - np.swapaxes(cross, -1, -2)
    return Derivatives(distribution, first, p[..., None, None] * inner)


def _log_probabilities(members: Sequence[Distribution]) -> Array:
    """log π (n, K): through the logit, so that it is finite where π underflows."""
    for member in members:
        if not isinstance(member, Bernoulli):
            raise InputError(f"one-vs-rest needs a Bernoulli per class; got {type(member).__name__}.")
    return np.stack([member.log_prob(1.0) for member in members], axis=1)


def _relative(derivative: Array, pi: Array) -> Array:
    """∂π/π, and 0 where π underflows to 0."""
    pi = pi.reshape(pi.shape + (1,) * (derivative.ndim - 2))
    return np.divide(derivative, pi, out=np.zeros_like(derivative), where=pi > 0.0)
