"""Shared by all figures: text sizes, colours, and a way to save that gives the same bytes every time."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from experiments._tables import announce
from rsens.plots._style import BLACK, BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILLION, tidy, tint

__all__ = [
    "BLACK",
    "BLUE",
    "METHODS",
    "ORANGE",
    "RING",
    "SINGLE",
    "VERMILLION",
    "grid",
    "legend_below",
    "new_figure",
    "save",
    "styled",
    "tint",
]

#: For every method for pairs: its name, colour and marker.
METHODS: dict[str, tuple[str, str, str]] = {
    "rsens2": ("R-sens₂", VERMILLION, "o"),
    "eah": ("EAH", BLACK, "s"),
    "aeh": ("AEH", PURPLE, "D"),
    "shap": ("SHAP", GREEN, "v"),
    "pd": ("PD", BLUE, "^"),
    "h": ("H", ORANGE, "P"),
}
#: The same for every method for single variables, in the order of the tables.
SINGLE: dict[str, tuple[str, str, str]] = {
    "rsens": ("R-sens", VERMILLION, "o"),
    "ead": ("EAD", BLACK, "s"),
    "aed": ("AED", PURPLE, "D"),
    "apc": ("APC", "0.55", "*"),
    "shap": ("SHAP", GREEN, "v"),
    "pd": ("PD", BLUE, "^"),
    "pfi": ("PFI", SKY, "<"),
    "var": ("VAR", ORANGE, "P"),
    "kl": ("KL", "0.75", "x"),
    "ard": ("ARD", "#7F4F24", "X"),
}
#: A ring around a point where our number and the published one disagree.
RING: dict[str, Any] = {
    "marker": "o",
    "markersize": 10.0,
    "markerfacecolor": "none",
    "markeredgecolor": PURPLE,
    "markeredgewidth": 1.4,
    "linestyle": "",
}
#: A fixed salt for the ids in SVG files, which would be random otherwise.
SETTINGS = {"svg.hashsalt": "rsens", "savefig.dpi": 200, "font.size": 9.0, "axes.titlesize": 9.5}


#: A decorator for functions that draw and save a figure: it sets the text sizes and changes nothing globally.
styled = mpl.rc_context(SETTINGS)


def new_figure(width: float, height: float) -> Figure:
    """A figure outside pyplot, which needs no window."""
    return Figure(figsize=(width, height), layout="constrained")


def grid(figure: Figure, rows: int, columns: int, **options: Any) -> Any:
    """Axes (rows, columns) that keep only the spines with a scale, with light horizontal lines."""
    axes = figure.subplots(rows, columns, squeeze=False, **options)
    for ax in axes.flat:
        tidy(ax)
        ax.grid(axis="y", color="0.92", linewidth=0.8)
        ax.set_axisbelow(True)
    return axes


def legend_below(figure: Figure, methods: Iterable[str], others: Iterable[Line2D] = (), *, rows: int = 1) -> None:
    """A legend of the methods with their colours and markers, then of the other lines and points."""
    of_methods = [(METHODS | SINGLE)[name] for name in methods]
    handles = [Line2D([], [], color=colour, marker=marker, label=text) for text, colour, marker in of_methods]
    handles += others
    columns = -(-len(handles) // rows)
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, frameon=False, fontsize=8.5)


def save(figure: Figure, folder: Path, name: str) -> None:
    """Write `name`.png and `name`.svg, each the whole file or nothing, without dates and versions."""
    folder.mkdir(parents=True, exist_ok=True)
    for kind, metadata in (("png", {"Software": None}), ("svg", {"Date": None, "Creator": None})):
        half = folder / f"{name}.{kind}.part"
        figure.savefig(half, format=kind, metadata=metadata)
        os.replace(half, folder / f"{name}.{kind}")
        announce(folder / f"{name}.{kind}")
