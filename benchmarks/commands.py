"""Whole commands on all rows: `rsens explain` with check, null level, intervals, pairs and report.

Each runs in processes of its own, one BLAS thread each, and is measured in processor time and in the peak of memory of
its largest process. The unit is one pass of N·M² (one `dsyrk`), timed in the same run. Results go to
results/commands.csv as they come, and results/commands.md is made from them.

    python -m benchmarks.commands [--tables counts 100000 1000000]
"""

from __future__ import annotations

import argparse
import csv
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks._ratios import RESULTS
from benchmarks._scaling_tasks import M, data, dsyrk_seconds

COLUMNS = ("table", "rows", "columns", "dsyrk", "seconds", "megabytes", "bound_seconds", "bound_megabytes")
#: The most seconds and megabytes of each table.
BOUNDS = {"counts": (180.0, 1000.0), "100000": (180.0, 1000.0), "1000000": (1800.0, 2000.0)}


def counts(rows: int = 8760) -> pd.DataFrame:
    """A year of hours: counts with two-valued and text columns, two columns of noise, one interaction."""
    rng, t = np.random.default_rng(0), np.arange(rows)
    table = pd.DataFrame(
        {
            "hour": t % 24,
            "month": t // 730 + 1,
            "temperature": 10 + 8 * np.sin(2 * np.pi * t / rows) + 5 * np.sin(np.pi * t / 12) + rng.normal(0, 3, rows),
            "humidity": rng.uniform(20, 100, rows),
            "wind": rng.gamma(2, 3, rows),
            "rain": rng.binomial(1, 0.1, rows),
            "pressure": rng.normal(1013, 8, rows),
            "noise1": rng.normal(size=rows),
            "noise2": rng.normal(size=rows),
            "weather": rng.choice(["clear", "mist", "rain", "snow"], rows, p=[0.6, 0.25, 0.12, 0.03]),
            "weekday": np.array(["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"])[t // 24 % 7],
            "holiday": rng.choice(["no", "yes"], rows, p=[0.97, 0.03]),
        }
    )
    hour, weekend = 2 * np.pi * table["hour"] / 24, table["weekday"].isin(["Sa", "Su"])
    log_rate = 3 + 0.8 * np.sin(hour - 2) + 0.04 * table["temperature"] - 0.005 * table["humidity"]
    log_rate += 0.2 * weekend * np.sin(hour) - 0.3 * table["rain"] - 0.4 * (table["weather"] == "rain")
    return table.assign(y=rng.poisson(rng.gamma(5, np.exp(log_rate) / 5)))


def numbers(rows: int) -> pd.DataFrame:
    """The table of benchmarks.scaling."""
    X, y = data("gaussian", rows)
    return pd.DataFrame(X, columns=[f"x{d}" for d in range(X.shape[1])]).assign(y=y)


def explained(name: str, jobs: int) -> dict[str, Any]:
    """Write the table, run the command on it, and measure."""
    table = counts() if name == "counts" else numbers(int(name))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "table.parquet"
        table.to_parquet(file, row_group_size=2**16)
        command = [sys.executable, "-m", "rsens", "explain", str(file), "--target", "y"]
        command += ["--out", f"{folder}/results", "--n-jobs", str(jobs), "--quiet"]
        threads = {f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL")}
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, env=os.environ | threads, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    found = (name, len(table), table.shape[1] - 1, dsyrk_seconds(len(table), M), seconds, after.ru_maxrss / 1e3)
    return dict(zip(COLUMNS, (*found, *BOUNDS[name]), strict=True))


def page(rows: list[dict[str, Any]]) -> str:
    """The table of results/commands.md."""
    lines = [
        "`rsens explain` on all rows, with check, null level, intervals, pairs and report. Processor time of all "
        f"processes, one BLAS thread each; the unit is one `dsyrk` of an ({M}, N) matrix in the same run. Memory is "
        "the peak of the largest process. Made by `python -m benchmarks.commands`.",
        "",
        "| table | N | columns | dsyrk | minutes, for orientation | at most | MB | at most | holds |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in sorted(rows, key=lambda row: int(row["rows"])):
        unit, seconds, megabytes, most, limit = (float(row[name]) for name in COLUMNS[3:])
        holds = "yes" if seconds <= most and megabytes <= limit else "no"
        kind = "counts and categories" if row["table"] == "counts" else "numbers"
        cells = [kind, f"{int(row['rows']):,}", row["columns"], f"{seconds / unit:,.0f}", f"{seconds / 60:.1f}"]
        cells += [f"{most / 60:g}", f"{megabytes:,.0f}", f"{limit:,.0f}", holds]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure the requested tables; the others are kept."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--tables", nargs="+", default=["counts", "100000"], choices=list(BOUNDS))
    parser.add_argument("--n-jobs", type=int, default=1)
    asked = parser.parse_args()
    path = RESULTS / "commands.csv"
    found: dict[str, dict[str, Any]] = {}
    if path.exists():
        with path.open(newline="") as file:
            found = {row["table"]: row for row in csv.DictReader(file)}
    for name in asked.tables:
        found[name] = explained(name, asked.n_jobs)
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(found.values())
        (RESULTS / "commands.md").write_text(page(list(found.values())))
        sys.stdout.write(page(list(found.values())))


if __name__ == "__main__":
    main()
