"""Ratios within one run: both sides alternate and the best of several counts, so a busy machine slows both."""

from __future__ import annotations

import csv
import gc
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Row:
    """One comparison: a ratio, its bound, and whether more is better."""

    quantity: str
    ours: float
    other: float
    ratio: float
    bound: float
    more_is_better: bool

    @property
    def holds(self) -> bool:
        return self.ratio >= self.bound if self.more_is_better else self.ratio <= self.bound


def best_times(repeats: int, *calls: Callable[[], Any]) -> list[float]:
    """The shortest time of each call. The calls alternate, `repeats` times."""
    seconds = [float("inf")] * len(calls)
    for _ in range(repeats):
        for i, call in enumerate(calls):
            gc.collect()
            start = time.perf_counter()
            call()
            seconds[i] = min(seconds[i], time.perf_counter() - start)
    return seconds


def paired_times(repeats: int, one: Callable[[], Any], other: Callable[[], Any]) -> tuple[float, float, float]:
    """The median time of each call, and the median of their ratios.

    For calls that differ by a few per cent: the two of a ratio are measured one right after the other, either one first
    in turn, so that what else the machine does counts for neither.
    """
    seconds: list[tuple[float, float]] = []
    for repetition in range(repeats):
        found = [0.0, 0.0]
        for i in (0, 1) if repetition % 2 else (1, 0):
            gc.collect()
            start = time.perf_counter()
            (one, other)[i]()
            found[i] = time.perf_counter() - start
        seconds.append((found[0], found[1]))
    ones, others = zip(*seconds, strict=True)
    return median(ones), median(others), median(a / b for a, b in seconds)


def write(name: str, heading: str, rows: list[Row]) -> str:
    """Write results/name.csv and results/name.md, and return the table."""
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / f"{name}.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, [*asdict(rows[0]), "holds"])
        writer.writeheader()
        writer.writerows({**asdict(row), "holds": row.holds} for row in rows)
    lines = [
        heading,
        "",
        "| quantity | ratio or value | bound | holds |",
        "|---|---|---|---|",
        *(
            f"| {row.quantity} | {row.ratio:.3g} | {'≥' if row.more_is_better else '≤'} {row.bound:g} | "
            f"{'yes' if row.holds else 'no'} |"
            for row in rows
        ),
    ]
    table = "\n".join(lines) + "\n"
    (RESULTS / f"{name}.md").write_text(table)
    return table
