"""Tables of polars and Arrow: every call gives the same numbers for them as for the table of pandas."""

import datetime as dt
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import rsens
from rsens._errors import InputError
from rsens._table import as_pandas
from tests.few_probes import explain_with_probes

N = 40


def data() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    city = np.array(["Oslo", "Bergen", "Ås"])[rng.integers(3, size=N)]
    frame = pd.DataFrame(
        {
            "whole": rng.integers(0, 9, size=N),
            "real": rng.normal(size=N),
            "text": city,
            "level": pd.Categorical(np.array(["high", "low"])[rng.integers(2, size=N)]),
            "flag": rng.random(N) < 0.5,
        }
    )
    frame["y"] = frame["real"] + 0.1 * frame["whole"] + (frame["text"] == "Oslo") + 0.1 * rng.normal(size=N)
    frame["kind"] = np.where(frame["y"] > frame["y"].median(), "more", "less")
    frame["person"] = [f"p{k % 10}" for k in range(N)]
    frame["weight"] = rng.uniform(0.5, 2.0, size=N)
    return frame


DATA = data()
COLUMNS = ["whole", "real", "text", "level", "flag"]
#: Conversions of a pandas table, and of one of its columns.
KINDS = {
    "polars": (pl.from_pandas, pl.from_pandas),
    "arrow": (pa.Table.from_pandas, lambda column: pa.chunked_array([pa.Array.from_pandas(column)])),
    "batches": (pa.RecordBatch.from_pandas, pa.Array.from_pandas),
}


def explained(X, table):
    model = rsens.BayesianLinearRegression().fit(X, table("y"))
    found = explain_with_probes(
        model, X, table("y"), weights=table("weight"), clusters=table("person"), by=table("text"), n_probes=3,
        random_state=0,
    )  # fmt: skip
    return [found.to_frame(), found.to_frame(2), found.local_main, found.by, found.data]


def classified(X, table):
    model = rsens.BayesianLogisticRegression().fit(X, table("kind"))
    scores = [model.score(X, table("kind")), model.log_predictive_density(X, table("kind"))]
    return [model.predict_proba(X), model.predict(X).tolist(), model.classes_.tolist(), *scores]


def drawn(X, table):
    import matplotlib.pyplot as plt

    model = rsens.BayesianLinearRegression().fit(X, table("y"))
    found = rsens.explain(model, X, random_state=0)
    lines = []
    profile = np.ravel(rsens.plots.profile(model, X, "real"))
    for ax in (*profile, found.plot_beeswarm(), rsens.plots.beeswarm(found, X=X)):
        lines += [line.get_xydata() for line in ax.lines] + [dots.get_offsets() for dots in ax.collections[:1]]
        plt.close(ax.figure)
    return lines


CALLS = [explained, classified, drawn]


def same(found, expected) -> None:
    if isinstance(expected, pd.DataFrame):
        pd.testing.assert_frame_equal(found, expected, check_exact=True)
    elif isinstance(expected, list | str):
        assert found == expected
    else:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("call", "kind"), list(zip(CALLS, KINDS, strict=True)))
@pytest.mark.filterwarnings("ignore::rsens.RsensWarning", "ignore::sklearn.exceptions.ConvergenceWarning")
def test_calls_give_the_same_numbers_for_each_kind_of_table(call, kind):
    table, column = KINDS[kind]
    found = call(table(DATA[COLUMNS]), lambda name: column(DATA[name]))
    expected = call(DATA[COLUMNS], lambda name: DATA[name])
    for one, other in zip(found, expected, strict=True):
        same(one, other)


DAYS = [dt.date(2020, 1, 1), dt.date(2021, 5, 17)]
TIMES = [dt.datetime(2020, 1, 1, 5), dt.datetime(2021, 7, 2, 23, 30)]
#: A column of polars, and the same as pandas has it.
COLUMN_TYPES = {
    "whole": (pl.Series([3, 1]), pd.Series([3, 1])),
    "whole, missing": (pl.Series([3, None]), pd.Series([3.0, np.nan])),
    "decimal": (pl.Series([Decimal("1.10"), None]), pd.Series([Decimal("1.10"), None])),
    "truth, missing": (pl.Series([True, None]), pd.Series([True, None], dtype=object)),
    "text": (pl.Series(["b", "a"]), pd.Series(["b", "a"])),
    "enum": (
        pl.Series(["b", "a"], dtype=pl.Enum(["c", "b", "a"])),
        pd.Series(pd.Categorical(["b", "a"], categories=["c", "b", "a"], ordered=True)),
    ),
    "days": (pl.Series(DAYS), pd.Series(pd.to_datetime(DAYS)).astype("datetime64[ms]")),
    "times": (pl.Series(TIMES), pd.Series(TIMES).astype("datetime64[us]")),
    "times of a zone": (
        pl.Series(TIMES).dt.replace_time_zone("Europe/Oslo"),
        pd.Series(TIMES).dt.tz_localize("Europe/Oslo").astype("datetime64[us, Europe/Oslo]"),
    ),
    "durations": (pl.Series([dt.timedelta(1)]), pd.Series([dt.timedelta(1)]).astype("timedelta64[us]")),
    "clock": (pl.Series([dt.time(5)]), pd.Series([dt.time(5)], dtype=object)),
    "nothing": (pl.Series([None, None]), pd.Series([None, None], dtype=object)),
}


@pytest.mark.parametrize("kind", COLUMN_TYPES)
@pytest.mark.parametrize("through", [lambda s: s, lambda s: s.to_arrow()], ids=["polars", "arrow"])
def test_a_column_has_the_type_that_pandas_gives_it(kind, through):
    column, expected = COLUMN_TYPES[kind]
    pd.testing.assert_series_equal(as_pandas(through(column)), expected, check_names=False)
    found = as_pandas(pl.DataFrame({"a": column}) if through(column) is column else pa.table({"a": through(column)}))
    pd.testing.assert_series_equal(found["a"], expected, check_names=False)


def test_categories_of_polars_are_those_in_use_sorted():
    """polars shares one list of categories among all columns, so that it has no information about one of them."""
    pl.Series(["z", "q"], dtype=pl.Categorical)
    assert as_pandas(pl.Series(["b", "a", "b"], dtype=pl.Categorical)).cat.categories.tolist() == ["a", "b"]


def test_a_dictionary_keeps_its_order_and_unused_labels():
    chunks = [pa.DictionaryArray.from_arrays([1], ["c", "b"]), pa.DictionaryArray.from_arrays([0], ["a", "c"])]
    column = as_pandas(pa.chunked_array(chunks))
    assert column.tolist() == ["b", "a"]
    assert column.cat.categories.tolist() == ["c", "b", "a"]


@pytest.mark.parametrize("index", [pd.Index(["r", "s"], name="id"), pd.Index(["r", "s"]), pd.Index([7, 9])], ids=str)
def test_an_index_that_went_through_arrow_is_an_index_again(index):
    frame = pd.DataFrame({"a": [1.0, 2.0]}, index=index)
    pd.testing.assert_frame_equal(as_pandas(pa.Table.from_pandas(frame)), frame)


class Stream:
    """A table of a library that nobody knows, with nothing but Arrow's protocol."""

    def __init__(self, table):
        self._table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self._table.__arrow_c_stream__(requested_schema)


def test_any_library_can_come_through_arrow():
    pd.testing.assert_frame_equal(as_pandas(Stream(pa.table({"a": [1, 2]}))), pd.DataFrame({"a": [1, 2]}))
    assert as_pandas(Stream(pa.chunked_array([["a"], ["b"]]))).tolist() == ["a", "b"]


REFUSED = {
    "lazy": (pl.LazyFrame({"a": [1.0]}), "whose rows are not computed yet"),
    "missing": (pl.DataFrame({"a": [1.0, None]}), "column 'a' has 1 missing or infinite values, the first at row 1"),
    "missing truth": (pa.table({"a": [True, None]}), "column 'a' has 1 missing values, the first at row 1"),
    "dates": (pl.DataFrame({"a": DAYS}), "not numeric: 'a' (datetime64[ms])"),
    "same names": (pa.table([[1.0], [2.0]], names=["a", "a"]), "columns of the same name"),
}
MODEL = rsens.from_function(lambda rows: rsens.Normal(rows[:, 0], 1.0))


@pytest.mark.parametrize("name", REFUSED)
def test_tables_that_cannot_be_read(name):
    X, text = REFUSED[name]
    for call in (rsens.rsens, lambda _, X: rsens.BayesianLinearRegression().fit(X, [1.0, 2.0])):
        with pytest.raises(InputError, match=re.escape(text)):
            call(MODEL, X)


def test_targets_that_are_missing():
    X = pl.DataFrame({"a": [1.0, 2.0, 3.0]})
    for y in (pl.Series([1, None, 3]), pa.array([1.0, None, 3.0])):
        with pytest.raises(InputError, match="y must be finite; it has 1 missing"):
            rsens.BayesianLinearRegression().fit(X, y)
    with pytest.raises(InputError, match="clusters has no label for 1 of 3 rows"):
        rsens.assess(rsens.BayesianLinearRegression(), X, [1.0, 2.0, 3.0], clusters=pl.Series(["a", None, "b"]))
