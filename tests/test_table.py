"""Reading the rows X: accepted types, errors, and tables that come in chunks."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from rsens import _chunks
from rsens._chunks import chunks_of, comes_in_chunks
from rsens._coding import Coding
from rsens._errors import InputError
from rsens._table import column_deviations, read_table, shape_of

ROWS = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


class Frame(pd.DataFrame):
    """A data frame of another library that is made from pandas' own."""

    @property
    def _constructor(self):
        return Frame


ACCEPTED = {
    "array": (np.array(ROWS), ("x0", "x1")),
    "lists": (ROWS, ("x0", "x1")),
    "float32": (np.array(ROWS, dtype=np.float32), ("x0", "x1")),
    "objects": (np.array(ROWS, dtype=object), ("x0", "x1")),
    "masked": (np.ma.array(ROWS, mask=np.zeros((3, 2))), ("x0", "x1")),
    "frame": (pd.DataFrame(ROWS, columns=["a", "b"]), ("a", "b")),
    "number labels": (pd.DataFrame(ROWS), ("0", "1")),
    "nullable": (
        pd.DataFrame({"a": pd.array([1, 3, 5], dtype="Int64"), "b": pd.array([2, 4, 6], dtype="Float64")}),
        None,
    ),
    "mixed": (
        pd.DataFrame({"a": np.array([1, 3, 5], dtype=np.uint8), "b": np.array([2, 4, 6], dtype=object)}),
        ("a", "b"),
    ),
    "a subclass": (Frame(ROWS, columns=["a", "b"]), ("a", "b")),
    "polars": (pl.DataFrame({"a": [1, 3, 5], "b": [2.0, 4.0, 6.0]}), ("a", "b")),
    "arrow": (pa.table({"a": [1, 3, 5], "b": [2.0, 4.0, 6.0]}), ("a", "b")),
}


def kind_of(X):
    """The type of rows made from X: an array, or a data frame, which is the given type or pandas' own."""
    return pd.DataFrame if isinstance(X, pl.DataFrame | pa.Table) else type(X) if hasattr(X, "columns") else np.ndarray


@pytest.mark.parametrize("name", ACCEPTED)
def test_values_and_names_and_rows_in_the_type_that_was_given(name):
    """Else scikit-learn warns that an estimator fitted with names gets none."""
    X, names = ACCEPTED[name]
    table = read_table(X)
    assert table.names == (names or ("a", "b"))
    assert table.values.dtype == np.float64
    assert table.values.flags.c_contiguous
    np.testing.assert_array_equal(table.values, ROWS)
    for made, values in ((table.like(2.0 * table.values), 2.0 * table.values), (table.rows(1, 3), ROWS[1:])):
        assert isinstance(made, kind_of(X))
        again = read_table(made)
        assert again.names == table.names
        np.testing.assert_array_equal(again.values, values)


@pytest.mark.parametrize(
    "flags", [[True, False, True], pd.array([True, False, True], dtype="boolean")], ids=["bool", "NA"]
)
def test_bool_columns_become_numbers(flags):
    np.testing.assert_array_equal(read_table(pd.DataFrame({"flag": flags})).values[:, 0], [1.0, 0.0, 1.0])


def frame(**columns):
    return pd.DataFrame(columns)


#: The dtype of a column of text in pandas: str from version 3 on, object before.
TEXT = frame(a=["Oslo"])["a"].dtype

REFUSED = {
    "one axis": (np.arange(3.0), "reshape(-1, 1)"),
    "no rows in a frame": (frame(a=np.zeros(0)), "no rows"),
    "ragged": ([[1.0, 2.0], [3.0]], "(rows, columns)"),
    "numbers as text": (np.array([["1", "2"]], dtype=object), "real numbers"),
    "complex column": (frame(a=[1.0], z=[1j]), "'z' (complex128)"),
    "text columns": (frame(a=[1.0], city=["Oslo"], name=["Per"]), f"'city' ({TEXT}), 'name' ({TEXT})"),
    "text among objects": (frame(a=np.array([1.0, "b"], dtype=object)), "'a' (object)"),
    "huge integer": (np.array([[10**400]], dtype=object), "real numbers"),
    "same names as text": (pd.DataFrame(ROWS, columns=[1, "1"]), "same name: '1'"),
    "sparse": (scipy.sparse.csr_array(np.eye(2)), ".toarray()"),
    "nan": ([[1.0, 2.0], [3.0, np.nan]], "'x1' has 1 missing or infinite values, the first at row 1 (nan)"),
    "inf": (frame(a=[1.0, 2.0], b=[-np.inf, 1]), "'b' has 1 missing or infinite values, the first at row 0 (-inf)"),
    "NA": (frame(a=pd.array([1, None], dtype="Int64")), "'a' has 1 missing or infinite values, the first at row 1"),
    "masked": (np.ma.array(ROWS, mask=[[0, 0], [0, 1], [0, 0]]), "'x1' has 1 missing"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_errors_about_rows(name):
    X, text = REFUSED[name]
    with pytest.raises(InputError, match=re.escape(text)) as error:
        read_table(X)
    assert error.value.argument == "X"


def test_errors_name_the_argument():
    with pytest.raises(InputError, match="background must have two axes") as error:
        read_table(np.zeros(3), what="background")
    assert error.value.argument == "background"


@pytest.mark.parametrize("make", [np.array, pd.DataFrame], ids=["array", "frame"])
def test_a_part_of_a_table_is_read_already(make):
    X = make(np.arange(12.0).reshape(6, 2))
    table = read_table(X)
    part = table.part(2, 5)
    assert len(table) == 6
    assert len(part) == 3
    assert part.names == table.names
    assert type(part.source) is type(X)
    assert np.asarray(part.source).tolist() == part.values.tolist() == [[4.0, 5.0], [6.0, 7.0], [8.0, 9.0]]
    assert read_table(part) is part
    assert shape_of(X) == shape_of(X.tolist() if make is np.array else X) == (6, 2)


def test_tensors_are_read_and_one_with_a_graph_is_refused():
    import torch

    np.testing.assert_array_equal(read_table(torch.tensor(ROWS)).values, ROWS)
    with pytest.raises(InputError, match="detach"):
        read_table(torch.tensor(ROWS, requires_grad=True))


def test_a_share_is_a_weight():
    """Rows given twice, and rows with share 0, against NumPy."""
    rows = np.random.default_rng(0).normal(size=(6, 3)) * [1.0, 100.0, 1e-3]
    counts = np.array([1, 2, 0, 3, 1, 1])
    expected = np.repeat(rows, counts, axis=0).std(axis=0)
    np.testing.assert_allclose(column_deviations(rows, counts / counts.sum()), expected, rtol=1e-12)
    np.testing.assert_allclose(column_deviations(rows), rows.std(axis=0), rtol=1e-12)


def test_a_constant_column_has_the_deviation_zero():
    rows = np.column_stack([np.full(7, 0.1), np.zeros(7), np.arange(7.0)])
    assert column_deviations(rows).tolist()[:2] == [0.0, 0.0]
    assert column_deviations(rows, np.array([0.5, 0.5, 0, 0, 0, 0, 0])).tolist() == [0.0, 0.0, 0.5]


def test_deviations_of_huge_and_tiny_columns():
    rows = np.array([[1e200, 1e-200], [-1e200, 3e-200]])
    np.testing.assert_allclose(column_deviations(rows), [1e200, 1e-200], rtol=1e-12)


@pytest.mark.parametrize("name", ["\ud800", "a\udfffb"])
def test_half_of_a_character_is_refused_at_the_door(name):
    with pytest.raises(InputError, match="half of a character"):
        read_table(pd.DataFrame([[1.0], [2.0]], columns=pd.Index([name], dtype=object)))
    with pytest.raises(InputError, match=r"level .* half of a character"):
        Coding.of(pd.DataFrame({"c": pd.Series(["a", name], dtype=object)}))


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
