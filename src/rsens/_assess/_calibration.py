"""Calibration: intervals for numbers and counts, class probabilities for classes.

The PIT, u = P(Y ≤ y), is uniform if predictions are right. A count is spread evenly from P(Y < y) to P(Y ≤ y), which
keeps this true without random numbers (Czado, Gneiting, Held 2009, Biometrics 65, equation 2).
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import norm

from rsens._text import percent
from rsens._typing import Array, Positions

#: The central intervals whose coverage is reported.
LEVELS = (0.5, 0.9)
MOST_BINS = 10
#: Smaller differences do not matter.
TOLERANCE = 0.1
#: How many standard errors are more than chance: about one right model in 20 exceeds them in any of the three shares.
CLEAR = 2.4


def pit_distribution(lower: Array, upper: Array, u: Array) -> Array:
    """F_i(u), (rows, points): non-decreasing in u, from 0 before 0 to 1 at 1."""
    width = (upper - lower)[:, None]
    inside = np.divide(u - lower[:, None], width, out=np.zeros((len(lower), len(u))), where=width > 0.0)
    return np.where(u >= upper[:, None], 1.0, np.clip(inside, 0.0, 1.0))


def pit_histogram(lower: Array, upper: Array, bins: int | None) -> pd.DataFrame:
    """The share of the rows in each of `bins` equal parts of [0, 1], with the standard error of an ideal model."""
    n = len(lower)
    count = int(np.clip(n // 10, 4, MOST_BINS)) if bins is None else bins
    edges = np.arange(count + 1.0) / count
    # u = 0, which underflow makes possible, belongs to the first bin.
    cumulative = np.concatenate([[0.0], pit_distribution(lower, upper, edges[1:]).mean(axis=0)])
    return pd.DataFrame(
        {
            "left": edges[:-1],
            "right": edges[1:],
            "share": np.diff(cumulative),
            "standard_error": np.sqrt((1.0 / count) * (1.0 - 1.0 / count) / n),
        }
    )


def coverage(lower: Array, upper: Array) -> pd.DataFrame:
    """The share of the rows within the central intervals (ends of counts in part), with its standard error."""
    ends = np.array([[0.5 - 0.5 * level, 0.5 + 0.5 * level] for level in LEVELS])
    below = pit_distribution(lower, upper, ends.ravel()).mean(axis=0).reshape(-1, 2)
    levels = np.array(LEVELS)
    return pd.DataFrame(
        {"share": below[:, 1] - below[:, 0], "standard_error": np.sqrt(levels * (1.0 - levels) / len(lower))},
        index=pd.Index(LEVELS, name="level"),
    )


def share_above(lower: Array, upper: Array) -> float:
    """The share of the rows above the median of their prediction."""
    return 1.0 - float(pit_distribution(lower, upper, np.array([0.5])).mean())


def reliability(probabilities: Array, codes: Positions) -> pd.DataFrame:
    """Groups of rows by the probability of class 2 of 2, or of the predicted one, and how often it came true."""
    if probabilities.shape[1] == 2:
        p, event = probabilities[:, 1], (codes == 1).astype(np.float64)
    else:
        p, event = probabilities.max(axis=1), (probabilities.argmax(axis=1) == codes).astype(np.float64)
    count = int(np.clip(len(p) // 20, 1, MOST_BINS))
    edges = np.unique(np.quantile(p, np.linspace(0.0, 1.0, count + 1)[1:-1]))
    group = np.searchsorted(edges, p, side="left")
    rows = np.bincount(group, minlength=len(edges) + 1)
    some = rows > 0
    size = rows[some]

    def mean(values: Array) -> Array:
        return np.bincount(group, weights=values, minlength=len(rows))[some] / size

    return pd.DataFrame(
        {
            "predicted": mean(p),
            "observed": mean(event),
            "rows": size,
            "standard_error": np.sqrt(mean(p * (1.0 - p)) / size),
        }
    )


def calibration_error(table: pd.DataFrame) -> tuple[float, float]:
    """The mean of |observed − predicted| over the rows of a reliability table, and how large chance makes it.

    If the predictions are right, each difference is about normal with its standard error s, so that |difference| has
    the mean s√(2/π) and the variance s²(1 − 2/π). Chance allows the mean of these plus two standard deviations.
    """
    share = (table["rows"] / table["rows"].sum()).to_numpy()
    s = table["standard_error"].to_numpy()
    error = share @ (table["observed"] - table["predicted"]).abs().to_numpy()
    by_chance = share @ s * np.sqrt(2.0 / np.pi) + 2.0 * np.sqrt((share**2 @ s**2) * (1.0 - 2.0 / np.pi))
    return float(error), float(by_chance)


def brier_score(probabilities: Array, codes: Positions) -> float:
    """The mean of ½ Σ_k (p_k − [y = k])²: for two classes the mean squared error of the probability."""
    outcome = np.eye(probabilities.shape[1])[codes]
    return float(0.5 * ((probabilities - outcome) ** 2).sum(axis=1).mean())


def held_in(coverage: pd.DataFrame) -> list[str]:
    """How many rows each central interval holds."""
    levels, shares = coverage.index.to_numpy(dtype=np.float64), coverage["share"].to_numpy()
    return [f"the {percent(q)} interval holds {percent(share)}" for q, share in zip(levels, shares, strict=True)]


def intervals_off(coverage: pd.DataFrame, share_above: float, n: int) -> str | None:
    """A sentence, or None where nothing is off."""
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
    if sum(signs) == 0:  # one too many, one too few
        shape = signs[1]
    elif 0 in signs:
        implied, error = _implied_outer(inner, n)
        shape = _sign(outer - implied, error)
    else:
        shape = 0
    if shape:
        return f"Tails are {'heavier' if shape < 0 else 'lighter'} than in the model"
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
