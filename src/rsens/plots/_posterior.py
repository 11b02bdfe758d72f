"""The posterior of importances: a line for each variable, and how likely it is the first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rsens._text import percent
from rsens.plots import _style as look
from rsens.plots._plot import Plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def posterior(explained: Any, *, top: int | None = 10, ax: Axes | None = None) -> Axes:
    """R-sens of each draw's own predictive: median, half of the draws and 95 % of them, largest mean first.

    The text at each line is the probability that this variable has the largest R-sens. The lines are not intervals
    of `Explanation.main`, which is R-sens of the mixture of all draws.

    Args:
        explained: `Explanation.posterior`.
        top: How many variables to show; None for all.
        ax: The Axes to draw in; None for a new figure.

    Returns:
        The Axes.

    Example:
        >>> import numpy as np
        >>> import rsens
        >>> rng = np.random.default_rng(0)
        >>> X, draws = rng.normal(size=(30, 2)), {"slopes": rng.normal([2.0, 1.0], 0.2, size=(50, 2))}
        >>> model = rsens.from_draws(lambda draw, X: rsens.Normal(X @ draw["slopes"], 1.0), draws)
        >>> explanation = rsens.explain(model, X, random_state=0)
        >>> ax = rsens.plots.posterior(explanation.posterior)
        >>> ax.get_xlabel()
        "R-sens of each draw's own predictive"
    """
    look.check_plot(explained, "posterior", "Explanation.posterior", ("frame", "quantile", "p_first"), ax=ax, top=top)
    frame = explained.frame(0.95)
    shown = frame.iloc[:top]
    more = len(frame) - len(shown)
    ax = look.row_axes(len(shown) + bool(more), row=0.3) if ax is None else ax
    y = np.arange(len(shown))
    half = [explained.quantile(q)[shown.index].to_numpy() for q in (0.25, 0.75)]
    ax.hlines(y, shown["lower"], shown["upper"], color=look.BLUE, linewidth=1.2)
    ax.hlines(y, *half, color=look.BLUE, linewidth=4.5)
    ax.plot(shown["median"], y, "o", color=look.BLACK, markersize=4.5)
    size = look.name_rows(ax, [str(term) for term in shown.index], more)
    for place, (end, first) in enumerate(zip(shown["upper"], shown["p_first"], strict=True)):
        note = f"first: {percent(float(first))}"
        ax.annotate(note, (end, place), (6, 0), textcoords="offset points", va="center", fontsize=size)
    ax.set_xlim(0.0, 1.3 * max(float(shown["upper"].max()), np.finfo(float).tiny))
    ax.set_xlabel("R-sens of each draw's own predictive")
    look.add_notes(ax, ["no interval of R-sens itself"])
    look.tidy(ax, keep=("bottom",))
    return ax


POSTERIOR = Plot(name="posterior", draw=posterior, of="posterior", file="posterior")
