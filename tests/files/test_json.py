"""JSON files: whole or not at all, exact, and read with every entry checked. `tests/test_results.py` tests results."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import rsens
from rsens._files._json import (
    array_of,
    label,
    number,
    number_or_nan,
    or_none,
    plain_json,
    read_json,
    text,
    truth,
    tuple_of,
    whole,
    write_json,
)


def test_numbers_and_texts_come_back_as_they_were(tmp_path):
    numbers = np.array([[0.1, 1 / 3], [np.nan, 5e-324]])
    content = {"name": "ü 🚲 \x00 \\ud800", "numbers": plain_json(numbers), "counts": [1, 2**52]}
    write_json(content, tmp_path / "x.json")
    found = read_json(tmp_path / "x.json")
    assert (found["name"], found["counts"]) == (content["name"], [1, 2**52])
    assert found["numbers"][1][0] is None  # JSON has no NaN
    np.testing.assert_array_equal(array_of(number_or_nan, 2)(found["numbers"]), numbers)


@pytest.mark.parametrize("text", [r"\ud800", r"\uDFFF x", r"\\\ud83d", r"\ud83d\ud83d\ude00", r"\ude00\ud83d"])
def test_half_of_a_character_is_neither_read_nor_written(tmp_path, text):
    (tmp_path / "x.json").write_text(f'{{"name": "{text}"}}')
    with pytest.raises(ValueError, match="half of a character"):
        read_json(tmp_path / "x.json")
    with pytest.raises(rsens.InputError, match="half of a character"):
        write_json({"name": json.loads(f'"{text}"')}, tmp_path / "y.json")
    assert not (tmp_path / "y.json").exists()


@pytest.mark.parametrize("text", [r"\ud83d\ude00", r"\\ud800", r"\u00e9", r"\\\ud83d\ude00"])
def test_whole_characters_are_read(tmp_path, text):
    (tmp_path / "x.json").write_text(f'["{text}"]')
    assert read_json(tmp_path / "x.json") == json.loads(f'["{text}"]')


@pytest.mark.parametrize("content", ['{"a": 1, "a": 1}', '{"b": [{"a": 1, "c": 2, "a": 3}]}'])
def test_an_entry_that_is_there_twice(tmp_path, content):
    (tmp_path / "x.json").write_text(content)
    with pytest.raises(ValueError, match="the entry 'a' is there twice"):
        read_json(tmp_path / "x.json")


@pytest.mark.parametrize("wrong", [math.nan, math.inf, {"a": object()}])
def test_what_json_cannot_hold_leaves_no_file(tmp_path, wrong):
    with pytest.raises((ValueError, TypeError)):
        write_json(wrong, tmp_path / "x.json")
    assert list(tmp_path.iterdir()) == []


def test_numbers_that_json_does_not_have(tmp_path):
    (tmp_path / "x.json").write_text("[NaN]")
    with pytest.raises(ValueError, match="NaN is not a number in JSON"):
        read_json(tmp_path / "x.json")


@pytest.mark.parametrize(
    ("reader", "value"),
    [
        (text, 1),
        (number, None),
        (number, True),
        (number_or_nan, "1"),
        (whole, -1),
        (whole, True),
        (whole, 2**53),
        (truth, 0),
        (label, [1]),
        (or_none(truth), 0),
        (tuple_of(whole), 3),
        (tuple_of(whole), [-1]),
        (array_of(number, 2), [1.0]),
        (array_of(number, 2), [[1.0], [1.0, 2.0]]),
    ],
)
def test_other_entries_are_refused(reader, value):
    with pytest.raises((TypeError, ValueError)):
        reader(value)


@pytest.mark.parametrize(
    ("reader", "value", "expected"),
    [
        (or_none(truth), None, None),
        (label, False, False),
        (label, 2.5, 2.5),
        (tuple_of(text), ["a", "b"], ("a", "b")),
        (whole, 2**53 - 1, 2**53 - 1),
    ],
)
def test_entries_are_read_as_what_they_are(reader, value, expected):
    assert reader(value) == expected


def test_arrays_have_the_type_and_the_axes_asked_for():
    assert array_of(whole, 1, np.int64)([1, 2]).dtype == np.int64
    assert array_of(number, 3)([]).shape == (0, 0, 0)
