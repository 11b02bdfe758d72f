"""A sparse GP of many rows: hyperparameters from some, inducing inputs chosen among more, the posterior from all.

Hyperparameters are a few numbers, which some thousand rows determine as well as anyone needs; a search takes a hundred
passes over its rows. The posterior, which everything else is computed from, needs all rows, but only a few passes.
"""

from __future__ import annotations

import numpy as np

from rsens._typing import Array
from rsens.kernels import Kernel
from rsens.likelihoods import Likelihood
from rsens.models._data import Data
from rsens.models._inducing import GREEDY_BYTES, choose_inducing

#: The most rows for a search of hyperparameters with inducing inputs.
SEARCH_ROWS = 5000
#: The least rows of them with another class or count than the most common one.
LEAST_RARE = 500
#: If M is ours to choose, inducing inputs are enough when they leave no row more than this share of the prior variance.
ENOUGH = 1e-6


def searched_rows(data: Data, likelihood: Likelihood, most: int, rng: np.random.Generator) -> Data:
    """The rows that hyperparameters are learned from: all, or a draw of `most`.

    If nearly all classes or counts are the same, the few others say most about f (see `_thinned`).
    """
    if len(data.y) <= most:
        return data
    rng = rng.spawn(1)[0]
    if likelihood.target == "numbers":
        return data.drawn(most, rng)
    return data.thinned_to(most, LEAST_RARE, rng)


def inducing_inputs(data: Data, kernel: Kernel, M: int, enough: float, rng: np.random.Generator) -> Array:
    """At most M rows for this kernel, chosen among all, or among as many as fit in the memory of the choice."""
    if len(data.y) <= SEARCH_ROWS:
        return choose_inducing(data.ordered.X, kernel, M, rng, enough=enough).inputs
    most = max(M, GREEDY_BYTES // (8 * M))
    some = data if len(data.y) <= most else data.drawn(most, rng.spawn(1)[0])
    return choose_inducing(some.ordered.X, kernel, M, enough=enough).inputs
