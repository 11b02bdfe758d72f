"""Central intervals of a predictive distribution, for the bands of a profile."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtr

from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.distributions import Distribution, Mixture, Univariate

#: Nodes for the quantiles of a mixture, shared by all its components.
MIXTURE_NODES = 40_000


def masses(levels: Any) -> Array:
    """The probability within each band, narrowest first.

    A level from 1 on counts standard deviations of a normal distribution: 1, 2 and 3 hold 68.3, 95.4 and 99.7 %. A
    level below 1 is the probability itself.
    """
    try:
        values = np.atleast_1d(np.asarray(levels, dtype=np.float64))
    except (TypeError, ValueError):
        values = np.array([[]])
    # Beyond eight deviations the tails are below the spacing of float64 at 1.
    if values.ndim != 1 or not ((values > 0.0) & (values <= 8.0)).all():
        raise InputError(
            Argument("levels"),
            " must be numbers of standard deviations, like (1, 2, 3), or shares below 1, like (0.5, 0.9); "
            f"got {levels!r}.",
        )
    return np.sort(np.where(values < 1.0, values, 2.0 * ndtr(values) - 1.0))


def central_intervals(family: Distribution, shares: Array) -> Array:
    """Lower and upper ends of the central intervals of y that hold these shares, shape (n, shares, 2).

    They exist where standard deviations do not (Student-t with df ≤ 2), and are not symmetric where y is not.
    """
    tail = 0.5 * (1.0 - shares)
    both = _quantiles(family, np.concatenate([tail, 1.0 - tail]))
    return both.reshape(2, len(shares), both.shape[1]).transpose(2, 1, 0)


def _quantiles(family: Distribution, q: Array) -> Array:
    """Quantiles, shape (q, n)."""
    if isinstance(family, Univariate):
        return np.asarray(family.quantile(q[:, None]), dtype=np.float64)
    assert isinstance(family, Mixture)  # classes and vectors are drawn in other ways
    return _mixture_quantiles(family, q)


def _mixture_quantiles(family: Mixture, q: Array) -> Array:
    """Quantiles of all the components' quantiles, each with the probability it stands for: no random numbers.

    The nodes are dense in the tails, evenly spaced on the scale of a standard normal.
    """
    draws = family.checked().weights.shape[-1]
    n_nodes = int(np.clip(MIXTURE_NODES // draws, 21, 2001))
    edges = ndtr(np.linspace(-5.0, 5.0, n_nodes + 1))
    edges[0], edges[-1] = 0.0, 1.0
    middle, share = 0.5 * (edges[1:] + edges[:-1]), np.diff(edges)
    n = family.parameters.shape[0]
    weights = np.concatenate([group.weights for group in family.groups], axis=1)
    parts: list[Any] = [group.family for group in family.groups]
    nodes = np.concatenate([part.quantile(middle[:, None, None]) for part in parts], axis=1)
    result = np.empty((len(q), n))
    for i in range(n):
        values, mass = nodes[:, :, i].ravel(), np.outer(share, weights[i]).ravel()  # (nodes, S)
        order = np.argsort(values, kind="stable")
        values, below = values[order], np.cumsum(mass[order])
        if family.support == "continuous":
            result[:, i] = np.interp(q, below - 0.5 * mass[order], values)
        else:  # the first count that is reached with probability q
            result[:, i] = values[np.minimum(np.searchsorted(below, q - 1e-12), len(values) - 1)]
    return result
