"""Errors and warnings of rsens; an `Argument` in a sentence is `rows=` in Python, `--rows` on the command line."""

from __future__ import annotations

import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

#: The longest sentence, in characters: a longer one loses its middle.
LONGEST = 1_500
#: The joiner and the variation selector that emoji are made of: not printable alone, but harmless.
JOINERS = "\u200d\ufe0f"


def printable(text: str, keep: str = "") -> str:
    """The text with escapes for control characters and lone surrogates, except for the characters to `keep`."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else c.encode("unicode_escape").decode("ascii") for c in text)


def readable(text: str) -> str:
    """Escape characters that steer a terminal, and shorten text that would fill the screen."""
    text = printable(text, keep="\n" + JOINERS)
    tail = LONGEST // 3
    return text if len(text) <= LONGEST else f"{text[: LONGEST - tail - 1]}…{text[-tail:]}"


@dataclass(frozen=True)
class Argument:
    """An argument of a call, as a sentence mentions it: by name, or with a value to give it."""

    name: str
    value: Any = ...  # not given: no call takes `...`, which is the same object in other processes

    @property
    def has_value(self) -> bool:
        return self.value is not ...

    def in_python(self) -> str:
        return f"{self.name}={readable(repr(self.value))}" if self.has_value else self.name

    def __str__(self) -> str:
        return _spellings[-1](self)


#: The spelling of an argument for a reader: `rows` in Python, `--rows` on the command line.
Spelling = Callable[[Argument], str]
#: The spelling in use is the last one.
_spellings: list[Spelling] = [Argument.in_python]


@contextmanager
def spelled_by(spelling: Spelling) -> Iterator[None]:
    """Spell the arguments in all sentences made within the block for another reader than a Python user."""
    _spellings.append(spelling)
    try:
        yield
    finally:
        _spellings.pop()


class Sentence(str):
    """Text that knows which of its words are arguments, spelled for the reader: see `spelled_by`."""

    parts: tuple[str | Argument, ...]

    def __new__(cls, *parts: str | Argument) -> Sentence:
        """Join texts, arguments and other sentences; characters in names that steer a terminal are escaped."""
        nested = (part.parts if isinstance(part, Sentence) else (part,) for part in parts)
        flat = tuple(readable(part) if type(part) is str else part for group in nested for part in group)
        sentence = super().__new__(cls, "".join(map(str, flat)))
        sentence.parts = flat
        return sentence

    def __reduce__(self) -> tuple[Any, ...]:  # the parts survive a trip to another process
        return Sentence, self.parts

    @property
    def argument(self) -> str | None:
        """The name of the first argument mentioned, if any."""
        return next((part.name for part in self.parts if isinstance(part, Argument)), None)


class _Spoken:
    """An error or a warning with a sentence."""

    def __init__(self, *parts: str | Argument) -> None:
        self.sentence: Sentence = Sentence(*parts)
        super().__init__(self.sentence)  # type: ignore[call-arg]


class InputError(_Spoken, ValueError):
    """Wrong input. The text names the mistake, the value that rsens got, and a remedy.

    Example:
        >>> import rsens
        >>> try:
        ...     rsens.Normal(mean=[0.0], variance=[-1.0]).checked()
        ... except rsens.InputError as error:
        ...     print(str(error).partition(" (")[0])
        Normal: variance must be finite and greater than 0; got -1 at row 0
    """

    @property
    def argument(self) -> str | None:
        """The name of the argument that the error is about, where it is about one."""
        return self.sentence.argument


class MissingExtraError(ImportError):
    """An optional package is needed; the text names the extra that installs it.

    Example:
        >>> import rsens
        >>> print(rsens.MissingExtraError("shap", "compare"))
        shap is needed for this and is not installed. Install it with: pip install 'rsens[compare]'
    """

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(
            f"{package} is needed for this and is not installed. Install it with: pip install 'rsens[{extra}]'"
        )


class RsensWarning(_Spoken, UserWarning):
    """A result that is correct but perhaps not intended; the text explains why, and names a remedy.

    Example:
        >>> import warnings
        >>> import rsens
        >>> model = rsens.from_function(lambda X: rsens.Normal(X[:, 0], 1.0))
        >>> with warnings.catch_warnings(record=True) as caught:
        ...     warnings.simplefilter("always")
        ...     explanation = rsens.explain(model, [[0.0, 7.0], [1.0, 7.0], [3.0, 7.0]], random_state=0)
        >>> print(str(caught[0].message).partition(".")[0])
        Constant columns have no standard deviation and get the sensitivity 0: 'x1'
    """


def warn(*parts: str | Argument, category: type[Warning] = RsensWarning) -> None:
    """Warn at the line of the user's code that called rsens."""
    level, frame = 0, sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in ("rsens", "contextlib"):
        level, frame = level + 1, frame.f_back  # type: ignore[assignment]
    warnings.warn(category(*parts), stacklevel=level + 1)


# ---- warnings of work in many pieces ---------------------------------------------------------------------------------

#: The category and the text of a warning.
Warned = tuple[type[Warning], str]


@contextmanager
def recorded_warnings() -> Iterator[list[Warned]]:
    """Record warnings instead of showing them; the list has each of them once when the block ends."""
    found: list[Warned] = []
    with warnings.catch_warnings(record=True) as raised:
        # Deprecations are for the authors of the code that warns: they follow the user's filters, which often name a
        # module. Raised again from here they would pass these filters, as if the user's own line had to change.
        for category in (UserWarning, RuntimeWarning):
            warnings.simplefilter("always", category)
        try:
            yield found
        finally:
            texts = ((each.category, getattr(each.message, "sentence", str(each.message))) for each in raised)
            found[:] = dict.fromkeys(texts)


@contextmanager
def warnings_once() -> Iterator[None]:
    """Collect the warnings raised in the block and emit each once on exit, also if the block raises."""
    found: list[Warned] = []
    try:
        with recorded_warnings() as found:
            yield
    finally:
        emit_once([found], 1, "")


def emit_once(pieces: Iterable[Iterable[Warned]], count: int, noun: str) -> None:
    """Emit the warnings of pieces of work: each once, apart from numbers, and how many of `count` pieces raised it."""
    texts: dict[Warned, str] = {}
    times: Counter[Warned] = Counter()
    for warned in pieces:
        keys = {(category, re.sub(r"\d+(\.\d+)?(e[+-]?\d+)?", "#", text)): text for category, text in warned}
        texts = keys | texts
        times.update(keys.keys())
    for (category, key), pieces_with_it in times.most_common():
        where = "" if pieces_with_it == 1 else f"In {pieces_with_it} of {count} {noun}s: "
        text = texts[category, key]
        try:
            warn(Sentence(where, text), category=category)
        except TypeError:  # a category that is made from more than a text
            warn(f"{category.__name__}: ", where, text)
