"""The column that says which rows belong together."""

import numpy as np
import pandas as pd
import pytest

from rsens._app.tables import prepare, read_file
from rsens._errors import InputError

FRAME = pd.DataFrame(
    {
        "person": ["01", "1", "1", "01", "2", "2"],
        "x": [1.0, 2.0, 3.5, 4.0, 5.5, 6.5],
        "y": [0.5, 1.5, 2.5, 3.0, 4.5, 5.0],
    }
)


def test_the_column_is_no_predictor_and_its_labels_are_kept():
    prepared = prepare(FRAME, "y", cluster="person")
    assert list(prepared.X.columns) == ["x"]
    assert prepared.clusters.tolist() == FRAME["person"].tolist()
    assert prepared.recipe["cluster"] == "person"
    assert "person" not in prepared.recipe["columns"]
    (note,) = [note for note in prepared.notes if note.kind == "clusters"]
    assert "same 'person' belong together: 3 clusters of 2 rows" in note.text
    assert not note.severe
    assert prepare(FRAME, "y").clusters is None


def test_rows_without_a_label_are_missing_values():
    frame = FRAME.assign(person=["a", None, "a", "b", "b", "b"])
    prepared = prepare(frame, "y", cluster="person")
    assert prepared.clusters.tolist() == ["a", "a", "b", "b", "b"]
    assert prepared.X.index.tolist() == prepared.clusters.index.tolist() == [0, 2, 3, 4, 5]
    assert any(
        "1 of 6 rows have missing values and were left out, by column: 'person' 1" in str(n) for n in prepared.notes
    )
    assert any("2 clusters of 2 to 3 rows" in str(note) for note in prepared.notes)
    with pytest.raises(InputError, match="by column: 'person' 1") as raised:
        prepare(frame, "y", cluster="person", missing="error")
    assert "drop=" not in str(raised.value)  # without the column, there would be no clusters


def test_a_row_of_its_own_is_told():
    prepared = prepare(FRAME.assign(person=range(6)), "y", cluster="person")
    assert any("every row is its own cluster" in str(note) for note in prepared.notes)


@pytest.mark.parametrize(
    ("frame", "options", "text"),
    [
        (FRAME, {"cluster": "persn"}, "no cluster column 'persn'. Did you mean 'person'"),
        (FRAME, {"cluster": "y"}, "'y' is the target and cannot say which rows"),
        (FRAME, {"cluster": "person", "drop": ["person"]}, "'person' is dropped and named as cluster"),
        (FRAME.assign(person="a"), {"cluster": "person"}, "'person' has only one value, 'a'"),
        (FRAME.assign(person=[[1]] * 6), {"cluster": "person"}, "values of type list"),
    ],
)
def test_columns_that_are_refused(frame, options, text):
    with pytest.raises(InputError, match=text):
        prepare(frame, "y", **options)


def test_it_is_read_even_if_other_columns_are_asked_for():
    frame = FRAME.assign(z=np.arange(6.0))
    assert list(prepare(frame, "y", columns=["x"], cluster="person").X.columns) == ["x"]


def test_labels_in_a_file_are_text(tmp_path):
    path = tmp_path / "table.csv"
    FRAME.to_csv(path, index=False)
    found = read_file(path, target="y", columns=["x"], cluster="person")
    assert list(found.frame.columns) == ["person", "x", "y"]
    assert found.frame["person"].tolist() == FRAME["person"].tolist()  # 01 is not 1
