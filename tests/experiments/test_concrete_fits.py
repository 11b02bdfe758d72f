"""Why the settings of Concrete differ: toys with known answers; the script resumes; the page shows its numbers."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from experiments import concrete_fits, real_data, stability
from experiments._benchmarks import SETTINGS
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
    table_of_columns,
    with_hyperparameters,
)
from experiments.page._concrete import section
from experiments.page._markdown import Results
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
def test_columns_of_concrete_that_the_others_determine():
    r2 = table_of_columns().set_index("column")["r2"]
    assert r2.idxmax() == COLUMN
    assert r2.index[r2 < concrete_fits.DETERMINED].tolist() == ["SP"]
    X = SETTINGS["concrete", ML].load()[0]
    rest = np.column_stack([np.ones(len(X)), X.drop(columns=COLUMN)])
    residuals = X[COLUMN] - rest @ np.linalg.lstsq(rest, X[COLUMN])[0]
    assert r2[COLUMN] == pytest.approx(1.0 - residuals.var() / X[COLUMN].var(), rel=1e-9)


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
def test_samples_are_those_of_table_2():
    theirs = stability.repetition("concrete", ML, 1, rows=30, seed=0)
    fits = repetition("bootstrap", 1, rows=30, seed=0)["fits"]
    assert fits[ML]["rho"] == pytest.approx(spearmanr(theirs["rsens2"], theirs["eah"])[0], abs=1e-6)


@pytest.mark.usefixtures("data_folder")
def test_hyperparameters_that_are_put_back_make_the_same_model():
    result = repetition("split", 0, rows=30, seed=0)
    at_training = {tuple(entry[:3]): entry[4] for entry in result["changed"] if entry[3] == "training"}
    for name in (ML, WEAK):
        again, fit = at_training[name, name, "all"], result["fits"][name]
        assert again["first"] == fit["first"]
        assert again["variance"] == pytest.approx(fit["variance"], rel=1e-4)


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


def made_up(folder):
    """Results that nobody would type: each kind of number has its own digits."""
    changes = [
        (*change, at, rho, rho - 0.1, rho + 0.1, 0.5, 0.61, 1.0, 1.0, "a:b, a:c, b:c", 4)
        for k, change in enumerate(CHANGES)
        for at, rho in (("training", 0.11 + 0.01 * k), ("held-out", 0.33 + 0.01 * k))
    ]
    names = "kernel noise columns rows rho rho_low rho_high dependence variance shared of_column first splits"
    pd.DataFrame(changes, columns=names.split()).to_csv(folder / "concrete_fits.csv", index=False)
    fits = [
        (sample, n, name, 0.0123 if name == ML else 0.0456, 7.7, longest, rho, -rho, 0.87, 2)
        for sample in ("split", "bootstrap")
        for n in range(4)
        for name, longest, rho in ((ML, 5000.0 if n else 20.0, 0.91 if n else -0.21), (WEAK, 15.0, -0.43))
    ]
    names = ["sample", "number", "setting", "noise", "a", "longest", "rho", "dependence", "variance", "of_column"]
    pd.DataFrame(fits, columns=names).to_csv(folder / "concrete_fits-fits.csv", index=False)
    columns = pd.DataFrame({"column": ["a"], "r2": [0.9876], "weight": [0.5]})
    columns.to_csv(folder / "concrete_fits-columns.csv", index=False)


def test_the_page_has_the_numbers_of_the_tables(tmp_path):
    made_up(tmp_path)
    text = "\n".join(section(Results(tmp_path)))
    assert "| a | 0.988 | 7.7 | 7.7 |" in text
    assert "ρ = −0.43 with EAH and ρ = 0.43 with" in text
    assert "SP aside, occurs in 0 of 4 sets" in text
    assert "occurs in 3 of 4 sets. There ρ = 0.91 with EAH; in the others, −0.21." in text
    assert "divided by the standard deviation of y, is 0.0123 by maximum likelihood and 0.0456" in text
    assert f"| {ML} | {ML} | all | 0.11 (0.01 … 0.21) | 0.33 (0.23 … 0.43) | 61 % | a·b, a·c, b·c |" in text
    assert "in 3 of 4 samples. There ρ = −0.91 with |w_d·w_e|; in the others, 0.21." in text
    without_it = 0.11 + 0.01 * CHANGES.index((WEAK, WEAK, f"without {COLUMN}"))
    assert f"Without {COLUMN}, ρ is {without_it:.2f}" in text
