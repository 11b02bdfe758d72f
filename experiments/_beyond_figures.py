"""The figures of `experiments.beyond`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.colors import LinearSegmentedColormap

from experiments._style import BLACK, BLUE, VERMILLION, grid, new_figure, save, styled
from rsens.plots._style import GREEN, ORANGE, PURPLE, SKY

#: Of every method for single variables: what it is called, its colour, its marker.
METHODS: dict[str, tuple[str, str, str]] = {
    "rsens": ("R-sens", VERMILLION, "o"),
    "kl": ("KL", "0.55", "x"),
    "ead": ("EAD", BLACK, "s"),
    "aed": ("AED", PURPLE, "D"),
    "apc": ("APC", "0.35", "*"),
    "shap": ("SHAP", GREEN, "v"),
    "pd": ("PD", BLUE, "^"),
    "pfi": ("PFI", SKY, "<"),
    "var": ("VAR", ORANGE, "P"),
    "ard": ("ARD", BLACK, "X"),
}
FAMILIES = {"normal": "Normal", "student_t": "Student-t (4 df)", "logit": "Bernoulli (logit)"}
INPUTS = {"t3": "Student-t₃ inputs", "gaussian": "normal inputs"}
#: Errors that are as large as this have the full colour. A random ranking has an error of 33 on average.
FULL = 20.0
BETTER_TO_WORSE = LinearSegmentedColormap.from_list("better_to_worse", [BLUE, "white", VERMILLION])


@styled
def draw_families(table: pd.DataFrame, folder: Path, name: str) -> None:
    """A panel for each family, kind of inputs and model; in it, functions × methods."""
    methods = [method for method in METHODS if method in set(table["method"]) - {"rsens"}]
    functions = list(dict.fromkeys(table["function"]))
    settings = list(dict.fromkeys(zip(table["inputs"], table["model"], strict=True)))
    families = [family for family in FAMILIES if family in set(table["family"])]
    figure = new_figure(3.6 * len(families) + 0.4, 2.3 * len(settings) + 0.8)
    axes = figure.subplots(len(settings), len(families), squeeze=False, sharex=True, sharey=True)
    for of_setting, (inputs, model) in zip(axes, settings, strict=True):
        for ax, family in zip(of_setting, families, strict=True):
            chosen = (table["family"] == family) & (table["inputs"] == inputs) & (table["model"] == model)
            cells = (
                table[chosen]
                .pivot(index="function", columns="method", values="ours")
                .reindex(functions, columns=methods)
            )
            image = ax.imshow(cells, cmap=BETTER_TO_WORSE, vmin=-FULL, vmax=FULL, aspect="auto")
            for (row, column), value in np.ndenumerate(cells):
                if np.isnan(value):
                    continue
                text = f"{value:.1f}".replace("-0.0", "0.0").replace("-", "−")
                colour = "white" if abs(value) > 0.75 * FULL else "black"
                ax.text(column, row, text, ha="center", va="center", fontsize=7.0, color=colour)
            ax.set_title(f"{FAMILIES[family]}\n{INPUTS[inputs]}, {model.replace('-', ' ')}")
            ax.set_xticks(range(len(methods)), [METHODS[method][0] for method in methods])
            ax.set_yticks(range(len(functions)), [_formula(function) for function in functions])
            ax.tick_params(length=0.0)
            ax.spines[:].set_visible(False)
    bar = figure.colorbar(image, ax=axes, location="bottom", fraction=0.03, pad=0.02, aspect=60, extend="both")
    bar.set_label("error of the ranking less that of R-sens (negative: better than R-sens)")
    bar.outline.set_visible(False)
    save(figure, folder, name)


@styled
def draw_ard(table: pd.DataFrame, folder: Path, name: str) -> None:
    """A panel for each function: errors of rankings by the number of rows."""
    functions = list(dict.fromkeys(table["function"]))
    sizes = sorted(table["n"].unique())
    figure = new_figure(9.5, 5.2)
    axes = grid(figure, 2, -(-len(functions) // 2), sharex=True, sharey=True)
    at = np.arange(len(sizes))
    shown = [method for method in METHODS if method != "kl"]  # covers R-sens
    for ax, function in zip(axes.flat, functions, strict=True):
        for k, method in enumerate(shown):
            label, colour, marker = METHODS[method]
            chosen = (table["function"] == function) & (table["method"] == method)
            ax.plot(
                at + 0.03 * (k - 0.5 * (len(shown) - 1)),
                table[chosen].sort_values("n")["error"],
                color=colour,
                marker=marker,
                markersize=4.0,
                linestyle="--" if method == "ard" else "-",
                linewidth=1.8 if method in ("rsens", "ard") else 0.9,
                zorder=3.0 if method in ("rsens", "ard") else 2.0,
                label=label,
            )
        ax.set_title(_formula(function))
        ax.set_xticks(at, [str(n) for n in sizes])
    axes[0, 0].set_ylim(0.0, 1.05 * table["error"].max())
    for ax in axes[-1]:
        ax.set_xlabel("rows that the process is fitted to")
    for ax in axes[:, 0]:
        ax.set_ylabel("Σ |rank − true rank|")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(handles), frameon=False)
    save(figure, folder, name)


def _formula(function: str) -> str:
    """The function as text with superscripts."""
    return function.replace("^3", "³").replace("^2", "²").replace("-", "−")
