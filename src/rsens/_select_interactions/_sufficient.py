"""Means over splits, their standard errors, and the number of pairs that follows from them."""

from __future__ import annotations

import numpy as np

from rsens._typing import Array


def standard_error(scores: Array, ratio: float) -> Array:
    """The standard error of the mean over splits, the last axis; NaN for a single split.

    The training sets of different splits share rows, so their scores are not independent, and s/√S is too small: the
    more repetitions, the more so. With `ratio` held-out rows per training row it is s √(1/S + ratio) (Nadeau and Bengio
    2003, "Inference for the generalization error", section 3). A ratio of 0 is s/√S.
    """
    S = scores.shape[-1]
    if S < 2:
        return np.full(scores.shape[:-1], np.nan)
    return np.asarray(np.std(scores, axis=-1, ddof=1) * np.sqrt(1.0 / S + ratio))


def smallest_sufficient(scores: Array, ratio: float) -> int:
    """The smallest number of pairs whose mean is within one standard error of the best, from scores (k + 1, S).

    The standard error is for the difference to the best, split by split.
    """
    best = int(scores.mean(axis=-1).argmax())
    behind = scores[best] - scores[:best]
    enough = behind.mean(axis=-1) <= standard_error(behind, ratio)
    return int(enough.argmax()) if enough.any() else best
