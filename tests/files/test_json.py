"""JSON files: whole or not at all, exact, and checked. How results use them is tested with each result."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from rsens._errors import InputError
from rsens._files._json import (
    Form,
    array_of,
    number_or_nan,
    or_none,
    read_json,
    text,
    truth,
    tuple_of,
    whole,
    write_json,
)


@dataclass
class Thing:
    name: str
    numbers: Any
    flag: bool | None
    counts: tuple[int, ...] = ()

    def check(self) -> None:
        if self.name == "wrong":
            raise InputError("the name is wrong")


FORM = Form(
    "a thing",
    "Thing.save",
    {"name": text, "numbers": array_of(number_or_nan, 2), "flag": or_none(truth), "counts": tuple_of(whole)},
)


def test_round_trip(tmp_path):
    numbers = np.array([[0.1, 1 / 3], [np.nan, 5e-324]])
    FORM.write(Thing("ü 🚲 \x00 \ud800", numbers, None, (1, 2**52)), tmp_path / "x.json")
    thing = FORM.read(tmp_path / "x.json", Thing)
    np.testing.assert_array_equal(thing.numbers, numbers)
    assert (thing.name, thing.flag, thing.counts) == ("ü 🚲 \x00 \ud800", None, (1, 2**52))
    assert json.loads((tmp_path / "x.json").read_text())["format"] == "rsens thing"


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
    ("change", "reason"),
    [
        ({"name": 1}, "name cannot be read"),
        ({"numbers": [1.0]}, "numbers cannot be read"),
        ({"numbers": [[1.0], [1.0, 2.0]]}, "numbers cannot be read"),
        ({"flag": 0}, "flag cannot be read"),
        ({"counts": [-1]}, "counts cannot be read"),
        ({"counts": [True]}, "counts cannot be read"),
        ({"more": 1}, r"unknown entries \['more'\]"),
        ({"version": 2}, "version 2 of the format"),
        ({"format": "rsens other"}, r"does not hold a thing. Give a file written by Thing\.save"),
    ],
)
def test_other_content_is_refused(tmp_path, change, reason):
    FORM.write(Thing("a", np.ones((1, 1)), True), tmp_path / "x.json")
    content = json.loads((tmp_path / "x.json").read_text())
    write_json(content | change, tmp_path / "x.json")
    with pytest.raises(InputError, match=reason):
        FORM.read(tmp_path / "x.json", Thing)


def test_fields_that_do_not_belong_together_are_damage(tmp_path):
    FORM.write(Thing("wrong", np.ones((1, 1)), True), tmp_path / "x.json")
    with pytest.raises(InputError, match=r"x\.json is damaged: the name is wrong"):
        FORM.read(tmp_path / "x.json", Thing)


def test_paths_that_are_not_there_or_no_files(tmp_path):
    thing = Thing("x", np.zeros((1, 1)), None)
    with pytest.raises(InputError, match=r"cannot be written: there is no folder .*none\. Make it first"):
        FORM.write(thing, tmp_path / "none" / "x.json")
    with pytest.raises(InputError, match=r"is a folder\. Give the name of a file"):
        FORM.write(thing, tmp_path)
    with pytest.raises(InputError, match=r"there is no file .*x\.json\. Give a file written by Thing\.save"):
        FORM.read(tmp_path / "x.json", Thing)
    with pytest.raises(InputError, match="is a folder"):
        FORM.read(tmp_path, Thing)
    assert list(tmp_path.iterdir()) == []
