"""How good a model is, as a phrase that follows "the model": from held-out rows only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rsens._text import number, percent

if TYPE_CHECKING:
    from rsens._assess._assessment import Assessment

#: Shares in words, each up to this value.
SHARES = (
    (0.15, "about a tenth"), (0.225, "about a fifth"), (0.29, "about a quarter"), (0.365, "about a third"),
    (0.45, "about two fifths"), (0.55, "about half"), (0.63, "about three fifths"), (0.705, "about two thirds"),
    (0.775, "about three quarters"), (0.85, "about four fifths"), (0.95, "about nine tenths"), (0.99, "nearly all"),
)  # fmt: skip
ALMOST_ALL = "all but a hundredth"
#: Below this share there is little to speak of.
LEAST = 0.05
#: More than this many times as probable is not counted.
MOST_TIMES = 1000.0


def phrase_of(a: Assessment) -> str:
    """Numbers by R²; classes by the share of the constant's log score that is gained; counts by the gain itself."""
    if a.gain < -a.gain_error or not np.isfinite(a.gain):
        return "is worse than a constant on unseen rows"
    if a.gain <= a.gain_error:
        return "is no better than a constant on unseen rows"
    if a.accuracy is not None:
        # −baseline is the entropy of the classes, what there is to know.
        share = in_words(a.gain / -a.baseline)
        return (
            f"removes {share} of the uncertainty about the class of unseen rows, and is right in {percent(a.accuracy)}"
        )
    if a.kind == "numbers" and a.r2 is not None and a.r2 >= LEAST:
        r2 = number(a.r2, 2) if a.r2 < 0.99 else f"{a.r2:.3f}" if a.r2 < 0.9995 else "above 0.999"
        return f"explains {in_words(a.r2)} of the variation on unseen rows (R² {r2})"
    times = number(np.exp(a.gain), 2) if a.gain < np.log(MOST_TIMES) else f"more than {number(MOST_TIMES)}"
    return f"gives what happened in unseen rows {times} times the probability that a constant would"


def in_words(share: float) -> str:
    """About a fraction: a half, two thirds."""
    if share < LEAST:
        return "little"
    return next((words for limit, words in SHARES if share < limit), ALMOST_ALL)
