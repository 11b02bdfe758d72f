"""From tables to inputs: what columns are taken for, which columns and rows are left out, each with a note."""

import datetime
import decimal

import numpy as np
import pandas as pd
import pytest

import rsens
from rsens import InputError
from rsens._app.tables import prepare, prepare_again, read_file
from tests.app.tables.tables import N, dropped, kind, repeated, said, severe, table

rng = np.random.default_rng(3)


def noted(prepared):
    return {note.kind: note.columns for note in prepared.notes}


def test_a_table_with_nothing_to_note():
    frame = table(town=repeated(["Oslo", "Rome", "Rome"]))
    prepared = prepare(frame, "y")
    assert prepared.notes == ()
    assert dropped(prepared) == {}
    assert (kind(prepared, "x"), kind(prepared, "town")) == ("number", "categorical")
    pd.testing.assert_frame_equal(prepared.X, frame[["x", "town"]])
    pd.testing.assert_series_equal(prepared.y, frame["y"])


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([True, False, True], "categorical"), (pd.array([True, False, True], dtype="boolean"), "categorical"),
        (pd.Categorical(["u", "v", "u"]), "categorical"), (pd.array(["u", "v", "u"], dtype="string"), "categorical"),
        (pd.array([1, 2, 5], dtype="Int64"), "number"), (pd.array([1.5, 2.0, 5.0], dtype="Float32"), "number"),
        ([decimal.Decimal("1.5"), decimal.Decimal(2), decimal.Decimal(3)], "number"),
        (pd.to_datetime(["2024-01-03", "2024-01-01", "2024-01-02"], utc=True), "date"),
        ([datetime.date(2024, 1, day) for day in (3, 1, 2)], "date"),
        (pd.to_timedelta(["2 days", "1 day", "12 hours"]), "number"),
        (np.array([1, 2, 2**64 - 1], dtype=np.uint64), "number"),
    ],
)  # fmt: skip
def test_types(values, expected):
    column = pd.Series(values).repeat(N // 3)
    prepared = prepare(table(new=column.to_numpy(dtype=object)).astype({"new": object}), "y")
    typed = prepare(table(new=column.reset_index(drop=True)), "y")
    assert kind(prepared, "new") == kind(typed, "new") == expected
    coding = rsens.BayesianLinearRegression(prior_precision=1.0).fit(typed.X, typed.y).coding_
    assert (coding is not None and "new" in [c.name for c in coding.columns]) == (expected == "categorical")


def test_copies_of_the_target():
    y = table()["y"]
    prepared = prepare(table(celsius=3.0 * y + 1.0, rounded=y.round(3), noisy=y + rng.normal(0.0, 0.05, N)), "y")
    assert [(note.kind, note.columns) for note in severe(prepared)] == [("same", ("celsius",)), ("same", ("rounded",))]
    y = pd.Series(repeated(["sick", "well", "well", "sick"]))
    other = y.where(y.index > 0, "well")
    prepared = prepare(table(y=y, code=(y == "sick").astype(int), word=y.str.upper(), other=other), "y")
    assert [note.columns for note in severe(prepared)] == [("code", "word")]
    few = pd.DataFrame({"a": [1.0, 2.0, 3.0001, 4.0], "b": list("uvuv"), "y": [1.0, 2.0, 3.0, 4.0]})  # by chance
    assert not severe(prepare(few, "y"))
    assert not severe(prepare(few.assign(y=list("stst")), "y"))


def test_few_whole_numbers_stay_numbers_and_are_named():
    columns = {"season": [1, 2, 3, 4], "grade": [1.0, 2.0, 3.0], "flag": [0, 1], "half": [0.5, 1, 2]}
    frame = table(**{name: repeated(values) for name, values in columns.items()})
    prepared = prepare(frame, "y")
    assert noted(prepared)["whole_numbers"] == ("season", "grade")
    assert kind(prepared, "season") == kind(prepared, "flag") == "number"
    codes = prepare(frame[["season", "x", "y"]], "y", categorical=["season"])
    assert kind(codes, "season") == "categorical"
    assert codes.notes == ()
    assert rsens.BayesianLinearRegression().fit(codes.X, codes.y).coding_[0].labels == (1, 2, 3, 4)
    with pytest.raises(InputError, match="Did you mean 'season'"):
        prepare(frame, "y", categorical=["seasons"])


def test_lists_are_left_out():
    times = repeated([pd.Timestamp("2024-01-01"), "a", 2.5])
    prepared = prepare(table(new=[[1, 2]] * N, mixed=times), "y")
    assert list(dropped(prepared)) == ["new", "mixed"]
    assert "type Timestamp, float and str" in dropped(prepared)["mixed"]
    with pytest.raises(InputError, match="the target 'y' has values"):
        prepare(table(y=[[1]] * N), "y")


@pytest.mark.parametrize(
    ("values", "categorical"),
    [
        ([1, "a", 2.5], []), ([True, "a", None], ["new"]), ([1, True, np.nan], []), ([1.5, "-", 2], []),
        ([1.5, "-", 2], ["new"]), ([1, "2", 3], []), ([1.5, "0,5", "2,25"], ["new"]), ([1.5, "0,5", "2,25"], []),
        ([decimal.Decimal("1.5"), "b", 3], []), (["x", 1e-7, np.int64(3)], []),
    ],
)  # fmt: skip
def test_values_of_several_types_are_read_as_from_a_file(tmp_path, values, categorical):
    frame = table(new=pd.Series(repeated(values), dtype=object))
    frame.to_csv(tmp_path / "data.csv", index=False)
    from_file = prepare(read_file(tmp_path / "data.csv").frame, "y", categorical=categorical)
    from_frame = prepare(frame, "y", categorical=categorical)
    pd.testing.assert_frame_equal(from_frame.X, from_file.X, check_dtype=False, check_categorical=False)
    assert from_frame.reader.recipe == from_file.reader.recipe
    again = prepare_again(frame.iloc[:3], from_frame.reader)
    pd.testing.assert_frame_equal(again.X, from_frame.X.loc[again.X.index], check_dtype=False, check_categorical=False)


def test_columns_without_information():
    names, streets = ([f"{text} {i % k}" for i in range(N)] for text, k in (("row", N), ("street", 80)))
    frame = table(one=3.0, nothing=np.nan, none=None, name=names, street=streets, gap=[np.nan, *[7] * (N - 1)])
    prepared = prepare(frame.assign(same="x"), "y")
    assert list(dropped(prepared)) == ["one", "nothing", "none", "name", "street", "gap", "same"]
    kinds = {note.columns[0]: note.kind for note in prepared.notes}
    expected = ["constant", "empty", "empty", "identifier", "levels", "constant"]
    assert [kinds[name] for name in list(frame)[2:]] == expected
    assert len(prepared.X) == N  # the gap is in a column that is left out
    assert list(prepare(table(few=repeated("abcdefghijkl")), "y").X) == ["x", "few"]


@pytest.mark.parametrize("values", [[f"street {i % 80}" for i in range(N)], [i % 80 + 0.5 for i in range(N)]])
def test_a_column_that_is_named_as_categorical_is_kept_if_it_repeats(values):
    prepared = prepare(table(new=values), "y", categorical=["new"])
    assert kind(prepared, "new") == "categorical"
    assert prepared.notes == ()
    with pytest.raises(InputError) as error:
        prepare(table(new=[f"{value} {i}" for i, value in enumerate(values)]), "y", categorical=["new"])
    assert error.value.argument == "categorical"


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
    assert [note.kind for note in severe(prepared)] == ["levels"] * (not is_kept)
    assert "town" in prepare(frame, "y", categorical=["town"]).X


@pytest.mark.parametrize("name", ["Unnamed: 0", "", " ", "Unnamed: 0.1"])
@pytest.mark.parametrize(
    "values", [np.arange(N), 1.0 + np.arange(N), rng.permutation(N), np.arange(5, N + 5), rng.permutation(2 * N)[:N]]
)
def test_a_column_without_a_name_that_counts_rows_is_left_out(name, values):
    prepared = prepare(table(**{name: values}), "y")
    assert list(dropped(prepared)) == [name]
    assert noted(prepared) == {"identifier": (name,)}


def test_row_numbers_in_a_file_and_in_some_rows(tmp_path):
    table().to_csv(tmp_path / "data.csv")
    frame = read_file(tmp_path / "data.csv").frame
    for some in (frame, frame.iloc[[3, 8, 20, 21, 40]], frame.iloc[20:50]):
        assert list(prepare(some, "y").X) == ["x"]
    assert list(prepare(frame, "y", rows=50).X) == ["x"]
    without = frame.rename(columns={"Unnamed: 0": None})
    assert list(dropped(prepare(without, "y"))) == ["Unnamed: 0"]


@pytest.mark.parametrize(
    ("values", "is_noted"),
    [
        (rng.normal(size=N), False), (np.sort(rng.normal(size=N)), False), (5 * np.arange(N), True),
        (rng.choice(10_000, N, replace=False), True), (np.arange(1990, 1990 + N), True),
    ],
)  # fmt: skip
def test_other_columns_without_a_name_are_data(values, is_noted):
    prepared = prepare(table(**{"Unnamed: 0": values}), "y")
    assert dropped(prepared) == {}
    assert ("It was kept" in said(prepared, "identifier")) == is_noted


def test_numbers_that_name_rows_are_named():
    squares = np.arange(N) ** 2
    columns = {"count": np.arange(1, N + 1), "user_id": squares, "squares": squares, "patientId": range(N, 0, -1)}
    prepared = prepare(table(**columns), "y")
    named = [note.columns[0] for note in prepared.notes if note.kind == "identifier"]
    assert named == ["count", "user_id", "patientId"]
    assert dropped(prepared) == {}
    sample = table(instant=np.arange(1, N + 1)).iloc[[3, 8, 20, 21, 40]]
    assert noted(prepare(sample, "y"))["identifier"] == ("instant",)


def test_missing_values_are_counted_by_column():
    frame = table(town=repeated(["Oslo", "Rome"]))
    frame.loc[[1, 2, 3], "x"] = [np.nan, np.inf, -np.inf]
    frame.loc[[3, 4], "town"] = None
    frame.loc[[9], "y"] = np.nan
    prepared = prepare(frame, "y")
    assert prepared.X.index.tolist() == [i for i in range(N) if i not in (1, 2, 3, 4, 9)]
    assert "'x' has 2 cells with '∞'" in said(prepared, "missing")
    assert f"5 of {N} rows have missing values" in said(prepared, "missing")
    assert "'x' 3, 'town' 2, 'y' 1." in said(prepared, "missing")
    with pytest.raises(InputError, match=f"5 of {N} rows have missing values, by column: 'x' 3"):
        prepare(frame, "y", missing="error")
    with pytest.raises(InputError, match="missing must be one of"):
        prepare(frame, "y", missing="mean")


def test_most_rows_left_out_is_a_warning():
    """Without these rows, a column has one value."""
    frame = table(a=[1.0, *[2.0] * (N - 1)])
    frame.loc[: N // 2 - 1, "x"] = np.nan
    assert not severe(prepare(frame, "y"))
    assert list(dropped(prepare(frame, "y"))) == ["a"]
    frame.loc[N // 2, "x"] = np.nan
    assert [note.kind for note in severe(prepare(frame, "y"))] == ["missing"]


def test_truth_values_with_gaps_and_categories_that_are_gone():
    kinds = pd.Categorical(repeated(["u", "v", "w"]), categories=["w", "v", "u", "t"])
    frame = table(flag=repeated([True, None, False]), kind=kinds)
    X = prepare(frame, "y").X
    assert X["flag"].dtype == bool
    assert len(X) == 2 * N // 3
    assert X["kind"].cat.categories.tolist() == ["w", "u"]


@pytest.mark.parametrize(
    ("frame", "match"),
    [
        (table(x=[np.nan] * 60 + [*range(60)], b=[*range(60)] + [np.nan] * 60), "no rows are left"),
        (table(y=np.nan), "no rows are left"),
        (table().iloc[:0], r"the table has no rows\."),
        (table(x=[f"t{i}" for i in range(N)]), "no columns are left .*'x' has 120 different texts"),
        (table(x=1.0, town="a"), "no columns are left"),
        (table(y=3), "only one value, 3: there is nothing to explain"),
        (table(x=[*[np.nan] * (N - 1), 1.0]), "no columns are left"),
    ],
)
def test_nothing_left(frame, match):
    with pytest.raises(InputError, match=match):
        prepare(frame, "y")


def test_rows_that_are_drawn_are_read_as_all_are():
    """Among the rows that are drawn, no cell decides what a comma means, or which number is the day."""
    commas = ["1,234", "5,678", "-", "7"] * (N // 4 - 1) + ["1,234,567", "7", "8", "9"]
    days = [*repeated(["03/04/2024", "04/03/2024", "01/12/2024"])[:-1], "12/31/2024"]
    for seed in range(4):
        some = prepare(table(new=commas, when=days), "y", rows=20, seed=seed)
        assert set(some.X["new"]) <= {1234.0, 5678.0, 7.0, 1234567.0, 8.0, 9.0}
        assert "month first" in said(some, "date")
        assert not severe(some)
        assert not said(some, "ambiguous")
        assert len(some.X) == 20


def test_rows_that_are_drawn_have_no_columns_that_are_useless_there():
    """Levels that repeat in all rows need not in some of them, and a column may be constant."""
    towns = [f"town {i % 40}" for i in range(N)]
    frame = pd.DataFrame({"x": rng.normal(size=2 * N), "town": towns * 2, "y": rng.normal(size=2 * N)})
    frame["rare"] = np.arange(2 * N) == 0
    assert list(prepare(frame, "y").X) == ["x", "town", "rare"]
    some = prepare(frame, "y", rows=45, seed=1)
    assert list(some.X) == ["x"]
    assert list(some.reader.recipe["columns"]) == ["x", "y"]
    assert list(prepare(frame, "y", rows=45, seed=1, categorical=["town"]).X) == ["x", "town"]
    with pytest.raises(InputError, match="has only one value"):
        prepare(frame.assign(y=(np.arange(2 * N) == 0) * 1.0), "y", rows=9)


def test_names_and_a_table_that_is_not_changed():
    frame = table(town=repeated(["Oslo", "Rome"]))
    frame.loc[0, "x"] = np.inf
    before = frame.copy()
    with pytest.raises(InputError, match=r"no target column 'yy'\. Did you mean 'y'"):
        prepare(frame, "yy")
    assert prepare(frame, "y", drop=["town"]).X.columns.tolist() == ["x"]
    assert prepare(frame, "y", columns=["town"]).X.columns.tolist() == ["town"]
    with pytest.raises(InputError, match="same name"):
        prepare(pd.concat([frame, frame], axis=1), "y")
    odd = table().set_axis(["<script>", 7], axis=1).assign(**{"🌊" * 50: table()["x"] ** 2})
    assert prepare(odd, "7").X.columns.tolist() == ["<script>", "🌊" * 50]
    pd.testing.assert_frame_equal(frame, before)


PERSONS = table(person=repeated(["01", "1", "1", "01", "2", "2"]))


def test_the_column_of_clusters():
    prepared = prepare(PERSONS, "y", cluster="person")
    assert list(prepared.X.columns) == ["x"]
    assert prepared.clusters.tolist() == PERSONS["person"].tolist()
    assert "person" not in prepared.reader.recipe["columns"]
    assert f"same 'person' belong together: 3 clusters of {N // 3} to {N // 3} rows" in said(prepared, "clusters")
    assert prepare(PERSONS, "y").clusters is None
    assert list(prepare(PERSONS.assign(z=1.0), "y", columns=["x"], cluster="person").X) == ["x"]
    frame = PERSONS.assign(person=PERSONS["person"].mask(PERSONS.index == 1))
    prepared = prepare(frame, "y", cluster="person")
    assert prepared.X.index.tolist() == prepared.clusters.index.tolist() == [0, *range(2, N)]
    assert "'person' 1" in said(prepared, "missing")
    with pytest.raises(InputError, match="by column: 'person' 1") as error:
        prepare(frame, "y", cluster="person", missing="error")
    assert error.value.argument == "missing"  # without the column, there would be no clusters


@pytest.mark.parametrize(
    ("frame", "options", "text"),
    [
        (PERSONS, {"cluster": "persn"}, "no cluster column 'persn'. Did you mean 'person'"),
        (PERSONS, {"cluster": "y"}, "'y' is named as target and as cluster"),
        (PERSONS, {"cluster": "person", "drop": ["person"]}, "'person' is named as cluster and in drop"),
        (PERSONS.assign(person="a"), {"cluster": "person"}, "'person' has only one value, 'a'"),
        (PERSONS.assign(person=[[1]] * N), {"cluster": "person"}, "values of type list"),
    ],
)
def test_clusters_that_are_refused(frame, options, text):
    with pytest.raises(InputError, match=text):
        prepare(frame, "y", **options)


MANY = {
    "date": [f"2024-01-{i % 28 + 1:02}" for i in range(N)],
    "part": [f"{i % 90}%" for i in range(N)],
    "size": [f"1,{i:03},000" for i in range(N)],
    "flag": repeated([True, False]),
    "code": repeated(["1", "2", "x"]),
    "constant": 1,
}


def test_new_rows_are_read_alike(tmp_path):
    frame = table(**MANY)
    frame.to_csv(tmp_path / "data.csv", index=False)
    first = prepare(read_file(tmp_path / "data.csv").frame, "y")
    frame.iloc[[9, 3, 4]].to_csv(tmp_path / "new.csv", index=False)
    again = prepare_again(read_file(tmp_path / "new.csv").frame, first.reader)
    pd.testing.assert_frame_equal(again.X.reset_index(drop=True), first.X.iloc[[9, 3, 4]].reset_index(drop=True))
    assert again.y.tolist() == first.y.iloc[[9, 3, 4]].tolist()


def test_new_rows_without_a_target_with_gaps_and_with_other_cells():
    reader = prepare(table(**MANY), "y").reader
    new = table(**MANY).drop(columns=["y", "constant"]).iloc[:5]
    new.loc[2, "x"] = np.nan
    again = prepare_again(new, reader)
    assert again.y is None
    assert again.X.index.tolist() == [0, 1, 3, 4]
    for rows, options, text in (
        (new, {"missing": "error"}, "missing values"),
        (new.iloc[[2]], {}, "no rows are left"),
        (new.iloc[:0], {}, "the table has no rows"),
    ):
        with pytest.raises(InputError, match=text):
            prepare_again(rows, reader, **options)
    new = table(**MANY)
    with pytest.raises(InputError, match="no column 'x'"):
        prepare_again(new.drop(columns=["x"]), reader)
    for name, value in (("x", "much"), ("date", "yesterday"), ("part", "half"), ("flag", "maybe")):
        with pytest.raises(InputError, match=f"column '{name}' cannot be read as"):
            prepare_again(new.assign(**{name: value}), reader)
