"""Text for the terminal."""

from __future__ import annotations

import json
import os
import sys
from typing import Any, TextIO

from rsens._text import on_one_line

#: Replacements of the same width for signs that a terminal does not have.
PLAIN = dict(zip("█▲▼−–×·…₂²“”", '#^v--x-~22""', strict=True))


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
    """The text with signs that the terminal has; other letters that it has not become escapes when they are written."""
    for sign, plain in PLAIN.items():
        if not _known(sign, encoding):
            text = text.replace(sign, plain)
    if not _known("±", encoding):
        text = text.replace("±  ", "+- ").replace("±", "+-")  # wider: it takes the place of a space in a table
    return text


def _known(sign: str, encoding: str | None) -> bool:
    try:
        sign.encode(encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
