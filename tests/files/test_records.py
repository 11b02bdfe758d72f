"""Records as JSON and back, exactly."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from rsens._files import from_json, to_json


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


def through_a_file(value, *records):
    return from_json(json.loads(json.dumps(to_json(value), allow_nan=False)), *records)


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


@pytest.mark.parametrize(
    "value", [None, True, 3, 0.1, "text", [1, None, "a"], (1.5, (2,)), {"a": [1]}, {1: None}, [], np.float64(0.1)]
)
def test_plain_values(value):
    found = through_a_file(value)
    assert found == value
    assert type(found) is (float if isinstance(value, np.generic) else type(value))


@pytest.mark.parametrize("shape", [(0,), (2, 0), (), (2, 1, 3)])
def test_shapes(shape):
    values = np.random.default_rng(0).normal(size=shape)
    assert same(through_a_file(np.asarray(values)), np.asarray(values))


def test_nothing_is_made_that_was_not_asked_for():
    content = to_json(Elsewhere(1))
    with pytest.raises(ValueError, match="not a record of ours"):
        from_json(content, Outer)
    with pytest.raises(ValueError, match="not a record of ours"):
        from_json({"record": "Popen", "fields": {"args": "ls"}}, Outer)
    with pytest.raises((ValueError, TypeError)):
        from_json({"array": ["x"], "shape": [1], "dtype": "|O"}, Outer)
    with pytest.raises((ValueError, TypeError)):
        from_json({"array": [{"a": 1}], "shape": [1], "dtype": "<f8"}, Outer)


def test_a_record_with_other_fields_is_refused():
    """A field that is new: what was kept before it is done again."""
    content = to_json(OUTER)
    del content["fields"]["kind"]
    with pytest.raises(ValueError, match="Outer has other fields"):
        from_json(content, Outer)


def test_what_cannot_be_kept_is_a_type_error():
    for value in (replace(OUTER, score=object()), np.array(["a"]), {1, 2}, b"x", Outer):
        with pytest.raises(TypeError, match="cannot be kept"):
            to_json(value)
