"""Why the settings of Concrete differ: toys with known answers; the script resumes; the page shows its numbers."""

import numpy as np
import pandas as pd
import pytest

from experiments import real_data
from experiments.concrete_fits import (
    CHANGES,
    COLUMN,
    ML,
    WEAK,
    draw_rows,
    main,
    missing_direction,
    pair_ranking,
    repetition,
    summarize,
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


# ---- the same rows and models as in Figure 4 and Table 2 -------------------------------------------------------------


class Stop(Exception):
    pass


@pytest.mark.usefixtures("data_folder")
def test_splits_are_those_of_figure_4(monkeypatch):
    given = []

    def record(self, train, test, seeds):
        given.append((train, test))
        raise Stop

    monkeypatch.setattr(real_data.SplitAnalysis, "run", record)
    with pytest.raises(Stop):
        real_data.repetition("concrete", WEAK, 3, rows=None, pairs=1, seed=0)
    for theirs, ours in zip(given[0], draw_rows("split", 3, 103, 80, 0), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.usefixtures("data_folder")
def test_shuffling_the_column_ends_the_disagreement_and_other_noise_does_not():
    entries = repetition("split", 0, rows=None, seed=0)["changed"]
    rho = {tuple(entry[:4]): entry[4]["rho"] for entry in entries}
    assert rho[WEAK, WEAK, "all", "training"] < 0.3
    assert rho[WEAK, ML, "all", "training"] < 0.3
    assert rho[WEAK, WEAK, "all", "held-out"] < 0.3
    assert rho[WEAK, WEAK, f"{COLUMN} shuffled", "training"] > 0.8


# ---- tables, script and page -----------------------------------------------------------------------------------------


def one(rho, first, eah):
    return {"rho": rho, "dependence": 0.5, "variance": 0.25, "first": first, "eah": eah}


def test_medians_quartiles_and_leading_pairs():
    pairs = ["a:b", f"a:{COLUMN}", "b:c"]
    values = [one(rho, pairs if rho else ["a:b", "a:c", "b:c"], ["a:b", "a:c", "b:c"]) for rho in (0.0, 0.4, 0.8)]
    results = {("split", n): {"changed": [[ML, WEAK, "all", "training", value]]} for n, value in enumerate(values)}
    row = summarize(results).iloc[0]
    assert (row["kernel"], row["noise"], row["splits"]) == (ML, WEAK, 3)
    assert row[["rho", "rho_low", "rho_high"]].tolist() == pytest.approx([0.4, 0.2, 0.6])
    assert row["shared"] == pytest.approx((3 + 2 + 2) / 3)
    assert row["of_column"] == pytest.approx(2 / 3)
    assert row["first"] == f"a:b, b:c, a:{COLUMN}"


@pytest.mark.slow
@pytest.mark.usefixtures("data_folder")
def test_the_script_writes_its_files_and_resumes(tmp_path):
    main([*TINY, "--out", str(tmp_path)])
    endings = [".csv", ".md", ".jsonl", ".png", ".svg", "-fits.csv", "-columns.csv"]
    assert {path.name for path in tmp_path.iterdir()} == {"timings.csv", *(f"concrete_fits{end}" for end in endings)}
    table, fits = (pd.read_csv(tmp_path / f"concrete_fits{end}.csv") for end in ("", "-fits"))
    assert len(table) == 2 * len(CHANGES)
    assert fits.groupby(["sample", "setting"]).size().tolist() == [2, 2, 2, 2]
    assert table["variance"].between(0.0, 1.0).all()
    written = [tmp_path / f"concrete_fits{end}" for end in (".csv", "-fits.csv", ".md", ".svg")]
    first = [path.read_bytes() for path in written]
    journal = tmp_path / "concrete_fits.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-1]) + lines[-1][:20])  # as if it had been killed while writing the last
    main([*TINY, "--out", str(tmp_path)])
    assert [path.read_bytes() for path in written] == first
    assert len(journal.read_bytes().splitlines()) == len(lines)
