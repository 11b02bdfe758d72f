"""From files and frames to rows for a model."""

import pandas as pd
import pytest

from rsens import InputError
from rsens._app.study import _gather
from rsens._app.study._gather import gather, gather_again, name_of
from rsens._app.tables import Choice
from tests.app.study.tables import numbers, with_text

OPTIONS = {
    "likelihood": "auto",
    "missing": "drop",
    "drop": (),
    "columns": None,
    "categorical": (),
    "rows": None,
    "limit": lambda choice: 1000,
    "seed": 0,
}


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ("folder/data.csv", "data"),
        ("data.csv.gz", "data"),
        ("data.PARQUET", "data"),
        ("no ending", "no ending"),
        (".csv", ".csv"),
        ("-", "stdin"),
        (numbers(5), "data"),
    ],
)
def test_name(data, name):
    assert name_of(data) == name


def test_a_file_and_a_frame_give_the_same(tmp_path):
    frame = with_text()
    frame.to_csv(tmp_path / "t.csv", index=False)
    from_file, from_frame = gather(tmp_path / "t.csv", "y", **OPTIONS), gather(frame, "y", **OPTIONS)
    pd.testing.assert_frame_equal(from_file.X, from_frame.X, check_dtype=False)
    assert from_file.recipe == from_frame.recipe
    assert from_file.n_rows == 60


def test_days_are_no_counts():
    frame = numbers(60).assign(y=pd.date_range("2024-01-01", periods=60))
    assert gather(frame, "y", **OPTIONS).likelihood.kind == "gaussian"
    counts = gather(frame, "y", **OPTIONS | {"likelihood": "poisson"})
    assert counts.likelihood.kind == "poisson"


def test_missing_values_do_not_take_the_place_of_drawn_rows():
    """20 rows are asked for, and there are 30 without gaps."""
    frame = numbers(60)
    frame.loc[:29, "a"] = None
    table = gather(frame, "y", **OPTIONS | {"rows": 20})
    assert len(table.X) == 20
    assert [note.kind for note in table.notes] == ["missing", "sample"]
    assert "20 of 30 rows" in table.notes[1].text


def test_a_long_file_is_held_in_part(tmp_path, monkeypatch):
    monkeypatch.setattr(_gather, "HELD_ROWS", 40)
    numbers(60).to_csv(tmp_path / "t.csv", index=False)
    table = gather(tmp_path / "t.csv", "y", **OPTIONS)
    assert (table.n_rows, len(table.X)) == (60, 40)
    assert "Read 60 rows, kept 40" in table.notes[0].text
    assert len(gather(tmp_path / "t.csv", "y", **OPTIONS | {"rows": 50}).X) == 50


def test_names_with_commas_and_lists():
    frame = numbers(20).rename(columns={"c": "a,b"})
    assert list(gather(frame, "y", **OPTIONS | {"drop": ["a,b"]}).X) == ["a", "b", "d"]
    assert list(gather(frame, "y", **OPTIONS | {"drop": ["a, d"]}).X) == ["b", "a,b"]
    assert list(gather(frame, "y", **OPTIONS | {"columns": ["b,d"]}).X) == ["b", "d"]


def test_codes_in_a_file_stay_text(tmp_path):
    frame = with_text().assign(code=lambda f: f["code"].map("{:02d}".format))
    frame.to_csv(tmp_path / "t.csv", index=False)
    table = gather(tmp_path / "t.csv", "y", **OPTIONS | {"categorical": ["code,town"]})
    assert set(table.X["code"]) == {"01", "02", "03"}


# ---- new rows --------------------------------------------------------------------------------------------------------

AGAIN = {"texts": ("town",), "missing": "drop", "rows": None, "limit": 1000, "seed": 0}


@pytest.fixture
def recipe():
    return gather(with_text().drop(columns="code"), "y", **OPTIONS).recipe


def test_new_rows_need_no_target(recipe):
    new = with_text(5).drop(columns=["y", "code"])
    table = gather_again(new, recipe, Choice("gaussian", "why"), **AGAIN)
    assert table.y is None
    assert list(table.X) == ["a", "b", "c", "town"]
    assert not table.notes


def test_one_new_row_will_do(recipe, tmp_path):
    with_text(1).drop(columns=["y", "code"]).to_csv(tmp_path / "t.csv", index=False)
    assert len(gather_again(tmp_path / "t.csv", recipe, Choice("gaussian", ""), **AGAIN).X) == 1


def test_other_columns_are_left_out_with_a_note(recipe):
    table = gather_again(with_text(), recipe, Choice("gaussian", ""), **AGAIN)
    assert [note.columns for note in table.notes] == [("code",)]


def test_rows_are_drawn(recipe):
    table = gather_again(with_text(), recipe, Choice("gaussian", ""), **AGAIN | {"rows": 7})
    assert len(table.X) == len(table.y) == 7


def test_a_column_that_is_not_there(recipe):
    with pytest.raises(InputError, match="no column 'a'"):
        gather_again(with_text().drop(columns="a"), recipe, Choice("gaussian", ""), **AGAIN)
