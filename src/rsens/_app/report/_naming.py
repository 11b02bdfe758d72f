"""Sentences as lists of texts and names, so that the page can set names apart; and which terms to speak of."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pandas as pd

from rsens._app.report._facts import Facts, Name

Words = list[str | Name]

#: The most variables named in one place.
MOST_NAMES = 6
#: The most pairs named in one place.
MOST_PAIRS = 4


def as_text(sentence: Words) -> str:
    """The sentence with whole names."""
    return "".join(part if isinstance(part, str) else part.full for part in sentence)


def joined(items: Sequence[Words], most: int) -> Words:
    """a, b and c; of more than `most`, the first ones and how many more."""
    words: Words = []
    for k, item in enumerate(items[:most]):
        words += ([] if not k else [" and " if k == len(items) - 1 else ", "]) + item
    more = len(items) - most
    return [*words, f" and {more} more"] if more > 0 else words


def names_of(facts: Facts, terms: Sequence[str], after: Callable[[str], str] = lambda term: "") -> Words:
    """a, b and c, each as a name with what is said `after` it."""
    return joined([[facts.names[term], after(term)] for term in terms], MOST_NAMES)


def pair_names(facts: Facts, pairs: pd.DataFrame) -> Words:
    """a × b, c × d and e × f, with those that are uncertainty only."""
    only = pairs.get("uncertainty_only", pd.Series(False, pairs.index))
    lines = zip(pairs["first"], pairs["second"], only, strict=True)
    items: list[Words] = [
        [facts.names[first], " × ", facts.names[second], " (uncertainty only)" if alone else ""]
        for first, second, alone in lines
    ]
    return joined(items, MOST_PAIRS)


def levels(facts: Facts) -> pd.Series[float] | None:
    """The null levels, if any is known."""
    null = facts.explanation.null_levels
    return None if null is None or null.isna().all() else null


def relevant(facts: Facts) -> list[str]:
    """The terms to speak of, largest first: those above the null level, or the leading ones where none is known."""
    null, main = levels(facts), facts.explanation.main
    if null is None:
        return [term for term in facts.ranked if main[term] > 0.0][:MOST_NAMES]
    return [term for term in facts.ranked if main[term] > null[term]]


def marked_pairs(facts: Facts, mark: str = "above_null") -> pd.DataFrame:
    """The lines of the pairs that have a mark."""
    return facts.pairs[facts.pairs[mark].fillna(False).astype(bool)]
