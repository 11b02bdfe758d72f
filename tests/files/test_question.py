"""Is it the same question? Results in folders are tested with the folders."""

from __future__ import annotations

import pytest

from rsens._errors import spelled
from rsens._files import Question, difference, differences, what_it_was


def test_the_names_that_differ_come_in_order():
    before = {"a": 1, "b": [1, 2], "c": None, "gone": 3}
    assert differences(before, dict(before)) == []
    assert differences(before, {"a": 1, "b": [1], "c": 0, "new": 4}) == ["b", "c", "gone", "new"]


def test_what_is_missing_is_none():
    """A question of an older release may lack an argument that is not given now."""
    assert differences({"a": 1}, {"a": 1, "new": None}) == []
    assert differences({"a": 1, "old": None}, {"a": 1}) == []


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
def test_what_it_was(name, value, library, command_line):
    sentence = what_it_was(name, value)
    assert sentence == library
    assert spelled(sentence, lambda argument: f"--{argument.name}") == command_line


def test_summaries_with_wrong_types():
    question = Question("explain", "table", "y", {"model_file": None, "samples": 3})
    for summary in ({}, {"settings": 3}, {"settings": {"arguments": "x"}}, {"command": ["explain"]}):
        assert difference(summary, question).startswith("rsens ")
    summary = {"command": "explain", "settings": {"data": "table", "target": "y", "arguments": {"samples": "x"}}}
    assert difference(summary, question) is None


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("model_file", None, "a model fitted to these rows"),
        ("model_file", "m.rsens", "the model in m.rsens"),
        ("model_of", "other", "a model of the data 'other'"),
        ("order", 2, "order 2"),
    ],
)
def test_in_a_few_words(name, value, words):
    summary = {"command": "explain", "settings": {"data": "t", "target": "y", "arguments": {name: value}}}
    assert difference(summary, Question("explain", "t", "y", {name: "now"})) == words
