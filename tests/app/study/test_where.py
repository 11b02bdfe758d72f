"""Rows that were asked for, in `study` and in the commands."""

import json

import numpy as np
import pandas as pd
import pytest

from rsens import InputError, study
from rsens._app.cli._main import main

QUICK = {"model": "linear", "null": False, "cv": 0, "pairs": 0}
FAST = ["--model", "linear", "--cv", "0"]


def shop(n=120):
    """Counts of a shop, closed on some days."""
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n), "open": np.resize(["yes"] * 4 + ["no"], n)})
    return frame.assign(month=np.resize(np.arange(1, 13), n), y=np.where(frame["open"] == "yes", 3.0 + frame["a"], 0.0))


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shop().to_csv("shop.csv", index=False)
    return "shop.csv"


@pytest.mark.parametrize("from_file", [False, True])
def test_the_rows_that_are_used(file, from_file):
    """Also where the column of the condition is no input."""
    found = study(file if from_file else shop(), "y", where="open=yes", **QUICK)
    assert list(found.X.columns) == ["a", "b", "month"]
    assert found.X.index.tolist() == shop().index[shop()["open"] == "yes"].tolist()
    assert found.settings["arguments"]["where"] == ["open=yes"]
    assert found.settings["rows_kept"] == {"rows": 96, "of": 120, "where": "open=yes"}
    said = " ".join(found.text().split())
    assert "96 of 120 rows where open=yes, 3 columns" in said
    assert "It is based on 96 rows where open=yes;" in said
    dropped = study(file if from_file else shop(), "y", where="open=yes", drop=["open"], **QUICK)
    assert dropped.X.equals(found.X)
    assert not [note for note in dropped.notes if note.kind == "constant"]


def test_the_labels_of_rows_stay():
    frame = shop().set_index(pd.Index([f"day {k}" for k in range(120)]))
    found = study(frame, "y", where=["open=yes", "month<=6"], rows=20, **QUICK)
    assert len(found.X) == 20
    assert (frame.loc[found.X.index, "month"] <= 6).all()
    assert (frame.loc[found.X.index, "open"] == "yes").all()
    assert "20 of 48 rows" in found.text()  # the answer
    assert "48 of 120 rows where open=yes and month<=6 (20 used)" in " ".join(found.text().split())


def test_new_rows_can_be_chosen(tmp_path):
    study(shop(), "y", drop=["open"], **QUICK).write(tmp_path / "out", report=False)
    again = study(shop(), model=tmp_path / "out" / "model.rsens", where="open=no", pairs=0)
    assert len(again.X) == 24
    assert "Rows where open=no: 24 of 120." in [note.text for note in again.notes]


def test_other_rows_are_another_question(tmp_path):
    folder = tmp_path / "out"
    study(shop(), "y", where="open=yes", **QUICK).write(folder, report=False)
    study(shop(), "y", where="open=yes", **QUICK).write(folder, report=False)
    with pytest.raises(InputError, match=r"another question \(where was open=yes\)"):
        study(shop(), "y", **QUICK).write(folder, report=False)


@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("explain", [*FAST, "--no-null", "--no-report", "--pairs", "0"]),
        ("compare", [*FAST, "--methods", "rsens"]),
        ("stability", [*FAST, "--methods", "rsens", "--samples", "2"]),
        ("select", ["--pairs", "0", "--cv", "2", "--repeats", "1", "--no-check", "--rows", "30"]),
    ],
)
def test_every_command_keeps_rows(file, capsys, command, more):
    arguments = [command, file, "--target", "y", *more, "--json"]
    assert main([*arguments, "--where", "open=yes", "--where", "month>2"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["data"]["rows_kept"] == {"rows": 80, "of": 120, "where": "open=yes and month>2"}
    assert answer["settings"]["arguments"]["where"] == ["open=yes", "month>2"]
    assert main(arguments) == 2
    assert "another question (--where was open=yes, month>2)" in capsys.readouterr().err
    assert main([*arguments, "--where", "open=never", "--out", "other"]) == 2
    assert "--where: no cell is 'never'. 'open' has yes, no." in capsys.readouterr().err
