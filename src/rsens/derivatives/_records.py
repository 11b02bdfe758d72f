"""Records made of other records: classes against the rest, one distribution for several, a mixture draw by draw."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import softmax

from rsens._errors import InputError
from rsens._typing import Array, Positions
from rsens.derivatives._contrasts import Contrast
from rsens.derivatives._derivatives import Derivatives
from rsens.derivatives._differences import Quotients, extrapolated
from rsens.distributions import Bernoulli, Categorical, Distribution, Mixture


def normalized(members: Sequence[Distribution]) -> Categorical:
    """p_k = π_k/Σ_j π_j from one Bernoulli per class."""
    return Categorical(softmax(_log_probabilities(members), axis=1))


def normalized_derivatives(members: Sequence[Derivatives]) -> Derivatives:
    """The Categorical with the derivatives of all p_k, from the record of one Bernoulli per class.

    With π_k(x) the predictive probability of class k by its own binary model, p_k = π_k / S and S = Σ_j π_j. With the
    relative derivatives ρ_k = ∂π_k/π_k and ρ_k,de = ∂²π_k/π_k, and their averages ρ̄ = Σ_j p_j ρ_j (which is ∂S/S) and
    ρ̄_de = Σ_j p_j ρ_j,de,

        ∂_d p_k    = p_k (ρ_k,d − ρ̄_d)
        ∂_d∂_e p_k = p_k (ρ_k,de − ρ̄_de − (ρ_k,d − ρ̄_d) ρ̄_e − (ρ_k,e − ρ̄_e) ρ̄_d).

    Both add up to 0 over the classes, as the Fisher information of a Categorical requires. Two classes give the binary
    classifier: S = 1 by the symmetry of probit and logit. With more, p is not the posterior of a joint (softmax) model:
    at a row unlike every class it is a ratio of small numbers, and away from the data it goes to 1/K.
    """
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


#: Steps for derivatives of λ̄ in the members' λ, as shares of how fast λ changes. λ̄ is a smooth function of averages, so
#: central differences with one extrapolation are right to about 1e-10.
_STEP = 2.0**-8


def matched_record(records: Sequence[Derivatives], weights: Array) -> Derivatives:
    """The record of `Mixture.matched` of several records of the same rows and columns."""
    mixture = Mixture([record.distribution for record in records], weights).checked()
    family = mixture.matched().checked(len(records[0]))
    seconds = [record.second for record in records if record.second is not None]
    if len(mixture.kinds) == 1 and family.matched_by_average:
        first = np.einsum("s,snmd->nmd", weights, [record.first for record in records])
        return Derivatives(family, first, np.einsum("s,snmde->nmde", weights, seconds) if seconds else None)

    # λ̄ is a function of the members' λ(x + t) = λ + ∂λ t + ½ tᵀ∂²λ t: its differences need no evaluation of any model.
    def matched(step: Array) -> Array:
        λ: Array = Mixture([_moved(record, step) for record in records], weights).checked().matched().parameters
        return λ

    # A step moves a member by a small part of its width at most, in Fisher norm, also to second order.
    sizes = [record.distribution.fisher_norm(record.first) for record in records]
    for record in records:
        if record.second is not None:
            sizes.append(np.sqrt(record.distribution.fisher_norm(np.einsum("nmdd->nmd", record.second))))
    size = np.max(sizes, axis=0)
    h = _STEP / np.where((size > 0.0) & np.isfinite(size), size, 1.0)  # (n, D)
    steps = Quotients(
        lambda points: np.stack([matched(step) for step in points]),
        np.zeros_like(h),
        family.parameters,
        list(range(h.shape[1])),
    )
    second = extrapolated(steps.second, h) if seconds else None
    return Derivatives(family, extrapolated(steps.first, h), second)


def _moved(record: Derivatives, step: Array) -> Distribution:
    """A member's own distribution at rows moved by these steps (n, D)."""
    λ = record.distribution.parameters + np.einsum("nmd,nd->nm", record.first, step)
    if record.second is not None:
        λ = λ + 0.5 * np.einsum("nmde,nd,ne->nm", record.second, step, step)
    family: Any = record.distribution
    return family.with_parameters(λ)


#: How many derivatives to hold at once.
_BLOCK = 100_000


def is_of_draws(distribution: Distribution) -> bool:
    """Whether a predictive is a mixture of posterior draws, or of the members of an ensemble."""
    return isinstance(distribution, Mixture) and distribution.draws


def draw_records(derivatives: Derivatives, draws: Positions) -> Iterator[tuple[Positions, Derivatives]]:
    """Records of order 1 with the rows of draw after draw, in blocks: (which of the draws, record)."""
    mixture: Any = derivatives.distribution
    n = len(derivatives)
    for group in mixture.groups:
        chosen = np.flatnonzero(np.isin(group.members, draws))
        size = max(1, _BLOCK // max(1, n * group.columns.shape[1] * derivatives.first.shape[-1]))
        for start in range(0, len(chosen), size):
            block = chosen[start : start + size]
            columns = group.columns[block]
            first = np.moveaxis(derivatives.first[:, columns], 1, 0)  # (draws, n, M, D)
            record = Derivatives(_flat(group.family, block), first.reshape(-1, *first.shape[2:]))
            contrasts = tuple(_of_block(contrast, group.members[block]) for contrast in derivatives.contrasts)
            yield group.members[block], replace(record, contrasts=contrasts)


def _of_block(contrast: Contrast, draws: Positions) -> Contrast:
    """The contrast with the rows of some draws of one family, draw after draw."""
    levels = []
    for level in contrast.levels:
        mixture: Any = level
        (group,) = (group for group in mixture.groups if np.isin(draws[0], group.members))
        levels.append(_flat(group.family, np.flatnonzero(np.isin(group.members, draws))))
    return Contrast(contrast.column, contrast.name, np.tile(contrast.weights, (len(draws), 1)), tuple(levels))


def _flat(family: Distribution, draws: Positions) -> Distribution:
    """Some of the draws (S, n) of a family as rows, one draw after another."""

    def rows(values: Array, event_ndim: int) -> Array:
        taken = values[draws]
        return taken.reshape(-1, *taken.shape[taken.ndim - event_ndim :])

    fields = family.fields().items()
    return type(family)(**{name: rows(values, family.domains[name].event_ndim) for name, values in fields})
