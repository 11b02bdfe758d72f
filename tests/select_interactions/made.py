"""Selections whose every number is chosen."""

import numpy as np

from rsens._select_interactions import Selection, SplitAnalysis, select
from rsens._select_interactions._selection import Scores


def made(methods=("rsens2",), k: int = 5, splits: int = 10, **changes) -> Selection:
    """Six columns; the scores rise with the number of pairs and level off, and the methods differ a little."""
    rng = np.random.default_rng(0)
    M = len(methods)
    easy = 0.15 * rng.normal(size=splits)  # some held-out rows are easier than others
    curve = -1.6 + 0.9 * (1.0 - 0.45 ** np.arange(k + 1))
    scores = curve[:, None] + easy + 0.05 * rng.normal(size=(M, k + 1, splits))
    scores -= 0.06 * np.arange(M)[:, None, None] * (np.arange(k + 1) > 0)[:, None]
    scores[:, 0] = scores[0, 0]
    chosen = np.array([[rng.permutation(15)[:k] for _ in range(splits)] for _ in range(M)]).reshape(M, splits, k)
    fields = {
        "columns": tuple("abcdef"),
        "categorical": (2,),
        "kind": "EQ",
        "methods": tuple(methods),
        "asked": k,
        "train": np.full(splits, 80),
        "test": np.full(splits, 20),
        "scores": scores,
        "full": -0.65 + easy + 0.05 * rng.normal(size=splits),
        "chosen": chosen,
        "pairs": chosen[:, 0].copy(),
        "values": np.sort(rng.gamma(1.0, size=(M, k)))[:, ::-1].copy(),
        "fits": 9,
    }
    return Selection(Scores(**fields | changes))


def asked(estimator, X, y, *, k=5, clusters=None, methods="rsens2", numeric=(), cv=5, **options) -> Selection:
    """A selection with the options of the command: rounds of folds, methods, numeric columns."""
    return select(SplitAnalysis.of(estimator, X, y, k, clusters, methods=methods, numeric=numeric), cv, **options)
