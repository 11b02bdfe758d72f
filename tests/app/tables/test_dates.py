"""Dates in text: which form they have, told from the whole column, and the days and parts they become."""

import datetime
from unittest import mock

import numpy as np
import pandas as pd
import pytest

from rsens import InputError
from rsens._app.tables import TableReader, _dates, prepare, prepare_again
from tests.app.tables.tables import N, kind, said, severe, table

rng = np.random.default_rng(0)
DAYS = pd.date_range("2021-01-01", periods=N, freq="8D")  # two and a half years, on all weekdays
SHORT = pd.date_range("2024-03-01", periods=N, freq="7D")[:45].repeat(3)[:N]  # less than a year, on Fridays


def shuffled(days):
    return days[np.random.default_rng(1).permutation(len(days))]


@pytest.mark.parametrize(
    ("form", "order"),
    [
        ("%d/%m/%Y", "day first"), ("%m/%d/%Y", "month first"), ("%d.%m.%Y", "day first"), ("%d-%m-%Y", "day first"),
        ("%m-%d-%Y", "month first"), ("%Y-%m-%d", "year first"), ("%Y/%m/%d", "year first"), ("%d/%m/%y", "day first"),
        ("%d.%m.%y", "day first"), ("%d %b %Y", ""), ("%d-%b-%y", ""), ("%B %d, %Y", ""), ("%a, %d %b %Y", ""),
        ("%m/%d/%Y %I:%M %p", "month first"), ("%d/%m/%Y %H:%M:%S", "day first"), ("%Y-%m-%dT%H:%M:%SZ", "year first"),
    ],
)  # fmt: skip
def test_a_form_is_told_from_all_cells(form, order):
    days = shuffled(SHORT)
    prepared = prepare(table(when=days.strftime(form)), "y")
    assert f"'when' was read as dates{f', {order}' * bool(order)} ('" in said(prepared, "date")
    assert said(prepared, "date").endswith(": days since 2024-03-01.")
    np.testing.assert_array_equal(prepared.X["when"], (days - SHORT[0]).days)
    assert kind(prepared, "when") == "date"
    assert not said(prepared, "ambiguous")


def test_months_are_taken_as_their_first_day():
    months = pd.date_range("2020-01-01", periods=12, freq="MS").repeat(10)
    for form in ("%b-%y", "%B %Y", "%Y-%m", "%m/%Y"):
        prepared = prepare(table(when=months.strftime(form)), "y")
        np.testing.assert_array_equal(prepared.X["when"], (months - months[0]).days)


def test_what_cannot_be_told_is_day_first_and_said():
    cells = ["03/04/2024", "04/03/2024", "01/12/2024"] * 40
    prepared = prepare(table(when=cells), "y")
    assert prepared.X["when"].tolist()[:3] == [30.0, 0.0, 272.0]
    (note,) = [note for note in prepared.notes if note.kind == "ambiguous"]
    assert note.text.argument == "date"
    other = prepare(table(when=cells), "y", date={"when": "month-first"})
    assert other.X["when"].tolist()[:3] == [52.0, 82.0, 0.0]
    assert not said(other, "ambiguous")


def test_other_columns_and_the_order_of_rows_tell():
    cells = ["03/04/2024", "04/03/2024", "01/12/2024"] * 40
    decided = shuffled(SHORT).strftime("%m/%d/%Y")
    prepared = prepare(table(when=cells, other=decided), "y")
    assert "'when' was read as dates, month first" in said(prepared, "date")
    assert not said(prepared, "ambiguous")
    few = pd.to_datetime([f"2024-{month:02}-{day:02}" for month in range(1, 13) for day in range(1, 11)])
    ordered = prepare(table(when=few.strftime("%m/%d/%Y")), "y")
    assert "month first" in said(ordered, "date")
    assert not said(ordered, "ambiguous")


def test_dates_far_away_and_two_digit_years():
    when = ["03/10/1066", "14/10/1066", "01/01/3000"] * 40
    short = ["31/12/68", "01/01/69", "15/06/24"] * 40
    prepared = prepare(table(when=when, short=short), "y", date={"short": "days"})
    assert prepared.X["when"].tolist()[:3] == [0.0, 11.0, (datetime.date(3000, 1, 1) - datetime.date(1066, 10, 3)).days]
    days = pd.to_datetime(["2068-12-31", "1969-01-01", "2024-06-15"]) - pd.Timestamp("1969-01-01")
    assert prepared.X["short"].tolist()[:3] == days.days.tolist()


def test_zones_count_for_days_and_not_for_hours():
    """Days are in UTC; the hour is on the clock on the wall, in text and in typed columns."""
    wall = pd.date_range("2024-01-01", periods=N, freq="5h")
    berlin = wall.tz_localize("Europe/Berlin")
    typed = prepare(table(when=berlin), "y")
    text = prepare(table(when=berlin.map(lambda each: each.isoformat())), "y")
    pd.testing.assert_frame_equal(typed.X[list(typed.groups["when"])], text.X[list(text.groups["when"])])
    hour = 2.0 * np.pi * wall.hour / 24.0
    np.testing.assert_allclose(typed.X["when (hour sin)"], np.sin(hour), atol=1e-9)
    assert typed.X["when (days)"].iloc[0] == 23.0 / 24.0  # since midnight of the day before, in UTC


def test_years_and_whole_number_dates_stay_numbers():
    prepared = prepare(table(year=DAYS.year, day=DAYS.strftime("%Y%m%d").astype(int)), "y")
    assert kind(prepared, "year") == kind(prepared, "day") == "number"
    asked = prepare(table(day=DAYS.strftime("%Y%m%d").astype(int)), "y", date={"day": "%Y%m%d"})
    np.testing.assert_array_equal(asked.X["day (days)"], (DAYS - DAYS[0]).days)
    gap = DAYS.strftime("%Y%m%d").astype(float).to_series(index=range(N)).where(np.arange(N) > 0)
    assert len(prepare(table(day=gap), "y", date={"day": "%Y%m%d"}).X) == N - 1


def test_cells_that_do_not_fit_and_several_forms_are_a_warning():
    cells = [*shuffled(DAYS).strftime("%d/%m/%Y")[:-2], "31/02/2024", "in May"]
    (note,) = severe(prepare(table(when=cells), "y"))
    assert "118 of its 120 cells look like dates, but not '31/02/2024', 'in May'" in note.text
    cells = [*DAYS.strftime("%d/%m/%Y")[: N // 2], *DAYS.strftime("%B %d, %Y")[N // 2 :]]
    assert "several ways" in severe(prepare(table(when=cells), "y"))[0].text


def test_marks_and_gaps_and_times_of_day():
    cells = ["-", None, *DAYS.strftime("%d/%m/%Y")[2:]]
    for asked in ({}, {"when": "%d/%m/%Y"}, {"when": "day-first"}):
        prepared = prepare(table(when=cells), "y", date=asked)
        assert prepared.X.index.tolist() == list(range(2, N))
        assert "1 cell with '-'" in said(prepared, "missing")
    frame = table(at=["14:30", "0:15", "23:45:30"] * 40, half=["2:30 PM", "12:00 am", "9:15 a.m."] * 40)
    prepared = prepare(frame, "y")
    np.testing.assert_allclose(prepared.X["at"][:3], [14.5, 0.25, 23.0 + 45.5 / 60.0])
    np.testing.assert_allclose(prepared.X["half"][:3], [14.5, 0.0, 9.25])
    assert said(prepared, "converted").startswith("'at', 'half' were read as times, in hours")


@pytest.mark.parametrize(
    ("options", "argument", "word"),
    [
        ({"date": {"when": "%Q"}}, "date", "must have"),
        ({"date": {"when": "%d/%m"}}, "date", "must have"),
        ({"date": {"when": 5}}, "date", "got 5"),
        ({"date": ["when"]}, "date", "got a list"),
        ({"date": {"wen": "%d/%m/%Y"}}, None, "Did you mean 'when'"),
        ({"date": {"when": "%m/%d/%Y"}}, "date", "does not fit 71 of 120 cells"),
        ({"date": {"when": "day-first"}, "categorical": ["when"]}, "categorical", "leave out one"),
        ({"date": {"when": "century"}}, "date", "days, year, weekday and hour"),
        ({"date": {"when": []}}, "date", "got \\[\\]"),
        ({"date": {"x": "days"}}, "date", "'x' was not read as dates"),
        ({"date": {"y": "days"}}, "date", "'y' is the target"),
        ({"date": {"when": "hour"}}, "date", "never changes"),
    ],
)
def test_requests_that_cannot_be_met(options, argument, word):
    with pytest.raises(InputError, match=word) as error:
        prepare(table(when=DAYS.strftime("%d/%m/%Y")), "y", **options)
    assert error.value.argument == argument


def parts(when, **options):
    frame = pd.DataFrame({"when": when, "x": np.arange(len(when)) ** 2.0, "y": np.sin(np.arange(len(when)))})
    prepared = prepare(frame, "y", **options)
    return {name.partition("(")[2].split()[0].strip(")") for name in prepared.groups.get("when", ["when (days)"])}


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        (pd.date_range("2021-01-01", periods=800), {"days", "year", "weekday"}),
        (pd.date_range("2021-01-01", periods=400), {"days", "weekday"}),  # less than one and a half years
        (pd.date_range("2021-01-04", periods=300, freq="W"), {"days", "year"}),  # Sundays
        (pd.bdate_range("2023-01-02", periods=200), {"days", "weekday"}),
        (pd.date_range("2021-01-01", periods=60, freq="MS"), {"days", "year"}),
        (pd.date_range("2021-01-01", periods=60, freq="YS"), {"days"}),
        (pd.date_range("2021-01-01", periods=500, freq="h"), {"days", "weekday", "hour"}),
        (pd.date_range("2021-01-01", periods=24, freq="h"), {"days"}),
        (pd.date_range("1920-01-01", periods=500, freq="61D"), {"days", "year"}),  # dates of birth
        (pd.date_range("2021-01-01", periods=20), {"days"}),
    ],
)
def test_parts_are_made_where_they_pay(when, expected):
    assert parts(when) == expected


def test_parts_that_are_asked_for_are_one_group():
    assert parts(DAYS, date={"when": ["year"]}) == {"year"}
    texts = DAYS.strftime("%B %d, %Y")
    assert parts(texts, date={"when": ["%B %d, %Y", "days", "weekday"]}) == {"days", "weekday"}
    prepared = prepare(table(when=DAYS.strftime("%d/%m/%Y")), "y", date={"when": "days,year,weekday"})
    names = tuple(f"when ({piece})" for piece in ("days", "year sin", "year cos", "weekday sin", "weekday cos"))
    assert prepared.groups == {"when": names}
    assert list(prepared.X) == ["x", *names]
    year = 2.0 * np.pi * (DAYS - pd.Timestamp("2000-01-01")).days / 365.2425
    week = 2.0 * np.pi * DAYS.day_of_week / 7.0
    np.testing.assert_allclose(prepared.X["when (year cos)"], np.cos(year), atol=1e-12)
    np.testing.assert_allclose(prepared.X["when (weekday sin)"], np.sin(week), atol=1e-12)
    assert "days since 2021-01-01, time of year and weekday, together one variable" in said(prepared, "date")


def test_what_others_determine_is_not_made():
    """Two days of the year: sin is a linear function of cos."""
    when = pd.to_datetime([f"{year}-{month}-01" for year in range(1900, 1960) for month in ("01", "07")])
    prepared = prepare(table(when=when), "y", date={"when": "days,year"})
    assert len(prepared.groups["when"]) == 2
    with pytest.raises(InputError, match=r"make a column 'when \(days\)', and there is one"):
        prepare(table(**{"when (days)": range(N), "when": DAYS}), "y", date={"when": "days,year"})


@pytest.mark.parametrize("form", ["%d/%m/%Y", "%B %d, %Y", "%Y-%m-%dT%H:%M:%S+02:00"])
@pytest.mark.parametrize("asked", [False, True])
def test_new_rows_have_the_same_columns(form, asked):
    frame = table(when=DAYS.strftime(form))
    first = prepare(frame, "y", date={"when": form.replace("+02:00", "%z")} if asked else None)
    again = prepare_again(frame.iloc[[7, 3]], first.reader)
    pd.testing.assert_frame_equal(again.X, first.X.iloc[[7, 3]])
    assert again.groups == first.groups != {}
    with pytest.raises(InputError, match="column 'when' cannot be read as dates"):
        prepare_again(frame.assign(when="soon"), first.reader)


def test_a_target_of_dates_and_recipes_without_a_form():
    np.testing.assert_array_equal(prepare(table(y=DAYS.strftime("%d/%m/%Y")), "y").y, (DAYS - DAYS[0]).days)
    number, dates = {"kind": "number"}, {"kind": "date", "origin": "2021-01-01T00:00:00"}
    recipe = {"target": "y", "columns": {"x": number, "when": dates, "y": number}}
    again = prepare_again(table(when=DAYS.strftime("%Y-%m-%d")), TableReader.from_recipe(recipe))
    np.testing.assert_array_equal(again.X["when"], (DAYS - DAYS[0]).days)
    assert again.groups == {}


def test_many_cells(monkeypatch):
    """Different days and times of day are read, in every form that they may have, and not each cell."""
    read = [mock.Mock(wraps=getattr(_dates, name)) for name in ("_day", "_time")]
    for name, counting in zip(("_day", "_time"), read, strict=True):
        monkeypatch.setattr(_dates, name, counting)
    when = pd.date_range("2000-01-01", periods=30_000, freq="7min").strftime("%d/%m/%Y %H:%M")
    frame = pd.DataFrame({"when": when, "x": np.arange(len(when)) ** 0.5, "y": np.arange(len(when)) % 7 * 1.5})
    assert prepare(frame, "y").groups["when"][0] == "when (days)"
    assert sum(counting.call_count for counting in read) < len(when)
