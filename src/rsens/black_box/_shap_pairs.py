"""Pairwise Shapley interactions (Grabisch and Roubens, 1999): the mean size of what two columns do only together.

With v(S) the prediction where the columns S are those of a row x and the others those of background rows,

    φ_de(x) = Σ_S w_S [v(S ∪ {d, e}) − v(S ∪ {d}) − v(S ∪ {e}) + v(S)],   S without d and e,

where w_S weighs all sizes of S equally, and all S of one size equally. The value of a pair is the mean of |φ_de| over
rows. It is the whole interaction: f = x_d·x_e with independent columns of mean 0 gives the mean of |x_d·x_e|. (The
interaction matrices of the package shap hold one half at (d, e) and the other at (e, d).)
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from rsens._errors import MissingExtraError
from rsens._typing import Array
from rsens.black_box._asked import MOST_ROWS, Asked, sampled
from rsens.black_box._budget import Budget
from rsens.black_box._pairs import over_pairs


def shap_pairs(asked: Asked, budget: Budget, rng: np.random.Generator) -> Array:
    """The mean of |φ_de| over rows, summed over the outputs of the model.

    Budget "paper": one random S and one random background row for every row and pair, four predictions. Such a
    contribution is right on average, but its absolute value is larger than that of the average: for f = x_d·x_e with
    normal columns, twice. Otherwise φ is that of the package shapiq, for at most `budget.rows` rows with
    `budget.background` background rows and at least `budget.coalitions` sets S.
    """
    asked.check_rows("shap")
    if asked.values.shape[1] < 2:
        return np.zeros((1, 1))
    return _one_coalition(asked, rng) if budget.paper else _by_shapiq(asked, budget, rng)


def _one_coalition(asked: Asked, rng: np.random.Generator) -> Array:
    n, D = asked.values.shape

    def value(d: int, e: int) -> float:
        # A column is in S with a probability that is itself uniform: all sizes of S are then equally likely.
        S = rng.random((n, D)) < rng.random((n, 1))
        background = asked.values[rng.integers(n, size=n)]
        coalitions = np.repeat(S[None], 4, axis=0)
        coalitions[:, :, d] = np.array([True, True, False, False])[:, None]
        coalitions[:, :, e] = np.array([True, False, True, False])[:, None]
        both, only_d, only_e, neither = asked.predict(np.where(coalitions, asked.values, background))
        return float(np.abs(both - only_d - only_e + neither).sum(axis=1).mean())

    return over_pairs(D, value)


def _by_shapiq(asked: Asked, budget: Budget, rng: np.random.Generator) -> Array:
    """KernelSHAP-IQ (Fumagalli et al., 2024): φ as the solution of weighted least squares on sampled coalitions.

    With as many coalitions as there are, 2^D, it is exact, but for the rounding of its large weights (1e-7 or so).
    """
    try:
        from shapiq import KernelSHAPIQ
    except ImportError:
        raise MissingExtraError("shapiq", "compare") from None
    D = asked.values.shape[1]
    rows = sampled(asked.values, budget.rows, rng)
    background = sampled(asked.values, budget.background, rng)
    # Least squares with 1 + D + D(D − 1)/2 unknowns: about two coalitions for each, at least.
    n_coalitions = min(max(budget.coalitions, D * (D + 1) + 2), 2**D)
    n_outputs = asked.predict(rows[:1]).shape[-1]
    total = np.zeros((D, D))
    for row in rows:
        game, seed = _Game(asked, row, background), int(rng.integers(2**31))
        for output in range(n_outputs):  # one seed: the coalitions are the same for all outputs
            solver = KernelSHAPIQ(D, max_order=2, index="SII", pairing_trick=True, random_state=seed)
            found = solver.approximate(n_coalitions, partial(game, output=output))
            total += np.abs(found.get_n_order_values(2))
    return total / len(rows)


class _Game:
    """v(S) for one row: the mean over the background rows. Its coalitions are those of the first call."""

    def __init__(self, asked: Asked, row: Array, background: Array) -> None:
        self._asked, self._row, self._background = asked, row, background
        self._values: Array | None = None  # (coalitions, outputs)

    def __call__(self, coalitions: NDArray[np.bool_], output: int) -> Array:
        if self._values is None:
            most = max(1, MOST_ROWS // len(self._background))
            parts = [self._means(coalitions[k : k + most]) for k in range(0, len(coalitions), most)]
            self._values = np.concatenate(parts)
        return self._values[:, output]

    def _means(self, coalitions: NDArray[np.bool_]) -> Array:
        return self._asked.predict(np.where(coalitions[:, None], self._row, self._background)).mean(axis=1)
