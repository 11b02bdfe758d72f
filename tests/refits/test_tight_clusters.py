"""Warnings about tables whose rows come in tight clusters."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from rsens._app.study import study
from rsens._assess import assess
from rsens._explain import explain
from rsens._refits import tight_clusters
from rsens._stability import stability
from rsens.models import BayesianLinearRegression

PERSON = np.repeat(np.arange(40), 4)
UNCLUSTERED = {
    "independent": lambda z, rng: z,
    "correlated": lambda z, rng: np.sqrt(0.1) * z + np.sqrt(0.9) * rng.normal(size=(len(z), 1)),
    "heavy tails": lambda z, rng: rng.standard_t(3, size=z.shape),
    "lognormal": lambda z, rng: np.exp(z),
    "whole numbers": lambda z, rng: np.round(2 * z),
    "mixed": lambda z, rng: np.where(np.arange(z.shape[1]) % 3 == 0, z > 0, np.where(z < 0, np.round(3 * z), z)),
    "a product": lambda z, rng: np.column_stack([z, z[:, 0] * z[:, 1]]),
    "a square": lambda z, rng: np.column_stack([z[:, 0], z[:, 0] ** 2]),
    "three kinds": lambda z, rng: z + 8 * rng.normal(size=(3, z.shape[1]))[rng.integers(0, 3, len(z))],
}


def persons(columns, within, free=0, seed=0):
    """40 persons with 4 rows: columns that vary between persons, noise within them, and columns that vary freely."""
    rng = np.random.default_rng(seed)
    between = rng.normal(size=(40, columns))[PERSON]
    return np.column_stack([between + within * rng.normal(size=between.shape), rng.normal(size=(160, free))])


@pytest.mark.parametrize("kind", UNCLUSTERED)
@pytest.mark.parametrize(("n", "columns"), [(40, 2), (40, 20), (150, 5), (600, 3), (600, 12)])
def test_no_warning_where_rows_are_independent(kind, n, columns):
    rng = np.random.default_rng(n + columns)
    for _ in range(3):
        assert tight_clusters(UNCLUSTERED[kind](rng.normal(size=(n, columns)), rng).astype(float)) is None


@pytest.mark.parametrize(
    ("columns", "within", "free"), [(3, 0.0, 0), (3, 0.05, 0), (6, 0.1, 0), (15, 0.2, 0), (3, 0.0, 3), (4, 0.03, 1)]
)
def test_persons_are_found_in_any_order_and_unit(columns, within, free):
    X = persons(columns, within, free)
    for table in (X, np.exp(X), X[np.random.default_rng(1).permutation(160)], -1e6 * X):
        assert "clusters of about 4" in str(tight_clusters(table))


def test_few_rows_or_columns_show_nothing():
    X = persons(3, 0.01)
    for table, categorical in ((X[:16], ()), (X[:, :1], ()), (X, (0, 1)), (np.empty((160, 0)), ())):
        assert tight_clusters(table, categorical) is None


@pytest.mark.parametrize("clusters", [None, PERSON])
def test_calls_that_refit_warn_without_clusters(clusters, recwarn):
    X, y = persons(3, 0.01), np.random.default_rng(1).normal(size=160)
    model = BayesianLinearRegression().fit(X, y)
    quick = {"clusters": clusters, "random_state": 0}
    explain(model, X, y, null=False, pairs=False, **quick)
    assess(model, X, y, **quick)
    stability(model, X, y, n_boot=2, methods="rsens", **quick)
    warned = [w.message for w in recwarn if "tight clusters" in str(w.message)]
    assert len(warned) == (3 if clusters is None else 0)
    assert all(message.sentence.argument == "clusters" for message in warned)


def test_study_warns_before_anything_else():
    table = pd.DataFrame(persons(3, 0.01), columns=["age", "weight", "height"]).assign(y=np.arange(160.0) ** 0.5)
    found = study(table, "y", model="linear", null=False, pairs=0, cv=0)
    (note,) = [note for note in found.notes if note.severe and note.kind == "clusters"]
    assert "cluster" in note.text
