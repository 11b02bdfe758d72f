"""Table 1 and its siblings at a glance: every cell as a point, published against ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.lines import Line2D

from experiments._style import BLUE, ORANGE, RING, SINGLE, grid, legend_below, new_figure, save, styled
from experiments._tables import formula

TITLES = {
    "t3": "Student-t₃ inputs",
    "gaussian": "normal inputs",
    "mixture": "mixtures of two normals",
    "correlated": "correlated normal inputs",
}
MODELS = {"ground-truth": ("ground-truth models", BLUE, "o"), "imperfect": ("imperfect models", ORANGE, "s")}
DIAGONAL: dict[str, Any] = {"color": "0.6", "linewidth": 0.9}
#: A panel names at most this many disagreeing cells; with more, the names would overlap.
NAMED = 6


@styled
def draw(table: pd.DataFrame, folder: Path, name: str) -> None:
    """One panel per kind of inputs. On the diagonal, our number equals the published one."""
    kinds = list(table["inputs"].unique())
    columns = min(2, len(kinds))
    rows = -(-len(kinds) // columns)
    figure = new_figure(4.3 * columns, 4.0 * rows + 0.5)
    axes = grid(figure, rows, columns, sharex=True, sharey=True)
    for ax in axes.flat[len(kinds) :]:
        ax.set_visible(False)
    for ax, inputs in zip(axes.flat, kinds, strict=False):
        cells = table[table["inputs"] == inputs]
        ax.axline((0.0, 0.0), slope=1.0, zorder=1.0, **DIAGONAL)
        for model, (_, colour, marker) in MODELS.items():
            part = cells[cells["model"] == model]
            ax.errorbar(
                part["published"],
                part["ours"],
                xerr=part["published_half"],
                yerr=part["ours_half"],
                color=colour,
                marker=marker,
                markersize=3.2,
                linestyle="",
                elinewidth=0.8,
            )
        apart = cells[~cells["agrees"]]
        ax.plot(apart["published"], apart["ours"], **RING)
        for row in apart.itertuples() if len(apart) <= NAMED else ():
            text = f"{SINGLE[row.method][0]}, {formula(row.function)}"
            ax.annotate(text, (row.published, row.ours), (8, -11), textcoords="offset points")
        ax.set_title(f"{TITLES[inputs]}: {cells['agrees'].sum()} of {len(cells)} cells agree")
        ax.grid(axis="x", color="0.92", linewidth=0.8)
    for ax in axes[-1]:
        ax.set_xlabel("published: error less that of R-sens")
    for ax in axes[:, 0]:
        ax.set_ylabel("ours")
    others = [
        Line2D([], [], color=colour, marker=marker, markersize=4.0, linestyle="", label=text)
        for text, colour, marker in MODELS.values()
    ]
    others += [Line2D([], [], label="does not agree", **RING), Line2D([], [], label="ours = published", **DIAGONAL)]
    legend_below(figure, (), others)
    save(figure, folder, name)
