"""What a sparse GP costs, as a formula: fitted to a small grid of (N, M, D), checked on the large runs of `scaling`.

Processor time on one thread, in units of one multiplication of the pass N·M² (a `dsyrk`, timed in the same run). Writes
results/cost_model.csv, what was measured, and results/cost_model.md, the formulas and how far they are off.

    python -m benchmarks.cost_model            # measures what results/cost_model.csv lacks, then fits
    python -m benchmarks.cost_model --fit      # fits what was measured before
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import nnls

from benchmarks import _scaling_tasks
from benchmarks._ratios import RESULTS

GRID = [(N, M, D) for N in (6_000, 20_000) for M in (100, 300) for D in (5, 10, 20)]
GRID += [(60_000, 100, 10), (60_000, 300, 10)]
QUANTITIES = ("fit", "R-sens", "R-sens₂")
COLUMNS = ("N", "M", "D", "unit", *QUANTITIES)
#: The terms of each quantity, in words and as functions of N, M, D and S, the rows of the search.
TERMS: dict[str, dict[str, Any]] = {
    "fit": {
        "S M²": lambda N, M, D, S: S * M**2,
        "N M²": lambda N, M, D, S: N * M**2,
        "S M D": lambda N, M, D, S: S * M * D,
    },
    "R-sens": {"N M²": lambda N, M, D, S: N * M**2, "N M D": lambda N, M, D, S: N * M * D},
    "R-sens₂": {"N M² D": lambda N, M, D, S: N * M**2 * D, "N M D²": lambda N, M, D, S: N * M * D**2},
}


def measured(N: int, M: int, D: int) -> dict[str, float]:
    """One fit and the steps after it, in a separate process."""
    threads = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
    command = [sys.executable, "-m", "benchmarks.cost_model", "--one", str(N), str(M), str(D)]
    done = subprocess.run(command, env=os.environ | threads, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def one(N: int, M: int, D: int) -> dict[str, float]:
    """The task of that process."""
    _scaling_tasks.D = D
    found = _scaling_tasks.fit("gaussian", N, M)
    return {"N": N, "M": M, "D": D, "unit": found["dsyrk"] / (N * M**2)} | {name: found[name] for name in QUANTITIES}


def large() -> list[dict[str, float]]:
    """The Gaussian runs of benchmarks.scaling."""
    runs: dict[int, dict[str, float]] = {}
    with (RESULTS / "scaling.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            if row["part"] == "growth" and row["kind"] == "gaussian":
                runs.setdefault(int(row["rows"]), {})[row["quantity"]] = float(row["value"])
    M, D = _scaling_tasks.M, _scaling_tasks.D
    return [
        {"N": N, "M": M, "D": D, "unit": run["dsyrk"] / (N * M**2)} | {name: run[name] for name in QUANTITIES}
        for N, run in sorted(runs.items())
    ]


def terms_of(quantity: str, row: dict[str, float]) -> list[float]:
    """The terms of the formula for a run."""
    N, M, D = (row[name] for name in ("N", "M", "D"))
    return [term(N, M, D, min(N, 5000)) for term in TERMS[quantity].values()]


def coefficients(quantity: str, rows: list[dict[str, float]]) -> Any:
    """At least 0, with the smallest relative errors."""
    cost = np.array([row[quantity] / row["unit"] for row in rows])
    return nnls(np.array([terms_of(quantity, row) for row in rows]) / cost[:, None], np.ones(len(rows)))[0]


def page(rows: list[dict[str, float]], checked: list[dict[str, float]]) -> str:
    """results/cost_model.md."""
    found = {name: coefficients(name, rows) for name in QUANTITIES}
    lines = [
        "What a sparse GP with Gaussian noise costs, in multiplications of a pass N·M² (one `dsyrk`), on one thread. "
        "N rows, M inducing inputs, D columns, S = min(N, 5,000) rows of the search; R-sens and R-sens₂ at N rows. "
        "Fitted to the first table below, checked on the second, which was not used. Made by "
        "`python -m benchmarks.cost_model`.",
        "",
        "| quantity | multiplications |",
        "| --- | --- |",
        *(f"| {name} | {_formula(found[name], list(TERMS[name]))} |" for name in QUANTITIES),
    ]
    for title, some in (("Fitted", rows), ("Checked", checked)):
        lines += [
            "",
            f"{title}: formula over measurement.",
            "",
            f"| N | M | D | {' | '.join(QUANTITIES)} |",
            "| --- " * 6 + "|",
        ]
        for row in some:
            ratios = [np.dot(found[name], terms_of(name, row)) * row["unit"] / row[name] for name in QUANTITIES]
            lines.append(
                f"| {row['N']:,.0f} | {row['M']:.0f} | {row['D']:.0f} | {' | '.join(f'{r:.2f}' for r in ratios)} |"
            )
    return "\n".join(lines) + "\n"


def _formula(coefficients: Any, terms: list[str]) -> str:
    return " + ".join(f"{c:.2g} {term}" for c, term in zip(coefficients, terms, strict=True) if c)


def _read(path: Path) -> list[dict[str, float]]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]


def _write(path: Path, rows: list[dict[str, float]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows({name: f"{row[name]:.6g}" for name in COLUMNS} for row in rows)


def main() -> None:
    """Measure and fit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--one", nargs=3, type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        sys.stdout.write(json.dumps(one(*asked.one)) + "\n")
        return
    path = RESULTS / "cost_model.csv"
    rows = _read(path)
    if not asked.fit:
        for point in GRID:
            if point not in {(row["N"], row["M"], row["D"]) for row in rows}:
                rows.append(measured(*point))
                _write(path, rows)
    (RESULTS / "cost_model.md").write_text(page(rows, large()))


if __name__ == "__main__":
    main()
