"""Tables that are safe to open in a spreadsheet, with unchanged numbers."""

import csv

import numpy as np
import pandas as pd

from rsens._files import write_csv


def cells(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


#: Texts, and as they are written.
TEXTS = {
    "=1+1": "'=1+1", "-5": "'-5",
    "@SUM(A1)": "'@SUM(A1)", "\tx": "'\\tx", "\n=x": "'\\n=x", "＝1+1": "'＝1+1", "a=1": "a=1",
    "−5": "−5", 'a,"b"': 'a,"b"', "red\x1b[31m\x00": "red\\x1b[31m\\x00", "a\nb\u2028c\x85": "a\\nb\\u2028c\\x85",
    "ü 🚲 a\u200db \xa0": "ü 🚲 a\u200db \xa0", "\ud800": "\\ud800",
}  # fmt: skip


def test_text(tmp_path):
    written = [[each, "1"] for each in TEXTS.values()]
    for dtype in (object, "string", "category"):
        texts = [text for text in TEXTS if dtype is object or text != "\ud800"]  # pandas has no such text in the others
        write_csv(pd.DataFrame({"t": pd.Series(texts, dtype=dtype), "n": 1}), tmp_path / "x.csv")
        assert cells(tmp_path / "x.csv") == [["t", "n"], *written[: len(texts)]]
    write_csv(pd.DataFrame([range(len(TEXTS))], columns=pd.Index(list(TEXTS), dtype=object)), tmp_path / "x.csv")
    assert cells(tmp_path / "x.csv")[0] == list(TEXTS.values())


def test_numbers_and_what_is_missing(tmp_path):
    frame = pd.DataFrame(
        {
            "float": [-1.0, np.nan, 1 / 3],
            "int": [-1, 0, 2**60],
            "nullable": pd.array([-1, None, 3], dtype="Int64"),
            "truth": [True, False, True],
            "date": pd.to_datetime(["2020-01-01", None, "2020-01-03"]),
            "mixed": [-1, None, "-1"],
            "text": ["a", np.nan, None],
            "level": pd.Categorical([-1, None, -1]),
            -3: [-1e-300, np.inf, -np.inf],
        }
    )
    write_csv(frame, tmp_path / "x.csv")
    expected = frame.assign(mixed=[-1, None, "'-1"]).to_csv(index=False)
    assert (tmp_path / "x.csv").read_bytes().decode() == expected
    read = pd.read_csv(tmp_path / "x.csv")
    np.testing.assert_array_equal(read["float"], frame["float"])


def test_names_that_occur_twice_and_any_index(tmp_path):
    frame = pd.DataFrame([["=a", 1, -2.0], ["b", 3, -4.0]], columns=["=t", "=t", "n"], index=[7, 7])
    before = frame.copy(deep=True)
    write_csv(frame, tmp_path / "x.csv")
    pd.testing.assert_frame_equal(frame, before)
    assert cells(tmp_path / "x.csv") == [["'=t", "'=t", "n"], ["'=a", "1", "-2.0"], ["b", "3", "-4.0"]]
