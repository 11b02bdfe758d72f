"""Warnings of work in many pieces: each is shown once, with the number of pieces that raised it."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from rsens._errors import Sentence, warn

#: The category and the text of a warning.
Warned = tuple[type[Warning], str]
#: The largest number of texts of one category that are shown.
MOST_TEXTS = 3


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
    shown: Counter[type[Warning]] = Counter()
    for (category, key), pieces_with_it in times.most_common():
        shown[category] += 1
        if shown[category] <= MOST_TEXTS:
            where = "" if pieces_with_it == 1 else f"In {pieces_with_it} of {count} {noun}s: "
            text = texts[category, key]
            try:
                warn(Sentence(where, text), category=category)
            except TypeError:  # a category that is made from more than a text
                warn(f"{category.__name__}: ", where, text)
