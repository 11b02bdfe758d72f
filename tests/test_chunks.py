"""Tables that come in chunks: their types, and the order of their rows."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rsens import _chunks
from rsens._chunks import chunks_of, comes_in_chunks
from rsens._errors import InputError

DATA = pd.DataFrame({"a": np.arange(10.0), "b": list("uvuvuvuvuv"), "c": 1})


def test_tables_in_memory_do_not():
    arrow = pa.Table.from_pandas(DATA)
    for X in (DATA, DATA["a"], DATA.to_numpy(), [[1.0]], None, pl.from_pandas(DATA), arrow, arrow.to_reader()):
        assert not comes_in_chunks(X)


@pytest.mark.parametrize("rows", [3, 100])
@pytest.mark.parametrize("kind", ["path", "lazy", "iterator"])
def test_all_rows_come_once_and_in_order(kind, rows, tmp_path, monkeypatch):
    monkeypatch.setattr(_chunks, "ROWS", rows)
    path = tmp_path / "data.parquet"
    DATA.to_parquet(path, row_group_size=4)
    empty = DATA.iloc[:0]
    parts = [DATA[:4], empty, DATA[4:5], DATA[5:]]
    X = {
        "path": lambda: str(path),
        "lazy": lambda: pl.scan_parquet(path),
        "iterator": lambda: (part[["b", "a"]] for part in parts),
    }[kind]()
    assert comes_in_chunks(X)
    chunks = list(chunks_of(X, ["b", "a"]))
    assert all(len(chunk) for chunk in chunks)
    assert rows > 10 or len(chunks) > 2
    whole = pd.concat(chunks, ignore_index=True)
    pd.testing.assert_frame_equal(whole, DATA[["b", "a"]], check_dtype=False)


def test_dask_is_read_by_partition():
    dask = pytest.importorskip("dask")
    dataframes = pytest.importorskip("dask.dataframe")
    with dask.config.set(scheduler="synchronous"):
        chunks = list(chunks_of(dataframes.from_pandas(DATA, npartitions=3), ["c", "a"]))
    assert len(chunks) == 3
    pd.testing.assert_frame_equal(pd.concat(chunks), DATA[["c", "a"]])


def test_items_that_are_not_tables():
    with pytest.raises(InputError, match="must give tables of rows"):
        list(chunks_of(iter([1]), None))
