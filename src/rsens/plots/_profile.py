"""Prediction and R-sens along one variable, as in Figures 1 and 2 of the paper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rsens._errors import Argument, InputError
from rsens._text import percent
from rsens._typing import Array
from rsens.adapters import as_contrasts, read_for
from rsens.measures import training_inputs
from rsens.plots._along import Along, along, output_names
from rsens.plots._bands import masses
from rsens.plots._levels import draw_predictions, draw_sensitivities, name_levels
from rsens.plots._line import Line, find_column, line_of
from rsens.plots._model_and_rows import model_and_table, step_of, two_valued_columns
from rsens.plots._plot import NARROW, Layout, Plot, name_in_text
from rsens.plots._style import (
    BLACK,
    BLUE,
    DASHES,
    PARTS,
    SERIES,
    VERMILLION,
    axis_label,
    check_axes,
    legend_above,
    new_axes_above,
    part_labels,
    plain,
    short_labels,
    tidy,
    tint,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: With more rows than this, the rug shows evenly spaced quantiles.
RUG = 500
#: How far the upper axes reach, in half-widths of the innermost band: heavy tails may leave the picture.
REACH = 8.0


def profile(
    model: Any,
    X: Any,
    variable: str | int,
    *,
    at: Any = "median",
    grid: Any = 101,
    levels: Any = (1, 2, 3),
    alpha: float = 1.0,
    scale: str | float = "sd",
    unit: str | None = None,
    y: Any = None,
    label: str | None = None,
    two_valued: Iterable[str | int] = (),
    ax: Sequence[Axes] | None = None,
) -> NDArray[np.object_]:
    """The predictive distribution along one variable, and below it R-sens; the other variables stay fixed.

    Above: the mean (of a Student-t without one, the median) in its predictive bands, or the probabilities of classes.
    Below: R-sens; its parts, dashed and dotted, which add up to it; and, thin and black, the absolute derivative of the
    mean over a typical predictive standard deviation (the median along the line). That is what R-sens would be if the
    uncertainty were the same everywhere, so the two differ where uncertainty matters. Ticks between them are the data.
    A categorical variable has points at its levels instead of lines: the prediction there, and its contrast with the
    other levels.

    Args:
        model: What `rsens.explain` takes.
        X: The data: they give the range of the variable, the values of the others and the ticks.
        variable: Name or position of a column.
        at: Values of the other columns: "median" (of the values that occur, the middle one), "mean", the position of a
            row of X, one value per column, or a dict or Series by name, with medians for what it leaves out. Of a
            categorical column, median and mean are the most frequent level.
        grid: How many points, evenly spaced over the range of the data; or the points themselves.
        levels: The bands: standard deviations of a normal distribution (1, 2, 3: central intervals that hold 68, 95 and
            99.7 %), or shares below 1.
        alpha: Order of the Rényi divergence.
        scale: What one step of the variable is: "sd" (its standard deviation in X), "raw" (1), or a number. Of a
            categorical variable "raw" is a switch to another level, and "sd" counts it as `rsens.explain` does.
        unit: How the axis names that step, such as "per sd"; None for a name from `scale`.
        y: Targets of the rows, drawn as points above.
        label: What the upper axis is called; None for the name of y, if it is a Series.
        two_valued: Names or positions of numeric columns whose two values are compared, like levels
            (`Explanation.two_valued`).
        ax: Two Axes, upper and lower; None for a figure of its own.

    Returns:
        The two Axes, as an array.
    """
    given = None if ax is None else _two_axes(ax)
    options = {"at": at, "grid": grid, "levels": levels, "alpha": alpha, "scale": scale, "y": y}
    found = profile_values(model, X, variable, two_valued=two_valued, **options)
    line, numbers, shares, names = found.line, found.numbers, found.shares, short_labels(found.outputs)

    upper, lower = given or new_axes_above(6.4, 5.2)
    if line.labels is None:
        _draw_prediction(upper, line.values, numbers, shares, names)
        _draw_sensitivity(lower, line.values, numbers)
        _draw_rug(upper, line.data)
        for panel in (upper, lower):
            panel.set_xlim(line.values[0], line.values[-1])
    else:
        bounded = numbers.kind == "probability"
        draw_predictions(
            upper, numbers, shares, names, (0.0, 1.0) if bounded else _limits(numbers.prediction, numbers.bands)
        )
        draw_sensitivities(lower, numbers)
        name_levels(upper, lower, list(line.labels))
    if line.targets is not None:
        _draw_targets(upper, line.data, line.targets)
    tidy(upper)
    tidy(lower)
    upper.tick_params(axis="x", labelbottom=False)
    name = line.target_name if label is None else label
    plain(upper.set_ylabel("probability" if numbers.kind == "probability" else name))
    plain(lower.set_xlabel(axis_label(lower, line.name, line.others)))
    plain(lower.set_ylabel(f"R-sens {line.unit if unit is None else unit}"))
    return np.array([upper, lower], dtype=object)


@dataclass(frozen=True)
class ProfileValues:
    """The numbers that a profile draws."""

    line: Line  # the rows: `values` along the variable, `labels` of the levels of a categorical one
    numbers: Along  # prediction, bands, R-sens and its parts at these rows
    shares: Array  # the probability within each of the bands
    outputs: tuple[str, ...]


def profile_values(
    model: Any,
    X: Any,
    variable: str | int,
    *,
    at: Any = "median",
    grid: Any = 101,
    levels: Any = (1, 2, 3),
    alpha: float = 1.0,
    scale: str | float = "sd",
    y: Any = None,
    two_valued: Iterable[str | int] = (),
) -> ProfileValues:
    """What `profile` draws, without drawing it; the arguments are the same."""
    source, table = read_for(model, X)
    compared = [find_column(table.names, name, "two_valued") for name in two_valued]
    source, table = as_contrasts(source, table, compared, training=training_inputs(model, len(table.names)))
    line = line_of(table, variable, at=at, grid=grid, scale=scale, y=y)
    shares = masses(levels)
    numbers = along(source, table, line.rows, line.column, step=line.step, shares=shares, alpha=alpha)
    return ProfileValues(line, numbers, shares, output_names(model, numbers.kind, numbers.prediction.shape[1]))


def profile_of(explanation: Any, variable: str | int, *, model: Any = None, X: Any = None, **options: Any) -> Any:
    """Prediction and R-sens along one variable, in the units of an explanation.

    Args:
        explanation: What `rsens.explain` returned.
        variable: Name or position of a column.
        model: The model, for an explanation read from a file.
        X: The rows, for an explanation read from a file.
        **options: Further arguments of `profile`.
    """
    return profile(variable=variable, **_profile_settings(explanation, variable, model, X) | options)


def _profile_settings(explanation: Any, variable: str | int, model: Any = None, X: Any = None) -> dict[str, Any]:
    """The arguments with which `profile` draws in the units of an explanation."""
    _, table = model_and_table(explanation, model, X, "plot_profile")
    scale, unit = step_of(explanation, table, find_column(table.names, variable))
    return {
        "model": explanation.model if model is None else model,
        "X": explanation.data if X is None else X,
        "alpha": explanation.alpha,
        "scale": scale,
        "unit": unit,
        "two_valued": two_valued_columns(explanation),
    }


def _two_axes(ax: Any) -> tuple[Axes, Axes]:
    try:
        upper, lower = ax
    except (TypeError, ValueError):
        raise InputError(
            Argument("ax"),
            f" must be two Axes, upper and lower; got {type(ax).__name__}. "
            "Make them with plt.subplots(2, 1, sharex=True).",
        ) from None
    check_axes(upper)
    check_axes(lower)
    return upper, lower


def _draw_prediction(ax: Axes, values: Array, numbers: Along, shares: Array, names: list[str]) -> None:
    mean, bands = numbers.prediction, numbers.bands
    if numbers.kind in ("number", "count"):
        step: Any = "mid" if numbers.kind == "count" else None  # quantiles of counts jump
        # Shades of blue, darkest for the narrowest band (paper, Figure 1), and the wide ones behind the narrow.
        for k, strength in enumerate(np.linspace(0.6, 0.15, max(len(shares), 2))[: len(shares)]):
            style: dict[str, Any] = {"color": tint(BLUE, float(strength)), "linewidth": 0.0, "zorder": 1.5 - 0.01 * k}
            low, high = bands[:, k, :, 0].T
            ax.fill_between(values, low, high, step=step, label=percent(shares[k], level=True), **style)
        ax.plot(values, mean[:, 0], color=BLACK, linewidth=1.4, label=numbers.middle, zorder=3)
        legend_above(ax, *_limits(mean[:, 0], bands[..., 0]), first=numbers.middle)
        return
    for k, name in enumerate(names):
        colour, dash = SERIES[k % len(SERIES)], DASHES[k % len(DASHES)]
        if numbers.kind == "vector" and len(shares):  # only the narrowest: the bands of several outputs overlap
            ax.fill_between(values, *bands[:, 0, :, k].T, color=colour, alpha=0.2, linewidth=0.0)
        ax.plot(values, mean[:, k], color=colour, linestyle=dash, linewidth=1.6, label=name if len(names) > 1 else None)
    if numbers.kind == "vector":
        legend_above(ax, *_limits(mean, bands[:, :1]))
        return
    legend_above(ax, 0.0, 1.0)
    ax.set_yticks([0.0, 0.25, 0.5, 0.75, 1.0])


def _limits(mean: Array, bands: Array) -> tuple[float, float]:
    """Lowest and highest value to show; very wide bands are cut off."""
    if not bands.size:
        return float(mean.min()), float(mean.max())
    inner = bands[:, 0]
    middle, reach = inner.mean(axis=1), REACH * 0.5 * (inner[:, 1] - inner[:, 0])
    low = np.maximum(bands[:, :, 0].min(axis=1), middle - reach)
    high = np.minimum(bands[:, :, 1].max(axis=1), middle + reach)
    return float(low.min()), float(high.max())


def _draw_targets(ax: Axes, data: Array, targets: Array) -> None:
    """The data as points; the limits grow to show them all."""
    low, high = ax.get_ylim()
    ax.plot(data, targets, "o", color=BLACK, markersize=3.0, alpha=0.55, markeredgewidth=0.0, zorder=4)
    room = high - low
    ax.set_ylim(min(low, float(targets.min()) - 0.1 * room), max(high, float(targets.max()) + 0.15 * room))


def _draw_sensitivity(ax: Axes, values: Array, numbers: Along) -> None:
    lines = [numbers.rsens, *numbers.parts.values()]
    ax.plot(values, numbers.rsens, color=VERMILLION, linewidth=2.2, label="R-sens", zorder=3)
    for k, (label, part) in enumerate(zip(part_labels(numbers.parts), numbers.parts.values(), strict=True)):
        dash = DASHES[1 + k % (len(DASHES) - 1)]  # dashed, dotted (paper, Figure 2)
        ax.plot(values, part, color=PARTS[k % len(PARTS)], linestyle=dash, linewidth=1.8, label=label, zorder=4)
    if numbers.naive is not None:
        lines.append(numbers.naive)
        ax.plot(values, numbers.naive, color=BLACK, linewidth=1.0, label="|derivative| / typical sd", zorder=2)
    highest = max(float(line.max()) for line in lines)
    legend_above(ax, 0.0, highest if highest > 0.0 else 1.0, below=0.0)


def _draw_rug(ax: Axes, data: Array) -> None:
    """The data as ticks along the lower edge; of many rows, only quantiles."""
    shown = data if len(data) <= RUG else np.quantile(data, np.linspace(0.0, 1.0, RUG), method="nearest")
    ax.plot(
        shown,
        np.full(len(shown), 0.0),
        "|",
        transform=ax.get_xaxis_transform(),
        color=BLACK,
        alpha=0.5,
        markersize=7.0,
        markeredgewidth=0.6,
        zorder=4,
        clip_on=True,
    )


# ---- for results and the report --------------------------------------------------------------------------------------


#: Points along a profile on a page, and its central intervals, the same as in an assessment.
POINTS_ON_PAGE, INTERVALS = 61, (0.5, 0.9)


def _two_panels(figure: Figure) -> Any:
    axes = figure.subplots(2, 1, sharex=True, height_ratios=(4.0, 3.0))
    figure.align_ylabels(axes)
    return axes


PROFILE = Plot(
    name="profile",
    draw=profile_of,
    of="variable",
    file="profile",
    section="profiles",
    takes=("model", "X", "y"),
    caption=lambda explanation, variable: "",
    alt=lambda explanation, variable: (
        f"Above, the prediction along {name_in_text(variable)} with its intervals; below, R-sens."
    ),
    layout=lambda explanation: Layout(
        width=NARROW,
        height=4.3,
        options={"levels": INTERVALS, "grid": POINTS_ON_PAGE, "label": "prediction"},
        axes=_two_panels,
    ),
)
