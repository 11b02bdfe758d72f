"""How often each variable or pair has each rank, as a table of cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rsens._typing import Array
from rsens.plots._heatmap import COLOURS, DIGIT
from rsens.plots._plot import Plot
from rsens.plots._style import (
    VERMILLION,
    axes_points,
    check_plot,
    font_size,
    name_ticks,
    new_axes,
    short_labels,
    small,
    tidy,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: With more ranks than this, cells have no numbers and means are a line.
MOST_FEW = 15
#: Smaller shares are not written.
LEAST_WRITTEN = 0.005
#: Distance of the cells from the column of the later ranks, in columns.
GAP = 0.25


def rank_stability(
    stability: Any, *, method: str | None = None, top: int | None = None, ax: Axes | None = None
) -> Axes:
    """How often each term has each rank over the samples of a `Stability`: dark cells, often.

    Terms are in the order of their mean rank, which a diamond marks. A stable ranking is a dark diagonal. The title
    has the entropy of the ranks: 0 for rankings that are all the same, the log of the number of terms for random ones.

    Args:
        stability: What `rsens.stability` returned.
        method: The method whose ranks are shown; None for the first.
        top: How many terms to show, by mean rank; ranks after `top` are added up in one column. None for all.
        ax: Where to draw; None for a figure of its own. The colour bar takes a little of its room.

    Returns:
        The Axes. Names that were shortened are whole in the `gid` of the tick labels.

    Example:
        >>> from sklearn.datasets import load_diabetes
        >>> import rsens
        >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
        >>> linear = rsens.BayesianLinearRegression()
        >>> result = rsens.stability(linear, X, y, n_boot=5, methods="rsens", random_state=0)
        >>> ax = rsens.plots.rank_stability(result, top=3)
        >>> ax.get_xlabel()
        'rank  (◆ mean)'
    """
    from matplotlib.colors import PowerNorm

    check_plot(stability, "rank_stability", "rsens.stability", ("rank_shares", "methods"), ax=ax, top=top)
    table = stability.rank_shares(method)
    name = stability.methods[0] if method is None else method
    shares, count = table.to_numpy(), len(table)
    means = shares @ np.arange(1.0, count + 1.0)
    order = np.argsort(means, kind="stable")[:top]
    hidden, few = count - len(order), len(order) <= MOST_FEW
    cells, later = shares[order, : len(order)], shares[order, len(order) :].sum(axis=1)

    names = [str(term) for term in table.index[order]]
    ax = _new_axes(names, hidden) if ax is None else ax
    # The same scale in all pictures; by the square root, as shares are small where terms are many.
    scale = PowerNorm(0.5, vmin=0.0, vmax=1.0)
    style: dict[str, Any] = {"cmap": COLOURS, "norm": scale, "edgecolors": "white", "linewidth": 0.8 if few else 0.3}
    mesh = ax.pcolormesh(cells, **style)
    if hidden:
        start = len(order) + GAP
        ax.pcolormesh([start, start + 1.0], np.arange(len(order) + 1.0), later[:, np.newaxis], **style)
    if few:
        _write(ax, cells, later if hidden else None)
    _draw_means(ax, means[order], few, hidden > 0)
    ax.set_xlim(0.0, len(order) + (1.0 + GAP if hidden else 0.0))
    ax.set_ylim(len(order) + bool(hidden), 0.0)
    _name_axes(ax, names, few, hidden)
    _draw_colour_bar(ax, mesh)
    entropy = float(stability.entropy[name])
    ax.set_title(
        f"{name}: entropy {abs(entropy):.2f} of at most {np.log(count):.2f}", fontsize=1.1 * small(), loc="left"
    )
    return ax


def _new_axes(names: list[str], hidden: int) -> Axes:
    """A figure whose cells are somewhat wider than high, with room for the names at the left."""
    columns, rows = len(names) + (2 if hidden else 0), len(names) + bool(hidden)
    longest = DIGIT * small() / 72.0 * max(map(len, short_labels(names)))  # inches
    width = columns * min(0.46, max(0.15, 6.5 / columns))
    height = rows * min(0.36, max(0.17, 6.0 / rows))
    return new_axes(max(width, 1.9) + longest + 1.3, max(height, 1.0) + 0.9)


def _write(ax: Axes, cells: Array, later: Array | None) -> None:
    """Shares in percent. Empty cells stay empty."""
    columns = cells.shape[1] + (0.0 if later is None else 1.0 + GAP)
    width, height = axes_points(ax)
    size = min(small(), 0.8 * width / columns / (3 * DIGIT), 0.7 * height / (len(cells) + 1))
    places = [(k, k + 0.5) for k in range(cells.shape[1])]
    table = cells
    if later is not None:
        table = np.column_stack([cells, later])
        places.append((cells.shape[1], cells.shape[1] + GAP + 0.5))
    for row, shares in enumerate(table):
        for column, x in places:
            if shares[column] >= LEAST_WRITTEN:
                colour = "white" if shares[column] > 0.35 else "black"
                percent = f"{100.0 * shares[column]:.0f}"
                ax.text(x, row + 0.5, percent, ha="center", va="center", fontsize=size, color=colour)


def _draw_means(ax: Axes, means: Array, few: bool, cut: bool) -> None:
    """Mean ranks, except those that lie among the ranks in the last column."""
    shown = means <= len(means) + 0.5 if cut else np.ones(len(means), dtype=np.bool_)
    x, rows = means[shown] - 0.5, np.arange(len(means))[shown]
    if not few:
        ax.plot(x, rows + 0.5, color=VERMILLION, linewidth=1.2)
        return
    size = float(np.clip(0.16 * min(axes_points(ax)) / len(means), 2.5, 4.5))
    edge: dict[str, Any] = {"markeredgecolor": "white", "markeredgewidth": 0.6}
    ax.plot(x, rows + 0.88, "D", color=VERMILLION, markersize=size, clip_on=False, **edge)


def _name_axes(ax: Axes, names: list[str], few: bool, hidden: int) -> None:
    count = len(names)
    size = font_size(ax, count + bool(hidden))
    name_ticks(ax.yaxis, names, size, offset=0.5, more=hidden)
    room = axes_points(ax)[0] / (count + (1.0 + GAP if hidden else 0.0))
    step = next(k for k in (1, 2, 5, 10, 20, 50, 100, 1000) if k * room > 3.0 * DIGIT * small())
    ticks = range(1, count + 1, step) if step <= 2 else [1, *range(step, count + 1, step)]
    positions, labels = [k - 0.5 for k in ticks], [str(k) for k in ticks]
    if hidden:
        positions.append(count + GAP + 0.5)
        labels.append("later")
    ax.set_xticks(positions, labels, fontsize=small())
    ax.tick_params(length=0)
    tidy(ax, keep=())
    ax.set_xlabel(f"rank  ({'◆' if few else '—'} mean)")


def _draw_colour_bar(ax: Axes, mesh: Any) -> None:
    bar = ax.figure.colorbar(mesh, ax=ax, fraction=0.06, pad=0.03, aspect=25)
    bar.outline.set_visible(False)
    shares = (0.0, 0.05, 0.25, 0.5, 1.0)
    bar.set_ticks(list(shares), labels=[f"{share:.0%}" for share in shares])
    bar.ax.tick_params(labelsize=small())
    bar.set_label("share of samples", fontsize=small())


RANK_STABILITY = Plot(
    name="rank_stability",
    draw=rank_stability,
    of="stability",
    file="ranks",
    caption=lambda stability: "How often each variable or pair has each rank; diamonds: the mean rank.",
    alt=lambda stability: "Cells coloured by the share of samples in which a variable or pair has a rank.",
)
