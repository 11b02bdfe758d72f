"""What several methods say about the same terms: their ranks side by side, as a table of cells."""

from __future__ import annotations

from textwrap import shorten, wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.plots._heatmap import COLOURS, DIGIT
from rsens.plots._plot import Plot
from rsens.plots._style import (
    LINE_HEIGHT,
    axes_points,
    check_axes,
    check_top,
    font_size,
    name_ticks,
    new_axes,
    plain,
    short_labels,
    small,
    tidy,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

NEEDED = ("method", "term", "value", "rank", "status")
#: Distance of the correlations from the cells, in rows.
GAP = 0.35
#: Average width of the letters of a sentence, of their font size.
LETTER = 0.56
#: The most characters of a reason why a method failed.
REASON = 90


def comparison(df: pd.DataFrame, *, top: int | None = None, ax: Axes | None = None) -> Axes:
    """Ranks of variables or pairs by several methods, one column per method, 1 and dark for the most important.

    Terms are in the order of the first method, so another one agrees with it where its numbers rise downwards. The
    last line has the rank correlation (Spearman's) of each method with the first, over all terms. Methods that could
    not answer are listed below with the reason.

    Args:
        df: What `rsens.compare` returned, also from a CSV file.
        top: How many terms to show, those that the first method ranks highest; None for all. Ranks and correlations
            are among all terms.
        ax: Where to draw; None for a figure of its own.

    Returns:
        The Axes. Names that were shortened are whole in the `gid` of the tick labels.

    Example:
        >>> import numpy as np
        >>> import rsens
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> model = rsens.from_function(lambda X: rsens.Normal(X[:, 0] * X[:, 1], 1.0))
        >>> table = rsens.compare(model, X, methods=["rsens", "ead", "aed"], random_state=0)
        >>> ax = rsens.plots.comparison(table)
        >>> [label.get_text() for label in ax.get_xticklabels()]
        ['rsens', 'ead', 'aed']
    """
    check_top(top)
    if ax is not None:
        check_axes(ax)
    answered, failed = _split(df)
    ranks, values = (_by_term(answered, column) for column in ("rank", "value"))
    order = np.argsort(ranks.iloc[:, 0].to_numpy(), kind="stable")
    hidden = 0 if top is None else max(0, len(order) - top)
    shown = ranks.iloc[order[: len(order) - hidden]]

    names = [str(term) for term in shown.index]
    ax = _new_axes(names, [str(method) for method in shown.columns], failed, bool(hidden)) if ax is None else ax
    cells = shown.to_numpy(dtype=np.float64)
    # On a log scale: whether a term is first or fourth matters more than whether it is 41st or 44th.
    depth = 1.0 - np.log(cells) / np.log(max(2.0, float(np.nanmax(ranks))))
    ax.pcolormesh(depth, cmap=COLOURS, vmin=-0.1, vmax=1.15, edgecolors="white", linewidth=0.8)
    rows = len(cells) + bool(hidden)
    below = rows + GAP
    ax.set_xlim(0.0, cells.shape[1])
    ax.set_ylim(below + 1.0, 0.0)
    _write(ax, cells, _correlations(values), depth, below + 0.5)
    _name_axes(ax, names, hidden, below + 0.5, shown.columns)
    _add_caption(ax, failed)
    return ax


def _split(df: Any) -> tuple[pd.DataFrame, dict[str, str]]:
    """The rows of the methods that answered, and the reasons of those that did not."""
    missing = [column for column in NEEDED if column not in getattr(df, "columns", ())]
    if missing:
        raise InputError(Argument("df"), f" must be what rsens.compare returned; it has no column {missing[0]!r}.")
    ok = df["status"] == "ok"
    if not ok.any():
        raise InputError("no method of this comparison gave values; the column 'status' says why.")
    if df[ok].duplicated(["method", "term"]).any():
        raise InputError("a method has two rows for one term. Draw one comparison at a time.")
    failed = dict(zip(df["method"][~ok].astype(str), df["status"][~ok].astype(str), strict=True))
    return df[ok], failed


def _by_term(df: pd.DataFrame, column: str) -> pd.DataFrame:
    """One row per term and one column per method, both in the order in which they occur."""
    wide = df.assign(**{column: df[column].astype("float64")}).pivot(index="term", columns="method", values=column)
    return wide.reindex(index=df["term"].unique(), columns=df["method"].unique())


def _correlations(values: pd.DataFrame) -> Array:
    """Spearman's rank correlation of every method with the first; NaN where one of them gives all terms the same."""
    ranks = values.rank()
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(ranks.corrwith(ranks.iloc[:, 0]), dtype=np.float64)


def _write(ax: Axes, cells: Array, correlations: Array, depth: Array, below: float) -> None:
    """The ranks in their cells, and the correlations in a line below."""
    texts = {(i, j): "–" if np.isnan(cells[i, j]) else f"{cells[i, j]:.0f}" for i, j in np.ndindex(cells.shape)}
    width = axes_points(ax)[0] / cells.shape[1]
    size = min(font_size(ax, round(below + 1.0)), 0.9 * width / (DIGIT * max(4, *map(len, texts.values()))))
    for (i, j), text in texts.items():
        colour = "white" if depth[i, j] > 0.75 else "black"
        ax.text(j + 0.5, i + 0.5, text, ha="center", va="center_baseline", fontsize=size, color=colour)
    for j, correlation in enumerate(correlations):
        text = "–" if np.isnan(correlation) else f"{correlation:.2f}".replace("-", "−")
        ax.text(j + 0.5, below, text, ha="center", va="center_baseline", fontsize=size)


def _name_axes(ax: Axes, names: list[str], hidden: int, below: float, methods: Any) -> None:
    size = font_size(ax, round(below + 1.0))
    name_ticks(ax.yaxis, names, size, offset=0.5, more=hidden)
    ticks, labels = list(ax.get_yticks()), [label.get_text() for label in ax.get_yticklabels()]
    ids = [label.get_gid() for label in ax.get_yticklabels()]
    ax.yaxis.set_ticks(
        [*ticks, below], [*labels, f"correlation with {methods[0]}"], fontsize=size, parse_math=False, usetex=False
    )
    for label, gid in zip(ax.get_yticklabels(), ids, strict=False):
        label.set_gid(gid)
    wide = DIGIT * size * max(len(str(method)) for method in methods) > 0.95 * axes_points(ax)[0] / len(methods)
    turned: dict[str, Any] = {"rotation": 45.0, "ha": "left", "va": "bottom", "rotation_mode": "anchor"}
    ax.xaxis.tick_top()
    name_ticks(ax.xaxis, [str(method) for method in methods], size, offset=0.5, **(turned if wide else {}))
    ax.annotate(
        "rank by",
        (0.0, 1.0),
        xycoords="axes fraction",
        xytext=(-3.5, 3.5),  # where tick labels are
        textcoords="offset points",
        ha="right",
        va="bottom",
        fontsize=size,
    )
    ax.tick_params(length=0)
    tidy(ax, keep=())


def _add_caption(ax: Axes, failed: dict[str, str]) -> None:
    """Below the table: which methods are missing, and why."""
    size = small()
    width = max(30, int(axes_points(ax)[0] / (LETTER * size)))
    lines = [line for text in _reasons(failed) for line in wrap(text, width)]
    ax.xaxis.set_label_position("bottom")
    # It ends at the right, so that there is room for it on the left, below the names.
    plain(ax.set_xlabel("\n".join(lines), fontsize=size, ha="right", x=1.0, multialignment="left"))


def _reasons(failed: dict[str, str]) -> list[str]:
    return [
        f"{method} gave no values: {shorten(reason, REASON, placeholder=' …')}" for method, reason in failed.items()
    ]


def _new_axes(names: list[str], methods: list[str], failed: dict[str, str], hidden: bool) -> Axes:
    """A figure in which a rank fits well into its cell, with room for the names, and the caption below."""
    labels = [*short_labels(names), f"correlation with {methods[0]}"]
    left = DIGIT * small() / 72.0 * max(map(len, labels))
    width = max(2.4, len(methods) * 0.56)
    rows = len(names) + hidden + 1 + GAP
    lines = sum(len(wrap(text, 60)) for text in _reasons(failed))
    height = rows * min(0.32, max(0.2, 6.0 / rows)) + LINE_HEIGHT * small() / 72.0 * lines
    return new_axes(left + width + 0.3, height + 0.5)


COMPARISON = Plot(
    name="comparison",
    draw=comparison,
    of="comparison",
    file="comparison",
    caption=lambda df: "Ranks by method; dark is important.",
    alt=lambda df: "A table of ranks, one column for each method.",
    options={"top": 30},
)
