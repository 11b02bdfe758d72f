"""Figure 4: mean log predictive density by number of interactions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from experiments._benchmarks import TITLES
from experiments._style import METHODS, grid, legend_below, new_figure, save, styled

#: The methods side by side take up this share of the distance from one number of pairs to the next.
SPREAD = 0.6
#: The lower panels show the full range of the differences from this many pairs on.
ZOOMED = 3
#: They are drawn if some model comes within this share of the whole gain of the model with all interactions. Otherwise
#: they would only repeat the upper ones, shifted.
NEAR = 0.25


@styled
def draw(table: pd.DataFrame, folder: Path, name: str) -> None:
    """One panel per setting of a data set; below it, how far each model is from the one with all interactions.

    The lower panels cut off models with one or two pairs, and are left out if no model comes near.
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
        axes[1, 0].set_ylim(*_zoom_limits(table))
        axes[1, 0].set_ylabel("MLPD less that of all interactions")
    ends = [("no interactions", ":"), ("all interactions", "--")]
    others = [Line2D([], [], color="0.25", linestyle=line, label=text) for text, line in ends]
    legend_below(figure, METHODS, others, rows=2)
    save(figure, folder, name)


def comes_near(table: pd.DataFrame) -> bool:
    """Whether some model with a few pairs gains nearly as much as the model with all interactions."""
    gain = table.loc[table["method"] == "none", "difference"].abs().max()
    return bool((table.loc[table["pairs"] > 0, "difference"] > -NEAR * gain).any())


def _zoom_limits(table: pd.DataFrame) -> tuple[float, float]:
    """Limits that include 0 and all differences from `ZOOMED` pairs on, with their intervals."""
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
