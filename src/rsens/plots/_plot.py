"""The record of a plot for the study, the report and the documentation, and the words that plots share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from rsens import _meaning as meaning
from rsens._errors import JOINERS, printable
from rsens._text import as_label, shorten

#: The subject of a plot: an explanation as a whole, its effects, pairs, one variable, one pair; or another result.
OfExplanation = Literal["explanation", "effects", "pairs", "variable", "pair", "subgroups", "row"]
Subject = OfExplanation | Literal["assessment", "comparison", "difference", "stability", "selection"]
#: Where the report shows a plot. "further" is for plots outside its other sections.
Section = Literal["quality", "variables", "pairs", "subgroups", "profiles", "surfaces", "spread", "further"]


@dataclass(frozen=True, kw_only=True)
class Plot:
    """One line of `PLOTS`. Plots that the report does not show need only the first four."""

    name: str  # in `rsens.plots`
    draw: Callable[..., Any]  # from a result, or an explanation and one or two variables; takes `ax` and options
    of: Subject
    file: str  # in a folder of results, without an ending; names of variables follow it
    caption: str = ""  # in the report; the notes of the figure follow it
    alt: str = ""  # a text instead of the picture; names of variables follow it
    section: Section = "further"
    takes: tuple[str, ...] = ()  # which of "model", "X" and "y" it is given as well, by keyword
    options: Mapping[str, Any] = field(default_factory=dict)  # for a file or the report

    @property
    def summary(self) -> str:
        """The first line of its documentation."""
        return (self.draw.__doc__ or "").partition("\n")[0]


#: The start of the id of a mark that has a text for the pointer, and the end of each line of that text: XML turns a
#: line feed inside an id into a space.
TIP, LINE_END = "tip:", "\u2028"


def tip(mark: Any, *lines: str) -> None:
    """Show lines of text when the pointer rests on a mark of a figure in a page."""
    mark.set_gid(TIP + LINE_END.join(printable(line, keep=JOINERS) for line in lines if line))


def tip_of(gid: str) -> str | None:
    """The text that `tip` gave to the mark with this id."""
    return gid.removeprefix(TIP).replace(LINE_END, "\n") if gid.startswith(TIP) else None


def name_in_text(name: object) -> str:
    """A name in a sentence about a plot."""
    return shorten(as_label(name), 40)


#: Where a figure marks pairs by dots.
FILLED, HOLLOW = "●", "○"
#: Where it marks them by characters.
STAR, DOUBT = "*", "?"
#: The words for pairs without a mark.
NOTHING = "no interaction found by the test"


def interval_note(explanation: Any, mark: str = "whiskers") -> str:
    """A note on the intervals, which are drawn as these marks; empty without intervals."""
    if explanation.intervals is None:
        return ""
    if not explanation.intervals_hold:
        return f"{mark}: {meaning.NOTHING_FOUND}"
    e = explanation
    return f"{mark}: {meaning.interval(e.interval_kind, e.level, e.inference.interval_refits)}"


def pair_notes(explanation: Any, mark: str, doubt: str) -> list[str]:
    """Notes on the signs of pairs that are marked, and of inconclusive ones; nothing without a test."""
    if explanation.inference.pair_above is None:
        return []
    if explanation.inference.pair_additive.all():  # "the model adds up on the logit scale by construction"
        return [meaning.no_pair_mark(explanation.inference.test_scale).partition(",")[0]]
    found = explanation.inference.pair_above.any()
    unclear = [f"{doubt} {meaning.UNCLEAR}"] if explanation.inference.pair_unclear.any() else []
    return [f"{mark} {meaning.pair_mark(explanation.inference.test_scale)}" if found else NOTHING, *unclear]
