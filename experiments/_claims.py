"""Tests of the paper's statements in words: a number of ours with its interval, and the stated value."""

from __future__ import annotations

import pandas as pd

#: The stated value of a number.
POSITIVE, ZERO, NOT_ABOVE = "> 0", "≈ 0", "≤ 0"
OUTCOMES = ("yes", "no", "undecided")


def verdict(expected: str, ours: float, half: float, margin: float) -> str:
    """Is ours ± half "> a", "≈ a" or "≤ a"? Yes, no, or undecided.

    > a: yes if the whole interval is above a, no if none of it is. ≈ a: yes if the whole interval is within a ± margin,
    no if none of it is. ≤ a: the same, with everything up to a + margin.
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
    """The verdict on every row, based on the half-widths in the column `half`."""
    cells = zip(claims["published"], claims["ours"], claims[half], strict=True)
    return [verdict(*cell, margin) for cell in cells]


def mark(outcome: str) -> str:
    """The outcome, in bold if the statement does not hold."""
    return f"**{outcome}**" if outcome == "no" else outcome
