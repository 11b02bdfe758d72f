"""The errors and the warning of rsens, and the sentences they say.

A sentence that mentions an argument holds it as an `Argument`, so that one error serves two readers: the library says
`rows=`, the command line says `--rows`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

#: The joiner and the variation selector that emoji are made of: not printable alone, but harmless.
JOINERS = "\u200d\ufe0f"


def printable(text: str, keep: str = "") -> str:
    """The text with escapes for control characters and lone surrogates, except for the characters to `keep`."""
    return "".join(c if c.isprintable() or c in keep else c.encode("unicode_escape").decode("ascii") for c in text)


@dataclass(frozen=True)
class Argument:
    """An argument of a call, as a sentence mentions it: by name, or with a value to give it."""

    name: str
    value: Any = ...  # no value: `...` is none that a call takes, and stays itself in other processes

    @property
    def has_value(self) -> bool:
        """Whether the sentence says which value to give."""
        return self.value is not ...

    def __str__(self) -> str:
        return f"{self.name}={self.value!r}" if self.has_value else self.name


#: How a reader calls an argument: `rows` in Python, `--rows` on the command line.
Spelling = Callable[[Argument], str]


class Sentence(str):
    """Text that knows which of its words are arguments. As a `str` it reads as Python users expect."""

    parts: tuple[str | Argument, ...]

    def __new__(cls, *parts: str | Argument) -> Sentence:
        """From texts, arguments and other sentences, one after the other.

        Names of columns and files stand in sentences, and a terminal would obey what is in them: it is escaped.
        """
        flat = (part.parts if isinstance(part, Sentence) else (part,) for part in parts)
        each = [part for group in flat for part in group]
        safe = [part if isinstance(part, Argument) else printable(part, keep=f"\n{JOINERS}") for part in each]
        sentence = super().__new__(cls, "".join(map(str, safe)))
        sentence.parts = tuple(safe)
        return sentence

    def __reduce__(self) -> tuple[Any, ...]:  # the parts survive a trip to another process
        return Sentence, self.parts

    @property
    def argument(self) -> str | None:
        """The name of the first argument mentioned, if any."""
        return next((part.name for part in self.parts if isinstance(part, Argument)), None)


def spelled(text: str, spelling: Spelling) -> str:
    """The text with its arguments spelled for another reader. Plain text stays as it is."""
    if not isinstance(text, Sentence):
        return text
    return "".join(spelling(part) if isinstance(part, Argument) else part for part in text.parts)


class InputError(ValueError):
    """Something given to rsens is wrong. The text says what, what was got, and what to do."""

    def __init__(self, *parts: str | Argument) -> None:
        self.sentence = Sentence(*parts)
        super().__init__(self.sentence)

    @property
    def argument(self) -> str | None:
        """The name of the argument that the error is about, where it is about one."""
        return self.sentence.argument


class MissingExtraError(ImportError):
    """An optional package is needed; the text names the extra that installs it."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(
            f"{package} is needed for this and is not installed. Install it with: pip install 'rsens[{extra}]'"
        )


class RsensWarning(UserWarning):
    """A result that is right but may not be what was meant; the text says why and what to do."""

    def __init__(self, *parts: str | Argument) -> None:
        self.sentence = Sentence(*parts)
        super().__init__(self.sentence)
