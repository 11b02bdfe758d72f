"""Pieces of Markdown: tables, numbers, figures, and results that may be missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments._style import METHODS, SINGLE

#: The names of the methods, as in the figures.
NAMES = {name: style[0] for name, style in (SINGLE | METHODS).items()}
INPUTS = {
    "t3": "independent Student-t₃ inputs (Table 1)",
    "gaussian": "independent normal inputs (supplement)",
    "mixture": "mixtures of two normal distributions (supplement)",
    "correlated": "correlated normal inputs (supplement)",
}
SHORT_INPUTS = {"t3": "t₃", "gaussian": "normal", "mixture": "mixture", "correlated": "correlated"}


@dataclass
class Results:
    """The folder with the results. `figures` collects the pictures on the page, by their file names there."""

    folder: Path
    figures: dict[str, Path] = field(default_factory=dict)

    def read(self, name: str) -> pd.DataFrame | None:
        """The CSV file with this name, or None if it is missing."""
        path = self.folder / f"{name}.csv"
        return pd.read_csv(path) if path.exists() else None

    def figure(self, name: str, text: str) -> list[str]:
        """The lines that show the picture with this name; none if it is missing."""
        path = self.folder / f"{name}.svg"
        if not path.exists():
            return []
        file = f"{name.replace('/', '-')}.svg"
        self.figures[file] = path
        return [f"![{text}](figures/reproduction/{file})", ""]


def not_run(script: str) -> list[str]:
    """The text in place of a missing result."""
    return [f"Not run: `python -m experiments.{script}`.", ""]


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[str]:
    """The lines of a table, and an empty line."""
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    return [*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows), ""]


def number(value: float, digits: int = 1) -> str:
    """A number with a proper minus sign, and none in front of zero."""
    text = f"{value:.{digits}f}"
    if float(text) == 0.0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def interval(value: float, half: float, digits: int = 1) -> str:
    """A mean with the half-width of its 95 % interval; empty without a mean."""
    return "" if np.isnan(value) else f"{number(value, digits)} ± {number(half, digits)}"


def share(part: int, whole: int) -> str:
    """3 of 4."""
    return f"{part} of {whole}"


def bold_unless(agrees: Any, text: str) -> str:
    """The text, in bold if the cell does not agree."""
    return text if agrees else f"**{text}**"


def join_words(items: Sequence[str]) -> str:
    """a, b and c."""
    return " and ".join([*([", ".join(items[:-1])] if len(items) > 1 else []), *items[-1:]])
