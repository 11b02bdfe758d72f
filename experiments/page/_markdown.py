"""Pieces of Markdown: tables, numbers, figures, and results that may not be there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

#: What the methods are called in tables.
NAMES = {
    "rsens": "R-sens",
    "ead": "EAD",
    "aed": "AED",
    "apc": "APC",
    "shap": "SHAP",
    "pd": "PD",
    "pfi": "PFI",
    "var": "VAR",
    "kl": "KL",
    "ard": "ARD",
    "rsens2": "R-sens₂",
    "eah": "EAH",
    "aeh": "AEH",
    "h": "H",
}
INPUTS = {
    "t3": "independent Student-t₃ inputs (Table 1)",
    "gaussian": "independent normal inputs (supplement)",
    "mixture": "mixtures of two normal distributions (supplement)",
    "correlated": "correlated normal inputs (supplement)",
}
SHORT_INPUTS = {"t3": "t₃", "gaussian": "normal", "mixture": "mixture", "correlated": "correlated"}


@dataclass
class Results:
    """The folder with results. `figures` collects the pictures that the page shows."""

    folder: Path
    figures: list[Path] = field(default_factory=list)

    def read(self, name: str) -> pd.DataFrame | None:
        """The CSV file of this name, or None."""
        path = self.folder / f"{name}.csv"
        return pd.read_csv(path) if path.exists() else None

    def figure(self, name: str, text: str) -> list[str]:
        """The picture with this name, if it is there."""
        path = self.folder / f"{name}.svg"
        if not path.exists():
            return []
        self.figures.append(path)
        return [f"![{text}](figures/reproduction/{path.name})", ""]


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


def formula(function: str) -> str:
    """A function of the simulation with superscripts."""
    return function.replace("^3", "³").replace("^2", "²").replace("-", "−").replace(" exp", "·exp")


def yes_or_no(value: Any) -> str:
    """A judgement; what does not hold stands out."""
    return "yes" if value else "**no**"


def listed(items: Sequence[str]) -> str:
    """a, b and c."""
    return " and ".join([*([", ".join(items[:-1])] if len(items) > 1 else []), *items[-1:]])


def claims_table(claims: pd.DataFrame, digits: int = 2) -> list[str]:
    """What the paper says, put to the test."""
    sizes = ["n"] if "n" in claims else []
    rows = []
    for _, row in claims.iterrows():
        ours = interval(row["ours"], row["ours_half"], digits)
        rows.append((row["claim"], *row[sizes], row["published"], ours, yes_or_no(row["holds"])))
    return table(["difference", *sizes, "paper", "ours", "holds"], rows)
