"""Intervals over rows: normal theory of a weighted mean, as wide as the bootstrap of the rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from rsens import Explanation, Normal, explain, from_function
from rsens._explain._values import RowMoments
from tests.explain.cases import CASES
from tests.explain.models import Heteroscedastic, Linear

#: Ends of intervals by a Poisson bootstrap of the rows with 20,000 replicates, by case and table.
BOOTSTRAP = Path(__file__).with_name("bootstrap_of_rows.json")


def test_by_hand():
    X = np.random.default_rng(1).normal(size=(60, 3))
    found = explain(Heteroscedastic(), X, intervals=("auto", 0.9), keep_local="pairs")
    assert found.level == 0.9
    reach = stats.t.ppf(0.95, 59) * stats.sem(found.local_main)
    np.testing.assert_allclose(found.intervals["upper"], found.main + reach, rtol=1e-12)
    np.testing.assert_allclose(found.intervals["lower"], np.maximum(found.main - reach, 0.0), rtol=1e-12)
    local = found.local_pairs[:, *np.triu_indices(3, 1)]
    reach = stats.t.ppf(0.95, 59) * stats.sem(local)
    np.testing.assert_allclose(found.pair_intervals["upper"], found.pairs + reach, rtol=1e-12)
    none = explain(Heteroscedastic(), X, intervals=False)
    assert none.intervals is none.pair_intervals is None
    one = explain(Heteroscedastic(), X, weights=np.arange(60) == 4, scale="raw")  # says nothing about its spread
    assert one.intervals.isna().all(axis=None)
    assert one.effects["lower"].isna().all()


def test_coverage():
    """R = |x_1|/σ for x_0 in Normal(x_0 x_1, σ²), and E|x_1| = sqrt(2/π); 90 % intervals, 100 rows.

    400 repetitions: three standard errors are 0.045.
    """
    rng = np.random.default_rng(11)
    covered = 0
    for _ in range(400):
        X = rng.normal(size=(100, 2))
        result = explain(Linear([0.0, 0.0], sigma=1.0, gamma=1.0), X, scale="raw", intervals=("rows", 0.9), pairs=False)
        lower, upper = result.intervals.loc["x0"]
        covered += lower <= np.sqrt(2.0 / np.pi) <= upper
    assert 0.855 <= covered / 400 <= 0.945


def _hundred(**options: Any) -> tuple[Any, Any, dict[str, Any]]:
    return Heteroscedastic(), np.random.default_rng(5).normal(size=(100, 3)), options


def _flat(X: Any) -> Normal:
    return Normal(X[:, 0] ** 2 + 0.01 * X[:, 1] * X[:, 2], np.exp(0.5 * X[:, 1]))


#: What is explained, by name: functions () -> (model, rows, arguments of `explain`).
COMPARED: dict[str, Callable[[], tuple[Any, Any, dict[str, Any]]]] = {
    **{name: case for name, case in CASES.items() if name != "a function"},
    "a hundred rows": _hundred,
    "a group": lambda: _hundred(groups={"both": ["x1", "x2"]}),
    "weights": lambda: _hundred(weights=np.random.default_rng(6).random(100)),
    "values near zero": lambda: (from_function(_flat), np.random.default_rng(7).normal(size=(100, 3)), {}),
    "the link scale": lambda: (*CASES["counts and categories"]()[:2], {"pairs": "link"}),
}


def ends(found: Explanation) -> dict[str, np.ndarray]:
    """Lower and upper ends of all intervals over rows."""
    tables = {"variables": found.intervals, "pairs": found.pair_intervals}
    effects = found.effects
    for name in ("effect", "per_unit", "percent", "spread"):
        columns = ["lower", "upper"] if name == "effect" else [f"{name}_lower", f"{name}_upper"]
        if columns[0] in effects:
            tables[name] = effects[columns]
    return {name: table.to_numpy(dtype=float) for name, table in tables.items()}


#: A percentile bootstrap moves both ends by (z² − 1) γ/(6 √n) standard errors, with γ the skewness of the local values:
#: to the long tail, where normal theory stays symmetric. In these cases |γ|/√n is above 0.3 (a column with a long tail;
#: values that are 0 at the rows where a slope changes its sign), and below 0.25 in all others.
SKEWED = {"a linear model": 0.09, "values near zero": 0.11}


@pytest.mark.parametrize("case", COMPARED)
def test_as_wide_as_the_bootstrap(case):
    """Ends within 5 % of the width, unless local values are very skewed; widths are 0 where all rows agree."""
    model, X, options = COMPARED[case]()
    recorded = json.loads(BOOTSTRAP.read_text())[case]
    for name, found in ends(explain(model, X, **options)).items():
        expected = np.array(recorded[name], dtype=float)
        width = np.ptp(expected, axis=1, keepdims=True)
        size = np.nanmax(np.abs(expected))
        off = np.abs(found - expected) - SKEWED.get(case, 0.05) * width
        assert not (off > 1e-9 * size).any(), f"{name}: {np.nanmax(off / np.where(width > 0.0, width, np.nan)):.3f}"
        np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_the_error_of_a_mean(scale):
    """As scipy has it, also where squares neither fit in float64 nor are above 0."""
    values = np.random.default_rng(0).normal(size=(30, 2))
    found = RowMoments.of(scale * values, np.full(30, 2.0)).spread
    np.testing.assert_allclose(found.error / scale, stats.sem(values), rtol=1e-12)
    halves = RowMoments.pooled([RowMoments.of(scale * part, np.ones(15)) for part in (values[:15], values[15:])])
    np.testing.assert_allclose(halves.spread.error / scale, stats.sem(values), rtol=1e-12)
