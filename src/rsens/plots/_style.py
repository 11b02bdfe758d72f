"""Colours, safe labels, figures, and the rows and cells that plots share. No global setting of matplotlib changes."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rsens._arguments import whole_number
from rsens._errors import JOINERS, Argument, InputError, printable
from rsens._text import as_label, distinct
from rsens._typing import Array, Positions

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
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (5, 1.5, 1, 1.5)), (0, (8, 2)), (0, (3, 1, 1, 1, 1, 1)))

#: Points of the data, in front of other things.
FAINT: dict[str, Any] = {"alpha": 0.55, "markeredgewidth": 0.0}

#: The most characters of a name at a tick, and along an axis.
LABEL_LENGTH, AXIS_LENGTH = 30, 40
#: Mean width of a letter, of its font size, in names and in sentences, which have few capitals and digits.
LETTER, SENTENCE = 0.58, 0.53
LINE_HEIGHT = 1.15  # of one line of text, in units of its font size
#: Inches: on a phone the text can still be read, and on paper a figure is about as wide as the text.
WIDTH = 5.6
#: The gid of remarks, and in a figure of this width their characters on one line and its height in inches.
NOTE, NOTE_LENGTH, NOTE_HEIGHT = "note", 65, LINE_HEIGHT * 9.0 / 72.0


def series(k: int) -> tuple[str, Any, str]:
    """Colour, dash and marker of one of several outputs."""
    return SERIES[k % len(SERIES)], DASHES[k % len(DASHES)], MARKERS[k % len(MARKERS)]


def tint(colour: str, strength: float) -> tuple[float, float, float]:
    """The colour mixed with white; opaque, so that nested bands look the same in every file format."""
    from matplotlib.colors import to_rgb

    red, green, blue = (1.0 - strength * (1.0 - c) for c in to_rgb(colour))
    return red, green, blue


def new_figure(height: float, width: float = WIDTH) -> Figure:
    """A figure for calls without `ax`."""
    from matplotlib import pyplot as plt

    figure = plt.figure(figsize=(width, height), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.08, h_pad=0.08)  # type: ignore[call-arg, union-attr]
    return figure


def new_axes(height: float, width: float = WIDTH) -> Axes:
    """Axes in a new figure, for calls without `ax`."""
    return new_figure(height, width).add_subplot()


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


def check_two_axes(ax: Any, what: str, options: str) -> tuple[Axes, Axes]:
    """Two matplotlib Axes; else an `InputError` that names their purpose, `what`, and the call that makes them."""
    try:
        first, second = ax
    except (TypeError, ValueError):
        raise InputError(
            Argument("ax"),
            f" must be two Axes, {what}; got {type(ax).__name__}. "
            f'Make them with plt.subplots({options}, layout="constrained").',
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
        getattr(result, name)  # a result that was made without it raises its own error
    if top is not None:
        whole_number(top, "top", 1)
    if ax is not None:
        check_axes(ax)


def first_terms(main: pd.Series[float], top: int | None) -> tuple[pd.Series[float], int]:
    """The `top` largest values, largest first, and how many more there are."""
    shown = main.sort_values(ascending=False, kind="stable").iloc[:top]
    return shown, len(main) - len(shown)


def some_rows(values: Array, most: int) -> Positions:
    """Rows in the order of their values: all, or evenly spaced ones with both ends if there are more."""
    order = np.argsort(values, kind="stable")
    return order[np.linspace(0, len(order) - 1, min(len(order), most)).round().astype(np.intp)]


def tidy(ax: Axes, *, keep: Iterable[str] = ("left", "bottom")) -> None:
    """Show only the spines that carry a scale."""
    kept = set(keep)
    for side, spine in ax.spines.items():
        spine.set_visible(side in kept)
        spine.set_linewidth(0.8)


def plain(text: Any) -> Any:
    """Make a text object show its characters literally, without mathtext or TeX, and return it."""
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


def value_label(result: Any, order: int = 1) -> str:
    """R-sens or R-sens₂ with its unit, as `scale_kind` names it; with "raw" a switch for categorical columns."""
    unit = {"sd": "per sd", "raw": "per unit"}.get(result.scale_kind, "per given unit")
    if result.scale_kind == "raw" and getattr(result, "categorical", ()):
        unit = f"{unit} or switch"
    return f"R-sens {unit}" if order == 1 else f"R-sens₂ {unit} × {unit.removeprefix('per ')}"


def part_labels(names: Iterable[str]) -> list[str]:
    """Labels of the parts of R-sens; every family that splits in two has the prediction first."""
    labels = [str(name) for name in names]
    if len(labels) != 2 or "knowledge" in labels:  # parts of posterior draws have other names
        return labels
    return [f"prediction ({labels[0]})", f"uncertainty ({labels[1]})"]


def add_legend(ax: Axes, handles: Sequence[Any] | None = None, *, first: str | None = None) -> None:
    """Add a legend above the axes, where it covers nothing; none without entries. `first` labels its first entry."""
    if handles is None:
        handles = sorted(ax.get_legend_handles_labels()[0], key=lambda handle: handle.get_label() != first)
    # At the right: names at the left may make the axes narrower than the legend.
    style: dict[str, Any] = {"loc": "lower right", "bbox_to_anchor": (1.0, 1.0), "fontsize": small(), "frameon": False}
    style |= {"handlelength": 1.6, "columnspacing": 1.5, "borderaxespad": 0.2}
    for lines in range(1, len(handles) + 1):  # as few as fit
        legend = ax.legend(handles=handles, ncols=-(-len(handles) // lines), **style)
        for text in legend.get_texts():
            plain(text)
        if legend.get_window_extent().width <= 1.15 * ax.bbox.width:
            return


def draw_colour_bar(ax: Axes, mesh: Any, label: str, **options: Any) -> Any:
    """Add a colour bar, which takes a little of the room of the axes."""
    bar = ax.figure.colorbar(mesh, ax=ax, fraction=0.06, pad=0.03, aspect=25)
    bar.outline.set_visible(False)
    bar.set_label("", **options)
    plain(bar.ax.yaxis.label).set_text(label)
    return bar


def draw_rug(ax: Axes, data: Array, colour: str = BLACK, *, height: float = 0.0, size: float = 7.0) -> None:
    """The data as ticks at a height of the axes; of many rows, some."""
    shown = data[np.sort(some_rows(data, 500))]
    style: dict[str, Any] = {"color": colour, "alpha": 0.6, "markersize": size, "markeredgewidth": 0.6, "zorder": 4}
    ax.plot(shown, np.full(len(shown), height), "|", transform=ax.get_xaxis_transform(), **style)


def row_axes(rows: int, notes: Sequence[str] = (), *, row: float = 0.32) -> Axes:
    """Axes in a new figure for rows of this height, in inches; lower if they are many."""
    return new_axes(height_of_rows(rows, notes, row=row))


def height_of_rows(rows: int, notes: Sequence[str] = (), *, row: float = 0.32) -> float:
    """The height of a figure with rows, in inches: with a legend above and notes below."""
    lines = sum(len(wrap(note, NOTE_LENGTH)) for note in notes)
    return max(1.8, 1.2 + rows * min(row, max(0.2, 6.0 / rows)) + lines * NOTE_HEIGHT)


def name_rows(ax: Axes, names: Sequence[str], more: int = 0) -> float:
    """Name the rows of axes, and one for how many more there are; returns the size of the names."""
    rows = len(names) + bool(more)
    size = font_size(ax, rows)
    name_ticks(ax.yaxis, names, size, more=more)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(rows - 0.4, -0.6)
    return size


def draw_whiskers(ax: Axes, lower: Array, upper: Array, rows: Array, colour: str, capsize: float) -> None:
    """Intervals as lines with ends, where they are known."""
    known = np.isfinite(lower) & np.isfinite(upper)
    if known.any():
        # Around their own middle: a percentile interval need not hold the value itself.
        middle, half = 0.5 * (lower + upper)[known], 0.5 * (upper - lower)[known]
        style: dict[str, Any] = {"ecolor": colour, "elinewidth": 1.0, "capsize": capsize, "capthick": 1.0}
        ax.errorbar(middle, rows[known], xerr=half, fmt="none", **style)


def start_at_zero(ax: Axes, furthest: float) -> None:
    """Limits of an axis of values that are at least 0."""
    ax.set_xlim(0.0, 1.04 * furthest if furthest > 0.0 else 1.0)


def add_notes(ax: Axes, notes: Iterable[str]) -> None:
    """Write remarks below the label of the horizontal axis, on even lines; the report has them in its caption."""
    most, above = max(28, int(axes_points(ax)[0] / (SENTENCE * small()))), ax.xaxis.label
    style: dict[str, Any] = {"ha": "right", "va": "top", "multialignment": "center", "fontsize": small(), "gid": NOTE}
    for note in filter(None, notes):
        unbroken = note.replace(" %", "\u00a0%")  # no line begins with a percent sign
        count = len(wrap(unbroken, most))
        lines = next(even for w in range(len(note) // count, most + 1) if len(even := wrap(unbroken, w)) <= count)
        place: dict[str, Any] = {"xycoords": ("axes fraction", above), "textcoords": "offset points"}
        above = plain(ax.annotate("\n".join(lines), (1.0, 0.0), (0.0, -1.0), annotation_clip=False, **place, **style))


def take_notes(figure: Figure) -> list[str]:
    """Remove the remarks of a figure, and return them."""
    notes: list[Any] = figure.findobj(lambda artist: artist.get_gid() == NOTE)
    for note in notes:
        note.remove()
    return [note.get_text().replace("\n", " ").replace("\u00a0", " ") for note in notes]


#: One hue from near white to dark: safe for colour-blind readers, and its greys are in the same order.
CELLS = "Blues"


def cell_axes(
    names: Sequence[str], columns: float, *, cell: tuple[float, float], notes: Sequence[str] = (), beside: float = 0.4
) -> Axes:
    """Axes in a new figure for rows of cells of this size, in inches; smaller if they are many."""
    left = LETTER * small() / 72.0 * max(map(len, short_labels(names)))
    width = max(2.2, columns * min(cell[0], max(0.15, 7.0 / columns)))
    height = max(0.8, len(names) * min(cell[1], max(0.17, 7.0 / len(names))))
    lines = sum(len(wrap(note, int(NOTE_LENGTH * width / WIDTH))) for note in notes)
    return new_axes(height + 1.0 + lines * NOTE_HEIGHT, width + left + beside)


def write_cells(ax: Axes, texts: Mapping[tuple[float, float], tuple[str, str]]) -> dict[tuple[float, float], Any]:
    """Write texts into cells of size 1, {(x, y): (text, colour)}, in one size that fits; returns them by place."""
    lines = [line for text, _ in texts.values() for line in text.split("\n")]
    width, height = np.array(axes_points(ax)) / np.abs(np.ptp([ax.get_xlim(), ax.get_ylim()], axis=1))
    fits = 0.82 * width / (LETTER * max(map(len, lines), default=1))
    size = min(small(), fits, 0.8 * height / max((text.count("\n") + 1 for text, _ in texts.values()), default=1))
    style: dict[str, Any] = {"ha": "center", "va": "center_baseline", "fontsize": size}
    return {(x, y): ax.text(x, y, text, color=colour, **style) for (x, y), (text, colour) in texts.items()}


def name_cells(
    ax: Axes, rows: Sequence[str], columns: Sequence[str], *, more: int = 0, last: str = "", above: int = 0
) -> float:
    """Name rows, one a little apart at the end, and columns, with `above` characters above; returns the size."""
    bottom = ax.get_ylim()[0]
    size = font_size(ax, round(bottom))
    name_ticks(ax.yaxis, rows, size, offset=0.5, more=more, last=(bottom - 0.5, last) if last else None)
    if columns:
        name_columns(ax, columns, above=above)
    ax.xaxis.set_label_position("bottom")
    ax.tick_params(length=0)
    tidy(ax, keep=())
    return size


def name_columns(ax: Axes, names: Sequence[str], *, offset: float = 0.5, above: int = 0) -> None:
    """Name columns of width 1 below or above the axes, turned where the names would run into each other."""
    size, room = font_size(ax, len(names), along="width"), axes_points(ax)[0] / len(names)
    turned: dict[str, Any] = {}
    if room < 1.5 * size:  # lines of text at 45° need √2 as much room
        turned = {"rotation": 90.0}
    elif LETTER * size * max(map(len, short_labels(names, above or LABEL_LENGTH))) > 0.9 * room:
        turned = {"rotation": 45.0, "rotation_mode": "anchor", "va": "bottom" if above else "center"}
        turned["ha"] = "left" if above else "right"
    if above:
        ax.xaxis.tick_top()
    name_ticks(ax.xaxis, names, size, offset=offset, length=above or LABEL_LENGTH, **turned)


def as_table(frame: pd.DataFrame, rows: str, columns: str, values: str) -> pd.DataFrame:
    """Values of a long table as a wide one, with rows and columns in the order in which they occur."""
    wide = frame.pivot(index=rows, columns=columns, values=values)
    return wide.reindex(index=frame[rows].unique(), columns=frame[columns].unique())


def name_ticks(
    axis: Axis,
    names: Sequence[str],
    size: float,
    *,
    offset: float = 0.0,
    more: int = 0,
    last: tuple[float, str] | None = None,
    length: int = LABEL_LENGTH,
    **options: Any,
) -> None:
    """Ticks at `offset`, `offset` + 1, … with names, one for how many more there are, and one at a given place."""
    labels = short_labels(names, length) + ([f"… {more} more"] if more else [])
    positions = [offset + k for k in range(len(labels))]
    if last is not None:
        positions, labels = [*positions, last[0]], [*labels, last[1]]
    axis.set_ticks(positions, labels, fontsize=size, parse_math=False, usetex=False, **options)
    for label, name in zip(axis.get_ticklabels(), names, strict=False):  # an SVG file holds the ids
        label.set_gid(printable(name, keep="\t\n" + JOINERS))


def short_labels(names: Sequence[str], length: int = LABEL_LENGTH) -> list[str]:
    """Names as labels: on one line, long ones without their middle, and no two alike."""
    return distinct([_drawable(name) for name in names], length, measure=len)


def axis_name(name: str) -> str:
    """The name of a variable as the label of an axis."""
    return short_labels([name], AXIS_LENGTH)[0]


def _drawable(name: str) -> str:
    """The name on one line, its emoji written out (`[bicycle]`) where the font has no picture for them."""
    from matplotlib.font_manager import FontProperties, findfont, get_font

    label = as_label(name)
    symbols = {c for c in label if unicodedata.category(c) in ("So", "Sk")}
    glyphs = get_font(findfont(FontProperties())).get_charmap() if symbols else {}
    for character in symbols:
        if ord(character) not in glyphs:
            label = label.replace(character, f"[{unicodedata.name(character, 'symbol').lower()}]")
    return label


#: For intervals that do not hold.
UNSURE = "#808080"
#: The colour of groups of columns and of categories.
GREY = "#8C8C8C"
#: Low, middle and high values: all readers can tell blue from orange, and each is lighter than the previous.
LOW_HIGH = (BLUE, "#A79AA5", "#F5B335")


def low_high() -> Colormap:
    """From the colour of low values to the colour of high ones."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("low to high", list(LOW_HIGH))


def between_quantiles(values: Array) -> Array:
    """0 for low and 1 for high values; ½ where all are the same."""
    low, high = np.quantile(values, (0.05, 0.95))  # one outlier does not use the colours up
    if low == high:  # a rare value and a common one
        low, high = values.min(), values.max()
    with np.errstate(over="ignore"):
        share = (values - low) / (high - low) if 0.0 < high - low < np.inf else np.full(len(values), 0.5)
    return np.clip(share, 0.0, 1.0)
