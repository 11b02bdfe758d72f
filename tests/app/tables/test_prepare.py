"""From tables to inputs: what columns are taken for, what is left out, and that nothing is done in silence."""

import datetime
import decimal
import json

import numpy as np
import pandas as pd
import pytest

import rsens
from rsens import InputError
from rsens._app.tables import prepare, prepare_again, read_file

N = 60


def table(**columns):
    rng = np.random.default_rng(0)
    base = {"x": rng.normal(size=N), "town": rng.choice(["Oslo", "Bergen"], N), "y": rng.normal(size=N)}
    return pd.DataFrame(base | columns)


def kinds(prepared):
    return {note.kind: note.columns for note in prepared.notes}


def said(prepared, kind):
    return " ".join(str(note) for note in prepared.notes if note.kind == kind)


# ---- what columns are ------------------------------------------------------------------------------------------------


def test_a_table_with_nothing_to_say():
    prepared = prepare(table(), "y")
    assert prepared.notes == ()
    assert prepared.dropped == {}
    assert prepared.kinds == {"x": "number", "town": "categorical"}
    pd.testing.assert_frame_equal(prepared.X, table()[["x", "town"]])
    pd.testing.assert_series_equal(prepared.y, table()["y"])


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([True, False, True], "categorical"),
        (pd.array([True, False, True], dtype="boolean"), "categorical"),
        (pd.Categorical(["u", "v", "u"]), "categorical"),
        (pd.array(["u", "v", "u"], dtype="string"), "categorical"),
        (pd.array([1, 2, 5], dtype="Int64"), "number"),
        (pd.array([1.5, 2.0, 5.0], dtype="Float32"), "number"),
        ([decimal.Decimal("1.5"), decimal.Decimal(2), decimal.Decimal(3)], "number"),
        (pd.to_datetime(["2024-01-03", "2024-01-01", "2024-01-02"]), "date"),
        (pd.to_datetime(["2024-01-03", "2024-01-01", "2024-01-02"], utc=True), "date"),
        ([datetime.date(2024, 1, day) for day in (3, 1, 2)], "date"),
        (pd.to_timedelta(["2 days", "1 day", "12 hours"]), "number"),
        (np.array([1, 2, 5], dtype=np.uint8), "number"),
        (np.array([1, 2, 2**64 - 1], dtype=np.uint64), "number"),
    ],
)
def test_types(values, kind):
    prepared = prepare(table(new=pd.Series(values).repeat(N // 3).to_numpy(dtype=object)).astype({"new": object}), "y")
    typed = prepare(table(new=pd.Series(values).repeat(N // 3).reset_index(drop=True)), "y")
    assert prepared.kinds["new"] == typed.kinds["new"] == kind
    model = rsens.BayesianLinearRegression(prior_precision=1.0).fit(typed.X, typed.y)
    assert (model.coding_ is not None and "new" in [c.name for c in model.coding_.columns]) == (kind == "categorical")


def test_dates_are_days_since_the_first():
    days = pd.date_range("2024-03-01", periods=N).strftime("%Y-%m-%d")
    times = [f"2024-01-01T{hour % 24:02}:30:00" for hour in range(N)]
    prepared = prepare(table(day=days[::-1], time=times), "y")
    np.testing.assert_array_equal(prepared.X["day"], np.arange(N)[::-1])
    assert prepared.X["time"].iloc[1] == pytest.approx(1.5 / 24.0)
    assert prepared.kinds["day"] == prepared.kinds["time"] == "date"
    assert "'day' was read as dates, year first (yyyy-mm-dd): days since 2024-03-01." in said(prepared, "date")
    gaps = table(day=days.where(np.arange(N) > 0, None))
    assert len(prepare(gaps, "y").X) == N - 1


def test_time_zones():
    prepared = prepare(table(time=["2024-01-01T00:00:00+02:00", "2024-01-01T00:00:00Z"] * (N // 2)), "y")
    assert np.ptp(prepared.X["time"]) == pytest.approx(2.0 / 24.0)


@pytest.mark.parametrize(
    ("values", "numbers"),
    [
        (["1,234", "5", "1,234,567"], [1234.0, 5.0, 1234567.0]),
        (["1,234.5", "-5", "12"], [1234.5, -5.0, 12.0]),
        (["1,234", "0.5", "12"], [1234.0, 0.5, 12.0]),
        (["1,5", "2", "0,25"], [1.5, 2.0, 0.25]),
        (["1.234,5", "2", "-0,25"], [1234.5, 2.0, -0.25]),
        (["12%", "5.5 %", "-1%"], [12.0, 5.5, -1.0]),
        (["1.5", "2", "1e-3"], [1.5, 2.0, 0.001]),
    ],
)
def test_text_that_is_numbers(values, numbers):
    prepared = prepare(table(new=values * (N // 3)), "y")
    assert prepared.kinds["new"] == "number"
    np.testing.assert_allclose(prepared.X["new"].iloc[:3], numbers, rtol=1e-15)
    assert kinds(prepared)["converted"] == ("new",)


@pytest.mark.parametrize(
    "values",
    [
        ["1,234", "5,678", "12,345"],
        ["12%", "5", "7"],
        ["1,234.5", "1.234,5", "3"],
        ["$5", "€7", "£9"],
        ["(1)", "(2)", "(3)"],
        ["01", "02", "03"],
        ["2024-13-45", "2024-01-02", "2024-01-03"],
        ["31/04/2024", "04/03/2024", "05/03/2024"],
        ["1.2.3", "1.2.4", "1.3.0"],
        ["1/2", "3/4", "5/8"],
        ["may", "june", "july"],
        ["1-2", "2-3", "x"],
        ["", " ", "a"],
    ],
)
def test_text_that_stays_text(values):
    prepared = prepare(table(new=values * (N // 3)), "y")
    assert prepared.kinds["new"] == "categorical"
    assert prepared.X["new"].tolist() == values * (N // 3)
    assert "converted" not in kinds(prepared)


def test_text_that_may_be_numbers_in_two_ways_is_a_warning():
    prepared = prepare(table(a=["1,234", "5,678", "7"] * 20), "y")
    assert "'a' was taken as text: 1,234 may be 1234 or 1.234" in said(prepared, "ambiguous")
    assert [note.severe for note in prepared.notes] == [True]


@pytest.mark.parametrize(("other", "number"), [("0,5", 1.234), ("1,234,567", 1234.0)])
def test_commas_mean_the_same_in_all_columns(other, number):
    prepared = prepare(table(a=["1,234", "5,678", "7"] * 20, b=["1,234", other, "7"] * 20), "y")
    assert prepared.X["a"].tolist()[0] == number
    assert "ambiguous" not in kinds(prepared)
    again = prepare_again(table(a=["1,234"] * N, b=["7"] * N), prepared.recipe)
    assert again.X["a"].tolist()[0] == number


def test_columns_read_in_the_same_way_have_one_note():
    prepared = prepare(table(a=["0,5", "1,5"] * 30, b=["0,25", "7"] * 30, c=["5 %", "7 %"] * 30), "y")
    converted = [note.text for note in prepared.notes if note.kind == "converted"]
    assert converted == [
        "'a', 'b' were read as numbers with a decimal comma.",
        "'c' was read as percentages.",
    ]


def test_columns_that_disagree_about_commas_settle_nothing():
    columns = {"a": ["1,234", "5,678", "7"] * 20, "b": ["0,5", "7", "8"] * 20, "c": ["1,234.5", "7", "8"] * 20}
    assert kinds(prepare(table(**columns), "y"))["ambiguous"] == ("a",)
    codes = prepare(table(**{name: columns[name] for name in "ab"}), "y", categorical=["a"])
    assert codes.kinds["a"] == "categorical"


def test_a_target_that_may_be_two_numbers_is_refused():
    with pytest.raises(InputError, match=r"the target 'y' is text: 1,234 may be 1234 or 1\.234"):
        prepare(table(y=["1,234", "5,678", "7"] * 20), "y")


def test_columns_that_are_the_same_up_to_scale_are_named():
    x = table()["x"]
    prepared = prepare(table(twice=2.0 * x, other=x**2, minus=1.0 - x, huge=1e300 * x), "y")
    assert kinds(prepared)["same"] == ("x", "twice", "minus")
    assert list(prepared.X) == ["x", "town", "twice", "other", "minus", "huge"]


def test_a_column_that_is_the_target_is_named():
    prepared = prepare(table(leak=3.0 * table()["y"] + 1.0), "y")
    assert kinds(prepared)["same"] == ("leak",)
    assert "'leak' is the target itself, up to scale." in said(prepared, "same")


def test_columns_that_are_nearly_the_same_are_not():
    x = table()["x"]
    assert "same" not in kinds(prepare(table(near=x.round(3)), "y"))


def test_few_whole_numbers_stay_numbers_and_are_named():
    prepared = prepare(
        table(season=[1, 2, 3, 4] * 15, grade=[1.0, 2.0, 3.0] * 20, flag=[0, 1] * 30, half=[0.5, 1, 2] * 20), "y"
    )
    assert kinds(prepared)["whole_numbers"] == ("season", "grade")
    assert prepared.kinds["season"] == prepared.kinds["flag"] == "number"


def test_numbers_that_are_codes():
    prepared = prepare(table(season=[1, 2, 3, 4] * 15), "y", categorical=["season"])
    assert prepared.kinds["season"] == "categorical"
    assert prepared.notes == ()
    model = rsens.BayesianLinearRegression().fit(prepared.X, prepared.y)
    assert model.coding_[2].labels == (1, 2, 3, 4)
    with pytest.raises(InputError, match="Did you mean 'season'"):
        prepare(table(season=[1, 2, 3, 4] * 15), "y", categorical=["seasons"])


def test_lists_are_left_out():
    times = [pd.Timestamp("2024-01-01"), "a", 2.5] * 20
    prepared = prepare(table(new=[[1, 2]] * N, mixed=times), "y")
    assert prepared.dropped["new"] == "'new' has values of type list and was left out."
    assert prepared.dropped["mixed"] == "'mixed' has values of type Timestamp and str and float and was left out."
    with pytest.raises(InputError, match="neither numbers nor text"):
        prepare(table(y=[[1]] * N), "y")


@pytest.mark.parametrize(
    "values",
    [
        [1, "a", 2.5],
        [True, "a", None],
        [1, True, np.nan],
        [1.5, "-", 2],
        [1, "2", 3],
        [1.5, "0,5", "2,25"],
        [decimal.Decimal("1.5"), "b", 3],
        ["x", 1e-7, np.int64(3)],
    ],
)
@pytest.mark.parametrize("categorical", [[], ["new"]])
def test_values_of_several_types_are_read_as_from_a_file(tmp_path, values, categorical):
    frame = table(new=pd.Series(values * 20, dtype=object))
    frame.to_csv(tmp_path / "data.csv", index=False)
    from_file = prepare(read_file(tmp_path / "data.csv", as_text=categorical).frame, "y", categorical=categorical)
    from_frame = prepare(frame, "y", categorical=categorical)
    assert from_frame.X.columns.tolist() == from_file.X.columns.tolist() == ["x", "town", "new"]
    pd.testing.assert_frame_equal(from_frame.X, from_file.X, check_dtype=False, check_categorical=False)
    assert from_frame.recipe == from_file.recipe
    again = prepare_again(frame.iloc[:3], from_frame.recipe)
    pd.testing.assert_frame_equal(again.X, from_frame.X.loc[again.X.index], check_dtype=False, check_categorical=False)


# ---- columns that are left out ---------------------------------------------------------------------------------------


def test_columns_that_say_nothing():
    prepared = prepare(
        table(
            one=3.0,
            same="x",
            nothing=np.nan,
            none=None,
            name=[f"row {i}" for i in range(N)],
            street=[f"street {i % 40}" for i in range(N)],
            gap=[np.nan, *[7] * (N - 1)],
        ),
        "y",
    )
    reasons = kinds(prepared)
    assert set(prepared.dropped) == {"one", "same", "nothing", "none", "name", "street", "gap"}
    assert "'one' has only one value, 3.0," in said(prepared, "constant")
    assert reasons["identifier"] == ("name",)
    assert "'street' has 40 different texts in 60 rows" in prepared.dropped["street"]
    assert len(prepared.X) == N  # the gap is in a column that is left out
    assert [note.columns[0] for note in prepared.notes if note.kind == "empty"] == ["nothing", "none"]


def test_levels_that_repeat_are_kept():
    prepared = prepare(table(street=[f"street {i % 20}" for i in range(N)], few=list("abcdefghijkl") * 5), "y")
    assert prepared.dropped == {}


@pytest.mark.parametrize("values", [[f"street {i % 40}" for i in range(N)], [i % 40 + 0.5 for i in range(N)]])
def test_a_column_that_is_named_as_categorical_is_kept(values):
    prepared = prepare(table(new=values), "y", categorical=["new"])
    assert prepared.kinds["new"] == "categorical"
    assert prepared.notes == ()
    rsens.BayesianLinearRegression().fit(prepared.X, prepared.y)


@pytest.mark.parametrize("values", [[f"row {i}" for i in range(N)], np.arange(N) + 0.5])
def test_a_column_that_is_named_as_categorical_but_never_repeats_is_refused(values):
    with pytest.raises(InputError, match="'new' is named in categorical, but has a different value in each of 60 rows"):
        prepare(table(new=values), "y", categorical=["new"])


def test_many_levels_are_named():
    frame = table(many=[f"m{i % 16}" for i in range(N)], few=[f"f{i % 15}" for i in range(N)])
    prepared = prepare(frame, "y")
    assert kinds(prepared) == {"levels": ("many",)}
    assert "'many' has 16 different texts, taken as categorical." in said(prepared, "levels")
    assert prepare(frame, "y", categorical=["many"]).notes == ()
    assert prepare(frame.astype({"many": "category"}), "y").notes == ()


def test_columns_that_rows_make_useless():
    """Without the rows that miss something, a column has one value."""
    prepared = prepare(table(a=[1.0, *[2.0] * (N - 1)], x=[np.nan, *np.arange(N - 1.0) ** 2]), "y")
    assert "a" in prepared.dropped
    assert len(prepared.X) == N - 1


def test_an_index_without_a_name(tmp_path):
    table().to_csv(tmp_path / "data.csv")
    prepared = prepare(read_file(tmp_path / "data.csv").frame, "y")
    assert "a column without a name, names the rows" in prepared.dropped["Unnamed: 0"]
    table().to_csv(tmp_path / "data.csv", index=False)
    assert prepare(read_file(tmp_path / "data.csv").frame, "y").X.columns.tolist() == ["x", "town"]


def test_numbers_that_name_rows_are_named():
    prepared = prepare(
        table(
            count=np.arange(1, N + 1), user_id=np.arange(N) ** 2, squares=np.arange(N) ** 2, patientId=range(N, 0, -1)
        ),
        "y",
    )
    named = [note.columns[0] for note in prepared.notes if note.kind == "identifier"]
    assert named == ["count", "user_id", "patientId"]
    assert prepared.dropped == {}
    assert "It was kept" in said(prepared, "identifier")


def test_a_sample_of_a_row_count_is_still_one():
    frame = table(instant=np.arange(1, N + 1)).iloc[[3, 8, 20, 21, 40]]
    assert kinds(prepare(frame, "y"))["identifier"] == ("instant",)


# ---- rows that are left out ------------------------------------------------------------------------------------------


def test_missing_values_are_counted_by_column():
    frame = table()
    frame.loc[[1, 2, 3], "x"] = [np.nan, np.inf, -np.inf]
    frame.loc[[3, 4], "town"] = None
    frame.loc[[9], "y"] = np.nan
    prepared = prepare(frame, "y")
    assert prepared.X.index.tolist() == [i for i in range(N) if i not in (1, 2, 3, 4, 9)]
    assert said(prepared, "infinite") == "'x' has 2 infinite values, taken as missing."
    assert "5 of 60 rows have missing values and were left out, by column: 'x' 3, 'town' 2, 'y' 1." in said(
        prepared, "missing"
    )
    with pytest.raises(InputError, match="5 of 60 rows have missing values, by column: 'x' 3"):
        prepare(frame, "y", missing="error")
    with pytest.raises(InputError, match="missing must be one of"):
        prepare(frame, "y", missing="mean")


def test_truth_values_with_gaps():
    frame = table(flag=[True, None, False] * 20)
    prepared = prepare(frame, "y")
    assert prepared.X["flag"].dtype == bool
    assert len(prepared.X) == 40


def test_categories_that_are_gone():
    frame = table(kind=pd.Categorical(["u", "v", "w"] * 20, categories=["w", "v", "u", "t"]))
    frame.loc[frame["kind"] == "v", "x"] = np.nan
    assert prepare(frame, "y").X["kind"].cat.categories.tolist() == ["w", "u"]


def test_nothing_left():
    frame = table(a=[np.nan, *range(1, N)], b=[1.0, *[np.nan] * (N - 2), 2.0])
    frame.loc[0, "y"] = frame.loc[N - 1, "x"] = np.nan
    with pytest.raises(InputError, match=r"no rows are left: .*'b' 58.*Leave out columns like the first: drop=\['b'\]"):
        prepare(frame, "y")
    with pytest.raises(InputError, match="no rows are left"):
        prepare(table(y=np.nan), "y")
    for empty in (table().iloc[:0], table()[["y"]].iloc[:0]):
        with pytest.raises(InputError, match=r"the table has no rows\."):
            prepare(empty, "y")
    with pytest.raises(InputError, match=r"the table has no rows\."):
        prepare_again(table().iloc[:0], prepare(table(), "y").recipe)
    with pytest.raises(InputError, match="no columns are left beside the target"):
        prepare(table(x=1.0, town="a"), "y")
    with pytest.raises(InputError, match="only one value, 3: there is nothing to explain"):
        prepare(table(y=3), "y")
    frame = table()
    frame.loc[2:, "x"] = frame.loc[1, "y"] = np.nan
    with pytest.raises(InputError, match="only one row is left"):
        prepare(frame, "y")


def test_names():
    with pytest.raises(InputError, match=r"no target column 'yy'\. Did you mean 'y'"):
        prepare(table(), "yy")
    assert prepare(table(), "y", drop=["town"]).X.columns.tolist() == ["x"]
    assert prepare(table(), "y", columns=["town"]).X.columns.tolist() == ["town"]
    with pytest.raises(InputError, match="same name"):
        prepare(pd.concat([table(), table()], axis=1), "y")
    odd = table().set_axis(["<script>", "🌊" * 50, 7], axis=1)
    assert prepare(odd, "7").X.columns.tolist() == ["<script>", "🌊" * 50]


def test_the_table_is_not_changed():
    frame = table(date=["2024-01-01", "2024-01-02"] * 30)
    frame.loc[0, "x"] = np.inf
    before = frame.copy()
    prepare(frame, "y")
    pd.testing.assert_frame_equal(frame, before)


# ---- new rows --------------------------------------------------------------------------------------------------------

MANY = {
    "date": [f"2024-01-{i % 28 + 1:02}" for i in range(N)],
    "part": [f"{i}%" for i in range(N)],
    "size": [f"1,{i:03},000" for i in range(N)],
    "flag": [True, False] * 30,
    "code": ["1", "2", "x"] * 20,
    "constant": 1,
}


def test_new_rows_are_read_alike(tmp_path):
    frame = table(**MANY)
    frame.to_csv(tmp_path / "data.csv", index=False)
    first = prepare(read_file(tmp_path / "data.csv").frame, "y")
    recipe = json.loads(json.dumps(first.recipe))
    frame.iloc[[9, 3, 4]].to_csv(tmp_path / "new.csv", index=False)
    text = [name for name, (kind, *_) in recipe["columns"].items() if kind == "labels"]
    again = prepare_again(read_file(tmp_path / "new.csv", as_text=text).frame, recipe)
    pd.testing.assert_frame_equal(again.X.reset_index(drop=True), first.X.iloc[[9, 3, 4]].reset_index(drop=True))
    assert again.y.tolist() == first.y.iloc[[9, 3, 4]].tolist()
    assert again.kinds == first.kinds
    model = rsens.BayesianLinearRegression(prior_precision=1.0, standardize=True).fit(first.X, first.y)
    np.testing.assert_allclose(model.predict(again.X), model.predict(first.X)[[9, 3, 4]], rtol=1e-12)


def test_new_rows_without_a_target_and_with_gaps():
    recipe = prepare(table(**MANY), "y").recipe
    new = table(**MANY).drop(columns=["y", "constant"]).iloc[:5]
    new.loc[2, "x"] = np.nan
    again = prepare_again(new, recipe)
    assert again.y is None
    assert again.X.index.tolist() == [0, 1, 3, 4]
    with pytest.raises(InputError, match="missing values"):
        prepare_again(new, recipe, missing="error")
    with pytest.raises(InputError, match="no rows are left"):
        prepare_again(new.iloc[[2]], recipe)


def test_new_rows_that_do_not_fit():
    recipe = prepare(table(**MANY), "y").recipe
    new = table(**MANY)
    with pytest.raises(InputError, match="no column 'x'"):
        prepare_again(new.drop(columns=["x"]), recipe)
    for name, values, words in (
        ("x", "much", "numbers"),
        ("date", "yesterday", "dates"),
        ("part", "half", "percentages"),
        ("flag", "maybe", "true or false"),
    ):
        with pytest.raises(InputError, match=f"column '{name}' cannot be read as {words}"):
            prepare_again(new.assign(**{name: values}), recipe)


@pytest.mark.parametrize(
    "recipe",
    [
        {},
        {"target": "y", "columns": {}},
        {"target": "y", "columns": {"y": ["eval", None], "x": ["number", None]}},
        {"target": "y", "columns": {"y": ["number", None], "x": ["date", None]}},
        {"target": "y", "columns": {"y": ["number", None], "x": ["date", "soon"]}},
        {"target": "y", "columns": {"y": ["number", None], "x": 3}},
        {"target": "z", "columns": {"y": ["number", None], "x": ["number", None]}},
    ],
)
def test_recipes_that_are_none(recipe):
    with pytest.raises(InputError):
        prepare_again(table(), recipe)
