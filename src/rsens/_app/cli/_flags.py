"""Sentences of the library in the words of the command line: what is an argument there is an option here."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rsens._app.tables import Note

#: Arguments of the library whose option has another name; all others have their own, with hyphens.
OTHER_NAMES = {"random_state": "seed", "n_boot": "samples", "k": "pairs"}
ARGUMENTS = (
    *("target", "likelihood", "model", "missing", "drop", "columns", "categorical", "rows", "inducing", "seed"),
    *("n_jobs", "overwrite", "model_file", "pairs", "cv", "methods", "order", "budget", "repeats", *OTHER_NAMES),
)
_NAME = "|".join(ARGUMENTS)
_LIKELIHOOD = "auto|gaussian|student_t|poisson|negative_binomial|classification"

#: What is said of an argument at the beginning of a sentence.
_SAID = r"(?=(?:must be|is missing|is settled|is for)\b)"
#: Patterns and what takes their place, in this order.
PHRASES: tuple[tuple[str, str], ...] = (
    (r"Give another folder, or overwrite=True", "Use --out DIR or --overwrite"),
    (r"Give another (?:one|folder)\.", "Use another --out DIR."),
    (r"n_jobs must be None or a whole number other than 0, as in joblib", "n_jobs must be a whole number other than 0"),
    (rf"(?:Use|Ask for) '({_LIKELIHOOD})'", r"Use --likelihood \1"),
    (r"model 'gp'", "--model gp"),
    (r"Leave the target out", "Leave --target out"),
    (r"with a model file", "with --model-file"),
    (r"Write it with save_model", "Give a model.rsens that `rsens explain` wrote"),
    (r"Raise k\b", "Raise --pairs"),
    (r"(Drop (?:all but one of them|what is not known beforehand)|drop it if it only names them)", r"\1 (--drop NAME)"),
    (r"overwrite=True", "--overwrite"),
    (r"null=False", "--no-null"),
)


def in_flags(text: str) -> str:
    """The sentence as a user of the command line reads it."""
    for pattern, words in PHRASES:
        text = re.sub(pattern, words, text)
    text = re.sub(rf"(?<![\w-])({_NAME})=('[^']*'|[\w.]+)", lambda m: f"{flag(m[1])} {m[2].strip(chr(39))}", text)
    text = re.sub(rf"`({_NAME})`", lambda m: flag(m[1]), text)
    return re.sub(rf"(?:^|(?<=[.:;] ))({_NAME}) {_SAID}", lambda m: f"{flag(m[1])} ", text)


def flag(argument: str) -> str:
    """The option of an argument."""
    return "--" + OTHER_NAMES.get(argument, argument).replace("_", "-")


def note_in_flags(note: Note) -> Note:
    """A note as a user of the command line reads it."""
    text = in_flags(note.text)
    if note.columns:
        codes = f"use --categorical {shlex.quote(note.columns[0])}"
        text = text.replace("If they are codes, say so.", f"If they are codes, {codes}.")
    return replace(note, text=text)


def command_line(*words: Any) -> str:
    """A command, quoted so that a shell reads it as it is."""
    return " ".join(shlex.quote(str(word)) for word in words)
