"""Numbers as people write them are numbers; what only looks like numbers is never lost with a mere note."""

import numpy as np
import pandas as pd
import pytest

from rsens import InputError
from rsens._app.tables import prepare, prepare_again, read_file

N = 120
rng = np.random.default_rng(0)


def table(**columns):
    return pd.DataFrame({"x": rng.normal(size=N), "y": rng.normal(size=N)} | columns)


def said(prepared, kind):
    return " ".join(str(note) for note in prepared.notes if note.kind == kind)


def severe(prepared):
    return [note.text for note in prepared.notes if note.severe]


@pytest.mark.parametrize(
    ("cells", "numbers", "words"),
    [
        (["−5", "7", "12.5"], [-5.0, 7.0, 12.5], "numbers with a long minus sign"),
        (["–5", "7", "−1"], [-5.0, 7.0, -1.0], "numbers with a long minus sign"),
        (["$12.30", "$5", "-$7.25"], [12.3, 5.0, -7.25], "numbers with a currency ($)"),
        (["$1,234.50", "$5", "$7"], [1234.5, 5.0, 7.0], "numbers with a comma for thousands and a currency ($)"),
        (["€ 5", "€7", "0"], [5.0, 7.0, 0.0], "numbers with a currency (€)"),
        (["12,30 €", "-5 €", "1.234,50 €"], [12.3, -5.0, 1234.5], "numbers with a decimal comma and a currency (€)"),
        (["5.5 USD", "7 USD", "1 USD"], [5.5, 7.0, 1.0], "numbers with a currency (USD)"),
        (
            ["£5", "(£7.5)", "£1"],
            [5.0, -7.5, 1.0],
            "numbers with a currency (£) and parentheses for negative ones",
        ),
        (["(1.23)", "4.5", "0.5"], [-1.23, 4.5, 0.5], "numbers with parentheses for negative ones"),
        (
            ["(1,234.5)", "-4,000", "5"],
            [-1234.5, -4000.0, 5.0],
            "numbers with a comma for thousands and parentheses for negative ones",
        ),
        (["1 234", "12", "1 234 567"], [1234.0, 12.0, 1234567.0], "numbers with a space for thousands"),
        (
            ["1\u00a0234,5", "12", "−3"],
            [1234.5, 12.0, -3.0],
            "numbers with a decimal comma, a space for thousands and a long minus sign",
        ),
        (["1\u202f234.5", "12", "3"], [1234.5, 12.0, 3.0], "numbers with a space for thousands"),
        (["1'234.50", "12", "3"], [1234.5, 12.0, 3.0], "numbers with an apostrophe for thousands"),
        (["1’234", "12", "3"], [1234.0, 12.0, 3.0], "numbers with an apostrophe for thousands"),
        (["1.234.567", "12", "3"], [1234567.0, 12.0, 3.0], "numbers with a point for thousands"),
        (["12 %", "−5.5%", "0%"], [12.0, -5.5, 0.0], "percentages with a long minus sign"),
        (["12,5 %", "5 %", "0 %"], [12.5, 5.0, 0.0], "percentages with a decimal comma"),
        (["12\u00a0%", "5\u00a0%", "0\u00a0%"], [12.0, 5.0, 0.0], "percentages"),
    ],
)
def test_signs_of_numbers(cells, numbers, words):
    prepared = prepare(table(new=cells * (N // 3)), "y")
    np.testing.assert_allclose(prepared.X["new"].iloc[:3], numbers, rtol=1e-15)
    assert said(prepared, "converted") == f"'new' was read as {words}."
    assert not severe(prepared)
    again = prepare_again(table(new=cells * (N // 3)).iloc[:3], prepared.recipe)
    np.testing.assert_array_equal(again.X["new"], numbers)


def test_marks_beside_signs_are_missing():
    prepared = prepare(table(new=["-", "$5", "n.d.", *["$7.5"] * (N - 3)]), "y")
    assert prepared.X.index.tolist() == [1, *range(3, N)]


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (["$5", "€7", "£9"], "its numbers are written in several ways ('$5', '£9', '€7'). Write all in one way"),
        (["12%", "5", "7"], "its numbers are written in several ways ('5', '12%')"),
        (["1,234", "5,678", "7"], "1,234 may be 1234 or 1.234"),
        (["1,234.5", "1.234,5", "3"], "its numbers are written in several ways ('1,234.5', '1.234,5')"),
    ],
)
def test_numbers_that_cannot_be_read_are_a_warning(cells, reason):
    prepared = prepare(table(new=cells * (N // 3)), "y")
    assert severe(prepared) == [next(text for text in severe(prepared) if f"'new' was taken as text: {reason}" in text)]
    with pytest.raises(InputError, match="the target 'y' is text"):
        prepare(table(y=cells * (N // 3)), "y")


def test_some_rows_of_a_table_are_read_as_all_are():
    """Among the rows that are drawn, no number tells what a comma means."""
    frame = table(new=["1,234", "5,678", "-", "7"] * (N // 4 - 1) + ["1,234,567", "7", "8", "9"])
    whole = prepare(frame, "y")
    some = whole.some_rows(whole.X.index[:50])
    assert some.X["new"].iloc[:3].tolist() == [1234.0, 5678.0, 7.0]
    assert not severe(some)


@pytest.mark.parametrize(("points", "kind"), [("0.5", "number"), ("5", "categorical")])
def test_decimal_points_of_a_file_say_what_its_commas_mean(tmp_path, points, kind):
    rows = [f'"{1000 + 37 * i % 90:,}",{points},{i % 7}' for i in range(N)]
    (tmp_path / "data.csv").write_text("\n".join(["people,x,y", '"1,234",7,1', *rows]))
    prepared = prepare(read_file(tmp_path / "data.csv").frame, "y")
    assert prepared.kinds.get("people", "categorical") == kind
    assert bool(severe(prepared)) == (kind == "categorical")
    if kind == "number":
        assert prepared.X["people"].iloc[0] == 1234.0
        again = prepare_again(read_file(tmp_path / "data.csv").frame, prepared.recipe)
        pd.testing.assert_frame_equal(again.X, prepared.X)


@pytest.mark.parametrize(
    "cells",
    [
        [f"{value:.2f} kg" for value in rng.normal(70.0, 9.0, N)],
        [f"{value:.1f}mm" for value in rng.normal(70.0, 30.0, N)],
    ],
)
def test_numbers_with_units_are_left_out_with_a_warning(cells):
    prepared = prepare(table(new=cells), "y")
    assert "new" in prepared.dropped
    (text,) = severe(prepared)
    assert "look" in text
    assert "like numbers" in text
    assert "plain numbers" in text


def test_names_of_rows_are_no_numbers():
    prepared = prepare(table(name=[f"row {i}" for i in range(N)], code=[f"A{i}" for i in range(N)]), "y")
    assert set(prepared.dropped) == {"name", "code"}
    assert not severe(prepared)


# ---- a first column without a name -----------------------------------------------------------------------------------


@pytest.mark.parametrize("values", [np.arange(N), np.arange(1, N + 1), rng.permutation(N), np.arange(5, N + 5)])
def test_a_column_without_a_name_that_counts_rows_is_left_out(values):
    assert list(prepare(table(**{"Unnamed: 0": values}), "y").dropped) == ["Unnamed: 0"]


@pytest.mark.parametrize(
    ("values", "is_said"),
    [(rng.normal(size=N), False), (np.sort(rng.normal(size=N)), False), (rng.choice(10_000, N, replace=False), True)],
)
def test_other_columns_without_a_name_are_data(values, is_said):
    prepared = prepare(table(**{"Unnamed: 0": values}), "y")
    assert prepared.dropped == {}
    assert ("It was kept" in said(prepared, "identifier")) == is_said


def test_dates_without_a_name_are_data():
    """As pandas writes a table by day."""
    prepared = prepare(table(**{"Unnamed: 0": pd.date_range("2024-01-01", periods=N).strftime("%Y-%m-%d")}), "y")
    assert prepared.dropped == {}
    assert prepared.groups["Unnamed: 0"][0] == "Unnamed: 0 (days)"


def test_some_rows_of_a_count_still_count():
    whole = prepare(table(**{"Unnamed: 0": rng.permutation(N)}), "y")
    assert "Unnamed: 0" in whole.some_rows(whole.X.index[:50]).dropped


# ---- too many levels -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("levels", "rows", "is_kept"),
    [(50, 250, True), (51, 1000, False), (21, 105, True), (21, 104, False), (20, 41, True)],
)
@pytest.mark.parametrize("dtype", ["str", "category"])
def test_too_many_levels_are_left_out_with_a_warning(levels, rows, is_kept, dtype):
    town = pd.Series([f"town {i % levels}" for i in range(rows)], dtype=dtype)
    frame = pd.DataFrame({"x": rng.normal(size=rows), "town": town, "y": rng.normal(size=rows)})
    prepared = prepare(frame, "y")
    assert ("town" in prepared.X) == is_kept
    if not is_kept:
        assert severe(prepared) == [
            f"'town' has {levels} different texts in {rows:,} rows, too many to compare, and was left out. Group them; "
            "or keep them all, which takes long, with categorical=['town']."
        ]
    assert "town" in prepare(frame, "y", categorical=["town"]).X


def test_some_rows_have_no_columns_that_are_useless_there():
    """Levels that repeat in all rows need not in some of them, and a column may be constant."""
    towns = [f"town {i % 40}" for i in range(N)]
    frame = pd.DataFrame({"x": rng.normal(size=2 * N), "town": towns * 2, "y": rng.normal(size=2 * N)})
    whole = prepare(frame.assign(half=np.arange(2 * N) // N), "y")
    assert list(whole.X) == ["x", "town", "half"]
    some = whole.some_rows(whole.X.index[:45])
    assert list(some.X) == ["x"] == list(some.kinds)
    assert list(some.recipe["columns"]) == ["x", "y"]
    assert list(whole.some_rows(whole.X.index[:45], ["town"]).X) == ["x", "town"]
    with pytest.raises(InputError, match="has only one value"):
        prepare(frame.assign(y=np.arange(2 * N) // N), "y").some_rows(whole.X.index[:9])


def test_the_error_about_no_columns_says_why():
    with pytest.raises(
        InputError, match=r"no columns are left .* 'town' has 120 different|'town' has a different text"
    ):
        prepare(pd.DataFrame({"town": [f"t{i}" for i in range(N)], "y": rng.normal(size=N)}), "y")
