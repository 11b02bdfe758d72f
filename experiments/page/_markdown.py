"""Pieces of Markdown: tables, numbers, figures, and results that may not be there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments._style import METHODS, SINGLE

#: What the methods are called, as in the figures.
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
    """The folder with results. `figures` collects the pictures that the page shows, by their names there."""

    folder: Path
    figures: dict[str, Path] = field(default_factory=dict)

    def read(self, name: str) -> pd.DataFrame | None:
        """The CSV file of this name, or None."""
        path = self.folder / f"{name}.csv"
        return pd.read_csv(path) if path.exists() else None

    def figure(self, name: str, text: str) -> list[str]:
        """The picture with this name, if it is there."""
        path = self.folder / f"{name}.svg"
        if not path.exists():
            return []
        shown = f"{name.replace('/', '-')}.svg"
        self.figures[shown] = path
        return [f"![{text}](figures/reproduction/{shown})", ""]


def not_run(script: str) -> list[str]:
    """What the page says where there is no result."""
    return [f"Not run: `python -m experiments.{script}`.", ""]


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[str]:
    """A table as lines, with an empty one behind."""
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    return [*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows), ""]


def number(value: float, digits: int = 1) -> str:
    """A number with a true minus, and no minus before zeros."""
    text = f"{value:.{digits}f}"
    if float(text) == 0.0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def interval(value: float, half: float, digits: int = 1) -> str:
    """A mean with the half-width of its 95 % interval; empty where there is none."""
    return "" if np.isnan(value) else f"{number(value, digits)} ± {number(half, digits)}"


def share(part: int, whole: int) -> str:
    """3 of 4."""
    return f"{part} of {whole}"


def bold_unless(agrees: Any, text: str) -> str:
    """What does not agree stands out."""
    return text if agrees else f"**{text}**"


def listed(items: Sequence[str]) -> str:
    """a, b and c."""
    return " and ".join([*([", ".join(items[:-1])] if len(items) > 1 else []), *items[-1:]])
