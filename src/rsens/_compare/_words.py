"""What the methods measure, in a few words each; docs/comparing.md says more."""

from __future__ import annotations

from collections.abc import Iterable

MEANINGS: dict[int, dict[str, str]] = {
    1: {
        "rsens": "move of the predictive distribution",
        "ead": "mean size of the slope",
        "aed": "size of the mean slope",
        "apc": "mean change per unit, from row to row",
        "shap": "share of the prediction",
        "pd": "spread of the average prediction",
        "pfi": "loss if the column is shuffled",
        "var": "variance given all others",
        "kl": "as rsens, by a finite step",
        "ard": "inverse length-scale",
    },
    2: {
        "rsens2": "change of one effect with the other variable, in the predictive distribution",
        "eah": "mean size of the bend",
        "aeh": "size of the mean bend",
        "shap": "share of the prediction that is interaction",
        "pd": "change of one average effect with the other variable",
        "h": "share of the joint effect that is interaction",
    },
}


def legend(methods: Iterable[str], order: int) -> str:
    """a: what it measures; b: what it measures."""
    known = MEANINGS[order]
    return "; ".join(f"{name}: {known[name]}" for name in methods if name in known)
