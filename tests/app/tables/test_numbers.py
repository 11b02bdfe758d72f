"""Numbers as people write them, marks and codes of missing values, and odd cells: nothing is lost in silence.

Each rule has its opposite: tables that look alike and are in order.
"""

import numpy as np
import pandas as pd
import pytest

from rsens import InputError
from rsens._app.tables import choose_likelihood, prepare, prepare_again, read_file
from tests.app.tables.tables import N, dropped, kind, repeated, said, severe, table

rng = np.random.default_rng(0)
NUMBERS = [f"{value:.2f}" for value in rng.normal(20.0, 3.0, N)]
WHOLE = [str(value) for value in rng.integers(1, 40, N)]
COMMAS = [cell.replace(".", ",") for cell in NUMBERS]
DATES = [f"2024-{i % 12 + 1:02}-{i % 28 + 1:02}" for i in range(N)]


def with_cells(cells, *odd):
    """The cells, the first of them replaced."""
    return [*odd, *cells[len(odd) :]]


@pytest.fixture(params=["file", "frame"])
def through(request, tmp_path):
    """A function that prepares a table, directly or through a file."""

    def run(frame, target="y", **options):
        if request.param == "frame":
            return prepare(frame, target, **options)
        frame.to_csv(tmp_path / "data.csv", index=False, sep=";")
        data = read_file(tmp_path / "data.csv")
        return prepare(data.frame, target, **options)

    return run


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1,234", "5", "1,234,567"], [1234.0, 5.0, 1234567.0]), (["1,234.5", "-5", "12"], [1234.5, -5.0, 12.0]),
        (["1,234", "0.5", "12"], [1234.0, 0.5, 12.0]), (["1.234,5", "2", "-0,25"], [1234.5, 2.0, -0.25]),
        (["12%", "5.5 %", "-1%"], [12.0, 5.5, -1.0]), (["1.5", "2", "1e-3"], [1.5, 2.0, 0.001]),
        (["–5", "7.5", "−1"], [-5.0, 7.5, -1.0]), (["$1,234.50", "$5", "-$7.25"], [1234.5, 5.0, -7.25]),
        (["€ 5", "€7", "0"], [5.0, 7.0, 0.0]), (["12,30 €", "-5 €", "1.234,50 €"], [12.3, -5.0, 1234.5]),
        (["5.5 USD", "7 USD", "1 USD"], [5.5, 7.0, 1.0]), (["£5", "(£7.5)", "£1"], [5.0, -7.5, 1.0]),
        (["(1.23)", "4.5", "0.5"], [-1.23, 4.5, 0.5]), (["1 234", "12", "1 234 567"], [1234.0, 12.0, 1234567.0]),
        (["1\u00a0234,5", "12", "−3"], [1234.5, 12.0, -3.0]), (["1\u202f234.5", "12", "3"], [1234.5, 12.0, 3.0]),
        (["1'234.50", "12", "3"], [1234.5, 12.0, 3.0]), (["1’234", "12", "3"], [1234.0, 12.0, 3.0]),
        (["1.234.567", "12", "3"], [1234567.0, 12.0, 3.0]), (["12,5\u00a0%", "−5 %", "0 %"], [12.5, -5.0, 0.0]),
    ],
)  # fmt: skip
def test_text_that_is_numbers(cells, numbers):
    frame = table(new=repeated(cells))
    prepared = prepare(frame, "y")
    np.testing.assert_allclose(prepared.X["new"].iloc[:3], numbers, rtol=1e-15)
    k = max(range(3), key=lambda k: len(cells[k]))
    assert said(prepared, "converted") == f"'new' was read as numbers ({cells[k]!r} is {numbers[k]:.12g})."
    assert not severe(prepared)
    np.testing.assert_array_equal(prepare_again(frame.iloc[:3], prepared.reader).X["new"], numbers)


@pytest.mark.parametrize(("cells", "new"), [(["1,234", "5", "1,234,567"], "1,5"), (["1.234,5", "2"], "1.5")])
def test_new_rows_in_another_format_are_refused(cells, new):
    reader = prepare(table(new=repeated(cells)), "y").reader
    with pytest.raises(InputError, match="'new' cannot be read as numbers"):
        prepare_again(table(new=new), reader)


@pytest.mark.parametrize(
    "values",
    [
        ["1,234", "5,678", "12,345"], ["12%", "5", "7"], ["1,234.5", "1.234,5", "3"], ["$5", "€7", "£9"],
        ["(1)", "(2)", "(3)"], ["(1.5", "2.5", "3.5"], ["01", "02", "03"], ["2024-13-45", "2024-01-02", "2024-01-03"],
        ["31/04/2024", "04/03/2024", "05/03/2024"], ["1.2.3", "1.2.4", "1.3.0"], ["1.2.3", "1.2.10", "1.3.4"],
        ["12-34-56", "11-22-33", "01-02-03"], ["20240131", "20240201", "x"], ["3/1000", "5/1000", "7/1000"],
        ["1/2", "3/4", "5/8"], ["may", "june", "july"], ["1-2", "2-3", "x"], ["", " ", "a"],
    ],
)  # fmt: skip
def test_text_that_stays_text(values):
    prepared = prepare(table(new=repeated(values)), "y")
    assert kind(prepared, "new") == "categorical"
    assert prepared.X["new"].tolist() == repeated(values)
    assert not said(prepared, "converted")


@pytest.mark.parametrize(
    "cells", [["$5", "€7", "£9"], ["12%", "5", "7"], ["1,234.5", "1.234,5", "3"], ["1,234", "5,678", "7"]]
)
def test_numbers_that_cannot_be_read_are_a_warning(cells):
    (note,) = severe(prepare(table(new=repeated(cells)), "y"))
    assert (note.kind, note.columns) == ("odd_cells", ("new",))
    assert "look like numbers, but in several ways, such as" in note.text
    with pytest.raises(InputError, match=r"the target 'y' is text: .* several ways"):
        prepare(table(y=repeated(cells)), "y")


@pytest.mark.parametrize(("other", "number"), [("0,5", 1.234), ("1,234,567", 1234.0)])
def test_commas_mean_the_same_in_all_columns(other, number):
    prepared = prepare(table(a=repeated(["1,234", "5,678", "7"]), b=repeated(["1,234", other, "7"])), "y")
    assert prepared.X["a"].tolist()[0] == number
    assert not said(prepared, "ambiguous")
    again = prepare_again(table(a=["1,234"] * N, b=["7"] * N), prepared.reader)
    assert again.X["a"].tolist()[0] == number


def test_columns_that_disagree_about_commas_settle_nothing():
    columns = {"a": ["1,234", "5,678", "7"], "b": ["0,5", "7", "8"], "c": ["1,234.5", "7", "8"]}
    frame = table(**{name: repeated(cells) for name, cells in columns.items()})
    assert [note.columns for note in severe(prepare(frame, "y"))] == [("a",)]
    assert kind(prepare(frame, "y", categorical=["a"], drop=["c"]), "a") == "categorical"


@pytest.mark.parametrize(("points", "expected"), [("0.5", "number"), ("5", "categorical")])
def test_decimal_points_of_a_file_decide_what_its_commas_mean(tmp_path, points, expected):
    rows = [f'"{1000 + 37 * i % 90:,}",{points},{i % 7}' for i in range(N)]
    (tmp_path / "data.csv").write_text("\n".join(["people,x,y", '"1,234",7,1', *rows]))
    prepared = prepare(read_file(tmp_path / "data.csv").frame, "y")
    assert bool(severe(prepared)) == (expected == "categorical")
    if expected == "number":
        assert prepared.X["people"].iloc[0] == 1234.0
        again = prepare_again(read_file(tmp_path / "data.csv").frame, prepared.reader)
        pd.testing.assert_frame_equal(again.X, prepared.X)


def test_columns_read_in_the_same_way_have_one_note():
    columns = {"a": ["0,5", "1,5"], "b": ["0,25", "7"], "c": ["5 %", "7 %"]}
    prepared = prepare(table(**{name: repeated(cells) for name, cells in columns.items()}), "y")
    assert [note.columns for note in prepared.notes if note.kind == "converted"] == [("a", "b"), ("c",)]


@pytest.mark.parametrize("unit", [" kg", "mm"])
def test_numbers_with_units_are_left_out_with_a_warning(unit):
    prepared = prepare(table(new=[f"{value:.2f}{unit}" for value in rng.normal(70.0, 9.0, N)]), "y")
    assert "new" in dropped(prepared)
    assert [note.kind for note in severe(prepared)] == ["levels"]
    names = prepare(table(name=[f"row {i}" for i in range(N)], code=[f"A{i}" for i in range(N)]), "y")
    assert set(dropped(names)) == {"name", "code"}
    assert not severe(names)


@pytest.mark.parametrize(
    ("cells", "mark"),
    [
        (NUMBERS, "-"), (NUMBERS, "N. D."), (NUMBERS, "n/a"), (WHOLE, "--"), (WHOLE, "."), (COMMAS, "–"),
        (COMMAS, "#DIV/0!"), (DATES, "—"), (DATES, "unknown"), ([f"{cell} %" for cell in NUMBERS], "n.d."),
    ],
)  # fmt: skip
def test_marks_among_numbers_are_missing(through, cells, mark):
    prepared = through(table(new=with_cells(cells, mark, mark)))
    assert kind(prepared, "new") == ("date" if cells is DATES else "number")
    assert prepared.X.index.tolist() == list(range(2, N))
    if cells in (NUMBERS, WHOLE):
        np.testing.assert_array_equal(prepared.X["new"], np.array(cells[2:], dtype=float))
    if mark != "n/a":  # which is missing in any column of a file
        assert f"'new' has 2 cells with {mark!r}" in said(prepared, "missing")
    assert not severe(prepared)


@pytest.mark.parametrize(
    "cells", [["-", "a", "b", "-"], ["-", "+", "-", "+"], ["-", "1", "-", "1"], ["-", "low", "12", "3"]]
)
def test_a_dash_among_text_is_a_category(through, cells):
    prepared = through(table(new=repeated(cells)))
    assert prepared.X["new"].tolist() == repeated(cells)
    assert prepared.notes == ()
    codes = ["01", "02", "-", "03"]
    assert set(through(table(new=repeated(codes)), categorical=["new"]).X["new"]) == set(codes)
    assert set(prepare(table(new=repeated(codes)), "y").X["new"]) == set(codes)  # text on purpose


def test_marks_in_new_rows():
    reader = prepare(table(new=NUMBERS, commas=COMMAS, label=repeated(["-", "1", "x", "2"])), "y").reader
    rows = table(new=with_cells(NUMBERS, "-"), commas=with_cells(COMMAS, "1,5", "n.d."), label=repeated(["-", "1"]))
    again = prepare_again(rows, reader)
    assert again.X.index.tolist() == list(range(2, N))
    assert set(again.X["label"]) == {"-", "1"}


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (
            with_cells(NUMBERS, "<5", "n.d.x", "12.3*"),
            f"{N - 3} of its 120 cells look like numbers, but not '<5', 'n.d",
        ),
        (with_cells(WHOLE, "<5"), f"{N - 1} of its 120 cells"),
        (with_cells(COMMAS, "<5"), f"{N - 1} of its 120 cells"),
        (with_cells(DATES, "in May", "-"), f"{N - 2} of its 119 cells look like dates, but not 'in May'"),
        (repeated(["1", "2", "3", "4", "x"]), "96 of its 120 cells look like numbers, but not 'x'"),
        (with_cells(NUMBERS, "word " * 100), "word…"),
    ],
)
def test_odd_cells_are_a_warning(through, cells, words):
    severe_notes = severe(through(table(new=cells)))
    assert words in " ".join(note.text for note in severe_notes if note.kind == "odd_cells")


def test_a_target_with_odd_cells_is_refused(through):
    with pytest.raises(InputError, match=r"target 'y' is text: .* but not '<5'") as error:
        through(table(y=with_cells(COMMAS, "<5")))
    assert error.value.argument == "categorical"
    prepared = through(table(y=repeated(["0", "1", "2", "2", "3+"])), categorical=["y"])
    assert choose_likelihood(prepared.y).classes == ("0", "1", "2", "3+")


@pytest.mark.parametrize(
    ("cells", "categorical"),
    [
        (["1", "2", "3", "x"], []), (["IIa", "IIb", "III", "IV"], []), (["5 mg", "10 mg", "20 mg", "5 mg"], []),
        (["<18", "18-65", ">65", "<18"], []), (["T1", "T2", "2", "1"], []), (["1", "2", "3", "4", "x"], ["new"]),
    ],
)  # fmt: skip
def test_categories_with_digits_are_not_odd(through, cells, categorical):
    prepared = through(table(new=repeated(cells)), categorical=categorical)
    assert prepared.notes == ()


@pytest.mark.parametrize(
    ("values", "codes", "column"),
    [
        (rng.normal(20.0, 3.0, N), (-999.0, -999.0, -999.0), "y"),
        (rng.normal(20.0, 3.0, N), (9999.0,) * 40, "new"),
        (rng.normal(0.0, 1.0, N), (-999.25,) * 3, "new"),
        (rng.normal(0.0, 1.0, N), (99.99,) * 3, "y"),
        (rng.uniform(30.0, 33.0, N), (-1.0,) * 3, "new"),
        (rng.integers(1, 6, N), (-99, -99, -99, -98, -98, -98), "new"),
        (rng.integers(0, 2, N), (9, 9, 9), "new"),
        (rng.poisson(0.2, N), (-999,) * 3, "y"),
        (rng.normal(20.0, 3.0, N), (-999.0, -999.0, -999.0, 9999.0, 9999.0, 9999.0), "new"),
    ],
)
def test_codes_of_missing_values_are_a_warning(values, codes, column):
    frame = table(**{column: with_cells(list(values), *codes)})
    found = [note for note in severe(prepare(frame, "y")) if note.kind == "missing_code"]
    assert [note.columns for note in found] == [(column,)] * len(set(codes))
    assert f"'{column}' is {codes[0]:g} in {codes.count(codes[0])} rows" in " ".join(note.text for note in found)


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
        [-1.0] * 20 + [1.0] * (N - 20),
        repeated([-1, 0, 1, 2]),
        repeated([0, 9]),
        list(rng.standard_cauchy(N)),
        list(np.exp(rng.normal(0.0, 3.0, N))),
        list(rng.integers(1900, 2000, N - 3)) + [1999] * 3,
        ["1990-01-01"] * 3 + DATES[3:],
    ],
)
def test_other_numbers_are_not_codes(values):
    assert not severe(prepare(table(new=values), "y"))
