"""What the paper says in words, put to the test: a number of ours with its interval, and what it should be."""

from __future__ import annotations

import pandas as pd

#: What a number should be.
POSITIVE, ZERO, NOT_ABOVE = "> 0", "≈ 0", "≤ 0"
OUTCOMES = ("yes", "no", "undecided")


def verdict(expected: str, ours: float, half: float, margin: float) -> str:
    """Whether ours ± half is "> a", "≈ a" or "≤ a": yes, no, or undecided.

    > a: yes if the whole interval is above a, no if none of it is. ≈ a: yes if the whole interval is within a ± margin,
    no if none of it is. ≤ a: the same, below a + margin.
    """
    sign, target = expected.split()
    difference = ours - float(target)
    if sign == ">":
        yes, no = difference - half > 0.0, difference + half <= 0.0
    elif sign == "≤":
        yes, no = difference + half <= margin, difference - half > margin
    else:
        yes, no = abs(difference) + half <= margin, abs(difference) - half > margin
    return "yes" if yes else "no" if no else "undecided"


def verdicts(claims: pd.DataFrame, margin: float, half: str = "ours_half") -> list[str]:
    """The verdict about every row, by the interval whose half-widths are in this column."""
    cells = zip(claims["published"], claims["ours"], claims[half], strict=True)
    return [verdict(*cell, margin) for cell in cells]


def marked(outcome: str) -> str:
    """What does not hold stands out."""
    return f"**{outcome}**" if outcome == "no" else outcome
