"""Pairwise Shapley interactions (Grabisch and Roubens, 1999): the mean size of what two columns do only together.

With v(S) the prediction where the columns S come from a row x and the others from background rows,

    φ_de(x) = Σ_S w_S [v(S ∪ {d, e}) − v(S ∪ {d}) − v(S ∪ {e}) + v(S)],   S without d and e,

where w_S weighs all sizes of S equally, and all S of one size equally. The value of a pair is the mean of |φ_de| over
rows. It is the whole interaction: f = x_d·x_e with independent columns of mean 0 gives the mean of |x_d·x_e|. (The
interaction matrices of the package shap hold one half at (d, e) and the other at (e, d).)
"""

from __future__ import annotations

from functools import partial

import numpy as np

from rsens._errors import MissingExtraError
from rsens._typing import Array, Flags
from rsens.black_box._budget import Budget
from rsens.black_box._pairs import over_pairs
from rsens.black_box._predictor import MOST_ROWS, Predictor, sample_rows


def shap_pairs(predictor: Predictor, budget: Budget, rng: np.random.Generator) -> Array:
    """The mean of |φ_de| over rows, summed over the outputs of the model.

    Budget "paper": one random S and one random background row for every row and pair, four predictions. Such a
    contribution is right on average, but its absolute value is too large: for f = x_d·x_e with normal columns, twice as
    large. Otherwise the package shapiq computes φ, for at most `budget.rows` rows with
    `budget.background` background rows and at least `budget.coalitions` sets S.
    """
    predictor.check_rows("shap")
    if predictor.values.shape[1] < 2:
        return np.zeros((1, 1))
    return _one_coalition(predictor, rng) if budget.paper else _by_shapiq(predictor, budget, rng)


def _one_coalition(predictor: Predictor, rng: np.random.Generator) -> Array:
    n, D = predictor.values.shape

    def value(d: int, e: int) -> float:
        # A column is in S with a probability that is itself uniform: all sizes of S are then equally likely.
        S = rng.random((n, D)) < rng.random((n, 1))
        background = predictor.values[rng.integers(n, size=n)]
        coalitions = np.repeat(S[None], 4, axis=0)
        coalitions[:, :, d] = np.array([True, True, False, False])[:, None]
        coalitions[:, :, e] = np.array([True, False, True, False])[:, None]
        both, only_d, only_e, neither = predictor.predict(np.where(coalitions, predictor.values, background))
        return float(np.abs(both - only_d - only_e + neither).sum(axis=1).mean())

    return over_pairs(D, value)


def _by_shapiq(predictor: Predictor, budget: Budget, rng: np.random.Generator) -> Array:
    """KernelSHAP-IQ (Fumagalli et al., 2024): φ as the solution of weighted least squares on sampled coalitions.

    With as many coalitions as there are, 2^D, it is exact, but for the rounding of its large weights (1e-7 or so).
    """
    try:
        from shapiq import KernelSHAPIQ
    except ImportError:
        raise MissingExtraError("shapiq", "compare") from None
    D = predictor.values.shape[1]
    rows = sample_rows(predictor.values, budget.rows, rng)
    background = sample_rows(predictor.values, budget.background, rng)
    # Least squares with 1 + D + D(D − 1)/2 unknowns: about two coalitions for each, at least.
    n_coalitions = min(max(budget.coalitions, D * (D + 1) + 2), 2**D)
    n_outputs = predictor.predict(rows[:1]).shape[-1]
    total = np.zeros((D, D))
    for row in rows:
        game, seed = _Game(predictor, row, background), int(rng.integers(2**31))
        for output in range(n_outputs):  # one seed: the coalitions are the same for all outputs
            solver = KernelSHAPIQ(D, max_order=2, index="SII", pairing_trick=True, random_state=seed)
            found = solver.approximate(n_coalitions, partial(game, output=output))
            total += np.abs(found.get_n_order_values(2))
    return total / len(rows)


class _Game:
    """v(S) for one row: the mean over the background rows. Later calls reuse the coalitions of the first."""

    def __init__(self, predictor: Predictor, row: Array, background: Array) -> None:
        self._predictor, self._row, self._background = predictor, row, background
        self._values: Array | None = None  # (coalitions, outputs)

    def __call__(self, coalitions: Flags, output: int) -> Array:
        if self._values is None:
            most = max(1, MOST_ROWS // len(self._background))
            parts = [self._means(coalitions[k : k + most]) for k in range(0, len(coalitions), most)]
            self._values = np.concatenate(parts)
        return self._values[:, output]

    def _means(self, coalitions: Flags) -> Array:
        return self._predictor.predict(np.where(coalitions[:, None], self._row, self._background)).mean(axis=1)
