"""Derivatives of the one distribution that stands for several, from the derivatives of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rsens._typing import Array
from rsens.derivatives._derivatives import Derivatives
from rsens.distributions import Distribution, Mixture

#: Steps for first and second derivatives of λ̄ in the members' λ, as shares of how fast λ changes. λ̄ is a smooth
#: function of averages, so central differences with one extrapolation are right to about 1e-10.
_STEP = 2.0**-8


def matched_record(records: Sequence[Derivatives], weights: Array) -> Derivatives:
    """The record of `Mixture.matched` of several records of the same rows and columns.

    λ̄ is a function of the members' λ, and each λ(x + t) is known to second order in t, λ + ∂λ t + ½ tᵀ∂²λ t.
    Differences of λ̄ along this need no further evaluation of any model.
    """
    mixture = Mixture([record.distribution for record in records], weights).checked()
    family = mixture.matched().checked(len(records[0]))
    if len(mixture.kinds) == 1 and family.matched_by_average:
        seconds = [record.second for record in records if record.second is not None]
        first = np.einsum("s,snmd->nmd", weights, [record.first for record in records])
        return Derivatives(family, first, np.einsum("s,snmde->nmde", weights, seconds) if seconds else None)
    columns, order = records[0].first.shape[-1], 1 if records[0].second is None else 2
    at = _Path(records, weights)
    n, m = family.parameters.shape
    first = np.zeros((n, m, columns))
    second = np.zeros((n, m, columns, columns))
    eye = np.eye(columns)
    here = family.parameters
    for d in range(columns):
        up, down, up2, down2 = (at.parameters(s * eye[d]) for s in (1.0, -1.0, 0.5, -0.5))
        wide, narrow = (up - down) / 2.0, up2 - down2
        first[..., d] = at.per_unit((4.0 * narrow - wide) / 3.0, d)
        if order == 2:
            wide, narrow = up - 2.0 * here + down, 4.0 * (up2 - 2.0 * here + down2)
            second[..., d, d] = at.per_unit(at.per_unit((4.0 * narrow - wide) / 3.0, d), d)
    if order == 1:
        return Derivatives(family, first)
    for d in range(columns):
        for e in range(d):
            cross = [
                (at.parameters(s * (eye[d] + eye[e])) - at.parameters(s * (eye[d] - eye[e]))
                 - at.parameters(s * (eye[e] - eye[d])) + at.parameters(-s * (eye[d] + eye[e]))) / (4.0 * s * s)
                for s in (1.0, 0.5)
            ]  # fmt: skip
            value = at.per_unit(at.per_unit((4.0 * cross[1] - cross[0]) / 3.0, d), e)
            second[..., d, e] = second[..., e, d] = value
    return Derivatives(family, first, second)


class _Path:
    """λ̄ near each row, along steps t in units that suit the row and the column."""

    def __init__(self, records: Sequence[Derivatives], weights: Array) -> None:
        self._records, self._weights = records, weights
        # A step moves no member by more than a small part of its own width, in Fisher norm, also to second order.
        sizes = [record.distribution.fisher_norm(record.first) for record in records]
        for record in records:
            if record.second is not None:
                curved = np.einsum("nmdd->nmd", record.second)
                sizes.append(np.sqrt(record.distribution.fisher_norm(curved)))
        size = np.max(sizes, axis=0)
        self._unit = _STEP / np.where((size > 0.0) & np.isfinite(size), size, 1.0)  # (n, D)

    def parameters(self, t: Array) -> Array:
        """λ̄ (n, M) at the rows moved by t (D,) units."""
        step = t * self._unit
        families = [_moved(record, step) for record in self._records]
        λ: Array = Mixture(families, self._weights).checked().matched().parameters
        return λ

    def per_unit(self, values: Array, d: int) -> Array:
        return values / self._unit[:, d, None]


def _moved(record: Derivatives, step: Array) -> Distribution:
    """A member's own distribution at rows moved by these steps (n, D)."""
    λ = record.distribution.parameters + np.einsum("nmd,nd->nm", record.first, step)
    if record.second is not None:
        λ = λ + 0.5 * np.einsum("nmde,nd,ne->nm", record.second, step, step)
    family: Any = record.distribution
    return family.with_parameters(λ)
