"""Columns that belong together, from the table to the result."""

import numpy as np
import pandas as pd
import pytest

from rsens import InputError, explain
from rsens._app.study import Settings, study
from rsens._app.study._model_table import merged_groups
from rsens._app.study._setup import set_up
from rsens._app.tables import ModelTable

QUICK = {"model": "linear", "null": False}


def seasons(n: int = 80) -> pd.DataFrame:
    """A season in two columns, a number, a category and a flag."""
    rng = np.random.default_rng(5)
    t = rng.uniform(0.0, 2.0 * np.pi, n)
    frame = pd.DataFrame({"sin": np.sin(t), "cos": np.cos(t), "a": rng.normal(size=n)})
    frame = frame.assign(kind=rng.choice(["u", "v"], n), flag=rng.integers(0, 2, n))
    return frame.assign(y=2.0 * np.sin(t + 0.3) + frame["a"] + 0.3 * rng.normal(size=n))


def setup(data=None, **options):
    data = seasons() if data is None else data
    found = set_up(Settings(data=data, target="y", **options), {}, [])
    return found, found.notes


def test_the_group_takes_the_place_of_its_columns():
    found = study(seasons(), "y", groups={"season": ["sin", "cos"]}, **QUICK)
    assert list(found.explanation.main.index) == ["season", "a", "kind", "flag"]
    assert found.settings["arguments"]["groups"] == {"season": ["sin", "cos"]}
    assert found.settings["columns_used"] == ["sin", "cos", "a", "kind", "flag"]
    same = explain(found.model, found.X, groups={"season": ["sin", "cos"]})
    pd.testing.assert_series_equal(found.explanation.main, same.main)
    pd.testing.assert_series_equal(found.explanation.pairs, same.pairs)
    assert found.explanation.intervals_hold  # from refits of the check, with the same groups
    assert len(found.explanation.intervals) == 4


def test_a_flag_in_a_group_is_a_number():
    found, notes = setup(groups={"both": ["a", "flag"]})
    assert found.groups == {"both": ("a", "flag")}
    assert not [note for note in notes if note.kind == "two_values"]
    assert [note.columns for note in setup()[1] if note.kind == "two_values"] == [("flag",)]


def test_columns_that_were_left_out_leave_their_group():
    frame = seasons().assign(same=1.0)
    found, notes = setup(frame, groups={"g": ["a", "same"], "h": ["same"]})
    assert found.groups == {"g": ("a",)}
    assert ("same",) in [note.columns for note in notes if note.kind == "constant"]


def test_groups_of_the_table_and_of_the_user_become_one(monkeypatch):
    """A table may make several columns of one, a date say, and groups them under its name."""
    monkeypatch.setattr(ModelTable, "groups", {"when": ("sin", "cos")})
    table = setup()[0].table
    assert merged_groups({}, table) == {"when": ("sin", "cos")}
    assert merged_groups({"g": ["a", "flag"]}, table) == {"g": ("a", "flag"), "when": ("sin", "cos")}
    assert merged_groups({"g": ["when", "a"]}, table) == {"g": ("sin", "cos", "a")}
    assert merged_groups({"when": ["when", "a"]}, table) == {"when": ("sin", "cos", "a")}
    assert merged_groups({"g": ["sin", "a"]}, table) == {"g": ("sin", "a"), "when": ("cos",)}
    with pytest.raises(InputError, match="there is a column 'when' outside the group too"):
        merged_groups({"when": ["a", "flag"]}, table)
    with pytest.raises(InputError, match="'sin' twice"):
        merged_groups({"g": ["when", "sin"]}, table)


def test_new_rows_may_have_groups(tmp_path):
    study(seasons(), "y", **QUICK, cv=0, pairs=0).write(tmp_path / "out", report=False)
    file = tmp_path / "out" / "model.rsens"
    again = study(seasons().head(20), model=file, groups={"season": ["sin", "cos"]})
    assert list(again.explanation.main.index) == ["season", "a", "kind", "flag"]
    assert again.settings["arguments"]["groups"] == {"season": ["sin", "cos"]}
    with pytest.raises(InputError, match="no column for 'g' 'b'"):
        study(seasons(), model=file, groups={"g": ["a", "b"]})


@pytest.mark.parametrize(
    ("groups", "text"),
    [
        ({"g": "sin"}, "^groups must be a list of column names"),
        ({"g": []}, "^groups must have names with at least one"),
        ({"g": ["sin", "coz"]}, r"no column for 'g' 'coz'\. Did you mean 'cos'"),
        ({"g": ["sin", "cos"], "h": ["cos", "a"]}, "^groups: column 'cos' is in two groups"),
        ({"g": ["sin", "sin"]}, "^groups names the column 'sin' twice"),
        ({"a": ["sin", "cos"]}, "^groups: the name 'a'"),
        ({"g": ["a", "kind"]}, "^groups: 'g' has the categorical column 'kind'"),
    ],
)
def test_what_is_refused(groups, text):
    with pytest.raises(InputError, match=text):
        study(seasons(), "y", groups=groups)
