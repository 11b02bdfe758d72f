"""What a change of posterior draws is made of: all move together, each one's spread moves, they move apart."""

from __future__ import annotations

import numpy as np

from rsens._typing import Array
from rsens.distributions._base import Distribution
from rsens.distributions._mixture_groups import Group
from rsens.distributions._numbers import norm

PREDICTION, NOISE, KNOWLEDGE = "prediction", "noise", "knowledge"


def part_names_of(family: Distribution) -> tuple[str, ...]:
    """The parts of draws of a family; none where λ has no location that stands apart from the rest."""
    if family.parameters.shape[-1] == 1:
        return PREDICTION, KNOWLEDGE
    return (PREDICTION, NOISE, KNOWLEDGE) if family.orthogonal_blocks else ()


def split_by_part(group: Group, row: int, u: Array, names: tuple[str, ...]) -> Array:
    """The change u (S·M, R) of one row as changes that add up to it, one for each part: (S·M, parts · R).

    With w_s the weights and m_s the location of draw s: ∂m̄ = Σ w_s ∂m_s for all draws, ∂m_s − ∂m̄, and the rest of ∂λ_s.
    """
    blocks = group.family.orthogonal_blocks
    location = next(iter(blocks.values())) if blocks else slice(0, 1)
    own = u[group.columns]  # (S, M, R)
    parts = {name: np.zeros_like(own) for name in names}
    parts[PREDICTION][:, location] = np.einsum("s,smr->mr", group.weights[row], own[:, location])
    parts[KNOWLEDGE][:, location] = own[:, location] - parts[PREDICTION][:, location]
    if NOISE in names:
        parts[NOISE] = own.copy()
        parts[NOISE][:, location] = 0.0
    return np.stack(list(parts.values()), axis=2).reshape(len(u), -1)


def shares_of(changes: Array) -> Array:
    """Shares (parts, R) of ∫ g²/p from the values g_k/√p at the nodes, (nodes, parts, R), times roots of weights."""
    length = norm(changes.sum(axis=1), 0)
    each = changes / np.where(length > 0.0, length, 1.0)
    found = np.maximum(np.einsum("kpr,kr->pr", each, each.sum(axis=1)), 0.0)
    total = found.sum(axis=0)
    return found / np.where(total > 0.0, total, 1.0)
