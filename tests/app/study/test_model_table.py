"""From files and frames to rows for a model."""

import pandas as pd
import pytest

from rsens import InputError
from rsens._app.study import Settings, _model_table
from rsens._app.study._model_table import read_new_rows, read_table
from tests.app.study.tables import numbers, with_text


def model_table(data, **options):
    return read_table(Settings(data=data, target="y", **options))


def test_a_file_and_a_frame_give_the_same(tmp_path):
    frame = with_text()
    frame.assign(code=frame["code"].map("{:02d}".format)).to_csv(tmp_path / "t.csv", index=False)
    table = model_table(tmp_path / "t.csv", categorical=["code,town"])
    assert set(table.X["code"]) == {"01", "02", "03"}
    frame.to_csv(tmp_path / "t.csv", index=False)
    from_file, from_frame = model_table(tmp_path / "t.csv"), model_table(frame)
    pd.testing.assert_frame_equal(from_file.X, from_frame.X, check_dtype=False)
    assert from_file.reader.recipe == from_frame.reader.recipe
    assert from_file.n_rows == 60


def test_missing_values_do_not_take_the_place_of_drawn_rows():
    """20 rows are asked for, and there are 30 without gaps."""
    frame = numbers(60)
    frame.loc[:29, "a"] = None
    table = model_table(frame, rows=20)
    assert len(table.X) == 20
    assert [note.kind for note in table.notes] == ["missing", "sample"]
    assert "20 of 30 rows" in table.notes[1].text


def test_a_very_long_file_is_held_in_part(tmp_path, monkeypatch):
    monkeypatch.setattr(_model_table, "MOST_ROWS", 40)
    numbers(60).to_csv(tmp_path / "t.csv", index=False)
    table = model_table(tmp_path / "t.csv")
    assert (table.n_rows, len(table.X)) == (60, 40)
    assert "Read 60 rows, kept 40" in table.notes[0].text
    assert len(model_table(tmp_path / "t.csv", rows=50).X) == 50


def test_names_with_commas_and_lists():
    frame = numbers(20).rename(columns={"c": "a,b"})
    assert list(model_table(frame, drop=["a,b"]).X) == ["a", "b", "d"]
    assert list(model_table(frame, drop=["a, d"]).X) == ["b", "a,b"]
    assert list(model_table(frame, columns=["b,d"]).X) == ["b", "d"]


# ---- new rows --------------------------------------------------------------------------------------------------------


def new_rows(data, reader, **options):
    settings = Settings(data=data, model_file="m.rsens", **options)
    return read_new_rows(settings, reader)


@pytest.fixture
def reader():
    return model_table(with_text().drop(columns="code")).reader


def test_new_rows_need_no_target(reader, tmp_path):
    """One will do."""
    new = with_text(5).drop(columns=["y", "code"])
    table = new_rows(new, reader)
    assert table.y is None
    assert list(table.X) == ["a", "b", "c", "town"]
    assert not table.notes
    new.head(1).to_csv(tmp_path / "t.csv", index=False)
    assert len(new_rows(tmp_path / "t.csv", reader).X) == 1


def test_rows_are_drawn_and_other_columns_left_out_with_a_note(reader):
    table = new_rows(with_text(), reader, rows=7)
    assert len(table.X) == len(table.y) == 7
    assert ("code",) in [note.columns for note in table.notes]
    with pytest.raises(InputError, match="no column 'a'"):
        new_rows(with_text().drop(columns="a"), reader)
