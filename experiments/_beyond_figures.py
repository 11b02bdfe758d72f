"""The figures of `experiments.beyond`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.colors import LinearSegmentedColormap

from experiments._style import BLUE, SINGLE, VERMILLION, grid, legend_below, new_figure, save, styled
from experiments._tables import formula

FAMILIES = {"normal": "Normal", "student_t": "Student-t (4 df)", "logit": "Bernoulli (logit)"}
INPUTS = {"t3": "Student-t₃ inputs", "gaussian": "normal inputs"}
#: Errors of this size get the full colour. A random ranking has an error of 33 on average.
FULL = 20.0
BETTER_TO_WORSE = LinearSegmentedColormap.from_list("better_to_worse", [BLUE, "white", VERMILLION])


@styled
def draw_families(table: pd.DataFrame, folder: Path, name: str) -> None:
    """One panel per family, kind of inputs and model, showing functions × methods.

    A number is bold if its interval does not contain 0.
    """
    methods = [method for method in SINGLE if method in set(table["method"]) - {"rsens"}]
    functions = list(dict.fromkeys(table["function"]))
    settings = list(dict.fromkeys(zip(table["inputs"], table["model"], strict=True)))
    families = [family for family in FAMILIES if family in set(table["family"])]
    figure = new_figure(3.6 * len(families) + 0.4, 2.3 * len(settings) + 0.8)
    axes = figure.subplots(len(settings), len(families), squeeze=False, sharex=True, sharey=True)
    for of_setting, (inputs, model) in zip(axes, settings, strict=True):
        for ax, family in zip(of_setting, families, strict=True):
            chosen = (table["family"] == family) & (table["inputs"] == inputs) & (table["model"] == model)
            cells, halves = (
                table[chosen].pivot(index="function", columns="method", values=of).reindex(functions, columns=methods)
                for of in ("ours", "ours_half")
            )
            apart = (cells.abs() > halves).to_numpy()
            image = ax.imshow(cells, cmap=BETTER_TO_WORSE, vmin=-FULL, vmax=FULL, aspect="auto")
            for (row, column), value in np.ndenumerate(cells):
                if np.isnan(value):
                    continue
                text = f"{value:.1f}".replace("-0.0", "0.0").replace("-", "−")
                colour = "white" if abs(value) > 0.75 * FULL else "black" if apart[row, column] else "0.45"
                weight = "bold" if apart[row, column] else "normal"
                ax.text(column, row, text, ha="center", va="center", fontsize=7.0, color=colour, fontweight=weight)
            ax.set_title(f"{FAMILIES[family]}\n{INPUTS[inputs]}, {model.replace('-', ' ')}")
            ax.set_xticks(range(len(methods)), [SINGLE[method][0] for method in methods])
            ax.set_yticks(range(len(functions)), [formula(function) for function in functions])
            ax.tick_params(length=0.0)
            ax.spines[:].set_visible(False)
    bar = figure.colorbar(image, ax=axes, location="bottom", fraction=0.03, pad=0.02, aspect=60, extend="both")
    bar.set_label(
        "error of the ranking less that of R-sens (negative: better than R-sens); bold: its 95 % interval is without 0"
    )
    bar.outline.set_visible(False)
    save(figure, folder, name)


@styled
def draw_ard(table: pd.DataFrame, folder: Path, name: str) -> None:
    """One panel per function: ranking errors by number of rows, with their intervals."""
    functions = list(dict.fromkeys(table["function"]))
    sizes = sorted(table["n"].unique())
    figure = new_figure(9.5, 5.2)
    axes = grid(figure, 2, -(-len(functions) // 2), sharex=True, sharey=True)
    at = np.arange(len(sizes))
    shown = [method for method in SINGLE if method != "kl"]  # covers R-sens
    for ax, function in zip(axes.flat, functions, strict=True):
        for k, method in enumerate(shown):
            _, colour, marker = SINGLE[method]
            part = table[(table["function"] == function) & (table["method"] == method)].sort_values("n")
            ax.errorbar(
                at + 0.07 * (k - 0.5 * (len(shown) - 1)),
                part["error"],
                yerr=part["error_half"],
                color=colour,
                marker=marker,
                markersize=4.0,
                elinewidth=0.8,
                linestyle="--" if method == "ard" else "-",
                linewidth=1.8 if method in ("rsens", "ard") else 0.9,
                zorder=3.0 if method in ("rsens", "ard") else 2.0,
            )
        ax.set_title(formula(function))
        ax.set_xticks(at, [str(n) for n in sizes])
    axes[0, 0].set_ylim(0.0, 1.05 * (table["error"] + table["error_half"]).max())
    for ax in axes[-1]:
        ax.set_xlabel("rows that the process is fitted to")
    for ax in axes[:, 0]:
        ax.set_ylabel("Σ |rank − true rank|")
    legend_below(figure, shown)
    save(figure, folder, name)
