"""Permutation importance: how much worse the predictions get when one variable is shuffled among the rows.

Fisher, Rudin and Dominici (2019), "All models are wrong, but many are useful". The loss is the mean negative log
predictive density of the targets,

    pfi_d = 1/n Σ_i [log p(y_i | x_i) − log p(y_i | x_i with x_id from another row)],

or what the caller gives as `log_densities`: any score per row of which more is better. The value of a variable that
does not matter is 0 on average, so it can be negative. If the model predicts rows that it was trained on, variables
that it has overfitted to look important.

The computation is `sklearn.inspection.permutation_importance`, with `budget.repeats` permutations of every column.
Budget "paper": one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.black_box._budget import Budget
from rsens.black_box._predictor import Predictor


def pfi(predictor: Predictor, budget: Budget, rng: np.random.Generator) -> Array:
    """The loss of score when a column is permuted, of every column (D,)."""
    predictor.check_rows("pfi")
    x = predictor.values
    if not budget.paper:
        from sklearn.inspection import permutation_importance

        return permutation_importance(
            _AnyEstimator(),
            x,
            None,
            scoring=lambda estimator, rows, y: _score(predictor, rows),
            n_repeats=budget.repeats,
            random_state=int(rng.integers(2**31)),
        ).importances_mean
    here = _score(predictor, x)
    values = np.zeros(x.shape[1])
    for d in range(x.shape[1]):
        permuted = x.copy()
        permuted[:, d] = rng.permutation(x[:, d])
        values[d] = here - _score(predictor, permuted)
    return values


class _AnyEstimator:
    """An estimator for scikit-learn, which only hands it to `scoring`."""

    def fit(self, X: Any, y: Any) -> None:
        """Nothing to fit."""


def _score(predictor: Predictor, rows: Array) -> float:
    score = float(predictor.log_density(rows).mean())
    if not np.isfinite(score):
        raise InputError(
            f"pfi compares mean log predictive densities, and one of them is {score}: the model rules out a target, "
            "perhaps at a row with a permuted value. Give another score, such as ",
            Argument("scoring", "neg_mean_squared_error"),
            ".",
        )
    return score
