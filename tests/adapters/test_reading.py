"""Rows are read once at the door, and once more by an estimator's public method."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import rsens
from rsens import GPRegressor, Normal, _coding, _table, from_function, from_jax, from_torch

RNG = np.random.default_rng(0)
ROWS = {
    "array": RNG.normal(size=(40, 3)),
    "frame": pd.DataFrame(RNG.normal(size=(40, 3)), columns=["a", "b", "c"]),
}


@pytest.fixture
def reads(monkeypatch):
    """Counts how many rows are read as numbers."""
    counted = []
    read_columns = _table.read_columns

    def counting(X, *arguments, **options):
        counted.append(len(X))
        return read_columns(X, *arguments, **options)

    for module in (_table, _coding):
        monkeypatch.setattr(module, "read_columns", counting)
    return counted


def numpy_normal(X):
    return Normal(np.sin(X[:, 0]) * X[:, 1], np.exp(X[:, 2]))


def jax_normal(X):
    import jax.numpy as jnp

    return Normal(jnp.sin(X[:, 0]) * X[:, 1], jnp.exp(X[:, 2]))


FUNCTIONS = {
    "differences": lambda: from_function(numpy_normal),
    "jax": lambda: from_jax(jax_normal),
    "torch": lambda: from_torch(lambda X: Normal(X[:, 0].sin() * X[:, 1], X[:, 2].exp())),
}


@pytest.mark.parametrize("measure", [rsens.rsens, rsens.rsens2])
@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("source", FUNCTIONS)
def test_a_function_reads_once(reads, source, rows, measure):
    measure(FUNCTIONS[source](), ROWS[rows])
    assert reads == [40]


@pytest.mark.parametrize("measure", [rsens.rsens, rsens.rsens2])
@pytest.mark.parametrize("rows", ROWS)
def test_an_estimator_reads_twice(reads, rows, measure):
    model = GPRegressor(optimize=False).fit(ROWS[rows], np.sin(np.arange(40.0)))
    reads.clear()
    measure(model, ROWS[rows])
    assert reads == [40, 40]


def test_chunks_are_not_read_again(reads, monkeypatch):
    monkeypatch.setattr("rsens.derivatives._differences.ROWS_PER_CALL", 7)
    rsens.rsens(from_function(numpy_normal), ROWS["frame"])
    assert reads == [40]


def test_rows_with_switched_levels_are_not_read_again(reads):
    X = ROWS["frame"].assign(c=["x", "y"] * 20)
    rsens.rsens(from_function(numpy_normal), X)
    assert reads == [40]  # the levels are switched as codes
