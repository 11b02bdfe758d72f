"""Text for the terminal."""

from __future__ import annotations

import json
import os
import sys
from typing import Any, TextIO

from rsens._text import on_one_line

#: Replacements of the same width for signs that a terminal may not have.
PLAIN = str.maketrans("█▲▼−–×·…₂²“”", '#^v--x-~22""')


def say(text: str, stream: TextIO | None = None) -> None:
    """A line, or several, to standard output or elsewhere. If nobody reads on (`| head`), the rest goes nowhere."""
    stream = sys.stdout if stream is None else stream
    try:
        stream.write(f"{in_encoding(text, stream.encoding)}\n")
        stream.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def say_json(content: Any) -> None:
    """One JSON document, in ASCII."""
    say(json.dumps(content, indent=2, allow_nan=False))


def complain(text: str) -> None:
    """A sentence to standard error, without anything that could garble a terminal."""
    sys.stderr.write(f"rsens: {on_one_line(text)}\n")


def in_encoding(text: str, encoding: str | None) -> str:
    """The text, with plain signs if the terminal lacks one; other letters that it lacks are written as escapes."""
    try:
        text.encode(encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        # Plus-minus gets wider: it takes the place of a space in a table.
        return text.replace("±  ", "+- ").replace("±", "+-").translate(PLAIN)
    return text
