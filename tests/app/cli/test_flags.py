"""Sentences of the library in the words of the command line."""

import pytest

from rsens._app.cli._commands import compare, explain, select, stability
from rsens._app.cli._flags import ARGUMENTS, command_line, flag, in_flags, note_in_flags
from rsens._app.tables import Note


@pytest.mark.parametrize(
    ("said", "here"),
    [
        ("target is missing: the name of it.", "--target is missing: the name of it."),
        ("cv must be at least 2 folds; got 1.", "--cv must be at least 2 folds; got 1."),
        ("n_jobs must be None or a whole number other than 0, as in joblib; got 0.", "--n-jobs must be a whole number"),
        ("Fill them, or use missing='drop' to leave the rows out.", "or use --missing drop to leave"),
        ("rsens2 scores pairs: use order=2.", "use --order 2."),
        ("Pairs were not computed; pairs=10 computes them.", "--pairs 10 computes them."),
        ("random_state must be None.", "--seed must be"),
        ("n_boot must be a whole number of at least 1.", "--samples must be"),
        ("It needs whole numbers. Use 'gaussian'.", "Use --likelihood gaussian."),
        ("Ask for 'gaussian' if they are amounts.", "Use --likelihood gaussian if they are amounts."),
        ("to be quick; ask for more `rows` if there is time", "ask for more --rows if there is time"),
        ("Give more, or cv=0 to go on.", "or --cv 0 to go on."),
        ("drop is settled in m.rsens and cannot be given with a model file.", "--drop is settled in m.rsens"),
        ("A Gaussian process (model 'gp') can be.", "(--model gp) can be."),
        ("the folder f is full. Give another folder, or overwrite=True.", "full. Use --out DIR or --overwrite."),
        ("better. Raise k, or keep the full model.", "Raise --pairs, or keep"),
    ],
)
def test_sentences(said, here):
    assert here in in_flags(said)


@pytest.mark.parametrize("text", ["the rows have no order", "the table has no target column 'cv'.", "a model = b"])
def test_other_words_stay(text):
    assert in_flags(text) == text


def test_every_argument_is_an_option():
    options = {name for command in (explain, compare, stability, select) for p in command.params for name in p.opts}
    assert {flag(argument) for argument in ARGUMENTS} <= options


def test_codes_are_named():
    note = Note("whole_numbers", ("batch no", "b"), "'batch no', 'b' have few. If they are codes, say so.")
    assert note_in_flags(note).text.endswith("If they are codes, use --categorical 'batch no'.")
    assert note_in_flags(note).columns == note.columns


def test_commands_can_be_copied():
    assert command_line("rsens", "select", "my data.csv", "--target", "y") == "rsens select 'my data.csv' --target y"
