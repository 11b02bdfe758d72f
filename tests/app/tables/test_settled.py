"""Levels in which the target does not vary."""

import numpy as np
import pandas as pd
import pytest

from rsens._app.cli._main import main
from rsens._app.tables import prepare
from rsens._app.tables._checks import settled_levels


def settled(frame, target="y", **options):
    return [note for note in prepare(frame, target, **options).notes if note.kind == "settled"]


def shop(n=200, closed="no"):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"temp": rng.normal(size=n), "open": rng.choice(["yes", closed], n, p=[0.85, 0.15])})
    return frame.assign(y=np.where(frame["open"] == "yes", rng.poisson(9.0, n), 0))


def test_closed_days():
    (note,) = settled(shop())
    rows = int((shop()["open"] == "no").sum())
    assert (note.severe, note.columns) == (True, ("open",))
    assert f"'open' settles the target in {rows} rows: where it is 'no', 'y' is always 0." in note.text
    assert note.text.endswith("use where='open!=no'.")
    (note,) = settled(shop().assign(open=lambda f: (f["open"] == "yes").astype(float)))
    assert note.text.endswith("where='open!=0'.")
    days = shop().assign(day=lambda f: np.where(f["open"] == "yes", "weekday", np.resize(["Sat", "Sun"], len(f))))
    (note,) = settled(days.drop(columns="open"))
    assert "where it is 'Sat' or 'Sun', 'y' is always 0" in note.text
    assert note.text.endswith("where=['day!=Sat', 'day!=Sun'].")


def test_the_command_that_is_advised_works(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    shop(closed="not today").to_csv("shop.csv", index=False)
    command = ["explain", "shop.csv", "--target", "y", "--model", "linear", "--no-null", "--no-report", "--cv", "0"]
    assert main(command) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "WARNING 'open' settles the target" in said
    assert "use --where 'open!=not today'." in said
    assert main([*command, "--overwrite", "--where", "open!=not today"]) == 0
    assert "settles" not in capsys.readouterr().out


def test_classes_that_are_certain_are_no_warning():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"kind": np.resize(["a", "b", "c"], 90), "x": rng.normal(size=90)})
    frame["y"] = np.where(frame["kind"] == "a", "sick", rng.choice(["sick", "well"], 90))
    (note,) = settled(frame)
    assert not note.severe
    assert "where it is 'a', 'y' is always 'sick'" in note.text


@pytest.mark.parametrize(
    "share", [pytest.param(0.5, marks=pytest.mark.slow), 0.9, pytest.param(0.99, marks=pytest.mark.slow)]
)
def test_chance_is_not_mentioned(share):
    """Of 1,000 columns of random levels, none to few settle a binary target: at most one in a thousand by chance."""
    rng = np.random.default_rng(2)
    y = pd.Series(rng.random(120) < share).map({True: "a", False: "b"})
    found = sum(bool(settled_levels(pd.Series(rng.integers(0, 12, 120)), y)) for _ in range(1000))
    assert found <= 3


def test_few_rows_many_values_and_a_column_that_settles_everything():
    y = pd.Series([0.0] * 4 + [1.0, 2.0, 3.0, 4.0] * 5)
    assert settled_levels(pd.Series(["a"] * 4 + ["b"] * 20), y) == {}
    assert settled_levels(pd.Series(np.arange(24)), y) == {}
    y = pd.Series([0.0] * 5 + [1.0, 2.0, 3.0, 4.0] * 5)
    assert settled_levels(pd.Series(["a"] * 5 + ["b"] * 20), y) == {"a": 0.0}
    frame = pd.DataFrame({"kind": np.resize(["a", "b", "c", "d"], 80), "x": np.random.default_rng(0).normal(size=80)})
    frame["y"] = frame["kind"].map({"a": 1.0, "b": 1.0, "c": 2.0, "d": 3.0})
    (note,) = settled(frame)
    assert "each has one value of 'y'" in note.text
    assert note.text.endswith("If it is not known beforehand, leave it out with drop=['kind'].")
