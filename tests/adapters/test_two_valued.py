"""Numeric columns of two values: which they are, and the model with contrasts there, for every kind of rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from rsens import Normal, from_function
from rsens._errors import InputError
from rsens.adapters import as_contrasts, read_for, two_valued, two_valued_columns
from rsens.derivatives import Derivatives, iterate
from rsens.measures import switches_of

RNG = np.random.default_rng(1)
N = 30
X = RNG.normal(size=(N, 3))
X[:, 1] = np.where(np.arange(N) % 3, 2.0, 7.0)  # 20 rows have 2, 10 have 7


class Object:
    """Normal(x₀ + x₁ x₂, 1), with derivatives in all columns; it keeps the rows that it got."""

    def __init__(self):
        self.got = []

    def _values(self, rows):
        self.got.append(rows)
        columns = [rows[name] for name in rows.columns] if hasattr(rows, "columns") else list(np.asarray(rows).T)
        return [np.asarray(column, dtype=np.float64) for column in columns]

    def predict_distribution(self, rows):
        a, b, c = self._values(rows)
        return Normal(a + b * c, np.ones(len(a)))

    def derivatives(self, rows, order):
        a, b, c = self._values(rows)
        n = len(a)
        first, second = np.zeros((n, 2, 3)), np.zeros((n, 2, 3, 3))
        first[:, 0] = np.column_stack([np.ones(n), c, b])
        second[:, 0, 1, 2] = second[:, 0, 2, 1] = 1.0
        return Derivatives(Normal(a + b * c, np.ones(n)), first, second if order == 2 else None)


def table_of(values, training=None, **options):
    table = read_for(Object(), values)[1]
    return two_valued(table, training, **options)


def test_two_values_in_three_rows_at_least():
    assert table_of(X) == (1,)
    assert table_of(X[:3]) == (1,)
    assert table_of(X[:2]) == ()  # two rows have two values in every column
    constant = X.copy()
    constant[:, 1] = 2.0
    assert table_of(constant) == ()


def test_the_training_inputs_decide():
    one = X[X[:, 1] == 2.0]
    assert table_of(one) == ()
    assert table_of(one, X) == (1,)
    other = X.copy()
    other[0, 1] = 5.0  # X has a value that the training inputs do not have: a number like others
    assert table_of(other, X) == ()
    many = X + RNG.normal(size=X.shape)
    assert table_of(X, many) == ()


def test_what_stays_a_number():
    assert table_of(X, numeric=["x1"]) == table_of(X, numeric=[1]) == table_of(X, numeric=[-2]) == ()
    assert table_of(X, grouped=[1, 2]) == ()
    assert two_valued_columns(X, (), ("a", "b", "c")) == (1,)
    assert two_valued_columns(X, ["b"], ("a", "b", "c")) == ()


@pytest.mark.parametrize(
    ("numeric", "match"),
    [
        (["y"], "'y', which is not in X"),
        ("flag", "must be a list"),
        (["flag", 1], "'flag' twice"),
        (["city"], "'city', which is categorical"),
        (["sold"], "'sold', which is categorical"),
    ],
)
def test_wrong_columns(numeric, match):
    frame = pd.DataFrame({"a": X[:, 0], "flag": X[:, 1], "city": ["a", "b", "c"] * 10, "sold": [True, False] * 15})
    table = read_for(from_function(lambda Z: Normal(Z[:, 0], 1.0)), frame)[1]
    for call in (lambda: two_valued(table, numeric=numeric), lambda: two_valued_columns(frame, numeric, table.names)):
        with pytest.raises(InputError, match=match) as error:
            call()
        assert error.value.argument == "numeric"


def test_columns_of_raw_data():
    frame = pd.DataFrame(
        {
            "whole": [0, 1] * 15,
            "nullable": pd.array([3, 4] * 15, dtype="Int64"),
            "missing": pd.array([3, 4, None] * 10, dtype="Int64"),
            "object": np.array([0, 1.5] * 15, dtype=object),
            "text": ["a", "b"] * 15,
            "many": range(30),
        }
    )
    assert two_valued_columns(frame, (), tuple(frame.columns)) == (0, 1, 3)
    assert two_valued_columns(frame.to_numpy(dtype=object), (), tuple(frame.columns)) == (0, 1, 3)


FRAME = pd.DataFrame(X, columns=list("abc"))
ROWS = {
    "array": X,
    "list": X.tolist(),
    "int": FRAME.astype({"b": "int64"}),
    "nullable": FRAME.astype({"b": "Int64"}),
    "polars": pl.from_pandas(FRAME),
}


@pytest.mark.parametrize("kind", ROWS)
def test_every_kind_of_rows(kind):
    """√(2 KL) between the two values: |x₂| times the gap of 5; the model only ever sees the numbers 2 and 7."""
    model = Object()
    source, table = as_contrasts(*read_for(model, ROWS[kind]), [1])
    ((_, record),) = iterate(source, table, 2)
    ((column, of_levels),) = switches_of(record, 1.0).items()
    assert column == 1
    np.testing.assert_allclose(of_levels.sum(axis=1), 5.0 * np.abs(X[:, 2]), rtol=1e-12)
    assert not record.first[..., 1].any()
    assert not record.second[..., 1].any()
    assert not record.second[..., 1, :].any()
    np.testing.assert_array_equal(record.first[:, 0, 2], X[:, 1])
    for rows in model.got:
        assert type(rows) is type(table.source)
        column = np.asarray(rows["b"] if hasattr(rows, "columns") else rows[:, 1], dtype=float)
        assert set(column.tolist()) <= {2.0, 7.0}
        if kind in ("int", "nullable"):
            assert rows["b"].dtype == ROWS[kind]["b"].dtype
    back = table.like(table.values)
    assert type(back) is type(table.source)
    np.testing.assert_array_equal(np.asarray(back["b"] if hasattr(back, "columns") else back[:, 1]), X[:, 1])


def test_a_part_with_one_value_has_nothing_to_compare():
    """A fold may lack a value of a rare flag; rows that have it are compared with the value the fold has."""
    fold = X[X[:, 1] == 2.0]
    for rows in (fold, X):
        source, table = as_contrasts(*read_for(Object(), rows), [1], training=fold)
        ((_, record),) = iterate(source, table, 2)
        values = switches_of(record, 1.0)[1].sum(axis=1)
        assert not values[table.source[:, 1] == 2.0].any()
    assert table.coding[1].frequencies.tolist() == [1.0, 0.0]


def test_frequencies_are_those_of_the_training_inputs():
    training = X.copy()
    training[:3, 1] = 7.0
    _, table = as_contrasts(*read_for(Object(), X), [1], training=training)
    np.testing.assert_allclose(table.coding[1].frequencies, [18 / 30, 12 / 30])
    weights = np.where(X[:, 1] == 7.0, 3.0, 1.0)
    _, table = as_contrasts(*read_for(Object(), X), [1], weights=weights / weights.sum())
    np.testing.assert_allclose(table.coding[1].frequencies, [0.4, 0.6])
    assert table.coding[1].labels == (2, 7)
