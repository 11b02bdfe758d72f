"""Errors, warnings and sentences that know which of their words are arguments; repeated warnings."""

import ast
import copy
import inspect
import pickle
import re
import warnings
from pathlib import Path

import pytest

import rsens
from rsens._errors import Argument, InputError, RsensWarning, Sentence, emit_once, spelled_by, warnings_once

SOURCE = Path(rsens.__file__).parent


def dashes(argument: Argument) -> str:
    return f"--{argument.name} {argument.value}" if argument.has_value else f"--{argument.name}"


def in_dashes(text: str) -> str:
    with spelled_by(dashes):
        return str(Sentence(text))


SENTENCE = Sentence(Argument("rows"), " must be at least 2; got 1. Or use ", Argument("null", False), ".")


def test_a_sentence_reads_as_python_users_expect():
    assert SENTENCE == "rows must be at least 2; got 1. Or use null=False."
    assert SENTENCE.argument == "rows"
    assert str(Argument("likelihood", "gaussian")) == "likelihood='gaussian'"


def test_another_reader_gets_another_spelling():
    assert in_dashes(SENTENCE) == "--rows must be at least 2; got 1. Or use --null False."
    assert in_dashes(Sentence("Fold 3: ", SENTENCE)).startswith("Fold 3: --rows must")
    assert in_dashes("rows=3 is plain text") == "rows=3 is plain text"
    with spelled_by(dashes):
        assert f"use {Argument('rows', 3)}" == "use --rows 3"
    assert str(Argument("rows", 3)) == "rows=3"


@pytest.mark.parametrize("copied", [lambda e: pickle.loads(pickle.dumps(e)), copy.copy, copy.deepcopy])
def test_they_survive_the_way_to_another_process(copied):
    error = copied(InputError(Argument("cv"), ": fold 1 is empty."))
    assert str(error) == "cv: fold 1 is empty."
    assert error.argument == "cv"
    assert copied(SENTENCE).parts == SENTENCE.parts


def test_texts_are_short_and_cannot_steer_the_terminal():
    long = "a b" * 3_000
    assert len(str(RsensWarning(long))) <= 1_500
    assert len(str(InputError(Argument("rows", long)))) <= 1_505
    usual = "It's a note of usual length, isn't it? " * 20
    assert str(InputError(usual)) == usual
    error = InputError(f"the column \x1b[31m{'red'}\x1b[0m\r\x07 is\nnot there: 👩\u200d🔬 \u202e")
    assert str(error) == "the column \\x1b[31mred\\x1b[0m\\r\\x07 is\nnot there: 👩\u200d🔬 \\u202e"
    assert in_dashes(error.sentence) == str(error)


def parameters() -> set[str]:
    names: set[str] = set()
    for name in rsens.__all__:
        value = getattr(rsens, name)
        if callable(value) and not (isinstance(value, type) and issubclass(value, Exception | Warning)):
            names |= set(inspect.signature(value).parameters)
    return names - {"self", "args", "kwargs", "X", "model"}


def first_words(call: ast.Call) -> str:
    """The beginning of the text of an error, as far as it is a literal."""
    first = call.args[0] if call.args else None
    if isinstance(first, ast.JoinedStr) and first.values:
        first = first.values[0]
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""


def test_errors_that_speak_of_an_argument_carry_it():
    """`InputError("rows must …")` cannot be spelled --rows; `InputError(Argument("rows"), " must …")` can."""
    said = re.compile(rf"(?:{'|'.join(sorted(parameters()))})(?: must\b| has\b| needs\b|:|=)")
    plain = [
        f"{path.relative_to(SOURCE)}:{node.lineno}: {first_words(node)[:50]}"
        for path in sorted(SOURCE.rglob("*.py"))
        if "InputError(" in (text := path.read_text(encoding="utf-8")) or "RsensWarning(" in text
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("InputError", "RsensWarning")
        if said.match(first_words(node))
    ]
    assert not plain


def test_a_repeated_warning_is_shown_once():
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        with warnings_once():
            for step in range(5):
                warnings.warn(RsensWarning(f"step {step} is too wide"), stacklevel=1)
    assert len(shown) == 1


def test_pieces_are_counted():
    pieces = [[(RsensWarning, "fit 1 failed"), (UserWarning, "x")], [(RsensWarning, "fit 2 failed")], []]
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        emit_once(pieces, 3, "fold")
    assert [str(each.message) for each in shown] == ["In 2 of 3 folds: fit 1 failed", "x"]


@pytest.mark.parametrize("category", [DeprecationWarning, PendingDeprecationWarning])
def test_hidden_deprecations_stay_hidden(category):
    """Filters name the module that warns, as Python's own do; a warning raised again elsewhere would pass them."""
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", category=category, module="old")
        with warnings_once():
            warnings.warn_explicit("old.f is deprecated", category, "old.py", 1, module="old")
    assert not shown
