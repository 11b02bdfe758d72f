"""Processor seconds of a whole study: fit, check, and explain with null level and pairs.

    python -m experiments.cost
    PYTHONPATH=/path/to/earlier/src:. python -m experiments.cost --code before

Everything runs on one core with one BLAS thread. Seconds are processor seconds of this process and its children. A
fixed piece of linear algebra is timed beside each step, so that times of different days can be compared. Writes
results/calibration/cost-<code>.csv.
"""

from __future__ import annotations

import argparse
import resource
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

import rsens
from experiments._calibration.cost import path
from experiments._command import RESULTS, whole_number
from experiments._tables import write_csv

ROWS, COLUMNS = 1000, 12


def data(rows: int, columns: int, seed: int) -> tuple[pd.DataFrame, Any]:
    """Four columns matter, two of them as a pair; correlation 0.5."""
    rng = np.random.default_rng([seed, rows, columns])
    common = rng.standard_normal((rows, 1))
    X = np.sqrt(0.5) * common + np.sqrt(0.5) * rng.standard_normal((rows, columns))
    y = X[:, 0] + np.sin(1.5 * X[:, 1]) + 0.5 * X[:, 2] + 0.5 * X[:, 0] * X[:, 2] + 0.3 * X[:, 3]
    return pd.DataFrame(X, columns=[f"x{j}" for j in range(columns)]), y + 0.5 * rng.standard_normal(rows)


def steps(rows: int, columns: int, seed: int) -> Iterator[tuple[str, float, float]]:
    """The name of each step, its processor seconds, and the seconds of the reference next to it."""
    X, y = data(rows, columns, seed)
    model = rsens.GPRegressor(random_state=seed)
    work: dict[str, Callable[[], Any]] = {
        "fit": lambda: model.fit(X, y),
        "check": lambda: rsens.assess(model, X, y, random_state=seed, n_jobs=1),
        "explain": lambda: rsens.explain(model, X, y, pairs=True, null=True, random_state=seed, n_jobs=1),
        "study": lambda: rsens.study(X.assign(y=y), "y", random_state=seed, n_jobs=1),
    }
    for name, step in work.items():
        yield name, processor_seconds(step), processor_seconds(reference)


def reference() -> None:
    """A fixed piece of work of the kind that fits are made of: Cholesky factors and exponentials of 1,000 × 1,000."""
    A = np.random.default_rng(0).standard_normal((1000, 1000))
    A = A @ A.T + 1000.0 * np.eye(1000)
    for _ in range(10):
        np.linalg.cholesky(A)
        np.exp(-A / 1000.0)


def processor_seconds(step: Callable[[], Any]) -> float:
    """Processor seconds of this process and its children, with one BLAS thread."""
    start = _used()
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        step()
    return _used() - start


def _used() -> float:
    times = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(used.ru_utime + used.ru_stime for used in times)


def main(arguments: list[str] | None = None) -> None:
    """Measure, and write one line per step and data set."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--code", choices=("before", "after"), default="after")
    options.add_argument("--repetitions", type=whole_number(1), default=2, help="data sets; default: %(default)s")
    options.add_argument("--rows", type=whole_number(50), default=ROWS)
    options.add_argument("--columns", type=whole_number(4), default=COLUMNS)
    options.add_argument("--out", type=Path, default=RESULTS / "calibration")
    given = options.parse_args(arguments)
    size = {"rows": given.rows, "columns": given.columns}
    list(steps(50, 4, 0))  # so that no timed call has to import anything
    lines = [
        {**size, "seed": seed, "step": name, "seconds": round(seconds, 3), "reference": round(beside, 4)}
        for seed in range(given.repetitions)
        for name, seconds, beside in steps(**size, seed=seed)
    ]
    write_csv(pd.DataFrame(lines), path(given.out, given.code))


if __name__ == "__main__":
    main()
