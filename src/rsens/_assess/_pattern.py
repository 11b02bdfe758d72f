"""In which way intervals are off: too wide, too narrow, of the wrong shape, or to one side.

What is asked first is whether anything is off: the shares in the central 50 % and 90 % intervals and the share above
the median, each by more than 0.1 and more than `CLEAR` standard errors of an ideal model. Then the pattern says how.

    median one-sided                  biased
    both intervals hold too many      too wide
    both too few                      too narrow
    50 % too many and 90 % too few    heavier tails than the model says
    50 % too few and 90 % too many    lighter tails
    one of them alone                 heavier or lighter tails if the other does not fit to it, else too wide or narrow

Whether two intervals fit to each other: a model whose spread is off by the factor r has r z of the true standard
deviations where it should have z, so the share s₅₀ = 2Φ(r z₇₅) − 1 implies s₉₀ = 2Φ(r z₉₅) − 1. The standard error of
the difference follows from that of s₅₀ by the slope ds₉₀/ds₅₀ (delta method); the two shares have the covariance
s₅₀(1 − s₉₀)/n, as one interval lies in the other. docs/quality.md has how often each word is right.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import norm

from rsens._assess._text import held_in
from rsens._text import percent

#: Smaller differences do not matter.
TOLERANCE = 0.1
#: How many standard errors are more than chance: about one right model in 20 exceeds them in any of the three shares.
CLEAR = 2.4


def intervals_off(coverage: pd.DataFrame | None, share_above: float | None, n: int) -> str | None:
    """A sentence, or None where nothing is off."""
    assert coverage is not None
    assert share_above is not None
    shares, errors = coverage["share"].to_numpy(), coverage["standard_error"].to_numpy()
    off = shares - coverage.index.to_numpy(dtype=np.float64)
    side = _sign(share_above - 0.5, 0.5 / np.sqrt(n))
    signs = [_sign(difference, error) for difference, error in zip(off, errors, strict=True)]
    matters = np.abs(off) > TOLERANCE
    held = ", ".join(held_in(coverage))
    if side and abs(share_above - 0.5) > TOLERANCE:
        where, rows = ("low", share_above) if side > 0 else ("high", 1.0 - share_above)
        lie = "above" if side > 0 else "below"
        return (
            f"Predictions are too {where} (biased): {percent(rows)} of held-out rows lie {lie} the median of their "
            f"prediction; {held}."
        )
    if not any(sign and much for sign, much in zip(signs, matters, strict=True)):
        return None
    return f"{_word(signs, float(shares[0]), float(shares[1]), n)}: of held-out rows, {held}."


def _word(signs: list[int], inner: float, outer: float, n: int) -> str:
    tails = "Tails are {} than the model says"
    if sum(signs) == 0:  # one too many, one too few
        shape = signs[1]
    elif 0 in signs:
        implied, error = _implied_outer(inner, n)
        shape = _sign(outer - implied, error)
    else:
        shape = 0
    if shape:
        return tails.format("heavier" if shape < 0 else "lighter")
    return "Intervals are too wide (under-confident)" if sum(signs) > 0 else "Intervals are too narrow (over-confident)"


def _implied_outer(inner: float, n: int) -> tuple[float, float]:
    """The share in the 90 % interval if only the spread is off, and the standard error of the difference to it."""
    s = float(np.clip(inner, 0.5 / n, 1.0 - 0.5 / n))
    z = norm.ppf(0.5 + 0.5 * s)
    per = norm.ppf(0.95) / norm.ppf(0.75)
    implied = 2.0 * norm.cdf(per * z) - 1.0
    slope = per * norm.pdf(per * z) / norm.pdf(z)
    variance = implied * (1.0 - implied) + slope**2 * s * (1.0 - s) - 2.0 * slope * s * (1.0 - implied)
    return float(implied), float(np.sqrt(max(variance, 1.0 / n) / n))


def _sign(difference: float, error: float) -> int:
    """1 or −1 where the difference is more than chance, else 0."""
    return int(np.sign(difference)) if abs(difference) > CLEAR * error else 0
