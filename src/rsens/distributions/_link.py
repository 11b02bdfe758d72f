"""Links: η, the prediction on the scale on which models of a family usually add up, with its derivatives in λ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rsens._typing import Array


@dataclass(frozen=True, eq=False)
class Link:
    """η (n, K), its derivatives in λ, (n, K, M) and (n, K, M, M), and J = ∂λ/∂η (n, M, K), the rest of λ held."""

    eta: Array
    first: Array
    second: Array
    jacobian: Array


def scalar_link(eta: Array, first: Sequence[Any], bends: Sequence[Any], moved: Sequence[Any]) -> Link:
    """A scalar link that does not mix parameters: ∂η, the diagonal of ∂²η, and ∂λ/∂η, one entry per parameter."""
    slopes, curved, jacobian = (np.stack(np.broadcast_arrays(*each, eta)[:-1], -1) for each in (first, bends, moved))
    second, diagonal = np.zeros((len(eta), 1, len(first), len(first))), range(len(first))
    second[:, 0, diagonal, diagonal] = curved
    return Link(eta[:, None], slopes[:, None], second, jacobian[..., None])


def first_as_location(λ: Array) -> Link:
    """The first entry of λ: a mean, a location, the mean of log y."""
    rest = (0.0,) * (λ.shape[1] - 1)
    return scalar_link(λ[:, 0], (1.0, *rest), (0.0, *rest), (1.0, *rest))


def log_of_first(λ: Array) -> Link:
    """log of the first entry of λ, a mean."""
    mean, rest = λ[:, 0], (0.0,) * (λ.shape[1] - 1)
    return scalar_link(np.log(mean), (1.0 / mean, *rest), (-1.0 / mean**2, *rest), (mean, *rest))
