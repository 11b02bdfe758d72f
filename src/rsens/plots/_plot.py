"""What the study, the report and the documentation know of a plot."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from rsens._text import as_label, number, shorten
from rsens.plots._style import as_id

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: What a plot draws: an explanation as a whole, its effects, pairs, one variable, one pair; or what another call made.
Subject = Literal[
    "explanation",
    "effects",
    "pairs",
    "variable",
    "pair",
    "subgroups",
    "assessment",
    "comparison",
    "difference",
    "stability",
    "selection",
    "row",
    "posterior",
]
#: Where the report shows a plot. "further" is for plots that none of its own sections is about.
Section = Literal["quality", "variables", "pairs", "subgroups", "profiles", "surfaces", "spread", "further"]

#: Inches: on a phone the text can still be read, and on paper a figure is about as wide as the text.
WIDTH = 5.6
#: Of figures side by side.
NARROW = 4.9
#: What the id of a mark that has a text for the pointer begins with, and what its lines end with: XML makes a space of
#: a line feed inside an id.
TIP, LINE_END = "tip:", "\u2028"


def one_panel(figure: Figure) -> Any:
    """The Axes of most plots."""
    return figure.add_subplot()


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How a plot stands on a page: its size in inches, the options it is drawn with, and what makes its Axes."""

    width: float = WIDTH
    height: float = 3.6
    options: Mapping[str, Any] = field(default_factory=dict)
    axes: Callable[[Figure], Any] = one_panel


@dataclass(frozen=True, kw_only=True)
class Plot:
    """One line of `PLOTS`.

    Attributes:
        name: What `rsens.plots` calls it.
        draw: Draws a result, or of an explanation the variable or the two that follow it; takes `ax` and options.
        of: What it draws.
        file: Its file in a folder of results, without an ending. Names of variables follow it.
        caption: What stands below it in the report, from what `draw` is given.
        alt: What it shows, for those who cannot see it, from what `draw` is given.
        section: Where in the report it stands.
        takes: Which of "model", "X" and "y" it is given as well, by keyword.
        options: What it is given for a file.
        layout: How it stands on a page, from the result.
        add_tips: Gives marks a text for the pointer, with `tip`, from the result and the Axes that `draw` returned.
    """

    name: str
    draw: Callable[..., Any]
    of: Subject
    file: str
    caption: Callable[..., str]
    alt: Callable[..., str]
    section: Section = "further"
    takes: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    layout: Callable[[Any], Layout] = lambda result: Layout()
    add_tips: Callable[[Any, Any], None] = lambda result, axes: None

    @property
    def summary(self) -> str:
        """What it draws, in the words of its documentation."""
        return (self.draw.__doc__ or "").partition("\n")[0]


def tip(mark: Any, text: str) -> None:
    """Show a text when the pointer rests on a mark of a figure in a page."""
    mark.set_gid(TIP + as_id(text).replace("\n", LINE_END))


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


def strongest_pair(explanation: Any) -> str:
    """A sentence about the first pair."""
    pairs = explanation.pairs.sort_values(ascending=False, kind="stable")
    first, second = (name_in_text(name) for name in pairs.index[0])
    return f"The strongest pair is {first} and {second}, {number(pairs.iloc[0])}."
