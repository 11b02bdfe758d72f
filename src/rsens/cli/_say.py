"""What goes to the terminal."""

from __future__ import annotations

import json
import os
import sys
from typing import Any


def say(text: str) -> None:
    """A line, or several, to standard output. If nobody reads on (`| head`), the rest goes nowhere."""
    try:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say_json(content: Any) -> None:
    """One JSON document, in ASCII."""
    say(json.dumps(content, indent=2, allow_nan=False))


def complain(text: str) -> None:
    """A sentence to standard error, without anything that could garble a terminal."""
    safe = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
    sys.stderr.write(f"rsens: {safe}\n")
