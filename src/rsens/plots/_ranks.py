"""Ranks as tables of cells: of several methods side by side, and of one method over many samples."""

from __future__ import annotations

from textwrap import shorten
from typing import TYPE_CHECKING, Any

import numpy as np

from rsens._errors import Argument, InputError
from rsens.plots import _style as look
from rsens.plots._plot import Plot

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


NEEDED = ("method", "term", "value", "rank", "status")
#: Distance of the correlations from the cells, in rows.
GAP = 0.35
#: Stability: with more ranks than this, cells have no numbers.
MOST_FEW = 15
#: Ticks of the colour bar.
SHARES = (0.0, 0.05, 0.25, 0.5, 1.0)


def comparison(df: pd.DataFrame, *, top: int | None = None, ax: Axes | None = None) -> Axes:
    """Ranks of variables or pairs by several methods, one column per method, 1 and dark for the most important.

    Terms are in the order of the first method, so another one agrees with it where its numbers rise downwards. The
    last line has the rank correlation (Spearman's) of each method with the first, over all terms. Methods that could
    not answer are listed below with the reason.

    Args:
        df: The result of `rsens.compare`, also from a CSV file.
        top: How many terms to show, by the ranks of the first method; None for all. Ranks and correlations
            are among all terms.
        ax: The Axes to draw in; None for a new figure.

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
    look.check_plot(df, "comparison", "rsens.compare", (), ax=ax, top=top)
    answered, failed = _split(df)
    ranks, values = (look.as_table(answered, "term", "method", column) for column in ("rank", "value"))
    shown = ranks.iloc[np.argsort(ranks.iloc[:, 0].to_numpy(), kind="stable")[:top]]
    hidden = len(ranks) - len(shown)
    names, methods = [str(term) for term in shown.index], [str(method) for method in shown.columns]
    last, rows = f"correlation with {methods[0]}", len(shown) + bool(hidden)
    notes = [f"{name} gave no values: {shorten(why, 90, placeholder=' …')}" for name, why in failed.items()]
    if ax is None:
        ax = look.cell_axes([*names, *["…"] * bool(hidden), last], len(methods), cell=(0.56, 0.32), notes=notes)
    cells, by_value = shown.to_numpy(dtype=np.float64), values.rank()
    with np.errstate(divide="ignore", invalid="ignore"):  # NaN where a method gives all terms the same
        correlations = np.asarray(by_value.corrwith(by_value.iloc[:, 0]), dtype=np.float64)  # Spearman's
    # On a log scale: whether a term is first or fourth matters more than whether it is 41st or 44th.
    depth = 1.0 - np.log(cells) / np.log(max(2.0, float(np.nanmax(ranks))))
    ax.pcolormesh(depth, cmap=look.CELLS, vmin=-0.1, vmax=1.15, edgecolors="white", linewidth=0.8)
    ax.set(xlim=(0.0, len(methods)), ylim=(rows + GAP + 1.0, 0.0))
    below = rows + GAP + 0.5
    texts = {
        (j + 0.5, i + 0.5): ("–" if np.isnan(cell) else f"{cell:.0f}", "white" if depth[i, j] > 0.75 else "black")
        for (i, j), cell in np.ndenumerate(cells)
    }
    for j, each in enumerate(correlations):
        texts[j + 0.5, below] = "–" if np.isnan(each) else f"{each:.2f}".replace("-", "−"), "black"
    look.write_cells(ax, texts)
    size = look.name_cells(ax, names, methods, more=hidden, last=last, above=look.LABEL_LENGTH)
    at: dict[str, Any] = {"xycoords": "axes fraction", "xytext": (-3.5, 3.5), "textcoords": "offset points"}
    ax.annotate("rank by", (0.0, 1.0), ha="right", va="bottom", fontsize=size, **at)  # where tick labels are
    look.add_notes(ax, notes)
    return ax


def _split(df: Any) -> tuple[pd.DataFrame, dict[str, str]]:
    """The rows of the methods that answered, and the reasons why others did not."""
    missing = [column for column in NEEDED if column not in getattr(df, "columns", ())]
    if missing:
        raise InputError(Argument("df"), f" must be what rsens.compare returned; it has no column {missing[0]!r}.")
    answered, others = df[df["status"] == "ok"], df[df["status"] != "ok"]
    if not len(answered):
        raise InputError("no method of this comparison answered; the column 'status' has the reasons.")
    if answered.duplicated(["method", "term"]).any():
        raise InputError("a method has two rows for one term. Draw one comparison at a time.")
    failed = dict(zip(others["method"].astype(str), others["status"].astype(str), strict=True))
    return answered.astype({"rank": "float64", "value": "float64"}), failed


COMPARISON = Plot(name="comparison", draw=comparison, of="comparison", file="comparison")


def rank_stability(
    stability: Any, *, method: str | None = None, top: int | None = None, ax: Axes | None = None
) -> Axes:
    """How often each term has each rank over the samples of a `Stability`: dark cells, often.

    Terms are in the order of their mean rank, which a diamond marks. A stable ranking is a dark diagonal. The title
    has the entropy of the ranks: 0 for rankings that are all the same, the log of the number of terms for random ones.

    Args:
        stability: The result of `rsens.stability`.
        method: The method whose ranks are shown; None for the first.
        top: How many terms to show, by mean rank; ranks after `top` are added up in one column. None for all.
        ax: The Axes to draw in; None for a new figure. The colour bar takes a little of its room.

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

    look.check_plot(stability, "rank_stability", "rsens.stability", ("rank_shares", "methods"), ax=ax, top=top)
    table = stability.rank_shares(method)
    name = stability.methods[0] if method is None else method
    shares, count = table.to_numpy(), len(table)
    means = shares @ np.arange(1.0, count + 1.0)
    order = np.argsort(means, kind="stable")[:top]
    shown, hidden, few = len(order), count - len(order), len(order) <= MOST_FEW
    names = [str(term) for term in table.index[order]]
    cells = shares[order, :shown]
    if hidden:  # the later ranks in one column
        cells = np.column_stack([cells, shares[order, shown:].sum(axis=1)])
    ax = look.cell_axes(names, cells.shape[1], cell=(0.46, 0.36), beside=1.3) if ax is None else ax

    # The same scale in all pictures; by the square root, as shares are small where terms are many.
    scale = PowerNorm(0.5, vmin=0.0, vmax=1.0)
    style: dict[str, Any] = {"cmap": look.CELLS, "norm": scale, "edgecolors": "white", "linewidth": 0.8 if few else 0.3}
    mesh = ax.pcolormesh(cells, **style)
    ax.set(xlim=(0.0, cells.shape[1]), ylim=(shown + bool(hidden), 0.0))
    if few:
        texts = {
            (j + 0.5, i + 0.5): (f"{100.0 * share:.0f}", "white" if share > 0.35 else "black")
            for (i, j), share in np.ndenumerate(cells)
            if share >= 0.005  # else nothing is written
        }
        look.write_cells(ax, texts)
    rows = np.flatnonzero(means[order] <= (shown + 0.5 if hidden else np.inf))  # the means that have a column
    diamonds: dict[str, Any] = {"markeredgecolor": "white", "markeredgewidth": 0.6, "clip_on": False}
    diamonds["markersize"] = float(np.clip(0.16 * min(look.axes_points(ax)) / shown, 2.5, 4.5)) if few else 4.0
    ax.plot(means[order][rows] - 0.5, rows + (0.88 if few else 0.5), "D", color=look.VERMILLION, **diamonds)
    look.name_cells(ax, names, [], more=hidden)
    room = look.axes_points(ax)[0] / cells.shape[1]  # as many ranks as there is room for
    step = next(k for k in (1, 2, 5, 10, 20, 50, 100, 1000) if k * room > 3.0 * look.LETTER * look.small())
    ticks = range(1, shown + 1, step) if step <= 2 else [1, *range(step, shown + 1, step)]
    labels = {k - 0.5: str(k) for k in ticks} | ({shown + 0.5: "later"} if hidden else {})
    ax.set_xticks(list(labels), list(labels.values()), fontsize=look.small())
    ax.set_xlabel("rank  (◆ mean)")
    bar = look.draw_colour_bar(ax, mesh, "share of samples", fontsize=look.small())
    bar.set_ticks(list(SHARES), labels=[f"{share:.0%}" for share in SHARES], fontsize=look.small())
    entropy = f"{name}: entropy {abs(float(stability.entropy[name])):.2f} of at most {np.log(count):.2f}"
    ax.set_title(entropy, fontsize=1.1 * look.small(), loc="left")
    return ax


RANK_STABILITY = Plot(name="rank_stability", draw=rank_stability, of="stability", file="ranks")
