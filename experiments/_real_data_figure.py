"""Figure 4: mean log predictive density by number of interactions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from experiments._benchmarks import TITLES
from experiments._style import METHODS, grid, legend_below, new_figure, save, styled

#: Methods stand side by side over this part of the way from one number of pairs to the next.
SPREAD = 0.6
#: The lower panels show all of what is left to gain with so many pairs and more.
ZOOMED = 3
#: They are drawn if some model is nearer to that with all interactions than this share of what these gain. Elsewhere
#: they would be the upper ones, shifted.
NEAR = 0.25


@styled
def draw(table: pd.DataFrame, folder: Path, name: str) -> None:
    """A panel for each setting of a data set; below it, how far the models are from that with all interactions.

    The lower panels are cut off where models have one pair or two, and left out where no model comes near.
    """
    settings = table["setting"].unique()
    near = comes_near(table)
    figure = new_figure(4.6 * len(settings), 5.8 if near else 3.6)
    axes = grid(figure, 2 if near else 1, len(settings), sharex=True, sharey="row")
    for column, setting in zip(axes.T, settings, strict=True):
        of_setting = table[table["setting"] == setting]
        _panel(column[0], of_setting, "ours")
        column[0].set_title(TITLES[of_setting["data"].iloc[0], setting])
        if near:
            _panel(column[1], of_setting, "difference")
            column[1].set_title("difference to all interactions, within splits")
        column[-1].set_xlabel("interactions in the model")
    axes[0, 0].set_ylabel("MLPD")
    if near:
        axes[1, 0].set_ylim(*_enlarged(table))
        axes[1, 0].set_ylabel("MLPD less that of all interactions")
    ends = [("no interactions", ":"), ("all interactions", "--")]
    others = [Line2D([], [], color="0.25", linestyle=line, label=text) for text, line in ends]
    legend_below(figure, METHODS, others, rows=2)
    save(figure, folder, name)


def comes_near(table: pd.DataFrame) -> bool:
    """Whether a model with some pairs is nearly as far from that with none as the model with all interactions."""
    gain = table.loc[table["method"] == "none", "difference"].abs().max()
    return bool((table.loc[table["pairs"] > 0, "difference"] > -NEAR * gain).any())


def _enlarged(table: pd.DataFrame) -> tuple[float, float]:
    """Limits that have 0 and all differences from `ZOOMED` pairs on, with their intervals, in them."""
    part = table[table["pairs"] >= min(ZOOMED, int(table["pairs"].max()))]
    low = min(0.0, float((part["difference"] - part["difference_half"]).min()))
    high = max(0.0, float((part["difference"] + part["difference_half"]).max()))
    return low - 0.05 * (high - low), high + 0.05 * (high - low)


def _panel(ax: Any, table: pd.DataFrame, column: str) -> None:
    reduced = table[table["method"].isin(list(METHODS))]
    for number, (method, (_, colour, marker)) in enumerate(METHODS.items()):
        part = reduced[reduced["method"] == method]
        shift = SPREAD * ((number + 0.5) / len(METHODS) - 0.5)
        ax.errorbar(
            part["pairs"].to_numpy(dtype=float) + shift,
            part[column],
            yerr=part[f"{column}_half"],
            color=colour,
            marker=marker,
            markersize=4.0,
            linewidth=1.6 if method == "rsens2" else 1.0,
            elinewidth=0.9,
            zorder=3.0 if method == "rsens2" else 2.0,
        )
    for method, line in (("none", ":"), ("all", "--")):
        ax.axhline(table.loc[table["method"] == method, column].iloc[0], color="0.25", linestyle=line, linewidth=1.1)
    ax.set_xticks(np.arange(1, int(reduced["pairs"].max()) + 1))
