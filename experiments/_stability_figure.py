"""Table 2 as points: the entropy of every method's rankings, published and ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from experiments._benchmarks import TITLES
from experiments._style import BLACK, METHODS, RING, VERMILLION, grid, legend_below, new_figure, save, styled

PUBLISHED: dict[str, Any] = {
    "color": BLACK,
    "marker": "D",
    "markersize": 4.5,
    "markerfacecolor": "white",
    "linestyle": "",
}
OURS: dict[str, Any] = {"color": VERMILLION, "marker": "o", "markersize": 4.5, "linestyle": ""}
#: How far above and below the line of their method the two points are.
SHIFT = 0.13


@styled
def draw(table: pd.DataFrame, folder: Path, name: str) -> None:
    """One panel per setting, one line per method. Further left is more stable."""
    settings = list(dict.fromkeys(zip(table["data"], table["setting"], strict=True)))
    figure = new_figure(2.5 * len(settings) + 0.8, 3.1)
    axes = grid(figure, 1, len(settings), sharex=True, sharey=True)[0]
    for ax, key in zip(axes, settings, strict=True):
        cells = table[(table["data"] == key[0]) & (table["setting"] == key[1])].set_index("method").loc[[*METHODS]]
        at = np.arange(len(cells))
        ax.plot(cells["published"], at - SHIFT, **PUBLISHED)
        ax.errorbar(cells["ours"], at + SHIFT, xerr=cells["ours_half"], elinewidth=1.0, **OURS)
        ax.plot(cells["ours"].where(~cells["agrees"]), at + SHIFT, **RING)
        ax.set_yticks(at, [METHODS[method][0] for method in cells.index])
        ax.set_title(TITLES[key].replace(", ", ",\n").replace(" with", "\nwith"))
        ax.set_xlabel("entropy of rankings")
    axes[0].invert_yaxis()
    kinds = {"published": PUBLISHED, "ours, with its 95 % interval": OURS, "does not agree": RING}
    legend_below(figure, (), [Line2D([], [], label=text, **style) for text, style in kinds.items()])
    save(figure, folder, name)
