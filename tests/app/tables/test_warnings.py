"""Tables that would give a wrong answer in silence: marks and codes of missing values, odd cells, copies of the target.

Each rule has its opposite: tables that look alike and are in order.
"""

import numpy as np
import pandas as pd
import pytest

from rsens import InputError
from rsens._app.tables import Note, choose_likelihood, prepare, prepare_again, read_file

N = 100
rng = np.random.default_rng(0)
NUMBERS = [f"{value:.2f}" for value in rng.normal(20.0, 3.0, N)]
WHOLE = [str(value) for value in rng.integers(1, 40, N)]
COMMAS = [cell.replace(".", ",") for cell in NUMBERS]
DATES = [f"2024-{i % 12 + 1:02}-{i % 28 + 1:02}" for i in range(N)]


def table(**columns):
    base = {"x": rng.normal(size=N), "y": rng.normal(size=N)}
    return pd.DataFrame(base | columns)


def with_cells(cells, *odd):
    """The cells, the first of them replaced."""
    return [*odd, *cells[len(odd) :]]


@pytest.fixture(params=["file", "frame"])
def through(request, tmp_path):
    """A function that prepares a table, as it comes or through a file; all notes are in its result."""

    def run(frame, target="y", **options):
        if request.param == "frame":
            return prepare(frame, target, **options), ()
        frame.to_csv(tmp_path / "data.csv", index=False, sep=";")
        data = read_file(tmp_path / "data.csv", target=target, as_text=options.get("categorical", ()))
        return prepare(data.frame, target, **options), data.notes

    return run


def severe(prepared):
    return [note for note in prepared.notes if note.severe]


# ---- marks of missing values -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("cells", [NUMBERS, WHOLE, COMMAS, DATES, [f"{cell} %" for cell in NUMBERS]])
@pytest.mark.parametrize("mark", ["-", "--", "–", "—", "n.d.", "N. D.", "n/a", ".", "#DIV/0!", "unknown"])
def test_marks_among_numbers_are_missing(through, cells, mark):
    prepared, from_file = through(table(new=with_cells(cells, mark, mark)))
    assert prepared.kinds["new"] == ("date" if cells is DATES else "number")
    assert prepared.X.index.tolist() == list(range(2, N))
    if mark not in ("n/a",):  # which is missing in any column of a file
        said = " ".join(str(note) for note in (*from_file, *prepared.notes))
        assert f"'new' has 2 cells with {mark!r} among its numbers or dates, taken as missing." in said
    assert not severe(prepared)


def test_marks_keep_the_numbers(through):
    prepared, _ = through(table(new=with_cells(NUMBERS, "-"), other=with_cells(WHOLE, ".")))
    np.testing.assert_array_equal(prepared.X["new"], np.array(NUMBERS[1:], dtype=float))
    np.testing.assert_array_equal(prepared.X["other"], np.array(WHOLE[1:], dtype=float))


def test_marks_of_a_target(through):
    prepared, _ = through(table(y=with_cells(COMMAS, "-", "n.d.")))
    assert len(prepared.y) == N - 2
    assert prepared.y.dtype == float


@pytest.mark.parametrize(
    "cells", [["-", "a", "b", "-"], ["-", "+", "-", "+"], ["-", "1", "-", "1"], ["-", "low", "12", "3"]]
)
def test_a_dash_among_text_is_a_category(through, cells):
    prepared, _ = through(table(new=cells * (N // 4)))
    assert prepared.X["new"].tolist() == cells * (N // 4)
    assert prepared.notes == ()


def test_a_dash_in_a_column_of_codes_is_a_category(through):
    prepared, _ = through(table(new=["01", "02", "-", "03"] * (N // 4)), categorical=["new"])
    assert set(prepared.X["new"]) == {"01", "02", "-", "03"}
    codes = prepare(table(new=["01", "02", "-", "03"] * (N // 4)), "y")
    assert set(codes.X["new"]) == {"01", "02", "-", "03"}  # text on purpose


def test_marks_in_new_rows():
    recipe = prepare(table(new=NUMBERS, commas=COMMAS, label=["-", "1", "x", "2"] * 25), "y").recipe
    rows = table(new=with_cells(NUMBERS, "-"), commas=with_cells(COMMAS, "1,5", "n.d."), label=["-", "1"] * 50)
    again = prepare_again(rows, recipe)
    assert again.X.index.tolist() == list(range(2, N))
    assert set(again.X["label"]) == {"-", "1"}


# ---- odd cells -------------------------------------------------------------------------------------------------------

ODD = ("<5", "n.d.x", "12.3*")


@pytest.mark.parametrize("cells", [NUMBERS, WHOLE, COMMAS])
def test_odd_cells_among_numbers_are_a_warning(through, cells):
    prepared, _ = through(table(new=with_cells(cells, *ODD)))
    (note,) = severe(prepared)
    assert (note.kind, note.columns) == ("odd_cells", ("new",))
    assert note.text.startswith("'new' has 97 numbers and 3 other cells ('<5', 'n.d.x', '12.3*'), so it was taken as")
    assert ("taken as text and left out." in note.text) == ("new" in prepared.dropped)
    assert "categorical=['new']" in note.text


def test_odd_cells_among_dates_are_a_warning(through):
    prepared, _ = through(table(new=with_cells(DATES, "in May", "-")))
    assert "'new' has 98 dates and 1 other cell ('in May')" in severe(prepared)[0].text


def test_odd_cells_are_a_warning_in_columns_that_are_kept(through):
    prepared, _ = through(table(new=["1", "2", "3", "4", "x"] * 20))
    assert "new" in prepared.X
    assert "so it was taken as text. " in severe(prepared)[0].text
    assert "80 numbers and 20 other cells ('x')" in severe(prepared)[0].text


def test_limits_count_as_numbers(through):
    prepared, _ = through(table(new=["<5", "<5", "< 0.1", *NUMBERS[3:7], "≥7,5"] * 12 + NUMBERS[:4]))
    assert "'new' has 52 numbers and 48 other cells ('<5', " in severe(prepared)[0].text


def test_a_target_with_odd_cells_is_refused(through):
    with pytest.raises(InputError, match=r"the target 'y' has 97 numbers and 3 other cells \('<5', .*so it is text"):
        through(table(y=with_cells(COMMAS, *ODD)))
    prepared, _ = through(table(y=["0", "1", "2", "2", "3+"] * 20), categorical=["y"])
    assert choose_likelihood(prepared.y).classes == ("0", "1", "2", "3+")


@pytest.mark.parametrize(
    "cells",
    [
        ["1", "2", "3", "x"],
        ["IIa", "IIb", "III", "IV"],
        ["5 mg", "10 mg", "20 mg", "5 mg"],
        ["<18", "18-65", ">65", "<18"],
        ["T1", "T2", "2", "1"],
    ],
)
def test_categories_with_digits_are_none(through, cells):
    prepared, _ = through(table(new=cells * (N // 4)))
    assert prepared.notes == ()


def test_odd_cells_of_named_columns_are_codes(through):
    prepared, _ = through(table(new=["1", "2", "3", "4", "x"] * 20), categorical=["new"])
    assert prepared.notes == ()


def test_long_odd_cells_are_cut():
    prepared = prepare(table(new=with_cells(NUMBERS, "word " * 100)), "y")
    assert len(severe(prepared)[0].text) < 250


# ---- the target in other words ---------------------------------------------------------------------------------------


def test_copies_of_the_target():
    y = table()["y"]
    prepared = prepare(table(y=y, celsius=3.0 * y + 1.0, rounded=y.round(3), noisy=y + rng.normal(0.0, 0.05, N)), "y")
    exact, near = severe(prepared)
    assert exact.columns == ("celsius",)
    assert near.columns == ("rounded",)
    assert "almost the target itself, up to scale (correlation above 0.9999)" in near.text


def test_copies_of_a_target_with_classes():
    y = pd.Series(["sick", "well", "well", "sick"] * 25)
    other = y.where(y.index > 0, "well")
    prepared = prepare(table(y=y, code=(y == "sick").astype(int), word=y.str.upper(), other=other), "y")
    (note,) = severe(prepared)
    assert note.columns == ("code", "word")
    assert "each value goes with one value of the target" in note.text


def test_few_rows_are_copies_by_chance():
    few = pd.DataFrame({"a": [1.0, 2.0, 3.0001, 4.0], "b": list("uvuv"), "y": [1.0, 2.0, 3.0, 4.0]})
    assert not severe(prepare(few, "y"))
    assert not severe(prepare(few.assign(y=list("stst")), "y"))


# ---- codes of missing values -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        (rng.normal(20.0, 3.0, N), (-999.0, -999.0, -999.0)),
        (rng.normal(20.0, 3.0, N), (9999.0,) * 40),
        (rng.normal(0.0, 1.0, N), (-999.25,) * 3),
        (rng.normal(0.0, 1.0, N), (99.99,) * 3),
        (rng.uniform(30.0, 33.0, N), (-1.0,) * 3),
        (rng.integers(1, 6, N), (-99, -99, -99, -98, -98, -98)),
        (rng.integers(0, 2, N), (9, 9, 9)),
        (rng.poisson(0.2, N), (-999,) * 3),
        (rng.normal(20.0, 3.0, N), (-999.0, -999.0, -999.0, 9999.0, 9999.0, 9999.0)),
    ],
)
@pytest.mark.parametrize("column", ["new", "y"])
def test_codes_of_missing_values_are_a_warning(values, codes, column):
    frame = table(**{column: with_cells(list(values), *codes)})
    found = [note for note in severe(prepare(frame, "y")) if note.kind == "missing_code"]
    assert all(note.columns == (column,) for note in found)
    assert len(found) == len(set(codes))
    code = codes[0]
    assert f"'{column}' is {code:g} in {codes.count(code)} rows" in " ".join(note.text for note in found)


@pytest.mark.parametrize(
    "values",
    [
        [0.0] * 50 + list(rng.gamma(2.0, 50.0, N - 50)),  # many zeros
        [0.0] * 3 + list(rng.uniform(500.0, 510.0, N - 3)),  # zeros alone
        [-999.0] * 2 + list(rng.normal(size=N - 2)),  # not repeated
        [100.0] * 3 + list(rng.normal(size=N - 3)),  # no nines
        [-50.0] * 3 + list(rng.normal(size=N - 3)),  # not the only negative number
        [9] * 3 + list(rng.poisson(4.0, N - 3)),  # in the tail
        [9] * 3 + [8] * 3 + list(rng.poisson(1.0, N - 6)),
        [99.0] * 3 + list(rng.uniform(0.0, 100.0, N - 3)),
        [-1.0] * 20 + [1.0] * 80,
        [-1, 0, 1, 2] * 25,
        [0, 9] * 50,
        list(rng.standard_cauchy(N)),
        list(np.exp(rng.normal(0.0, 3.0, N))),
        list(rng.integers(1900, 2000, N - 3)) + [1999] * 3,
    ],
)
def test_other_numbers_are_no_codes(values):
    assert not severe(prepare(table(new=values), "y"))


def test_dates_are_no_codes():
    days = ["1990-01-01"] * 3 + DATES[3:]
    assert not severe(prepare(table(new=days), "y"))
    assert not severe(prepare(table(y=days), "y"))


# ---- rows and targets ------------------------------------------------------------------------------------------------


def test_most_rows_left_out_is_a_warning():
    frame = table()
    frame.loc[:49, "x"] = np.nan
    assert [note.severe for note in prepare(frame, "y").notes] == [False]
    frame.loc[50, "x"] = np.nan
    assert [note.severe for note in prepare(frame, "y").notes] == [True]


@pytest.mark.parametrize(("y", "is_said"), [(rng.random(N), True), (rng.random(N) + 0.1, False), ([0, 1] * 50, False)])
def test_a_target_between_0_and_1(y, is_said):
    notes = prepare(table(y=y), "y").notes
    assert [note.kind for note in notes] == ["target"] * is_said
    assert not any(note.severe for note in notes)


def test_notes_are_mild_unless_said():
    assert not Note("missing", (), "text").severe
