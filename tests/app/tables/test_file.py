"""Files of every kind and in every condition: what is read, and the sentence where nothing can be."""

import gzip
import io
import os
import sys
import tracemalloc

import numpy as np
import pandas as pd
import pytest

from rsens import InputError, MissingExtraError
from rsens._app import tables
from rsens._app.tables import Roles, TableReader, choose_likelihood, prepare, prepare_again
from rsens._app.tables._file import sampled

ODD = ['a,"b"', "<script>alert('x')</script>", "🌊 emoji", "x" * 200, "tab\there", "  spaces  ".strip(), "new\nline"]


def read_file(path, **options):
    """`read_file` with the columns that are asked for among its options."""
    asked = {name: options.pop(name) for name in Roles.__dataclass_fields__ if name in options}
    return tables.read_file(path, Roles(**asked), **options)


@pytest.fixture
def write(tmp_path):
    """A function that writes text or bytes to a file, and gives its path."""

    def write(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def table(n=50, seed=0):
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "dose": rng.normal(size=n),
            "town": rng.choice(["Oslo", "Tromsø", "a, b"], n),
            "member": rng.random(n) < 0.5,
            "y": rng.normal(size=n),
        }
    )


def typed(frame):
    """The frame with numbers and truth values, as `TableReader` reads it."""
    return TableReader(missing_codes=None).learn(frame).table


def same(read, expected):
    pd.testing.assert_frame_equal(typed(read).reset_index(drop=True), expected, check_exact=True)


def kinds(data):
    return [note.kind for note in data.notes]


@pytest.mark.parametrize(
    ("delimiter", "end", "encoding"),
    [(",", "\n", "utf-8"), (";", "\r\n", "utf-8-sig"), ("\t", "\n", "utf-16"), ("|", "\r\n", "utf-8")],
)
def test_delimiters_line_ends_and_encodings(write, delimiter, end, encoding):
    text = table().to_csv(index=False, sep=delimiter, lineterminator=end)
    data = read_file(write(text.encode(encoding), "data.txt"))
    same(data.frame, table())
    assert data.notes == ()
    assert data.n_rows == 50


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_gzip_and_standard_input(write, monkeypatch, pack):
    content = pack(table().to_csv(index=False).encode())
    same(read_file(write(content)).frame, table())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(buffer := io.BytesIO(content)))
    same(read_file("-").frame, table())
    assert not buffer.closed


def test_standard_input_from_a_pipe(monkeypatch):
    reading, writing = os.pipe()
    with open(writing, "wb") as end:
        end.write(b"a,b\n1,2\n3,4\n")
    with open(reading) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        assert read_file("-").frame.to_numpy().tolist() == [["1", "2"], ["3", "4"]]


def test_latin_1(write):
    data = read_file(write("prénom,ville\nRené,Orléans\nZoé,Paris\n".encode("latin-1")), target="prénom")
    assert data.frame.to_dict("list") == {"prénom": ["René", "Zoé"], "ville": ["Orléans", "Paris"]}
    assert kinds(data) == ["encoding"]
    data = read_file(write(b"a,b\n" + b"1,x\n" * 5000 + "2,é\n".encode("latin-1")))
    assert data.frame["b"].iloc[-1] == "é"
    assert kinds(data) == ["encoding"]


def test_odd_names_and_spaces(write):
    frame = pd.DataFrame(np.arange(3.0 * len(ODD)).reshape(3, -1) + 0.5, columns=ODD)
    data = read_file(write(frame.to_csv(index=False)), target=ODD[1], columns=[ODD[0], ODD[6]])
    same(data.frame, frame[[ODD[0], ODD[1], ODD[6]]])
    data = read_file(write('a, b , "c, d"\n 1 , x , 2.5\n3,"y ", 4\n'))
    assert data.frame.to_dict("list") == {"a": ["1", "3"], "b": ["x", "y"], "c, d": ["2.5", "4"]}


def test_types_of_columns_and_exact_numbers(write):
    text = (
        "whole,number,big,truth,gaps,truth_gaps,text,nothing,under\n"
        "1,1e3,99999999999999999999,True,1,true,a,,1_0\n-2,.5,1,false,NA,,?,NaN,2\n3,inf,2,TRUE,3,false,null,N/A,3\n"
    )
    frame = typed(read_file(write(text)).frame)
    assert frame["whole"].dtype == np.int64
    assert frame["truth"].dtype == bool
    cells = {name: [None if pd.isna(cell) else cell for cell in frame[name]] for name in frame}
    assert cells["number"] + cells["big"] + cells["gaps"] == [1000.0, 0.5, None, 1e20, 1.0, 2.0, 1.0, None, 3.0]
    assert cells["truth_gaps"] + cells["text"] == [True, None, False, "a", None, None]
    assert cells["nothing"] + cells["under"] == [None, None, None, "1_0", "2", "3"]
    data = read_file(write("code,y\n01,1\n02,2\nNA,3\n")).frame
    assert data["code"].tolist()[:2] == ["01", "02"]
    assert typed(data)["code"].tolist()[:2] == [1.0, 2.0]
    values = np.random.default_rng(0).normal(size=200) * 10.0 ** np.random.default_rng(1).integers(-300, 300, 200)
    frame = typed(read_file(write(pd.DataFrame({"x": values, "y": 1}).to_csv(index=False))).frame)
    np.testing.assert_array_equal(frame["x"], values)


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        (",a,\n0,1,\n1,2,\n", {"Unnamed: 0": ["0", "1"], "a": ["1", "2"], "Unnamed: 2": [None, None]}),
        ("\n\nx\n1\n\n2\n\n", {"x": ["1", "2"]}),
        ('a,b\n"one\ntwo",1\n"three",2\n', {"a": ["one\ntwo", "three"], "b": ["1", "2"]}),
        ("a;b\n1,5;2,25\n3,5;4,75\n", {"a": ["1,5", "3,5"], "b": ["2,25", "4,75"]}),  # not a delimiter
        ("a,b\n,\n1,2\n", {"a": [None, "1"], "b": [None, "2"]}),
        ('"mpg","cyl"\n"A",21,6\n"B",22.8,4\n', {"Unnamed: 0": ["A", "B"], "mpg": ["21", "22.8"], "cyl": ["6", "4"]}),
    ],
)
def test_odd_shapes(write, text, columns):
    data = read_file(write(text))
    assert data.frame.astype(object).where(data.frame.notna(), None).to_dict("list") == columns
    assert kinds(data) == ["row_names"] * ("mpg" in columns)


def test_columns_and_drop(write):
    path = write(table().to_csv(index=False))
    assert read_file(path, columns=["dose"], target="y").frame.columns.tolist() == ["dose", "y"]
    assert read_file(path, columns=["y", "town", "age"], drop=["town"]).frame.columns.tolist() == ["age", "y"]


def parquet(frame, path, **settings):
    pytest.importorskip("pyarrow")
    frame.to_parquet(path, **settings)
    return path


def test_parquet(tmp_path, monkeypatch):
    frame = table().assign(when=pd.date_range("2024-01-01", periods=50), kind=pd.Categorical(["u", "v"] * 25))
    path = parquet(frame, tmp_path / "data.parquet", row_group_size=7)
    read = read_file(path, target="y").frame
    pd.testing.assert_frame_equal(read.reset_index(drop=True), frame, check_dtype=False)
    assert isinstance(read["kind"].dtype, pd.CategoricalDtype)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    assert len(read_file("-", columns=["age"]).frame) == 50
    packed = tmp_path / "data.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert len(read_file(packed).frame) == 50
    frame = pd.DataFrame(np.arange(14.0).reshape(2, 7), columns=[*ODD[:4], "a", "a.b", " "], index=["r", "s"])
    path = parquet(frame, tmp_path / "data.parquet")
    assert read_file(path).frame.columns.tolist() == [*ODD[:4], "a", "a.b", "Unnamed: 6"]
    assert read_file(path, columns=["a.b"], target=ODD[2]).frame.to_numpy().tolist() == [[2.0, 5.0], [9.0, 12.0]]


def test_parquet_without_pyarrow(tmp_path, monkeypatch):
    path = parquet(table(), tmp_path / "data.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"pyarrow is needed .* 'rsens\[parquet\]'"):
        read_file(path)


def test_damaged_parquet(tmp_path, write):
    content = parquet(table(), tmp_path / "data.parquet").read_bytes()
    for broken in (content[:100], b"PAR1", content[:200] + bytes(200) + content[400:]):
        with pytest.raises(InputError, match="begins like a Parquet file but cannot be read"):
            read_file(write(broken))
    refused(parquet(table().iloc[:0], tmp_path / "data.parquet"), "has no rows")


def test_a_sample_of_the_rows(write, tmp_path):
    frame = table(30_000)
    path = write(frame.to_csv(index=False))
    data = read_file(path, max_rows=500, seed=3)
    assert data.n_rows == 30_000
    assert [str(note) for note in data.notes] == ["Read 30,000 rows, kept 500 at random (seed 3)."]
    assert data.frame.index.is_monotonic_increasing
    pd.testing.assert_frame_equal(typed(data.frame), frame.loc[data.frame.index])
    assert read_file(path, max_rows=500, seed=4).frame.index.tolist() != data.frame.index.tolist()
    assert read_file(path, max_rows=30_000).notes == ()
    other = read_file(parquet(frame, tmp_path / "data.parquet"), max_rows=500, seed=3).frame  # in one block
    assert other.index.tolist() == data.frame.index.tolist()


def test_every_row_is_equally_probable():
    """4000 samples of 3 of 12 rows: counts are binomial with mean 1000 and a standard deviation of 27."""
    blocks = [pd.DataFrame({0: range(start, start + 2)}) for start in range(0, 12, 2)]
    drawn = np.concatenate([sampled(blocks, 3, seed)[0][0] for seed in range(4000)])
    assert np.abs(np.bincount(drawn, minlength=12) - 1000).max() < 4.5 * 27
    whole = pd.concat(blocks).reset_index(drop=True)
    pd.testing.assert_frame_equal(sampled(blocks, 3, 5)[0], sampled([whole], 3, 5)[0])
    assert sampled(blocks, None, 0)[0][0].tolist() == sampled(blocks, 13, 0)[0][0].tolist() == list(range(12))


def test_memory_does_not_grow_with_the_file(write):
    """A block of rows and the sample are in memory, not the file."""
    header, line = ",".join(f"x{i}" for i in range(12)) + "\n", ",".join(["0.123456789"] * 12) + "\n"
    peaks = []
    for rows in (100, 20_000, 60_000):  # the first only so that what is imported on first use does not count
        path = write(header + line * rows)
        tracemalloc.start()
        read_file(path, max_rows=50, columns=["x3"])
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < 1.2 * peaks[1]


def refused(path, match, **settings):
    with pytest.raises(InputError, match=match) as caught:
        read_file(path, **settings)
    assert caught.value.__cause__ is None
    assert "\n" not in str(caught.value)


def test_files_that_are_not_there(tmp_path, write):
    write("a,b\n", "measurements.csv")
    refused(tmp_path / "measurement.csv", r"measurement\.csv does not exist\. Did you mean measurements\.csv\?")
    refused(tmp_path / "no" / "x.csv", "does not exist")
    refused(tmp_path, "cannot be opened")


@pytest.mark.parametrize(
    "content", ["", "\n\n  \n", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0), "a,b,c\n", "a,b\n1,2\n"]
)
def test_files_without_rows(write, content):
    refused(write(content), "is empty|has no rows, only a header with 3 names|has only one row")


@pytest.mark.parametrize(
    ("content", "match"),
    [
        (bytes(range(256)) * 10, "is not a text file"),
        (b"PK\x03\x04" + bytes(100), "is not a text file.* Save a table of Excel as CSV"),
        (b"a,b\n" * 5000 + b"1\x002,3\n", "is not a text file"),
        (b"\x1f\x8b", "cannot be unpacked"),
        (gzip.compress(b"a,b\n" + bytes(str(os.urandom(9999)), "ascii"))[:-2000], "cannot be unpacked"),
    ],
)
def test_files_that_are_no_tables(write, content, match):
    refused(write(content), match)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("a,b,c\n1,2,3\n4,5\n6,7,8\n", "line 3: the row has 2 cells, the header has 3"),
        ("a,b,c\n1,2,3\n\n4,5,6,7\n", "line 4: the row has 4 cells, the header has 3"),
        ('a,b\n"x\ny",1\n2\n', "line 4: the row has 1 cell,"),
        ("a,b\n" + "1,2\n" * 20_000 + "1,2,3\n", "line 20002"),
        ("Growth\na,b,c\n1,2,3\n4,5,6\n", "line 2: the row has 3 cells, the header has 1. .*delete lines above"),
        ('a,b\n"' + "1,2\n" * 100_000, "never closed"),
        ("a,b,a\n1,2,3\n4,5,6\n", "columns of the same name: 'a'"),
    ],
)
def test_rows_of_another_length(write, text, match):
    refused(write(text), match, max_rows=10)


def test_names_that_are_not_there_and_wrong_arguments(write):
    path = write(table().to_csv(index=False))
    refused(path, "has no target column 'Y'. Did you mean 'y'?", target="Y")
    refused(path, "It has 'age', 'dose', 'town', 'member', 'y'", target="q")
    refused(path, "'y' is named as target and in drop", target="y", drop=["y"])
    refused(path, "must be a list", columns="age")
    refused(path, "max_rows", max_rows=1)
    refused(path, "max_rows", max_rows=2.5)
    refused(path, "seed", seed=-1)
    refused(path, r"has no column 'qq', 'zz'\. It has", columns=["age, qq", "zz"])
    refused(path, r"has no column to drop 'Age', 'toun'\. Did you mean 'age', 'town'\?", drop=["Age", "dose,toun"])
    refused(write("a,b\n" + "1,2,3\n" * 3), "has no target column", target="c")  # before the rows are read


HEADLESS = "-1.402,0.278,a\n0.5,1.5,b\n2.5,3.5,a\n"


def test_a_header_that_is_missing(write):
    path = write(HEADLESS)
    with pytest.raises(InputError, match=r"target column 'y' does not exist: .* no line with the names") as error:
        read_file(path, target="y")
    assert error.value.argument == "header"
    data = read_file(path, target="a")  # which is there
    assert [(note.kind, note.severe) for note in data.notes] == [("header", True)]
    named = read_file(path, header=False)
    assert named.frame.columns.tolist() == ["x0", "x1", "x2"]
    assert named.frame["x0"].tolist() == ["-1.402", "0.5", "2.5"]
    assert named.notes == ()
    refused(write("1.5,1.5,a\n0.5,1.5,b\n2.5,3.5,a\n"), "seems to have no line with the names")


@pytest.mark.parametrize(
    ("text", "kinds_of_notes"),
    [
        ("5.1,3.5,1.4,0.2,setosa\n4.9,3,1.4,0.2,virginica\n6,3,5,2,setosa\n", ["header"]),
        ("39,State-gov,77516,Bachelors\n50,Private,83311,HS-grad\n38,State-gov,215646,Bachelors\n", ["header"]),
        ("p,x,s\ne,x,s\np,b,y\n", ["header"]),
        ("31/01/2024,5.5\n01/02/2024,6.1\n02/02/2024,6.3\n", ["header"]),
        ("1,2\n3,4\n5,1\n", ["header"]),
        ("$12.30,\u22125\n$1.30,7\n$2,8\n", ["header"]),
        ("a,b\n1,2\n3,4\n", []),
        ("town,1990,1991,1992\nOslo,1,2,3\nRome,4,5,6\n", []),
        ("400.5,401,401.5,402\n0.1,0.2,0.3,0.4\n0.2,0.2,0.2,0.1\n", []),
        ("0,1,2\n0.5,0.6,0.7\n1.5,1.6,1.7\n", []),
        (",a,2020\n0,1.5,2\n1,2.5,4\n", []),
        ("yes,x\nno,1\nno,2\n", []),
    ],
)
def test_first_lines_with_and_without_names(write, text, kinds_of_notes):
    assert kinds(read_file(write(text))) == kinds_of_notes


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_wide_text(write, encoding):
    content = "größe,y\n1,2\n3,4\n".encode(encoding)
    refused(write(content), "not a text file.* as UTF-8")
    assert read_file(write("\ufeff".encode(encoding) + content)).frame.to_dict("list") == {
        "größe": ["1", "3"],
        "y": ["2", "4"],
    }


def test_nothing_but_sentences(write):
    """Broken tables are read or refused; no error of another library comes through."""
    rng = np.random.default_rng(0)
    pieces = [bytes([each]) for each in b',\n"\r\0\xff\xe9;\t%'] + [b"nan", b"1e999", b"9" * 30, b"True"]
    original, outcomes = table(20).to_csv(index=False).encode(), set()
    for _ in range(150):
        content = bytearray(original)
        for _ in range(rng.integers(1, 8)):
            place = rng.integers(len(content))
            content[place:place] = pieces[rng.integers(len(pieces))]
            del content[place + 5 : place + 5 + rng.integers(6)]
        try:
            data = read_file(write(bytes(content)))
            prepared = prepare(data.frame, data.frame.columns[-1])
            choose_likelihood(prepared.y)
            prepare_again(data.frame, prepared.reader)
            outcomes.add("read")
        except InputError:
            outcomes.add("refused")
    assert outcomes == {"read", "refused"}
