"""Selections whose every number is chosen."""

import numpy as np

from rsens._select_interactions import Selection, select
from rsens._select_interactions._selection import Scores


def made(k: int = 5, splits: int = 10, **changes) -> Selection:
    """Six columns; the scores rise with the number of pairs and level off."""
    rng = np.random.default_rng(0)
    easy = 0.15 * rng.normal(size=splits)  # some held-out rows are easier than others
    curve = -1.6 + 0.9 * (1.0 - 0.45 ** np.arange(k + 1))
    scores = curve[:, None] + easy + 0.05 * rng.normal(size=(k + 1, splits))
    chosen = np.array([rng.permutation(15)[:k] for _ in range(splits)]).reshape(splits, k)
    fields = {
        "columns": tuple("abcdef"),
        "categorical": (2,),
        "kind": "EQ",
        "asked": k,
        "train": np.full(splits, 80),
        "test": np.full(splits, 20),
        "scores": scores,
        "full": -0.65 + easy + 0.05 * rng.normal(size=splits),
        "chosen": chosen,
        "pairs": chosen[0].copy(),
        "values": np.sort(rng.gamma(1.0, size=k))[::-1].copy(),
        "fits": 9,
    }
    return Selection(Scores(**fields | changes))


def asked(estimator, X, y, *, k=5, cv=5, **options) -> Selection:
    """A selection with the options of the command: rounds of folds, numeric columns."""
    return select(estimator, X, y, k, cv, **options)
