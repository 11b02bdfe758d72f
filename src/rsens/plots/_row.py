"""What the prediction of one row is made of, to first order: signed bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rsens._text import number
from rsens.plots._plot import Plot, name_in_text
from rsens.plots._style import (
    BLACK,
    BLUE,
    VERMILLION,
    axes_points,
    check_plot,
    font_size,
    lines_below,
    name_ticks,
    new_axes,
    tidy,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def row(explained: Any, *, top: int | None = 10, ax: Axes | None = None) -> Axes:
    """Contributions of first order to the prediction of one row, as signed bars, the largest first.

    They are in the units of the target, of probabilities in percentage points. `RowExplanation.to_frame` has the
    numbers.

    Args:
        explained: What `Explanation.row` returned.
        top: How many variables to show; None for all.
        ax: Where to draw; None for a figure of its own.

    Returns:
        The Axes. Below the axis stands what the contributions add up to.

    Example:
        >>> import numpy as np
        >>> import rsens
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> model = rsens.from_function(lambda X: rsens.Normal(X[:, 0] * X[:, 1], 1.0))
        >>> explanation = rsens.explain(model, X, random_state=0)
        >>> ax = rsens.plots.row(explanation.row(position=0))
        >>> ax.get_xlabel().splitlines()[0]
        'contribution of first order'
    """
    check_plot(explained, "row", "Explanation.row", ("to_frame", "adds_up", "in_points"), ax=ax, top=top)
    frame = explained.to_frame()
    shown = frame if top is None else frame.head(top)
    more = len(frame) - len(shown)
    rows = len(shown) + bool(more)
    ax = new_axes(6.4, max(1.8, 1.1 + 0.3 * rows)) if ax is None else ax
    values = _times(explained) * shown["contribution"].to_numpy(dtype=np.float64)
    ax.barh(np.arange(len(values)), values, height=0.7, color=np.where(values < 0.0, VERMILLION, BLUE))
    ax.axvline(0.0, color=BLACK, linewidth=0.8)
    names = [
        f"{term} = {value}" if value else str(term) for term, value in zip(shown["term"], shown["value"], strict=True)
    ]
    name_ticks(ax.yaxis, names, font_size(ax, rows), more=more)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(rows - 0.5, -0.5)
    ax.set_xlabel("\n".join([_what(explained), *lines_below(0.85 * axes_points(ax)[0], [explained.adds_up])]))
    ax.xaxis.label.set_parse_math(False)
    tidy(ax, keep=("bottom",))
    return ax


def _times(explained: Any) -> float:
    return 100.0 if explained.in_points else 1.0


def _what(explained: Any) -> str:
    """What the bars are, in which unit."""
    of = "" if explained.output is None else f" to {name_in_text(explained.output)}"
    return f"contribution of first order{of}" + (", percentage points" if explained.in_points else "")


def _alt(explained: Any) -> str:
    frame, times = explained.to_frame().head(5), _times(explained)
    pairs = zip(frame["term"], frame["contribution"], strict=True)
    bars = ", ".join(f"{name_in_text(term)} {number(times * value)}" for term, value in pairs)
    return f"Signed bars, {_what(explained)}: {bars}."


ROW = Plot(
    name="row",
    draw=row,
    of="row",
    file="row",
    caption=lambda explained: f"Bars: {_what(explained)}; {explained.adds_up}.",
    alt=_alt,
)
