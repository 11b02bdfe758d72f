"""Published and reproduced numbers side by side."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

#: How much rounding to one decimal can hide.
ROUNDING = 0.05


def mean_and_half(values: Any) -> tuple[float, float]:
    """The mean over repetitions, and half the width of its 95 % interval: 1.96 standard errors."""
    values = np.asarray(values, dtype=float)
    return float(values.mean()), float(1.96 * values.std(ddof=1) / np.sqrt(len(values)))


def agreement(table: pd.DataFrame) -> pd.Series:
    """|ours − published| ≤ √(ours_half² + (published_half + 0.05)²) + 0.05: within joint intervals and rounding."""
    joint = np.hypot(table["ours_half"], table["published_half"] + ROUNDING)
    return (table["ours"] - table["published"]).abs() <= joint + ROUNDING


def write_side_by_side(table: pd.DataFrame, folder: Path, name: str, keys: list[str]) -> None:
    """Write `name`.csv, and `name`.md with published | ours | difference in joint standard errors."""
    write_csv(table, folder / f"{name}.csv")
    write_text(folder / f"{name}.md", markdown(table, keys))


def markdown(table: pd.DataFrame, keys: list[str]) -> str:
    """A Markdown table. The difference is in joint standard errors."""
    joint = np.hypot(table["ours_half"], table["published_half"] + ROUNDING) / 1.96
    lines = [f"| {' | '.join([*keys, 'published', 'ours', 'difference', 'agrees'])} |", "|---" * (len(keys) + 4) + "|"]
    for (_, row), se in zip(table.iterrows(), joint, strict=True):
        cells = [
            *(str(row[key]) for key in keys),
            f"{row.published:.1f} ± {row.published_half:.1f}",
            f"{row.ours:.2f} ± {row.ours_half:.2f}",
            f"{(row.ours - row.published) / se:+.1f} se",
            "yes" if row.agrees else "**no**",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def formula(function: str) -> str:
    """A function of the simulation, written with superscripts for tables and figures."""
    return function.replace("^3", "³").replace("^2", "²").replace("-", "−").replace(" exp", "·exp")


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write the table without its index, with six significant digits."""
    write_text(path, table.to_csv(index=False, float_format="%.6g", lineterminator="\n"))


def write_text(path: Path, text: str) -> None:
    """Write a result and announce its path."""
    replace_file(path, text.encode())
    announce(path)


def replace_file(path: Path, content: bytes) -> None:
    """Write the whole file or nothing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_suffix(path.suffix + ".part")
    half.write_bytes(content)
    os.replace(half, path)


def announce(path: Path) -> None:
    """Print that the file was written."""
    here = Path.cwd()
    sys.stdout.write(f"wrote {path.relative_to(here) if path.is_relative_to(here) else path}\n")
