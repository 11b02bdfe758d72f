"""The note on columns that determine one another, and that it is said once."""

import numpy as np
import pandas as pd

from rsens import study


def parts(n=80):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    frame["total"] = frame["a"] + frame["b"]
    return frame.assign(y=frame["a"] - frame["c"] + 0.3 * rng.normal(size=n))


def said(frame, **options):
    notes = study(frame, "y", model="linear", cv=0, **options).notes
    return [note for note in notes if note.kind == "collinear" or "determine" in note.text]


def test_one_note_with_the_way_out():
    (note,) = said(parts())
    assert note.kind == "collinear"
    assert note.columns == ("a", "b", "total")
    assert note.text.startswith(
        "'a', 'b' and 'total' determine one another (R² of one on the others above 0.999). They"
    )
    assert note.text.endswith(
        "with groups={'together': ['a', 'b', 'total']}, or leave out redundant ones, such as drop=['total']."
    )
    assert said(parts(), drop=["total"]) == []
    assert said(parts(), groups={"together": ["a", "b", "total"]}) == []


def test_columns_that_the_note_does_not_name_keep_their_warning():
    """Variance inflation above 5 is R² 0.8: pairs cannot be told, though the columns are not collinear."""
    rng = np.random.default_rng(1)
    frame = parts().assign(like=lambda f: f["c"] + 0.4 * rng.normal(size=80))
    first, second = said(frame)
    assert first.columns == ("a", "b", "total")
    assert second.kind == "warning"
    assert "nearly determine c and like" in second.text


def test_a_copy_has_one_note():
    frame = parts().drop(columns="total").assign(a2=lambda f: 2.0 * f["a"])
    (note,) = said(frame)
    assert note.columns == ("a", "a2")


def test_categories_cannot_be_grouped():
    month = np.resize(np.arange(12), 120)
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({"month": [f"m{k}" for k in month], "season": [f"s{k // 3}" for k in month]})
    frame = frame.assign(x=rng.normal(size=120), y=rng.normal(size=120))
    (note,) = said(frame, null=False)
    assert "groups" not in note.text
    assert note.text.argument == "drop"
