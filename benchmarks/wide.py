"""Categories of many levels and tables of many columns: processor time of `explain`.

Both sides of a ratio are measured in one run, alternating, and the best of several repetitions counts. Whole calls with
null level, intervals and the test of pairs are in processor minutes. Writes results/wide.csv and results/wide.md.

    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python -m benchmarks.wide [--repeats 3]
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

import rsens
from benchmarks._ratios import Row, write

CATEGORICAL_ROWS, LEVELS = 200, 20
#: Rows and columns of the wide tables, without pairs and with them.
MAIN, PAIRS = (300, 500), (200, 200)


def categorical_data(seed: int = 0) -> tuple[Any, Any]:
    """Three text columns and two of numbers."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, LEVELS, (CATEGORICAL_ROWS, 3))
    numbers = rng.standard_normal((CATEGORICAL_ROWS, 2))
    X = pd.DataFrame({f"c{k}": [f"level {code}" for code in codes[:, k]] for k in range(3)})
    X["a"], X["b"] = numbers.T
    effects = rng.standard_normal((3, LEVELS))
    y = sum(effects[k, codes[:, k]] for k in range(3)) + numbers[:, 0]
    return X, y + 0.5 * rng.standard_normal(CATEGORICAL_ROWS)


def wide_data(rows: int, columns: int, seed: int = 0) -> tuple[Any, Any]:
    """Four columns that matter, two of them in a pair, and many that do not."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    return X, np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + X[:, 3] + 0.3 * rng.standard_normal(rows)


def linear() -> Any:
    """With a prior, as there are more columns than rows."""
    return rsens.BayesianLinearRegression(prior_precision=1.0)


def gp() -> Any:
    """One length-scale per column."""
    return rsens.GPRegressor(random_state=0)


def processor_seconds(repeats: int, *calls: Callable[[], Any]) -> list[float]:
    """The least processor time of each call. The calls alternate, `repeats` times."""
    seconds = [float("inf")] * len(calls)
    for _ in range(repeats):
        for i, call in enumerate(calls):
            gc.collect()
            start = time.process_time()
            call()
            seconds[i] = min(seconds[i], time.process_time() - start)
    return seconds


def category_rows(repeats: int) -> list[Row]:
    """The linear model, whose predictions are Student-t, against the GP, whose divergences are closed forms."""
    X, y = categorical_data()
    models = [model().fit(X, y) for model in (rsens.BayesianLinearRegression, gp)]
    rows = []
    for name, pairs in (("variables", False), ("variables and pairs", True)):
        calls = [
            lambda model=model, pairs=pairs: rsens.explain(model, X, pairs=pairs, random_state=0) for model in models
        ]
        mine, other = processor_seconds(repeats, *calls)
        rows.append(Row(f"three categories, {name}: linear model over GP", mine, other, mine / other, 1.0, False))
    return rows


def wide_rows() -> list[Row]:
    """Whole calls, with y."""
    rows = []
    for (n, columns), pairs in ((MAIN, False), (PAIRS, True)):
        X, y = wide_data(n, columns)
        for name, model in (("linear model", linear), ("GP", gp)):
            fitted = model().fit(X, y)
            (seconds,) = processor_seconds(
                1, lambda fitted=fitted, X=X, y=y, pairs=pairs: rsens.explain(fitted, X, y, pairs=pairs, random_state=0)
            )
            what = f"{columns} columns{' and their pairs' if pairs else ''}, {n} rows, {name}: processor minutes"
            rows.append(Row(what, seconds, 60.0, seconds / 60.0, 1.0, False))
    return rows


HEADING = (
    f"`explain`, one BLAS thread, processor time. Three text columns of {LEVELS} levels and two of numbers, "
    f"{CATEGORICAL_ROWS} rows, intervals over rows, both sides alternating. Wide tables with y: null level, intervals "
    "from refits, and with pairs their test."
)


def main() -> int:
    """0 if every bound holds, else 1."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    warnings.simplefilter("ignore")
    rows = category_rows(repeats) + wide_rows()
    sys.stdout.write(write("wide", HEADING, rows))
    return 0 if all(row.holds for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
