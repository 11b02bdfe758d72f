"""The pictures that are kept and compared, and how to draw them again.

Odd names, many variables and a single one are in tests that nothing overlaps, not here.

    python -m tests.plots.pictures

writes all of them to `tests/plots/baselines`. Do that after a change of the looks that is meant, or when the pinned
matplotlib changes, and look at every one before you keep it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from scipy.special import softmax

from rsens.derivatives import from_function
from rsens.distributions import Bernoulli, Categorical, Poisson, StudentT
from rsens.plots import (
    bars,
    beeswarm,
    calibration,
    comparison,
    difference,
    effects,
    heatmap,
    lay_out,
    profile,
    rank_stability,
    row,
    selection,
    subgroups,
)
from tests.assess.made import drawn_classes, drawn_numbers
from tests.explain.differing import differing
from tests.plots import explained
from tests.plots.compared import METHODS, PAIR_METHODS, compared, pairs
from tests.plots.effects_and_rows import mixed_columns, of_classes
from tests.plots.pictured import (
    NAMES,
    ODD_NAMES,
    THREE_SD,
    LinearModel,
    divided,
    gp_like,
    in_doubt,
    pictured,
)
from tests.select_interactions.made import made
from tests.stability.results import noisy

FOLDER = Path(__file__).parent / "baselines"
#: The release of matplotlib that drew them; others set text a little differently.
MATPLOTLIB = "3.11"
#: A level for each variable, as explanations have it, and one above all bars.
LEVELS = pd.Series(np.linspace(0.2, 1.4, len(NAMES)), index=NAMES)
NOTHING_FOUND = pd.Series(np.linspace(2.2, 3.0, len(NAMES)), index=NAMES)
#: Dots per inch: enough to see what is wrong, and small files.
DPI = 60


def _inputs() -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(7).standard_normal((150, 3)), columns=["a", "b", "c"])


def _linear_model() -> Figure:
    """Figure 2 of the paper."""
    linear = LinearModel.simulated()
    figure, axes = plt.subplots(2, 2, figsize=(10.0, 5.0), sharex="col", layout="constrained")
    for d in (0, 1):
        options = {"at": {"x0": 0.0, "x1": 0.0}, "levels": THREE_SD, "grid": np.linspace(-3.0, 3.0, 61)}
        profile(linear.model(), linear.X, d, ax=axes[:, d], **options)
    return figure


def _figure_1() -> Figure:
    model, X, y = gp_like()
    return profile(model, X, "x", y=y, at="median", levels=THREE_SD)[0].figure


def _classes() -> Figure:
    weights = np.random.default_rng(11).standard_normal((3, 4))
    return profile(from_function(lambda X: Categorical(softmax(2.0 * X @ weights, axis=1))), _inputs(), "a")[0].figure


def _small_axes() -> Figure:
    figure, axes = plt.subplots(2, 2, figsize=(9.0, 6.4), layout="constrained")
    bars(pictured([f"x{d}" for d in range(25)]), ax=axes[0, 0])
    heatmap(pictured([f"x{d}" for d in range(25)]), ax=axes[0, 1])
    beeswarm(pictured([f"x{d}" for d in range(25)]), top=None, ax=axes[1, 0])
    heatmap(pictured(ODD_NAMES), ax=axes[1, 1])
    return figure


PICTURES: dict[str, Callable[[], Figure]] = {
    "bars": lambda: bars(pictured(NAMES)).figure,
    "bars_top": lambda: bars(pictured([f"x{d}" for d in range(60)]), top=6).figure,
    "bars_levels": lambda: bars(pictured(NAMES).but(null=LEVELS)).figure,
    "bars_nothing_found": lambda: bars(pictured(NAMES).but(null=NOTHING_FOUND, intervals_hold=False)).figure,
    "bars_pairs": lambda: bars(in_doubt(pictured(NAMES)), order=2, top=12).figure,
    "heatmap": lambda: heatmap(pictured(NAMES)).figure,
    "heatmap_in_doubt": lambda: heatmap(in_doubt(pictured(NAMES))).figure,
    "calibration": lambda: calibration(drawn_numbers()).figure,
    "calibration_two_classes": lambda: calibration(drawn_classes()).figure,
    "calibration_four_classes": lambda: calibration(drawn_classes(k=4)).figure,
    "comparison": lambda: comparison(compared(NAMES, METHODS)).figure,
    "comparison_pairs": lambda: comparison(compared(pairs(20), [*PAIR_METHODS, "fourth_derivative"]), top=15).figure,
    "beeswarm": lambda: beeswarm(pictured(NAMES)).figure,
    "beeswarm_levels": lambda: beeswarm(explained.with_categories()).figure,
    "beeswarm_many_rows": lambda: beeswarm(pictured([f"x{d}" for d in range(12)], n=100_000)).figure,
    "beeswarm_without_data": lambda: beeswarm(pictured(NAMES).but(data=None)).figure,
    "difference": lambda: difference(differing(NAMES))[0].figure,
    "effects": lambda: effects(mixed_columns()).figure,
    "effects_classes": lambda: effects(of_classes()).figure,
    "subgroups": lambda: subgroups(divided(NAMES, ["east", "north", "south", "west", "up to 25", "(others)"])).figure,
    "surface": lambda: explained.numbers().plot_surface("age", "body mass").figure,
    "surface_interaction": (
        lambda: explained.numbers().plot_surface("age", "body mass", quantity="interaction").figure
    ),
    "surface_classes": lambda: explained.classes().plot_surface("age", "c").figure,
    "surface_lines": lambda: explained.levels().plot_surface("age", "city").figure,
    "surface_lines_event": lambda: explained.levels("Bernoulli").plot_surface("city", "age").figure,
    "surface_tiles": lambda: explained.levels().plot_surface("city", "sold").figure,
    "selection": lambda: selection(made()).figure,
    "selection_one_split": lambda: selection(made(k=12, splits=1)).figure,
    "rank_stability": lambda: rank_stability(noisy(NAMES)).figure,
    "rank_stability_many": lambda: rank_stability(noisy(pairs(10))).figure,
    "rank_stability_top": lambda: rank_stability(noisy(pairs(10)), top=8, method="ead").figure,
    "row": lambda: row(mixed_columns().row(7)).figure,
    "small_axes": _small_axes,
    "profile_figure_1": _figure_1,
    "profile_figure_2": _linear_model,
    "profile_event": lambda: (
        profile(from_function(lambda X: Bernoulli(1.0 / (1.0 + np.exp(-2.0 * X[:, 0])))), _inputs(), "a")[0].figure
    ),
    "profile_classes": _classes,
    "profile_counts": lambda: profile(from_function(lambda X: Poisson(np.exp(X[:, 0]))), _inputs(), "a")[0].figure,
    "profile_cauchy": lambda: (
        profile(from_function(lambda X: StudentT(np.sin(X[:, 0]), np.exp(0.5 * X[:, 0]), 1.0)), _inputs(), "a")[
            0
        ].figure
    ),
}


def draw(name: str, path: Path) -> None:
    """Draw a picture into a PNG file; without metadata, so that equal pictures are equal files."""
    figure = PICTURES[name]()
    figure.set_dpi(DPI)
    lay_out(figure)  # as `savefig` would, which would also draw everything once more
    figure.savefig(path, dpi=DPI, metadata={"Software": None})
    plt.close("all")


if __name__ == "__main__":
    matplotlib.use("agg")
    matplotlib.rcdefaults()
    matplotlib.use("agg")
    FOLDER.mkdir(exist_ok=True)
    for picture in PICTURES:
        draw(picture, FOLDER / f"{picture}.png")
