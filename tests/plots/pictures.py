"""The pictures that are kept and compared, and how to draw them again.

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
from rsens.plots import bars, heatmap, profile
from tests.plots.pictured import NAMES, ODD_NAMES, LinearModel, gp_like, pictured

FOLDER = Path(__file__).parent / "baselines"
#: The release of matplotlib that drew them; others set text a little differently.
MATPLOTLIB = "3.11"
#: Dots per inch: enough to see what is wrong, and small files.
DPI = 60


def _inputs() -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(7).standard_normal((150, 3)), columns=["a", "b", "c"])


def _linear_model() -> Figure:
    """Figure 2 of the paper."""
    linear = LinearModel.simulated()
    figure, axes = plt.subplots(2, 2, figsize=(10.0, 5.0), sharex="col", layout="constrained")
    for d in (0, 1):
        at = {"x0": 0.0, "x1": 0.0}
        profile(linear.model(), linear.X, d, at=at, grid=np.linspace(-3.0, 3.0, 61), ax=axes[:, d])
    return figure


def _figure_1() -> Figure:
    model, X, y = gp_like()
    return profile(model, X, "x", y=y)[0].figure


def _classes() -> Figure:
    weights = np.random.default_rng(11).standard_normal((3, 4))
    return profile(from_function(lambda X: Categorical(softmax(2.0 * X @ weights, axis=1))), _inputs(), "a")[0].figure


def _small_axes() -> Figure:
    figure, axes = plt.subplots(1, 2, figsize=(9.0, 3.2), layout="constrained")
    bars(pictured([f"x{d}" for d in range(25)]), ax=axes[0])
    heatmap(pictured([f"x{d}" for d in range(25)]), ax=axes[1])
    return figure


PICTURES: dict[str, Callable[[], Figure]] = {
    "bars": lambda: bars(pictured(NAMES)).figure,
    "bars_one": lambda: bars(pictured(["only"])).figure,
    "bars_sixty": lambda: bars(pictured([f"x{d}" for d in range(60)])).figure,
    "bars_top": lambda: bars(pictured([f"x{d}" for d in range(60)]), top=6).figure,
    "bars_odd_names": lambda: bars(pictured(ODD_NAMES).but(parts=None, null_levels=None)).figure,
    "heatmap": lambda: heatmap(pictured(NAMES)).figure,
    "heatmap_odd_names": lambda: heatmap(pictured(ODD_NAMES)).figure,
    "heatmap_sixty": lambda: heatmap(pictured([f"x{d}" for d in range(60)])).figure,
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
    PICTURES[name]().savefig(path, dpi=DPI, metadata={"Software": None})
    plt.close("all")


if __name__ == "__main__":
    matplotlib.use("agg")
    matplotlib.rcdefaults()
    matplotlib.use("agg")
    FOLDER.mkdir(exist_ok=True)
    for picture in PICTURES:
        draw(picture, FOLDER / f"{picture}.png")
