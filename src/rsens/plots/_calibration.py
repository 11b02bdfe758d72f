"""Whether probabilities hold on rows that the model has not seen: PIT histogram, or reliability diagram."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rsens.plots import _style as look
from rsens.plots._plot import Plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: The probability that an ideal model stays within the band.
BAND = 0.95
IDEAL, BY_CHANCE = "ideal", "95 % of ideal models"
OFF_DIAGONAL = "below the diagonal: the probability was too high"
NOT_FLAT = "high at both ends: intervals are too narrow; in the middle: too wide; at one end: predictions are off"


def calibration(assessment: Any, ax: Axes | None = None) -> Axes:
    """How well the probabilities of an `Assessment` hold.

    Numbers and counts: the histogram of the probability integral transform, which is flat if the predictions are right.
    High at both ends means intervals that are too narrow, high in the middle too wide, high in all three places heavier
    tails than the model has, and high at one end predictions that are off to one side.

    Classes: the share observed against the probability predicted, for groups of rows; below the diagonal the
    probability was too high. The grey band shows the chance variation of an ideal model.

    Args:
        assessment: The result of `rsens.assess`.
        ax: The Axes to draw in; None for a new figure.

    Returns:
        The Axes.

    Example:
        >>> from sklearn.datasets import load_diabetes
        >>> import rsens
        >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
        >>> assessment = rsens.assess(rsens.BayesianLinearRegression(), X, y, random_state=0)
        >>> ax = rsens.plots.calibration(assessment)
        >>> ax.get_xlabel()
        'P(Y ≤ observed y), the PIT'
    """
    look.check_plot(assessment, "calibration", "rsens.assess", ("pit_histogram",), ax=ax)
    classes = assessment.kind == "classes"
    if ax is None:
        ax = look.new_axes(4.8, 4.6) if classes else look.new_axes(3.8)
    (_reliability if classes else _histogram)(ax, assessment)
    look.add_notes(ax, [OFF_DIAGONAL if classes else NOT_FLAT])
    look.add_legend(ax, first=IDEAL)
    look.tidy(ax)
    return ax


def _histogram(ax: Axes, assessment: Any) -> None:
    from scipy.stats import binom

    table = assessment.pit_histogram()
    n, ideal = assessment.n_rows, 1.0 / len(table)
    low, high = (edge / n for edge in binom.interval(BAND, n, ideal))
    shares = table["share"].to_numpy()
    width = (table["right"] - table["left"]).to_numpy()
    ax.fill_between([0.0, 1.0], low, high, color=look.tint(look.BLACK, 0.18), linewidth=0.0, zorder=0, label=BY_CHANCE)
    ax.bar(table["left"], shares, width, align="edge", color=look.tint(look.BLUE, 0.65), edgecolor="white", zorder=1)
    ax.hlines([low, high], 0.0, 1.0, color=look.tint(look.BLACK, 0.6), linewidth=0.8, zorder=2)
    ax.axhline(ideal, color=look.BLACK, linestyle=(0, (4, 2)), linewidth=1.2, zorder=3, label=IDEAL)
    ax.set_xlim(0.0, 1.0)
    ax.set_ylim(0.0, 1.05 * float(max(shares.max(), high)))
    ax.set_xlabel("P(Y ≤ observed y), the PIT")
    ax.set_ylabel("share of held-out rows")


def _reliability(ax: Axes, assessment: Any) -> None:
    from scipy.stats import norm

    table = assessment.reliability
    predicted, observed = table["predicted"].to_numpy(), table["observed"].to_numpy()
    reach = norm.ppf(0.5 + 0.5 * BAND) * table["standard_error"].to_numpy()
    low, high = np.clip(predicted - reach, 0.0, 1.0), np.clip(predicted + reach, 0.0, 1.0)
    ax.plot([0.0, 1.0], [0.0, 1.0], color=look.BLACK, linestyle=(0, (4, 2)), linewidth=1.2, label=IDEAL)
    ax.vlines(predicted, low, high, color=look.tint(look.BLACK, 0.18), linewidth=6.0, label=BY_CHANCE)
    ax.plot(predicted, observed, color=look.BLUE, marker="o", linewidth=1.2, label="observed", clip_on=False, zorder=4)
    ax.set_xlim(0.0, 1.0)
    ax.set_ylim(0.0, 1.0)
    ax.set_aspect("equal")
    event = "the predicted class"
    if len(assessment.classes) == 2:
        event = look.short_labels([str(assessment.classes[1])])[0]
    look.plain(ax.set_xlabel(f"probability of {event}"))
    ax.set_ylabel("share observed")


CALIBRATION = Plot(
    name="calibration",
    draw=calibration,
    of="assessment",
    file="calibration",
    section="quality",
    caption="Probabilities on rows that the model has not seen.",
    alt="How often predictions held on held-out rows, next to an ideal model.",
)
