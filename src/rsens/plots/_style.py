"""What all plots share: colours, safe labels, axes. Nothing here touches matplotlib's global settings."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rsens._coding import Levels
from rsens._errors import Argument, InputError
from rsens._text import distinct
from rsens._typing import Array

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.colors import Colormap
    from matplotlib.figure import Figure


# The palette of Okabe and Ito: readers with any of the common colour deficiencies can tell these apart.
BLACK = "#000000"
ORANGE = "#E69F00"
SKY = "#56B4E9"
GREEN = "#009E73"
BLUE = "#0072B2"
VERMILLION = "#D55E00"
PURPLE = "#CC79A7"

#: For several outputs at once. Each also has its own line style, for print in greyscale.
SERIES = (BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY, BLACK)
#: For the parts of R-sens, the prediction first: the same in bars and profiles.
PARTS = (BLUE, ORANGE, GREEN, PURPLE)
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 1.5, 1, 1.5)), (0, (8, 2)), (0, (3, 1, 1, 1, 1, 1)))

#: The most characters of a name beside a tick, and along an axis.
LABEL_LENGTH, AXIS_LENGTH = 30, 60
#: Mean width of a letter, of its font size.
LETTER = 0.58
#: The same in sentences, which have no capitals and many spaces.
NOTE_LETTER = 0.53
#: Kinds of characters to leave out where the font lacks them: joiners and skin tones of emoji, control characters.
SILENT = {"Cf", "Cc", "Cs", "Sk"}
LINE_HEIGHT = 1.15  # of one line of text, in units of its font size


def tint(colour: str, strength: float) -> tuple[float, float, float]:
    """The colour mixed with white; opaque, so that nested bands look the same in every file format."""
    from matplotlib.colors import to_rgb

    red, green, blue = (1.0 - strength * (1.0 - c) for c in to_rgb(colour))
    return red, green, blue


def new_axes(width: float, height: float) -> Axes:
    """Axes in a figure of their own, for calls without `ax`."""
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(width, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.08, h_pad=0.08)  # type: ignore[call-arg, union-attr]
    return ax


def new_axes_above(width: float, height: float) -> tuple[Axes, Axes]:
    """Two Axes above each other with one horizontal axis, in a figure of their own."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(
        2, 1, figsize=(width, height), sharex=True, height_ratios=(4.0, 3.0), layout="constrained"
    )
    figure.get_layout_engine().set(w_pad=0.08, h_pad=0.08)  # type: ignore[call-arg, union-attr]
    figure.align_ylabels(axes)
    return axes[0], axes[1]


def lay_out(figure: Figure) -> None:
    """Settle where everything in a figure goes. Otherwise `savefig` does it each time, and draws each figure twice."""
    from matplotlib import rc_context

    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
    with rc_context({"figure.autolayout": False, "figure.constrained_layout.use": False}):
        figure.set_layout_engine(None)


def check_axes(ax: Any) -> None:
    """An `InputError` unless `ax` is one matplotlib Axes."""
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise InputError(
            Argument("ax"), f" must be matplotlib Axes or None; got {type(ax).__name__}. Make them with plt.subplots()."
        )


def check_two_axes(ax: Any, what: str, call: str) -> tuple[Axes, Axes]:
    """Two matplotlib Axes; else an `InputError` that says `what` they are for and the `call` that makes them."""
    try:
        first, second = ax
    except (TypeError, ValueError):
        raise InputError(
            Argument("ax"), f" must be two Axes, {what}; got {type(ax).__name__}. Make them with {call}."
        ) from None
    check_axes(first)
    check_axes(second)
    return first, second


def check_plot(
    result: Any, plot: str, call: str, needed: Iterable[str], *, ax: Any = None, top: int | None = None
) -> None:
    """An `InputError` unless a plot got what `call` returned, which has the attributes `needed`, and sound options."""
    for name in needed:
        if isinstance(result, type) or not (hasattr(type(result), name) or hasattr(result, name)):
            raise InputError(f"{plot} draws what {call} returned; got {type(result).__name__}.")
        getattr(result, name)  # a result that was made without it says so itself
    check_top(top)
    if ax is not None:
        check_axes(ax)


def check_top(top: int | None) -> None:
    """An `InputError` unless `top` is None or a positive whole number."""
    if top is not None and (isinstance(top, bool) or not isinstance(top, int) or top < 1):
        raise InputError(Argument("top"), f" must be a whole number of at least 1, or None for all; got {top!r}.")


def first_terms(main: pd.Series[float], top: int | None) -> tuple[pd.Series[float], int]:
    """The `top` largest values, largest first, and how many more there are."""
    main = main.sort_values(ascending=False, kind="stable")
    hidden = 0 if top is None else max(0, len(main) - top)
    return main.iloc[: len(main) - hidden], hidden


def tidy(ax: Axes, *, keep: Iterable[str] = ("left", "bottom")) -> None:
    """Show only the spines that carry a scale."""
    kept = set(keep)
    for side, spine in ax.spines.items():
        spine.set_visible(side in kept)
        spine.set_linewidth(0.8)


def plain(text: Any) -> Any:
    """Make a text object show its characters as they are, without mathtext or TeX, and return it."""
    text.set_parse_math(False)
    text.set_usetex(False)
    return text


def axes_points(ax: Axes) -> tuple[float, float]:
    """Width and height of the axes, in points, before any automatic layout."""
    box, (width, height) = ax.get_position(), ax.figure.get_size_inches()  # type: ignore[union-attr]
    return 72.0 * box.width * width, 72.0 * box.height * height


def font_size(ax: Axes, lines: int, *, along: Literal["width", "height"] = "height") -> float:
    """The size, in points, at which this many lines of text fit along the axes; at most the user's own."""
    from matplotlib import rcParams
    from matplotlib.font_manager import FontProperties

    size = FontProperties(size=rcParams["ytick.labelsize"]).get_size_in_points()
    points = axes_points(ax)[1 if along == "height" else 0]
    return float(min(size, max(3.0, points / (LINE_HEIGHT * max(lines, 1)))))


def small() -> float:
    """Size, in points, of legends and remarks: a little below the user's own."""
    from matplotlib import rcParams

    return 0.9 * float(rcParams["font.size"])


def per_unit(explanation: Any) -> str:
    """The unit of R-sens, as `Explanation.scale_kind` names it; with "raw" a switch for categorical columns."""
    unit = {"sd": "per sd", "raw": "per unit"}.get(explanation.scale_kind, "per given unit")
    return f"{unit} or switch" if explanation.categorical and explanation.scale_kind == "raw" else unit


def lines_below(width: float, notes: Iterable[str]) -> list[str]:
    """Remarks as lines that fit below axes of this width, in points; the lines of one remark are about as long."""
    most = max(28, int(width / (NOTE_LETTER * small())))
    return [line for note in notes for line in _evenly(note, most)]


def _evenly(text: str, most: int) -> list[str]:
    text = text.replace(" %", "\u00a0%")  # no line begins with a percent sign
    count = len(wrap(text, most))
    widths = range(max(1, len(text) // max(count, 1)), most + 1)
    narrowest = next((width for width in widths if len(wrap(text, width)) <= count), most)
    return [line.replace("\u00a0", " ") for line in wrap(text, narrowest)]


def part_labels(names: Iterable[str]) -> list[str]:
    """Labels of the parts of R-sens; every family that splits in two has the prediction first."""
    labels = [str(name) for name in names]
    if len(labels) != 2 or "knowledge" in labels:  # of posterior draws, which say themselves what they are
        return labels
    return [f"prediction ({labels[0]})", f"uncertainty ({labels[1]})"]


def legend_above(ax: Axes, low: float, high: float, *, first: str | None = None, below: float = 0.06) -> None:
    """Set limits that show `low` to `high` and leave room above for the legend, so that it covers nothing.

    `first` names the entry that leads; `below` is a margin at the lower end, as a share of the range.
    """
    handles, labels = ax.get_legend_handles_labels()
    handles = sorted(handles, key=lambda handle: handle.get_label() != first)
    size, (width, height) = small(), axes_points(ax)
    span = high - low if high > low else max(abs(high), 1.0)
    above = 0.05
    if labels:
        lengths = [len(str(handle.get_label())) for handle in handles]
        columns = legend_columns(lengths, width)
        lines = -(-len(labels) // columns)
        above = min(0.6, size * (1.5 * lines + 0.8) / height)
        legend = ax.legend(
            handles=handles,
            loc="upper left",
            ncols=columns,
            fontsize=size,
            framealpha=1.0,
            edgecolor="none",
            borderaxespad=0.2,
        )
        for text in legend.get_texts():
            plain(text)
    ax.set_ylim(low - below * span, low + span / (1.0 - above))


def legend_on_top(ax: Axes, handles: Sequence[Any]) -> None:
    """A legend above the axes, for axes whose limits are fixed; none without entries."""
    if not handles:
        return
    legend = ax.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=legend_columns([len(str(handle.get_label())) for handle in handles], axes_points(ax)[0]),
        fontsize=small(),
        frameon=False,
        borderaxespad=0.2,
        handlelength=1.6,
        columnspacing=1.5,
    )
    for text in legend.get_texts():
        plain(text)


def legend_columns(lengths: list[int], width: float) -> int:
    """In how many columns a legend with texts of these lengths fits into a width, in points."""
    most = next(c for c in range(len(lengths), 0, -1) if c == 1 or _legend_width(lengths, c) * small() < width)
    lines = -(-len(lengths) // most)
    return -(-len(lengths) // lines)  # as many lines, more evenly filled


def _legend_width(lengths: list[int], columns: int) -> float:
    """About the width of a legend with texts of these lengths, of its font size. Its columns are filled one by one."""
    shares = [len(lengths) // columns + (k < len(lengths) % columns) for k in range(columns)]
    ends = [sum(shares[: k + 1]) for k in range(columns)]
    longest = [max(lengths[end - share : end]) for share, end in zip(shares, ends, strict=True)]
    return sum(0.52 * length + 4.0 for length in longest)


def name_ticks(
    axis: Axis, names: Sequence[str], size: float, *, offset: float = 0.0, more: int = 0, **options: Any
) -> None:
    """Ticks at `offset`, `offset` + 1, … with these names, and one for how many more there are.

    The names as given, which may be longer, become the ids (`gid`) of the labels; an SVG file holds them, so they are
    kept free of what XML cannot hold.
    """
    labels = short_labels(names) + ([f"… {more} more"] if more else [])
    positions = [offset + k for k in range(len(labels))]
    axis.set_ticks(positions, labels, fontsize=size, parse_math=False, usetex=False, **options)
    for label, name in zip(axis.get_ticklabels(), names, strict=False):
        label.set_gid(as_id(name))


def as_id(name: str) -> str:
    """The name without what XML cannot hold, for the `gid` of a label."""
    return "".join(c for c in name if c in "\t\n" or unicodedata.category(c) not in {"Cc", "Cs"})


def short_labels(names: Sequence[str], length: int = LABEL_LENGTH) -> list[str]:
    """Names as labels: on one line, long ones without their middle, and no two alike unless the names are."""
    return distinct([_drawable(name) for name in names], length, measure=len)


def axis_label(ax: Axes, name: str, rest: str = "", *, along: Literal["width", "height"] = "width") -> str:
    """The name of what an axis shows, as much of it as the figure has room for, and the rest of the label."""
    from matplotlib import rcParams

    inches = ax.figure.get_size_inches()[0 if along == "width" else 1]  # type: ignore[union-attr]
    fits = int(72.0 * inches / (LETTER * float(rcParams["font.size"]))) - len(rest)
    return short_labels([name], min(AXIS_LENGTH, max(fits, 12)))[0] + rest


def _drawable(name: str) -> str:
    """The name on one line, its emoji written out (`[bicycle]`) where the font has no picture for them.

    Other characters that the font lacks stay, and matplotlib names the missing glyph, as it would for any label.
    """
    glyphs = _glyphs()
    characters = []
    for character in " ".join(name.split()):
        kind = unicodedata.category(character)
        if ord(character) in glyphs:
            characters.append(character)
        elif kind == "So":
            characters.append(f"[{unicodedata.name(character, f'U+{ord(character):04X}').lower()}]")
        elif kind not in SILENT and not unicodedata.name(character, "").startswith("VARIATION SELECTOR"):
            characters.append(character)
    text = "".join(characters)
    return text if any(unicodedata.category(character) not in {"Cf", "Zs"} for character in text) else "(blank)"


def _glyphs() -> frozenset[int]:
    """The characters that the user's fonts can draw."""
    from matplotlib.font_manager import FontProperties, findfont

    families = FontProperties().get_family()
    return _glyphs_in(tuple(str(findfont(FontProperties(family=[family]))) for family in families))


@cache
def _glyphs_in(fonts: tuple[str, ...]) -> frozenset[int]:
    from matplotlib.font_manager import get_font

    return frozenset().union(*(get_font(font).get_charmap() for font in fonts))


# ---- Colours of values and of levels ---------------------------------------------------------------------------------


#: For what has no colour of its own: groups of columns, and levels when there are too many to tell apart.
GREY = "#8C8C8C"
#: Low, middle and high values: all readers can tell blue from orange, and each is lighter than the one before.
LOW_HIGH = (BLUE, "#A79AA5", "#F5B335")
#: The colours of a variable span these two quantiles, so that one outlier does not use them up.
COLOURED = (0.05, 0.95)


def low_high() -> Colormap:
    """From the colour of low values to the colour of high ones."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("low to high", list(LOW_HIGH))


def between_quantiles(values: Array) -> Array:
    """0 for low and 1 for high values; ½ where all are the same."""
    low, high = np.quantile(values, COLOURED)
    if low == high:  # a rare value beside a common one
        low, high = values.min(), values.max()
    with np.errstate(over="ignore"):
        share = (values - low) / (high - low) if 0.0 < high - low < np.inf else np.full(len(values), 0.5)
    return np.clip(share, 0.0, 1.0)


def level_colours(levels: Levels) -> list[str]:
    """A colour for each level, by code. If there are many, only the most frequent have one; the others are grey."""
    order = np.argsort(-levels.frequencies, kind="stable")
    coloured = sorted(order[: len(SERIES) if len(levels) <= len(SERIES) else len(SERIES) - 1])
    by_code = dict(zip((int(code) for code in coloured), SERIES, strict=False))
    return [by_code.get(code, GREY) for code in range(len(levels))]


def draw_low_high_bar(ax: Axes, label: str, short: str) -> Any:
    """A colour bar that says which end is which; its label is `short` if the other does not fit in between."""
    from matplotlib import rcParams
    from matplotlib.cm import ScalarMappable

    bar = ax.figure.colorbar(ScalarMappable(cmap=low_high()), ax=ax, fraction=0.05, pad=0.03, aspect=30)
    bar.outline.set_visible(False)
    bar.set_ticks([0.0, 1.0], labels=["low", "high"])
    bar.ax.tick_params(length=0)
    room = axes_points(ax)[1] / float(rcParams["font.size"])  # in units of the size of the text
    bar.set_label(label if room > 0.6 * len(label) + 4.0 else short, labelpad=-12.0)
    return bar
