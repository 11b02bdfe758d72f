"""Warnings of work in many pieces: each is said once, as the same text a hundred times hides what else there is."""

from __future__ import annotations

import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rsens._errors import Sentence, warn

#: The most texts of one kind of warning that are said.
MOST_TEXTS = 3


@dataclass(frozen=True)
class Warned:
    """A warning that a piece of work gave."""

    category: type[Warning]
    text: Sentence | str

    @property
    def key(self) -> tuple[type[Warning], str]:
        """What makes it the same as another: its kind, and its text but for numbers."""
        return self.category, re.sub(r"\d+(\.\d+)?(e[+-]?\d+)?", "#", self.text)


@contextmanager
def heard() -> Iterator[list[Warned]]:
    """Within this, warnings are not shown; the list has each of them once when it ends."""
    found: list[Warned] = []
    with warnings.catch_warnings(record=True) as raised:
        # Deprecations are for whoever wrote the code that warns: they follow the filters that are there, which often
        # name a module. Said again from here they would be shown, as if the user's own line had to change.
        for category in (UserWarning, RuntimeWarning):
            warnings.simplefilter("always", category)
        try:
            yield found
        finally:
            found[:] = dict.fromkeys(
                Warned(each.category, getattr(each.message, "sentence", str(each.message))) for each in raised
            )


@contextmanager
def saying_once() -> Iterator[None]:
    """Within this, what is warned of several times is said once, at the end, and before an error that ends it."""
    found: list[Warned] = []
    try:
        with heard() as found:
            yield
    finally:
        say_once([found], 1, "")


def say_once(pieces: Iterable[Iterable[Warned]], count: int, noun: str) -> None:
    """Warn of what the pieces warned of, each text once and with how many of the `count` pieces gave it."""
    first: dict[tuple[type[Warning], str], Warned] = {}
    times: Counter[tuple[type[Warning], str]] = Counter()
    for warned in pieces:
        first = {warning.key: warning for warning in warned} | first
        times.update(list(dict.fromkeys(warning.key for warning in warned)))
    said: defaultdict[type[Warning], int] = defaultdict(int)
    for key, pieces_with_it in times.most_common():
        category, text = key[0], first[key].text
        said[category] += 1
        if said[category] > MOST_TEXTS:
            continue
        where = "" if pieces_with_it == 1 else f"In {pieces_with_it} of {count} {noun}s: "
        try:
            warn(Sentence(where, text), category=category)
        except TypeError:  # a kind of warning that is made from more than a text
            warn(f"{category.__name__}: ", where, text)
