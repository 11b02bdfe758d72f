"""How often the words for intervals are right: `python -m tests.assess.words` prints the table of docs/quality.md."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable

import numpy as np
from scipy.stats import cauchy, norm

from rsens._assess._assessment import intervals_off
from rsens._text import percent
from tests.assess.made import of_numbers

WORDS = ("biased", "too wide", "too narrow", "heavier", "lighter")
#: The truth, in units of the normal distribution that the model predicts, and what should be said of it.
TRUTHS: dict[str, tuple[Callable[[np.random.Generator, int], np.ndarray], str]] = {
    "as predicted": (lambda rng, n: rng.normal(size=n), ""),
    "sd 0.6 of the predicted": (lambda rng, n: 0.6 * rng.normal(size=n), "too wide"),
    "sd 1.6 times the predicted": (lambda rng, n: 1.6 * rng.normal(size=n), "too narrow"),
    "Cauchy with the predicted 80 % interval": (
        lambda rng, n: norm.ppf(0.9) / cauchy.ppf(0.9) * rng.standard_cauchy(n),
        "heavier",
    ),
    "uniform with the predicted sd": (lambda rng, n: np.sqrt(3.0) * rng.uniform(-1.0, 1.0, size=n), "lighter"),
    "0.6 sd above the predicted": (lambda rng, n: rng.normal(0.6, size=n), "biased"),
}
SIZES = (50, 200, 1000)


def said(truth: str, n: int, times: int, seed: int = 0) -> Counter[str]:
    """How often each word was said, "" for nothing."""
    rng = np.random.default_rng(seed)
    draw, _ = TRUTHS[truth]
    found: Counter[str] = Counter()
    for _ in range(times):
        u = norm.cdf(draw(rng, n))
        found_in = of_numbers(u)
        sentence = intervals_off(found_in.coverage, found_in.share_above, n) or ""
        found[next((word for word in WORDS if word in sentence), "")] += 1
    return found


def table(times: int = 2000) -> str:
    """How often the right word is said, and how often another."""
    lines = ["| What is true | What to say | " + " | ".join(f"{n:,} rows" for n in SIZES) + " |"]
    lines.append("|---|---|" + "---|" * len(SIZES))
    for truth, (_, right) in TRUTHS.items():
        cells = []
        for n in SIZES:
            found = said(truth, n, times)
            other = times - found[right] - found[""] * bool(right)
            cells.append(f"{percent(found[right] / times)} (other words {percent(other / times)})")
        lines.append(f"| {truth} | {right or 'nothing'} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(f"{table()}\n")
