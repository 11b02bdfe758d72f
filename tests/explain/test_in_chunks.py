"""Rows that come in chunks: the same as the table in memory, one chunk at a time."""

from __future__ import annotations

import gc
import weakref
from functools import cache

import numpy as np
import pandas as pd
import pytest

from rsens import BayesianLinearRegression, Explanation, InputError, Normal, explain, from_function
from rsens._explain import _evaluate
from rsens._explain._tables import NotComputedError
from tests.explain.cases import CASES, assert_same, gp, numbers, text_of, with_town
from tests.explain.models import Linear

ROUNDING = ("effect",)


def cut(X, size):
    return (X.iloc[start : start + size] for start in range(0, len(X), size))


@pytest.mark.parametrize("case", ["counts and categories", "a function", "draws"])
def test_iterators(case):
    model, X, asked = CASES[case]()
    asked = asked | {"random_state": 1}
    # Draws are summed in blocks that depend on the number of rows, and differences show the rounding of these sums.
    rtol = 1e-9 if case == "draws" else 1e-11
    assert_same(explain(model, X, **asked), explain(model, cut(X, 101), **asked), rtol=rtol, loose=ROUNDING)


def test_weights_and_subgroups_of_all_rows():
    model, X, _ = gp()
    weights = np.random.default_rng(1).random(len(X))
    weights[:100] = 0.0  # a chunk that does not count
    by = pd.Series(np.random.default_rng(2).choice(["x", "y"], len(X)))
    asked = {"weights": weights, "by": by, "random_state": 1}
    assert_same(explain(model, X, **asked), explain(model, cut(X, 100), **asked), rtol=1e-11, loose=ROUNDING)
    with pytest.raises(InputError, match="weights: expected one entry for each of the 600 rows; got 700"):
        explain(model, cut(X, 100), weights=np.ones(700))
    with pytest.raises(InputError, match="weights"):
        explain(model, cut(X, 100), weights=np.ones(550))
    with pytest.raises(InputError, match="not all 0"):
        explain(model, cut(X, 100), weights=np.zeros(600))


def parquet(X, folder):
    X.assign(extra="left out").to_parquet(folder / "rows.parquet", row_group_size=64)
    return folder / "rows.parquet"


def files(X, folder):
    for number, part in enumerate(cut(X, 250)):
        part.to_parquet(folder / f"{number}.parquet")
    return str(folder)


def lazy(X, folder):
    import polars

    return polars.scan_parquet(parquet(X, folder))


def dask(X, folder):
    import dask.dataframe

    return dask.dataframe.from_pandas(X.assign(extra=1), npartitions=4)


#: What is asked of files, and of the table in memory.
OF_FILES = {"by": "flag", "random_state": 1}


@cache
def in_memory():
    model, X, _ = gp()
    return explain(model, X, **OF_FILES)


@pytest.mark.parametrize("source", [parquet, files, lazy, dask], ids=lambda source: source.__name__)
def test_files_and_plans(source, tmp_path):
    """Columns that the model does not know are not read."""
    if source is dask:
        config = pytest.importorskip("dask").config
        config.set(scheduler="synchronous")
    model, X, _ = gp()
    found = explain(model, source(X, tmp_path), **OF_FILES)
    assert_same(in_memory(), found, rtol=1e-11, loose=ROUNDING)
    assert found.data is None


def test_labels_of_files(tmp_path):
    """Categories of a file are known to the model."""
    X, rows = with_town(120), with_town(300, 5)
    y = np.random.default_rng(1).normal(size=120) + (X["town"] == "Genf")
    model = BayesianLinearRegression().fit(X, y)
    found = explain(model, parquet(rows, tmp_path), random_state=1)
    assert_same(explain(model, rows, random_state=1), found, rtol=1e-11, loose=ROUNDING)


@pytest.mark.filterwarnings("ignore:predictions of RandomForestRegressor are piecewise constant")
@pytest.mark.filterwarnings("ignore:no pairs")
def test_models_without_second_derivatives():
    """The first chunk shows that there are no pairs; it counts all the same."""
    from sklearn.ensemble import RandomForestRegressor

    X = numbers(200)[["a", "b"]]
    model = RandomForestRegressor(20, min_samples_leaf=5, random_state=0).fit(X, X["a"] + X["b"])
    asked = {"training": X, "random_state": 1}
    whole, chunks = explain(model, X, **asked), explain(model, cut(X, 60), **asked)
    assert chunks.n == 200
    assert chunks.order == 1
    assert_same(whole, chunks, rtol=1e-11, loose=ROUNDING)


def test_one_chunk_is_in_memory_at_a_time():
    model, X, _ = gp()
    alive: list[weakref.ref[pd.DataFrame]] = []

    def chunks():
        for start in range(0, 600, 150):
            # The first chunk stands for all; the one before is still in the hands of the loop.
            if len(alive) > 2:
                gc.collect()
            assert sum(chunk() is not None for chunk in alive) <= 2
            chunk = X.iloc[start : start + 150].copy()
            alive.append(weakref.ref(chunk))
            yield chunk
            del chunk

    explain(model, chunks(), keep_local=False)


def test_values_of_rows_are_kept_if_they_are_few(monkeypatch):
    model, X, _ = gp()
    monkeypatch.setattr(_evaluate, "AUTO_LOCAL_ROWS", 500)
    asked = {"random_state": 1}
    assert explain(model, cut(X.iloc[:500], 100), **asked).local_main.shape == (500, 5)
    many = explain(model, cut(X, 100), **asked)
    with pytest.raises(NotComputedError, match="keep_local=True"):
        _ = many.local_main
    assert explain(model, cut(X, 100), keep_local=True, **asked).local_main.shape == (600, 5)


def test_without_values_of_rows(tmp_path):
    """Everything but single rows stays, also in a file."""
    model, X, _ = gp()
    whole, kept = (explain(model, X, random_state=1, keep_local=keep, by="flag") for keep in (True, False))
    assert str(whole) == str(kept)
    pd.testing.assert_frame_equal(whole.by_frame(), kept.by_frame())
    for needs_rows in (kept.plot_beeswarm, lambda: kept.row(position=1), lambda: kept.extrapolation):
        with pytest.raises(NotComputedError, match="keep_local=True"):
            needs_rows()
    assert "rows" in str(kept.difference(whole))
    kept.save(tmp_path / "kept.json")
    again = Explanation.load(tmp_path / "kept.json")
    assert_same(kept, again)
    whole.save(tmp_path / "small.json", rows=False)
    small = Explanation.load(tmp_path / "small.json")
    for found in (kept, again, small):
        assert found.n == 600
        for order in (1, 2):
            pd.testing.assert_frame_equal(found.to_frame(order), whole.to_frame(order))
    assert len(text_of(small)) < 0.5 * len(text_of(whole))
    with pytest.raises(NotComputedError):
        _ = small.local_main


def test_rows_in_errors_are_counted_over_all_chunks():
    X = numbers(200)[["a", "b"]]
    far = X.assign(b=np.where(np.arange(200) == 150, 1e100, X["b"]))
    with pytest.raises(InputError, match=r"R-sens.*row 150"):
        explain(Linear([1.0, 2.0], sigma=1e-20, gamma=1e200), cut(far, 60), training=X, pairs=False)


def test_refusals(tmp_path):
    model, X, _ = gp()
    (tmp_path / "rows.csv").write_text("a,b")
    (tmp_path / "bad.parquet").write_text("a,b")
    X[["a", "b"]].to_parquet(tmp_path / "few.parquet")
    for rows, options, text in (
        (cut(X, 100), {"y": np.zeros(600)}, "y is for refits"),
        (cut(X, 100), {"clusters": np.zeros(600)}, "clusters is for refits"),
        (iter([]), {}, "X has no rows"),
        (iter([X, 3]), {}, "must give tables of rows"),
        (tmp_path / "none.parquet", {}, "does not exist"),
        (str(tmp_path / "rows.csv"), {}, "not a Parquet file"),
        (tmp_path / "bad.parquet", {}, "cannot be read as Parquet"),
        (tmp_path / "few.parquet", {}, "lacks columns that the model was fitted to: 'c', 'flag', 'tail'"),
        (iter([X, X[["a", "b"]]]), {}, "columns"),
    ):
        with pytest.raises(InputError, match=text):
            explain(model, rows, **options)
    with pytest.raises(InputError, match="Pass them as training"):
        explain(from_function(lambda X: Normal(X[:, 0], 1.0)), cut(X, 100))
