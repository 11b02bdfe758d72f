"""Values as JSON and back, exactly, and documents in which any damage shows. `tests/test_results.py` tests results."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from rsens._errors import InputError
from rsens._files import decode, document, encode, known_classes, read_document


@dataclass(frozen=True, eq=False)
class Inner:
    names: tuple[str, ...]
    by_key: Mapping[tuple[str, int], np.ndarray]


@dataclass(frozen=True, eq=False)
class Outer:
    values: np.ndarray
    inner: Inner | None
    score: float = 0.5
    kind: str = "numbers"


@dataclass(frozen=True)
class Elsewhere:
    values: Any


VALUES = np.array([[0.1 + 0.2, np.nan, -0.0], [np.inf, -np.inf, 5e-324]])
OUTER = Outer(VALUES, Inner(("nan", "ü"), {("a", 1): np.arange(3), ("b", 2): np.array([True, False])}), float("inf"))
KNOWN = known_classes(Outer)


def through_a_file(value, *records):
    text = document("a test", encode(value, known_classes(*records)))
    return decode(read_document(text, "a test", "here", "nobody"), known_classes(*records))


def same(one, other):
    return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()


def test_all_comes_back_to_the_last_bit():
    found = through_a_file(OUTER, Outer)
    assert type(found) is Outer
    assert same(found.values, VALUES)
    assert found.inner.names == ("nan", "ü")  # text that looks like a number is text
    assert list(found.inner.by_key) == [("a", 1), ("b", 2)]
    assert all(same(found.inner.by_key[key], OUTER.inner.by_key[key]) for key in found.inner.by_key)
    assert (found.score, found.kind) == (float("inf"), "numbers")


def test_plain_values_and_shapes():
    for value in (
        None, True, 3, 0.1, "text", "\ud800", [1, None, "a"], (1.5, (2,)), {"a": [1]}, {1: None}, {"is": "Outer"}, [],
        np.float64(0.1), 2**70, -math.inf,
    ):  # fmt: skip
        found = through_a_file(value)
        assert found == value
        assert type(found) is (float if isinstance(value, np.generic) else type(value))
    for shape in [(0,), (2, 0), (), (2, 1, 3)]:
        values = np.asarray(np.random.default_rng(0).normal(size=shape))
        assert same(through_a_file(values), values)


@given(
    arrays.arrays(st.sampled_from(["float64", "float32", "int64", "uint8", "bool"]), arrays.array_shapes(min_side=0))
)
def test_arrays_of_numbers(array):
    found = through_a_file(array)
    assert (found.dtype, found.shape) == (array.dtype, array.shape)
    np.testing.assert_array_equal(found, array)


def test_arrays_of_labels():
    for array in (np.array(["b", "ü🚲"]), np.array(["b", 1, None, 0.5], dtype=object), np.array([], dtype=object)):
        found = through_a_file(array)
        assert (found.dtype, found.tolist()) == (array.dtype, array.tolist())
    assert through_a_file(pd.Index(["a", "b"])).tolist() == ["a", "b"]


def test_nothing_is_made_that_was_not_asked_for():
    for content in (
        {"is": "Elsewhere", "values": 1},
        {"is": "Popen", "args": "ls"},
        {"is": "Inner"},
        {"is": "array", "dtype": "O", "shape": [1], "values": [{"is": "Popen"}]},
        {"is": "array", "dtype": "|V8", "shape": [1], "values": [1]},
        {"is": "array", "dtype": "float64", "shape": [1], "values": [{"a": 1}]},
        {"is": "array", "dtype": "float64", "shape": [1], "values": 1.0},
        {"is": "array", "dtype": "float64", "shape": [10**15], "values": [1.0]},
        {"is": "array", "dtype": "(1000000000,)f8", "shape": [0], "values": []},
        {"is": "float", "value": "1e5"},
        {"is": "list"},
        {"items": []},
        {},
    ):
        with pytest.raises((ValueError, TypeError, KeyError)):
            decode(content, KNOWN)


def test_what_cannot_be_stored_is_an_error():
    for value in (replace(OUTER, score=object()), {1, 2}, b"x", Outer, Elsewhere(1), 1j, pd.Timestamp(0)):
        with pytest.raises(InputError, match="cannot be stored"):
            encode(value, KNOWN)


def test_other_texts():
    head = document("a test", 1).partition('"content"')[0]
    deep = f'{head}"content": {"[" * 900}{"]" * 900}}}'
    for text in ["", "{", "null", "[]", "[" * 100_000, b"\xff\xfe", '{"format": NaN}', "9" * 5000, deep]:
        with pytest.raises(InputError, match=r"here is damaged.*nobody"):
            read_document(text, "a test", "here", "nobody")
