"""Is it the same question? Results in folders are tested with the folders."""

from __future__ import annotations

import pytest

from rsens._errors import spelled_by
from rsens._files import difference


def test_the_first_argument_that_differs():
    before = {"a": 1, "b": [1, 2], "c": None, "gone": 3}
    assert difference(before, dict(before)) is None
    assert difference(before, {"a": 1, "b": [1], "c": 0, "new": 4}) == "b was 1, 2"
    assert difference(before, before | {"new": 4}) == "new was not given"


def test_what_is_missing_is_none():
    """A question of an older release may lack an argument that is not given now."""
    assert difference({"a": 1}, {"a": 1, "new": None}) is None
    assert difference({"a": 1, "old": None}, {"a": 1}) is None


@pytest.mark.parametrize(
    ("name", "value", "library", "command_line"),
    [
        ("rows", 300, "rows was 300", "--rows was 300"),
        ("drop", ["a", "b"], "drop was a, b", "--drop was a, b"),
        ("drop", [], "drop was not given", "--drop was not given"),
        ("inducing", None, "inducing was not given", "--inducing was not given"),
        ("fingerprint", "0123", "the rows were different", "the rows were different"),
    ],
)
def test_in_the_words_of_each_reader(name, value, library, command_line):
    assert difference({name: value}, {name: "now"}) == library
    with spelled_by(lambda argument: f"--{argument.name}"):
        assert difference({name: value}, {name: "now"}) == command_line
