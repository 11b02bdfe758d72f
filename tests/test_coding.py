"""Categorical columns: how they are found, numbered, counted, read and switched."""

import numpy as np
import pandas as pd
import pytest

from rsens._coding import Coding
from rsens._errors import Argument, InputError

FRAME = pd.DataFrame(
    {
        "size": [1.5, 2.5, 3.5, 4.5],
        "city": ["Oslo", "Bergen", "Oslo", "Oslo"],
        "sold": [True, False, False, True],
        "grade": pd.Categorical(["low", "high", "low", "mid"], ["low", "mid", "high", "top"]),
        "rooms": [3, 1, 1, 3],
    }
)


def levels(coding):
    return {column.name: column.labels for column in coding.columns}


def test_columns_are_found_by_their_type():
    coding = Coding.of(FRAME)
    assert coding.names == tuple(FRAME.columns)
    assert coding.categorical == (1, 2, 3)
    assert coding.continuous == (0, 4)
    assert levels(coding) == {"city": ("Bergen", "Oslo"), "sold": (False, True), "grade": ("low", "mid", "high")}
    assert len(coding) == 3


def test_every_type_of_text():
    for dtype in (object, "str", "string", "category"):
        city = FRAME[["city"]].astype(dtype)
        coding = Coding.of(city)
        assert levels(coding) == {"city": ("Bergen", "Oslo")}
        np.testing.assert_array_equal(coding.read(city).values[:, 0], [1, 0, 1, 1])


def test_numbers_are_not_categorical_unless_they_are_named():
    assert not Coding.of(FRAME[["size", "rooms"]])
    assert not Coding.of(np.eye(3))
    assert not Coding.of(np.array([[True], [False]]))
    coding = Coding.of(FRAME[["size", "rooms"]], ["rooms"])
    assert levels(coding) == {"rooms": (1, 3)}
    np.testing.assert_array_equal(
        coding.read(FRAME[["size", "rooms"]]).values, [[1.5, 1], [2.5, 0], [3.5, 0], [4.5, 1]]
    )


def test_frequencies_are_shares_of_the_rows():
    coding = Coding.of(FRAME)
    np.testing.assert_allclose(coding[1].frequencies, [0.25, 0.75], rtol=1e-15)
    np.testing.assert_allclose(coding[3].frequencies, [0.5, 0.25, 0.25], rtol=1e-15)
    weighted = Coding.of(FRAME, weights=[1.0, 2.0, 0.0, 1.0])
    np.testing.assert_allclose(weighted[1].frequencies, [0.5, 0.5], rtol=1e-15)


def test_unused_categories_are_kept_on_request():
    coding = Coding.of(FRAME, keep_unused=True)
    assert coding[3].labels == ("low", "mid", "high", "top")
    np.testing.assert_allclose(coding[3].frequencies, [0.5, 0.25, 0.25, 0.0], rtol=1e-15)


def test_given_levels_fix_the_codes():
    coding = Coding.of(FRAME, {"city": ["Oslo", "Tromsø", "Bergen"]})
    np.testing.assert_array_equal(coding.read(FRAME).values[:, 1], [0, 2, 0, 0])
    np.testing.assert_allclose(coding[1].frequencies, [0.75, 0.0, 0.25], rtol=1e-15)
    assert coding.categorical == (1, 2, 3)  # naming one does not hide the others


def test_labels_without_an_order_are_numbered_as_they_appear():
    X = np.array([["b"], [2], ["a"], [2]], dtype=object)
    assert Coding.of(X, [0])[0].labels == ("b", 2, "a")


def test_reading_other_rows():
    coding = Coding.of(FRAME)
    table = coding.read(FRAME.iloc[[3, 1]])
    assert table.names == coding.names
    assert table.coding is coding
    np.testing.assert_array_equal(table.values, [[4.5, 1, 1, 1, 3], [2.5, 0, 0, 2, 1]])
    assert table.values.flags.c_contiguous
    assert coding.read(table) is table


def test_numbers_for_functions():
    """Labels that are numbers are kept: a function of one bool knows it as 0 and 1."""
    X = FRAME[FRAME["sold"]]
    coding = Coding.of(X, ["rooms"])
    table = coding.read(X)
    np.testing.assert_array_equal(table.values[:, 2], [0, 0])
    np.testing.assert_array_equal(coding.numbers(table.values), [[1.5, 0, 1, 0, 3], [4.5, 0, 1, 1, 3]])


def test_switched_frame_keeps_every_type():
    coding = Coding.of(FRAME, ["rooms"])
    before = FRAME.copy()
    switched = coding.read(FRAME).switched(1, 4, {1: 0, 2: 1, 3: 2, 4: 0})
    pd.testing.assert_frame_equal(FRAME, before)
    expected = FRAME.iloc[1:4].assign(
        city="Bergen", sold=True, grade=pd.Categorical(["high"] * 3, FRAME["grade"].cat.categories), rooms=1
    )
    pd.testing.assert_frame_equal(switched, expected)


def test_switched_to_a_category_that_the_rows_do_not_know():
    coding = Coding.of(FRAME)
    rows = FRAME.assign(grade=FRAME["grade"].cat.remove_categories(["high", "top"]).fillna("low"))
    switched = coding.read(rows).switched(0, 4, {3: 2})
    assert list(switched["grade"]) == ["high"] * 4
    assert switched["grade"].dtype == "category"


def test_switched_array():
    mixed = np.array([["a", 1.5], ["bcd", 2.5]], dtype=object)
    for X, label in [(np.array([["a"], ["bcd"]]), "bcd"), (mixed, "bcd"), (np.array([[1, 7], [2, 8]]), 2)]:
        before = X.copy()
        switched = Coding.of(X, [0]).read(X[:1]).switched(0, 1, {0: 1})
        assert switched[0, 0] == label
        np.testing.assert_array_equal(switched[0, 1:], X[0, 1:])
        np.testing.assert_array_equal(X, before)


def test_unknown_and_missing_levels():
    with pytest.raises(InputError, match=r"'city' has the level 'Bergn' at row 2.* Did you mean 'Bergen'") as error:
        Coding.of(FRAME).read(FRAME.assign(city=["Oslo", "Oslo", "Bergn", "Rome"]))
    assert error.value.argument == "X"
    with pytest.raises(InputError, match=r"the level '1' .* Did you mean 1\?"):
        Coding.of(FRAME, ["rooms"]).read(FRAME.assign(rooms=["1", "1", "3", "3"]))
    for missing in (None, np.nan, pd.NA):
        rows = FRAME.assign(city=pd.Series(["Oslo", missing, "Bergen", missing], dtype=object))
        for read in (Coding.of, Coding.of(FRAME).read):
            with pytest.raises(InputError, match="column 'city' has 2 missing values, the first at row 1"):
                read(rows)


def test_an_identifier_is_not_a_category():
    keys = pd.DataFrame({"key": [f"k{i}" for i in range(30)]})
    with pytest.raises(InputError, match="'key' has 30 different values in 30 rows") as error:
        Coding.of(keys)
    assert Argument("categorical", ["key"]) in error.value.sentence.parts
    assert "give categorical=['key']" in str(error.value)
    assert len(Coding.of(keys, ["key"])[0]) == 30
    assert len(Coding.of(keys.astype("category"))[0]) == 30
    assert len(Coding.of(keys.iloc[:20])[0]) == 20  # few rows: half of them may well differ
    assert len(Coding.of(pd.concat([keys, keys]))[0]) == 30


def test_labels_that_are_refused():
    lists = pd.DataFrame({"a": [[1], [2]]})
    for X, text in [([[1.0], [np.nan]], "1 missing"), ([[1.0], [np.inf]], "the level inf"), (lists, "got list")]:
        with pytest.raises(InputError, match=text):
            Coding.of(X if X is lists else np.array(X), [0])


@pytest.mark.parametrize(
    "categorical", [["town"], [True], ["city", 1], "city", {"city": "Oslo"}, {"city": ["Oslo"]}], ids=str
)
def test_wrong_names(categorical):
    with pytest.raises(InputError) as error:
        Coding.of(FRAME, categorical)
    assert error.value.argument == "categorical"
