"""The record of a plot for the study, the report and the documentation, and the words that plots share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from rsens import _meaning as meaning
from rsens._errors import JOINERS, printable
from rsens._text import as_label, number, percent, shorten
from rsens.plots._style import height_of, part_labels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: What a plot draws: an explanation as a whole, its effects, pairs, one variable, one pair; or what another call made.
OfExplanation = Literal["explanation", "effects", "pairs", "variable", "pair", "subgroups", "row", "posterior"]
Subject = OfExplanation | Literal["assessment", "comparison", "difference", "stability", "selection"]
#: Where the report shows a plot. "further" is for plots that none of its own sections is about.
Section = Literal["quality", "variables", "pairs", "subgroups", "profiles", "surfaces", "spread", "further"]

#: Inches: on a phone the text can still be read, and on paper a figure is about as wide as the text.
WIDTH = 5.6
#: Of figures side by side.
NARROW = 4.9
#: What the id of a mark that has a text for the pointer begins with, and what its lines end with: XML makes a space of
#: a line feed inside an id.
TIP, LINE_END = "tip:", "\u2028"


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The layout of a plot on a page: size in inches, options to draw it with, and a function that makes its Axes."""

    width: float = WIDTH
    height: float = 3.6
    options: Mapping[str, Any] = field(default_factory=dict)
    axes: Callable[[Figure], Any] = lambda figure: figure.add_subplot()


def page_of_rows(count: int, most: int, notes: Sequence[str] = (), *, row: float = 0.3) -> Layout:
    """How rows stand on a page: at most so many."""
    height = height_of(min(count, most + 1), notes, row=row, width=WIDTH)
    return Layout(height=height, options={"top": most if count > most else None})


@dataclass(frozen=True, kw_only=True)
class Plot:
    """One line of `PLOTS`. Plots that the report does not show need only the first four."""

    name: str  # in `rsens.plots`
    draw: Callable[..., Any]  # from a result, or an explanation and one or two variables; takes `ax` and options
    of: Subject
    file: str  # in a folder of results, without an ending; names of variables follow it
    caption: Callable[..., str] = lambda *shown: ""  # in the report, from the arguments of `draw`
    alt: Callable[..., str] = lambda *shown: ""  # for those who cannot see it, from the arguments of `draw`
    section: Section = "further"
    takes: tuple[str, ...] = ()  # which of "model", "X" and "y" it is given as well, by keyword
    options: Mapping[str, Any] = field(default_factory=dict)  # for a file
    layout: Callable[[Any], Layout] = lambda result: Layout()
    add_tips: Callable[[Any, Any], None] = lambda result, axes: None  # with `tip`; the Axes are those of `draw`

    @property
    def summary(self) -> str:
        """The first line of its documentation."""
        return (self.draw.__doc__ or "").partition("\n")[0]


def tip(mark: Any, text: str) -> None:
    """Show a text when the pointer rests on a mark of a figure in a page."""
    mark.set_gid(TIP + printable(text, keep="\n" + JOINERS).replace("\n", LINE_END))


def tip_of(gid: str) -> str | None:
    """The text that `tip` gave to the mark with this id."""
    return gid.removeprefix(TIP).replace(LINE_END, "\n") if gid.startswith(TIP) else None


def name_in_text(name: object) -> str:
    """A name in a sentence about a plot."""
    return shorten(as_label(name), 40)


def leading(explanation: Any, most: int = 5) -> str:
    """The first variables and their values, for those who cannot see them."""
    main = explanation.main.sort_values(ascending=False, kind="stable").head(most)
    return ", ".join(f"{name_in_text(name)} {number(value)}" for name, value in main.items())


def shares_of_parts(parts: Any, term: Any, value: float) -> list[str]:
    """How much of a value each of its parts has, one line each; nothing where it is not split."""
    if parts is None or parts.shape[1] < 2 or value <= 0.0:
        return []
    shares = zip(part_labels(parts.columns), parts.loc[term] / value, strict=True)
    return [f"{label}: {percent(share)}" for label, share in shares]


#: Where a figure marks pairs by dots.
FILLED, HOLLOW = "●", "○"
#: Where it marks them by characters.
STAR, DOUBT = "*", "?"
#: The words for pairs without a mark.
NOTHING = "no interaction found by the test"


def interval_note(explanation: Any) -> str:
    """A note on what the intervals hold for, or that they do not; nothing without intervals."""
    if explanation.intervals is None:
        return ""
    if not explanation.intervals_hold:
        return meaning.NOTHING_FOUND
    return meaning.interval(explanation.interval_kind, explanation.level, explanation.inference.interval_refits)


def pair_notes(explanation: Any, mark: str, doubt: str) -> list[str]:
    """Notes on the signs of pairs that are marked, and of pairs that cannot be told; nothing without a test."""
    if explanation.inference.pair_above is None:
        return []
    if explanation.inference.pair_additive.all():  # "the model adds up on the logit scale by construction"
        return [meaning.no_pair_mark(explanation.inference.test_scale).partition(",")[0]]
    found = explanation.inference.pair_above.any()
    unclear = [f"{doubt} {meaning.UNCLEAR}"] if explanation.inference.pair_unclear.any() else []
    return [f"{mark} {meaning.pair_mark(explanation.inference.test_scale)}" if found else NOTHING, *unclear]
