"""Colours of values and of levels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rsens._coding import Levels
from rsens._typing import Array
from rsens.plots._style import BLUE, SERIES, axes_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Colormap

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
