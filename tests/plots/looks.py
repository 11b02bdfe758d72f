"""What can be measured of a finished picture: what overlaps, and what leaves the figure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from typing import Any

from matplotlib.axes import Axes
from matplotlib.transforms import Bbox

from rsens._typing import Array
from rsens.plots._style import NOTE


def drawn(ax: Axes) -> Axes:
    """The axes after all of a drawing but its pixels, layout included; any warning on the way is an error."""
    ax.figure.draw_without_rendering()
    return ax


def box(artist: Any) -> Bbox:
    return artist.get_window_extent(artist.figure.canvas.get_renderer())


def overlapping(artists: Sequence[Any], others: Sequence[Any] | None = None) -> list[tuple[str, str]]:
    """Pairs whose boxes share more than half a pixel."""
    # Plain numbers: each box may be compared with hundreds of others.
    boxes = [(artist, box(artist).extents.tolist()) for artist in artists]
    rest = None if others is None else [(other, box(other).extents.tolist()) for other in others]
    pairs = combinations(boxes, 2) if rest is None else product(boxes, rest)
    return [(str(a), str(b)) for (a, box_a), (b, box_b) in pairs if _shared(box_a, box_b)]


def _shared(a: list[float], b: list[float]) -> bool:
    return min(a[2], b[2]) - max(a[0], b[0]) > 0.5 and min(a[3], b[3]) - max(a[1], b[1]) > 0.5


def outside_figure(artists: Sequence[Any]) -> list[str]:
    return [str(a) for a in artists if not _within(box(a).extents, a.figure.bbox.extents)]


def _within(inner: Array, outer: Array) -> bool:
    """Corners (left, bottom, right, top) inside of others, up to half a pixel."""
    return bool((inner[:2] >= outer[:2] - 0.5).all() and (inner[2:] <= outer[2:] + 0.5).all())


def texts(ax: Axes) -> list[Any]:
    """All texts of the axes that say something: labels of ticks and axes, the legend, remarks."""
    found = [*_tick_labels(ax.xaxis), *_tick_labels(ax.yaxis), ax.xaxis.label, ax.yaxis.label, ax.title, *ax.texts]
    legend = ax.get_legend()
    return [
        text for text in [*found, *(legend.get_texts() if legend else [])] if text.get_text() and text.get_visible()
    ]


def _tick_labels(axis: Any) -> list[Any]:
    """Those that are drawn: matplotlib also keeps labels for ticks just outside the limits."""
    low, high = sorted(axis.get_view_interval())
    return [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]


def marks(ax: Axes) -> list[Any]:
    """The texts inside the axes, without the notes below them."""
    return [text for text in ax.texts if text.get_gid() != NOTE]


def below(ax: Axes) -> str:
    """The label of the horizontal axis and the notes under it, on one line."""
    notes = [text.get_text() for text in ax.texts if text.get_gid() == NOTE]
    return " ".join([ax.get_xlabel(), *notes]).replace("\n", " ").replace("\u00a0", " ").strip()
