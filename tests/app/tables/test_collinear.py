"""Columns that determine one another."""

import numpy as np
import pandas as pd
import pytest

from rsens._app.tables import collinear_sets
from rsens.measures import Terms


def columns(n=200, names="abcdef", seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(rng.normal(size=(n, len(names))) * np.logspace(0, 6, len(names)), columns=list(names))


def sets(X, groups=None):
    return collinear_sets(X, Terms.of(groups, tuple(X.columns)))


def named(X, groups=None):
    return [names for names, _ in sets(X, groups)]


def test_a_total_and_its_parts():
    """Also if three of four parts explain more than 95 % already."""
    X = columns().assign(total=lambda f: f["b"] + f["d"])
    ((names, r2),) = sets(X)
    assert names == ("b", "d", "total")
    assert r2 == pytest.approx(1.0)
    X = columns(names="pqrsxy").assign(p=lambda f: f["p"] * 1e5)
    X = X.assign(total=lambda f: f[["p", "q", "r", "s"]].sum(axis=1))
    assert named(X) == [("p", "q", "r", "s", "total")]


def test_two_sets_and_several_measurements_of_one_thing():
    rng = np.random.default_rng(1)
    X = columns().assign(again=lambda f: 3.0 * f["a"] + 0.3 * rng.normal(size=200), mix=lambda f: f["b"] - f["c"] / 50)
    (exact, whole), (near, r2) = sets(X)
    assert (exact, near) == (("b", "c", "mix"), ("a", "again"))
    assert 0.97 < r2 < whole
    X = columns(400)
    X = X.assign(**{f"a{k}": X["a"] + 0.1 * rng.normal(size=400) for k in range(3)})
    assert [set(each) for each in named(X)] == [{"a", "a0", "a1", "a2"}]


def test_levels_count_as_indicators():
    month = np.resize(np.arange(12), 240)
    X = pd.DataFrame({"month": [f"m{k}" for k in month], "x": np.random.default_rng(0).normal(size=240)})
    X = X.assign(season=[f"s{k // 3}" for k in month], number=month * 1.0)
    assert [set(each) for each in named(X)] == [{"month", "season", "number"}]


def test_a_group_is_one_term():
    X = columns().assign(total=lambda f: f["b"] + f["d"])
    assert named(X, {"g": ["b", "d", "total"]}) == []
    assert named(X, {"g": ["b", "d"]}) == [("g", "total")]


@pytest.mark.parametrize(("n", "width"), [(5, 20), (12, 10), (25, 14), (40, 28), (100, 60)])
def test_few_rows_of_independent_columns_are_silent(n, width):
    rng = np.random.default_rng(4)
    tables = (pd.DataFrame(rng.normal(size=(n, width)), columns=[f"x{k}" for k in range(width)]) for _ in range(60))
    assert not any(sets(X) for X in tables)


def test_correlation_below_the_threshold_large_numbers_and_large_tables():
    rng = np.random.default_rng(5)
    X = columns(2000).assign(like=lambda f: f["a"] + 0.3 * rng.normal(size=2000))  # R² 0.92
    assert named(X) == []
    X = columns().assign(a=lambda f: f["a"] * 1e200, b=lambda f: f["b"] * 1e-200)
    assert named(X) == []
    X = pd.DataFrame(np.random.default_rng(0).normal(size=(100_000, 50)), columns=[f"x{k}" for k in range(50)])
    X["sum"] = X["x3"] + X["x4"]
    assert named(X) == [("x3", "x4", "sum")]
