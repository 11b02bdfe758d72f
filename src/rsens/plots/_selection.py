"""Losses of models with few interactions against the full one. Figure 4 of the paper has their scores themselves."""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from rsens._arguments import fraction
from rsens.plots import _style as look
from rsens.plots._plot import Plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def selection(selection: Any, *, level: float = 0.95, corrected: bool = True, ax: Axes | None = None) -> Axes:
    """How much better or worse than the full model those with 0, 1, … k interactions predict, with intervals.

    The dashed line at 0 is the full model, with all interactions. Differences are taken split by split: scores of the
    same split go up and down together, so a difference is known better than each of the two scores, and an interval
    that holds 0 means that the two models may be as good. A ring marks the number of interactions that
    is enough, `Selection.suggested`. `Selection.summary` has the scores themselves.

    Args:
        selection: The result of `rsens.select_interactions`.
        level: The level of the intervals.
        corrected: As in `Selection.summary`; False for intervals as in the paper.
        ax: The Axes to draw in; None for a new figure.

    Returns:
        The Axes.

    Example:
        >>> import numpy as np
        >>> import rsens
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(40, 3))
        >>> y = X[:, 0] + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=40)
        >>> model = rsens.GPRegressor(n_restarts=0, random_state=0)
        >>> selection = rsens.select_interactions(model, X, y, k=1, cv=2, random_state=0)
        >>> ax = rsens.plots.selection(selection)
        >>> ax.get_xlabel()
        'interactions in the model'
    """
    from matplotlib.ticker import MaxNLocator

    look.check_plot(selection, "selection", "rsens.select_interactions", ("summary", "suggested"), ax=ax)
    reach = NormalDist().inv_cdf(0.5 + 0.5 * fraction(level, "level"))
    table = selection.summary(corrected=corrected).iloc[:-1]  # the last is the full model
    k, mean, se = (table[name].to_numpy(dtype=np.float64) for name in ("k", "difference", "difference_se"))
    ax = look.new_axes(3.8) if ax is None else ax
    colour, half = look.BLUE, np.nan_to_num(reach * se)  # unknown for a single split
    ax.plot(k, mean, "o-", color=colour, linewidth=1.0, markersize=5.0, zorder=3, label="rsens2")
    if half.any():
        ax.errorbar(k, mean, yerr=half, fmt="none", ecolor=colour, elinewidth=1.2, capsize=2.5, zorder=2)
    ring: dict[str, Any] = {"markerfacecolor": "none", "markeredgecolor": colour, "markeredgewidth": 1.2, "zorder": 3}
    at = selection.suggested
    ax.plot(k[at], mean[at], "o", markersize=11.0, linestyle="none", label="suggested", **ring)
    ax.axhline(0.0, color=look.BLACK, linestyle=(0, (5, 3)), linewidth=1.2, zorder=1, label="full model")
    ax.xaxis.set_major_locator(MaxNLocator("auto", integer=True, min_n_ticks=1))  # as many as fit
    ax.set_xlim(-0.5, selection.k + 0.5)
    ax.set_xlabel("interactions in the model")
    ax.set_ylabel("log predictive density per row,\ndifference to the full model")
    look.add_legend(ax)
    look.tidy(ax)
    return ax


SELECTION = Plot(name="selection", draw=selection, of="selection", file="selection")
