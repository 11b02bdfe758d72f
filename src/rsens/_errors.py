"""The errors and the warning of rsens, and the sentences they say.

A sentence that mentions an argument holds it as an `Argument`, so that one error serves two readers: the library says
`rows=`, the command line says `--rows`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


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
        """From texts, arguments and other sentences, one after the other."""
        sentence = super().__new__(cls, "".join(map(str, parts)))
        flat = (part.parts if isinstance(part, Sentence) else (part,) for part in parts)
        sentence.parts = tuple(part for group in flat for part in group)
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
    """Something given to rsens is wrong. The text says what, what was got, and what to do.

    Example:
        >>> import rsens
        >>> try:
        ...     rsens.Normal(mean=[0.0], variance=[-1.0]).checked()
        ... except rsens.InputError as error:
        ...     print(str(error).partition(" (")[0])
        Normal: variance must be finite and greater than 0; got -1 at row 0
    """

    def __init__(self, *parts: str | Argument) -> None:
        self.sentence = Sentence(*parts)
        super().__init__(self.sentence)

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


class RsensWarning(UserWarning):
    """A result that is right but may not be what was meant; the text says why and what to do.

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

    def __init__(self, *parts: str | Argument) -> None:
        self.sentence = Sentence(*parts)
        super().__init__(self.sentence)
