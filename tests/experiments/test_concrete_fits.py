"""Why the settings of Concrete differ: toys with known answers; the script resumes; the page shows its numbers."""

import numpy as np
import pandas as pd
import pytest

from experiments.concrete_fits import (
    COLUMN,
    ML,
    WEAK,
    missing_direction,
    pair_ranking,
    repetition,
    with_hyperparameters,
)
from rsens import datasets
from rsens.kernels import EQ

TINY = ["--rows", "30", "--splits", "2", "--n-jobs", "1"]


@pytest.fixture(autouse=True)
def no_download(monkeypatch):
    monkeypatch.setattr(datasets, "_download", lambda source: pytest.fail("a test must not download anything"))


# ---- toys ------------------------------------------------------------------------------------------------------------


def dependent_columns(*, spread=0.05):
    """Four columns, the last one nearly the sum of the others; y is an interaction of the first two."""
    X = pd.DataFrame(np.random.default_rng(0).standard_normal((60, 3)), columns=["a", "b", "c"])
    X[COLUMN] = X.sum(axis=1) + spread * np.random.default_rng(1).standard_normal(60)
    return X, X["a"] * X["b"]


def toy(lengthscale, X, y):
    """A GP with little noise; `lengthscale` belongs to the last column."""
    return with_hyperparameters(EQ(4.0, (2.0, 2.0, 2.0, lengthscale)), 1e-4, X, y)


def test_the_variance_part_ranks_pairs_by_the_direction_that_the_rows_lack():
    X, y = dependent_columns()
    found = pair_ranking(toy(4.0, X, y), X)
    assert found["variance"] > 0.9
    assert found["dependence"] > 0.9
    assert found["rho"] < 0.5
    assert found["eah"][0] == "a:b"


def test_the_missing_direction():
    X, _ = dependent_columns(spread=1e-6)
    w = missing_direction(X.to_numpy())
    expected = np.array([1.0, 1.0, 1.0, -1.0]) * X.std().to_numpy()
    np.testing.assert_allclose(np.abs(w), np.abs(expected) / np.linalg.norm(expected), atol=1e-5)


@pytest.mark.usefixtures("data_folder")
def test_shuffling_the_column_ends_the_disagreement_and_other_noise_does_not():
    entries = repetition("split", 0, rows=None, seed=0)["changed"]
    rho = {tuple(entry[:4]): entry[4]["rho"] for entry in entries}
    assert rho[WEAK, WEAK, "all", "training"] < 0.3
    assert rho[WEAK, ML, "all", "training"] < 0.3
    assert rho[WEAK, WEAK, "all", "held-out"] < 0.3
    assert rho[WEAK, WEAK, f"{COLUMN} shuffled", "training"] > 0.8
