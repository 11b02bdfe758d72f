"""Cost of each method of `compare` on one Gaussian process: evaluations, and time as a multiple of R-sens.

Absolute times depend on the machine, so we only report ratios within one run: processor time on one core, alternating
between R-sens and the method, the shortest of several repetitions. Writes results/methods.csv, line by line, and
results/methods.md next to this file.

    python -m benchmarks.methods [--repeats 3]
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from rsens._compare import Comparison, ComparisonSettings, compare, find_methods, run
from rsens.black_box import Method
from rsens.measures import METHODS, ComparedMethod
from rsens.models import GPRegressor

SIZES = ((200, 10), (1000, 20))
BUDGETS = ("paper", "standard")
#: The method whose time is 1.
REFERENCE = {1: METHODS["rsens"], 2: METHODS["rsens2"]}
#: Repetitions stop after LONG seconds in all, and take at least QUICK seconds.
LONG, QUICK = 5.0, 0.5
RESULTS = Path(__file__).parent / "results"


@dataclass(frozen=True)
class Row:
    """One method on one model."""

    rows: int
    columns: int
    order: int
    budget: str
    method: str
    seconds: float
    ratio: float
    evaluations: int


def fit_gp(rows: int, columns: int) -> tuple[GPRegressor, Any, Any]:
    """A GP fitted to data in which four columns matter, alone or in a pair; and the data."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, columns))
    y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * X[:, 3] ** 2 + 0.3 * rng.standard_normal(rows)
    return GPRegressor(n_restarts=0, random_state=0).fit(X, y), X, y


def measure(repeats: int) -> Iterator[Row]:
    """Measure every size, order, method and budget. A method that ignores the budget is measured once."""
    _import_everything()
    for size in SIZES:
        model, X, y = fit_gp(*size)
        for order in REFERENCE:
            for method in find_methods("all", order):
                row = None
                for budget in BUDGETS:
                    if row is None or isinstance(method, Method):
                        settings = ComparisonSettings.read("all", order, budget)
                        comparison = Comparison.of(model, X, y, settings, np.random.SeedSequence(0))
                        row = Row(*size, order, budget, method.name, *_time(method, comparison, repeats))
                    yield replace(row, budget=budget)


def _time(method: ComparedMethod, comparison: Comparison, repeats: int) -> tuple[float, float, int]:
    """The shortest time, its ratio to the time of R-sens measured alongside, and the evaluations.

    Quick methods are repeated more often, because their times are the least certain.
    """
    reference, best, spent, times = np.inf, np.inf, 0.0, 0
    while times < repeats or (spent < QUICK and times < 20 * repeats):
        reference = min(reference, _once(REFERENCE[method.order], comparison)[0])
        seconds, evaluations = _once(method, comparison)
        best, spent, times = min(best, seconds), spent + seconds, times + 1
        if spent > LONG:
            break
    return best, 1.0 if method == REFERENCE[method.order] else best / reference, evaluations


def _once(method: ComparedMethod, comparison: Comparison) -> tuple[float, int]:
    """Processor seconds, which other programs do not add to, and evaluations."""
    start = time.process_time()
    result = run(comparison, method)
    seconds = time.process_time() - start
    if result.values is None:
        raise RuntimeError(f"{method.name}: {result.status}")
    return seconds, result.evaluations


def _import_everything() -> None:
    """Call every method once, so that no timed call has to import anything."""
    X = np.random.default_rng(0).standard_normal((5, 3))
    model = GPRegressor(optimize=False).fit(X, X[:, 0])
    for order in REFERENCE:
        compare(model, X, X[:, 0], order=order)


def write_rows(rows: Iterator[Row]) -> list[Row]:
    """Append each row to the CSV file and print it at once; return all rows."""
    RESULTS.mkdir(exist_ok=True)
    kept = []
    with (RESULTS / "methods.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)])
        writer.writeheader()
        for row in rows:
            kept.append(row)
            writer.writerow(asdict(row))
            file.flush()
            sys.stdout.write(f"{row}\n")
            sys.stdout.flush()
    return kept


def table(rows: list[Row], order: int) -> list[str]:
    """One line per method: evaluations, and time as a multiple of R-sens, for every size and budget."""
    settings = [(size, budget) for size in SIZES for budget in BUDGETS]
    head = [f"N = {n}, D = {d}, {budget}" for (n, d), budget in settings]
    lines = [f"| method | {' | '.join(head)} |", "|---|" + "---|" * len(head)]
    for method in (each.name for each in find_methods("all", order)):
        cells = []
        for size, budget in settings:
            row = next(
                r for r in rows if ((r.rows, r.columns), r.order, r.budget, r.method) == (size, order, budget, method)
            )
            cells.append(f"{row.evaluations:,}; {_short(row.ratio)} ×")
        lines.append(f"| {method} | {' | '.join(cells)} |")
    return lines


def _short(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 10.0 else f"{ratio:.2g}"


def report(rows: list[Row]) -> str:
    """The page."""
    lines = [
        "One exact GP with an EQ kernel, fitted to N rows of D columns and explained at these rows, on one core.",
        "Each cell: how many rows the model was evaluated at (with derivatives, for R-sens and its kin), and the",
        "processor time as a multiple of R-sens (R-sens₂ for pairs), measured alongside; best of several repetitions.",
        "",
        "Averages over rows (pd, h) have closed forms for this kernel: they count one row per grid point instead of N,",
        "and take less time. Other models need N times as many evaluations. ard reads the kernel and needs none.",
        "",
        "Variables:",
        "",
        *table(rows, 1),
        "",
        "Pairs:",
        "",
        *table(rows, 2),
    ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Measure, write both files, show the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    with threadpool_limits(1):
        page = report(write_rows(measure(parser.parse_args().repeats)))
    (RESULTS / "methods.md").write_text(page)
    sys.stdout.write(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
