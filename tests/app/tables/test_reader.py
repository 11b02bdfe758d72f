"""`rsens.TableReader`: a transformer of scikit-learn that learns how the columns of a table are read."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import rsens
from rsens import InputError, RsensWarning, TableReader
from tests.app.tables.tables import N, repeated, table


@parametrize_with_checks([TableReader()])
def test_conventions_of_scikit_learn(estimator, check):
    check(estimator)


def messy(n=N):
    rng = np.random.default_rng(0)
    price = rng.normal(100.0, 900.0, n).round(2)
    days = pd.date_range("2021-01-01", periods=n, freq="8D")
    return pd.DataFrame(
        {
            "Unnamed: 0": np.arange(n),
            "price": [f"(€ {-each:,.2f})" if each < 0 else f"€ {each:,.2f}" for each in price],
            "age": [-999.0, -999.0, -999.0, *rng.integers(20, 90, n - 3)],
            "town": ["n.d.", *rng.choice(["Oslo", "Rome"], n - 1)],
            "flag": rng.random(n) < 0.5,
            "when": days.strftime("%d.%m.%Y"),
            "constant": "x",
        }
    ), price


def test_a_messy_table():
    frame, price = messy()
    reader = TableReader()
    X = reader.fit_transform(frame)
    np.testing.assert_array_equal(X["price"], price)
    assert X["age"].isna().tolist() == [True] * 3 + [False] * (N - 3)
    assert X["town"].cat.categories.tolist() == ["Oslo", "Rome", "n.d."]
    assert X["flag"].cat.categories.tolist() == [False, True]
    assert list(reader.dropped_) == ["Unnamed: 0", "constant"]
    assert reader.groups_ == {"when": tuple(name for name in X if name.startswith("when ("))}
    assert reader.get_feature_names_out().tolist() == list(X)
    assert {note.kind for note in reader.notes_} >= {"converted", "missing_code", "identifier", "constant", "date"}
    assert len(X) == N
    notes = list(reader.notes_)
    pd.testing.assert_frame_equal(reader.transform(frame), X)
    assert reader.notes_ == notes


def test_new_rows_are_read_as_the_table_was():
    """One row would be ambiguous, or a constant."""
    frame, _ = messy()
    reader = TableReader().fit(frame)
    whole = reader.transform(frame)
    for row in (0, 1, 7):
        new = frame.iloc[[row]].drop(columns=["constant", "Unnamed: 0"])[::-1]
        pd.testing.assert_frame_equal(reader.transform(new), whole.iloc[[row]])
    again = TableReader.from_recipe(json.loads(json.dumps(reader.recipe)))
    pd.testing.assert_frame_equal(again.transform(frame), whole)
    assert again.recipe == reader.recipe
    with pytest.raises(InputError, match="no column 'price'"):
        reader.transform(frame.drop(columns="price"))
    with pytest.warns(RsensWarning, match="'town' has levels that were not learned, .* 'Paris'"):
        assert reader.transform(frame.assign(town="Paris"))["town"].isna().all()
    with pytest.raises(InputError, match="'price' cannot be read as"):
        reader.transform(frame.assign(price="much"))


@given(
    st.lists(
        st.floats(-1e9, 1e9, allow_subnormal=False).map(lambda x: round(x, 2)), min_size=3, max_size=30, unique=True
    ),
    st.sampled_from(["€ {}", "{} EUR", "{}"]),
    st.booleans(),
)
def test_amounts_are_read_as_they_were_written(amounts, dress, parentheses):
    """A comma for decimals and points for thousands, a currency, parentheses or a long minus for negative ones."""

    def written(amount):
        digits = f"{abs(amount):,.2f}".translate(str.maketrans(",.", ".,"))
        text = dress.format(digits)
        return text if amount >= 0.0 else f"({text})" if parentheses else f"−{digits}"

    cells = [written(amount) for amount in amounts] + [written(1234.5)]
    X = TableReader(missing_codes=None).fit_transform(pd.DataFrame({"amount": cells}))
    np.testing.assert_array_equal(X["amount"], [*amounts, 1234.5])


@given(
    st.lists(st.dates(pd.Timestamp("1700-01-01").date(), pd.Timestamp("2200-12-31").date()), min_size=2, unique=True),
    st.sampled_from(["%d/%m/%Y", "%Y-%m-%d", "%B %d, %Y", "%d %b %Y", "%d.%m.%Y"]),
)
def test_dates_are_read_as_they_were_written(days, form):
    """Every form has one reading, or is day first."""
    decided = [*days, pd.Timestamp("1999-12-31").date(), pd.Timestamp("1850-01-30").date()]
    frame = pd.DataFrame({"when": [pd.Timestamp(day).strftime(form) for day in decided]})
    read = TableReader(date={"when": "days"}).fit_transform(frame)["when"]
    assert read.tolist() == [(day - min(decided)).days for day in decided]


@pytest.mark.parametrize(("codes", "missing"), [("auto", 3), (None, 0), ({"age": [-999, 55]}, 5)])
def test_codes_of_missing_values(codes, missing):
    age = [-999, -999, -999, 55, 55, *np.random.default_rng(0).integers(60, 90, N - 5)]
    reader = TableReader(missing_codes=codes).fit(table(age=age))
    assert reader.transform(table(age=age))["age"].isna().sum() == missing
    assert reader.transform(table(age=-999)).isna()["age"].all() == (codes is not None)


def test_arguments():
    frame = table(code=repeated([1, 2, 3]), when=repeated(["03/04/2024", "04/03/2024"]), other=1.5 * table()["x"])
    reader = TableReader(target="y", drop=["other"], categorical=["code"], date={"when": ["month-first", "days"]})
    X = reader.fit_transform(frame)
    assert list(X) == ["x", "code", "when"]
    assert X["code"].cat.categories.tolist() == [1, 2, 3]
    assert X["when"].tolist()[:2] == [0.0, 30.0]
    assert list(TableReader(columns=["x"]).fit_transform(frame)) == ["x"]
    copy = clone(reader)
    assert copy.get_params() == reader.get_params()
    assert list(copy.set_params(drop=["when"], date=None).fit_transform(frame)) == ["x", "code", "other"]


def test_pipelines():
    frame, price = messy()
    y = price / 900.0 + (frame["town"] == "Oslo")
    frame["town"] = frame["town"].replace("n.d.", "Rome")
    forest = make_pipeline(TableReader(), HistGradientBoostingRegressor(categorical_features="from_dtype", max_iter=20))
    assert cross_val_score(forest, frame, y, cv=3).mean() > 0.5
    ours = make_pipeline(TableReader(drop=["age"]), rsens.BayesianLinearRegression(prior_precision=1.0))
    assert ours.fit(frame, y).score(frame, y) > 0.9


def test_set_output_and_other_libraries():
    frame, _ = messy()
    X = TableReader().fit_transform(frame)
    assert isinstance(TableReader().set_output(transform="polars").fit_transform(frame), pl.DataFrame)
    from_polars = TableReader().fit(pl.from_pandas(frame)).transform(pl.from_pandas(frame))
    pd.testing.assert_frame_equal(from_polars, X, check_dtype=False, check_categorical=False)
    array = np.random.default_rng(0).normal(size=(20, 2))
    assert TableReader().fit(array).transform(array).columns.tolist() == ["x0", "x1"]
    labelled = frame.set_axis([f"row {k % 50}" for k in range(N)], axis=0)
    read = TableReader().fit(labelled).transform(labelled)
    assert read.index.tolist() == labelled.index.tolist()
    pd.testing.assert_frame_equal(read.reset_index(drop=True), X)


def test_severe_notes_are_warnings():
    with pytest.warns(RsensWarning, match="but not '<5'"):
        TableReader().fit(table(size=["<5", *np.random.default_rng(0).normal(size=N - 1).round(2).astype(str)]))
    with pytest.raises(InputError, match="no columns are left"):
        TableReader().fit(pd.DataFrame({"a": ["x", "x"]}))
    with pytest.raises(InputError, match="same name"):
        TableReader().fit(pd.concat([table(), table()], axis=1))


def test_damaged_recipes():
    number, date = {"kind": "number"}, {"kind": "date", "origin": "2021-01-01"}
    wrong = [3, {"kind": "eval"}, {"kind": "date"}, {"kind": "date", "origin": "soon"}]
    wrong += [date | {"form": "x"}, date | {"pieces": ["x"]}]
    recipes = [{}, *({"target": "y", "columns": {"y": number, "x": column}} for column in wrong)]
    recipes += [{"target": "y", "columns": {}}, {"target": "z", "columns": {"y": number, "x": number}}]
    for recipe in recipes:
        with pytest.raises(InputError, match="recipe"):
            TableReader.from_recipe(recipe)
