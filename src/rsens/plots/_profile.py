"""What one variable does to the prediction, and R-sens along it: near the rows, or on a slice as in the paper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rsens._text import percent
from rsens._typing import Array, Flags
from rsens.adapters import as_contrasts, read_for
from rsens.derivatives import rows_of
from rsens.measures import check_weights, training_inputs
from rsens.plots._accumulated import check_varies, near_rows
from rsens.plots._curve import (
    Along,
    Line,
    along,
    find_column,
    line_of,
    masses,
    model_and_table,
    number_of_knots,
    output_names,
    prepared_for,
    slice_of,
    step_of,
    two_valued_columns,
)
from rsens.plots._plot import NARROW, Layout, Plot, name_in_text
from rsens.plots._style import (
    BLACK,
    BLUE,
    DASHES,
    PARTS,
    SERIES,
    VERMILLION,
    axes_points,
    axis_label,
    check_two_axes,
    font_size,
    legend_above,
    legend_on_top,
    name_ticks,
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


#: The central intervals of all figures, the same as in an assessment.
INTERVALS = (0.5, 0.9)
#: How many points a profile has near the rows, and on a slice.
POINTS, SLICE_POINTS = 61, 101


def profile(
    model: Any,
    X: Any,
    variable: str | int,
    *,
    at: Any = None,
    grid: Any = None,
    levels: Any = INTERVALS,
    alpha: float = 1.0,
    scale: str | float = "sd",
    unit: str | None = None,
    y: Any = None,
    label: str | None = None,
    weights: Any = None,
    two_valued: Iterable[str | int] = (),
    ax: Sequence[Axes] | None = None,
) -> NDArray[np.object_]:
    """What one variable does to the prediction, near the rows, and below it R-sens along the variable.

    Above, the line is the accumulated local effect (Apley and Zhu, 2020): how the prediction changes from one value of
    the variable to the next, averaged over the rows that are there, and added up. Its mean over the rows is the mean
    prediction. Other variables stay as they are in these rows, so nothing is asked of the model that rows do not
    resemble, and an effect of a collinear variable is not taken for an effect of this one. Nothing is drawn beyond the
    rows, and lines are interrupted where rows are missing. Two bands:

    - grey, of the line: where the effect is, minus its mean, with the largest probability of `levels` at each point.
      For the models of rsens it holds what the fit and the choice of rows leave open; for others the rows alone, and
      its label says so. It takes the hyperparameters of a Gaussian process as known.
    - blue, of the observations: where y is at rows near here, whatever else makes these rows differ from others. With
      collinear variables the line can leave it: rows with a high value here may have a high y for another reason.

    Below: R-sens, averaged over the rows near here; its parts, dashed and dotted, which add up to it; and, thin and
    black, the absolute derivative of the mean over a typical predictive standard deviation. That is what R-sens would
    be if the uncertainty were the same everywhere, so the two differ where uncertainty matters. Ticks are the rows.

    A categorical variable has points at its levels: effects are added up between levels whose rows are most alike, from
    the rows of the two. Of more than 500 rows, 500 are used: evenly spaced in the order of the variable.

    With `at`, a slice instead: the predictive distribution while the other variables stay fixed, as in Figures 1 and 2
    of the paper. Where variables are correlated, much of a slice may be unlike any row.

    Args:
        model: What `rsens.explain` takes.
        X: The data: the rows that effects are averaged over.
        variable: Name or position of a column.
        at: None for a profile near the rows. For a slice the values of the other columns: "median" (of the values that
            occur, the middle one), "mean", the position of a row of X, one value per column, or a dict or Series by
            name, with medians for what it leaves out. Of a categorical column, median and mean are the most frequent
            level.
        grid: About how many points (61, on a slice 101). On a slice they are evenly spaced over the range of the data,
            and may be given.
        levels: The bands: shares below 1, or standard deviations of a normal distribution (1, 2, 3: central intervals
            that hold 68, 95 and 99.7 %).
        alpha: Order of the Rényi divergence.
        scale: What one step of the variable is: "sd" (its standard deviation in X), "raw" (1), or a number. Of a
            categorical variable "raw" is a switch to another level, and "sd" counts it as `rsens.explain` does.
        unit: How the axis names that step, such as "per sd"; None for a name from `scale`.
        y: Targets of the rows, drawn as points above; of more than 2,000 rows, 2,000 are drawn.
        label: What the upper axis is called; None for the name of y, if it is a Series.
        weights: How much each row counts, at least 0; None if all count the same. A slice does not need them.
        two_valued: Names or positions of numeric columns whose two values are compared, like levels
            (`Explanation.two_valued`).
        ax: Two Axes, upper and lower; None for a figure of its own.

    Returns:
        The two Axes, as an array.

    Example:
        >>> import numpy as np
        >>> import rsens
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> model = rsens.from_function(lambda X: rsens.Normal(X[:, 0] * X[:, 1], 1.0))
        >>> above, below = rsens.plots.profile(model, X, "x0")
        >>> above.get_ylabel(), below.get_ylabel()
        ('y', 'R-sens per sd')
    """
    given = None if ax is None else check_two_axes(ax, "upper and lower", "plt.subplots(2, 1, sharex=True)")
    options = {"at": at, "grid": grid, "levels": levels, "alpha": alpha, "scale": scale, "y": y, "weights": weights}
    found = profile_values(model, X, variable, two_valued=two_valued, **options)
    line, numbers, shares, names = found.line, found.numbers, found.shares, short_labels(found.outputs)
    bounded = numbers.kind == "probability"

    upper, lower = given or new_axes_above(6.4, 5.2)
    if line.labels is None:
        draw_prediction(upper, line, numbers, shares, names)
        draw_sensitivity(lower, line, numbers)
        draw_rug(upper, line.data)
        for panel in (upper, lower):
            panel.set_xlim(*line.limits)
    else:
        draw_predictions(upper, numbers, shares, names, limits(numbers))
        draw_sensitivities(lower, numbers)
        name_levels(upper, lower, list(line.labels))
    if line.targets is not None:
        draw_targets(upper, _positions(line), line.targets, fixed=bounded)
    tidy(upper)
    tidy(lower)
    upper.tick_params(axis="x", labelbottom=False)
    name = line.target_name if label is None else label
    plain(upper.set_ylabel("probability" if bounded else name))
    plain(lower.set_xlabel(axis_label(lower, line.name, line.others)))
    plain(lower.set_ylabel(f"R-sens {line.unit if unit is None else unit}"))
    return np.array([upper, lower], dtype=object)


def _positions(line: Line) -> Array:
    """Where each row is along the axis; levels stand side by side."""
    return line.data if line.labels is None else np.searchsorted(line.values, line.data).astype(np.float64)


@dataclass(frozen=True)
class ProfileValues:
    """The numbers that a profile draws."""

    line: Line  # `values` along the variable, `labels` of the levels of a categorical one, `gaps` without rows
    numbers: Along  # prediction or effect, bands, R-sens and its parts at these values
    shares: Array  # the probability within each of the bands
    outputs: tuple[str, ...]


def profile_values(
    model: Any,
    X: Any,
    variable: str | int,
    *,
    at: Any = None,
    grid: Any = None,
    levels: Any = INTERVALS,
    alpha: float = 1.0,
    scale: str | float = "sd",
    y: Any = None,
    weights: Any = None,
    two_valued: Iterable[str | int] = (),
) -> ProfileValues:
    """What `profile` draws, without drawing it; the arguments are the same."""
    source, table = read_for(model, X)
    counts = check_weights(weights, len(table))
    if weights is not None and table.coding is not None:  # a function's levels are counted under the weights
        source, table = read_for(model, X, counts)
    compared = [find_column(table.names, name, "two_valued") for name in two_valued]
    training = training_inputs(model, len(table.names))
    source, table = as_contrasts(source, table, compared, training=training, weights=counts)
    shares = masses(levels)
    if at is None:
        check_varies(table, find_column(table.names, variable))
        n_knots = number_of_knots(POINTS if grid is None else grid)
    else:
        rows, others = slice_of(table, variable, at=at, grid=SLICE_POINTS if grid is None else grid)
    line, prepared = line_of(table, variable, scale=scale, y=y), prepared_for(source, table)
    options: dict[str, Any] = {"step": line.step, "shares": shares, "alpha": alpha}
    if at is None:
        near = near_rows(model, prepared, table, line.column, counts, n_knots=n_knots, **options)
        line, numbers = line.at(near.path.knots, gaps=near.path.gaps, near=True), near.numbers
    else:
        line = line.at(rows[:, line.column], others=others)
        numbers = along(prepared, rows_of(prepared, table.like(rows)), line.column, **options)
    return ProfileValues(line, numbers, shares, output_names(model, numbers.kind, numbers.prediction.shape[1]))


def profile_of(explanation: Any, variable: str | int, *, model: Any = None, X: Any = None, **options: Any) -> Any:
    """What one variable does to the prediction, and R-sens along it, in the units of an explanation.

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
        "weights": explanation.weights if X is None or X is explanation.data else None,
        "two_valued": two_valued_columns(explanation),
    }


# ---- for results and the report --------------------------------------------------------------------------------------


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
        f"Above, the effect of {name_in_text(variable)} on the prediction with its bands; below, R-sens along it."
    ),
    layout=lambda explanation: Layout(
        width=NARROW,
        height=4.3,
        options={"label": "prediction"},
        axes=_two_panels,
    ),
)


# ---- Drawing a profile of a number: lines and bands, interrupted where there are no rows -----------------------------


#: With more rows than this, the rug shows evenly spaced quantiles.
RUG = 500
#: The most points of the data in a profile.
TARGETS = 2_000
#: How far the upper axes reach, in half-widths of the innermost band: heavy tails may leave the picture.
REACH = 8.0
#: A column with at most this many different values has a mark at each.
FEW_VALUES = 25
#: What the band of an effect is drawn in: grey, and clear enough to see what is behind it.
CURVE: dict[str, Any] = {"color": BLACK, "alpha": 0.28, "linewidth": 0.0, "zorder": 2.5}


def band_labels(numbers: Along, shares: Array) -> tuple[str, list[str], str]:
    """What the line, the predictive bands and the band of an effect are called."""
    held = [percent(share, level=True) for share in shares]
    if numbers.curve is None:
        return numbers.middle, held, ""
    of = "" if numbers.from_fit else " over rows"
    line = "effect" if numbers.middle == "mean" else f"effect on the {numbers.middle}"
    return line, [f"{share} of observations" for share in held], f"its {held[-1]} band{of}"


def draw_prediction(ax: Axes, line: Line, numbers: Along, shares: Array, names: list[str]) -> None:
    """The mean, or the effect on it, in its bands; of classes and vectors one line each."""
    values, mean, bands = _broken(line, line.values), _broken(line, numbers.prediction), _broken(line, numbers.bands)
    curve = None if numbers.curve is None else _broken(line, numbers.curve)
    if numbers.kind in ("number", "count"):
        label, held, of_curve = band_labels(numbers, shares)
        step: Any = "mid" if numbers.kind == "count" else None  # quantiles of counts jump
        # Shades of blue, darkest for the narrowest band (paper, Figure 1), and the wide ones behind the narrow.
        darkest = 0.6 if curve is None else 0.35
        for k, strength in enumerate(np.linspace(darkest, 0.15, max(len(shares), 2))[: len(shares)]):
            style: dict[str, Any] = {"color": tint(BLUE, float(strength)), "linewidth": 0.0, "zorder": 1.5 - 0.01 * k}
            low, high = bands[:, k, :, 0].T
            ax.fill_between(values, low, high, step=step, label=held[k], **style)
            _draw_bars(ax, line, numbers.bands[:, k, :, 0], style)
        if curve is not None:
            ax.fill_between(values, *curve[:, :, 0].T, label=of_curve, **CURVE)
            _draw_bars(ax, line, numbers.curve[:, :, 0], CURVE)  # type: ignore[index]
        ax.plot(values, mean[:, 0], color=BLACK, linewidth=1.4, label=label, zorder=3)
        _draw_points(ax, line, numbers.prediction[:, 0], BLACK)
        legend_above(ax, *limits(numbers), first=label)
        return
    for k in range(len(names)):
        colour, dash = SERIES[k % len(SERIES)], DASHES[k % len(DASHES)]
        band = curve if curve is not None or numbers.kind != "vector" or not len(shares) else bands[:, 0]
        if band is not None:  # of the predictive bands only the narrowest: those of several outputs overlap
            ax.fill_between(values, *band[:, :, k].T, color=colour, alpha=0.2, linewidth=0.0)
        ax.plot(values, mean[:, k], color=colour, linestyle=dash, linewidth=1.6, label=line_label(numbers, names, k))
        _draw_points(ax, line, numbers.prediction[:, k], colour)
    name_curves(ax, numbers, shares)
    if numbers.kind == "vector":
        legend_above(ax, *limits(numbers))
    else:
        end_at_one(ax)


def line_label(numbers: Along, names: list[str], k: int) -> str | None:
    """The name of an output; a single one has none on a slice."""
    if len(names) > 1:
        return names[k]
    return None if numbers.curve is None else "effect"


def name_curves(ax: Axes, numbers: Along, shares: Array) -> None:
    """An entry of the legend for the bands of effects, which have the colours of their outputs."""
    if numbers.curve is not None:
        label = band_labels(numbers, shares)[2]
        if numbers.prediction.shape[1] > 1:
            label = label.replace("its", "their").replace("band", "bands")
        ax.fill_between([], [], [], label=label, **CURVE)


def end_at_one(ax: Axes) -> None:
    """The axis of a probability, from 0 to 1, with the legend above it."""
    legend_on_top(ax, sorted(ax.get_legend_handles_labels()[0], key=lambda handle: "band" in str(handle.get_label())))
    ax.set_ylim(0.0, 1.0)
    ax.set_yticks([0.0, 0.25, 0.5, 0.75, 1.0])


def limits(numbers: Along) -> tuple[float, float]:
    """Lowest and highest value to show; very wide bands are cut off."""
    mean, bands = numbers.prediction, numbers.bands
    if numbers.kind == "vector":
        bands = bands[:, :1]
    low, high = float(mean.min()), float(mean.max())
    bands = bands[np.isfinite(bands).all(axis=(1, 2, 3))]
    if bands.size:
        inner = bands[:, 0]
        middle, reach = inner.mean(axis=1), REACH * 0.5 * (inner[:, 1] - inner[:, 0])
        lowest = np.maximum(bands[:, :, 0].min(axis=1), middle - reach)
        highest = np.minimum(bands[:, :, 1].max(axis=1), middle + reach)
        if numbers.curve is None:
            return float(lowest.min()), float(highest.max())
        low, high = min(low, float(lowest.min())), max(high, float(highest.max()))
    if numbers.curve is None:
        return low, high
    room = high - low  # the band of a curve is seen whole unless it would make everything else small
    return max(float(numbers.curve.min()), low - room) if numbers.curve.min() < low else low, (
        min(float(numbers.curve.max()), high + room) if numbers.curve.max() > high else high
    )


def draw_targets(ax: Axes, data: Array, targets: Array, *, fixed: bool = False) -> None:
    """The data as points, of many rows some, evenly spaced in their order; the limits grow unless they are fixed."""
    if len(data) > TARGETS:
        order = np.argsort(data, kind="stable")
        shown = order[np.linspace(0, len(order) - 1, TARGETS).round().astype(np.intp)]
        data, targets = data[shown], targets[shown]
    low, high = ax.get_ylim()
    ax.plot(data, targets, "o", color=BLACK, markersize=3.0, alpha=0.55, markeredgewidth=0.0, zorder=4)
    if fixed:
        ax.set_ylim(low, high)
        return
    room = high - low
    ax.set_ylim(min(low, float(targets.min()) - 0.1 * room), max(high, float(targets.max()) + 0.15 * room))


def draw_sensitivity(ax: Axes, line: Line, numbers: Along) -> None:
    """R-sens, its parts, and what it would be if the uncertainty were the same everywhere."""
    labels = part_labels(numbers.parts)
    drawn: list[tuple[Array, dict[str, Any]]] = [
        (numbers.rsens, {"color": VERMILLION, "linewidth": 2.2, "label": "R-sens", "zorder": 3})
    ]
    for k, (label, part) in enumerate(zip(labels, numbers.parts.values(), strict=True)):
        dash = DASHES[1 + k % (len(DASHES) - 1)]  # dashed, dotted (paper, Figure 2)
        style = {"color": PARTS[k % len(PARTS)], "linestyle": dash, "linewidth": 1.8, "label": label, "zorder": 4}
        drawn.append((part, style))
    if numbers.naive is not None:
        style = {"color": BLACK, "linewidth": 1.0, "label": "|derivative| / typical sd", "zorder": 2}
        drawn.append((numbers.naive, style))
    for number, style in drawn:
        ax.plot(_broken(line, line.values), _broken(line, number), **style)
        _draw_points(ax, line, number, style["color"], style["zorder"])
    highest = max(float(number.max()) for number, _ in drawn)
    legend_above(ax, 0.0, highest if highest > 0.0 else 1.0, below=0.0)


def draw_rug(ax: Axes, data: Array) -> None:
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


def _broken(line: Line, numbers: Array) -> Array:
    """Numbers at the points of a line, with NaN in its gaps: nothing is drawn there."""
    return np.insert(numbers, np.flatnonzero(line.gaps) + 1, np.nan, axis=0)


def _alone(line: Line) -> Flags:
    """Points between two gaps, to which no line leads."""
    return np.concatenate([[True], line.gaps]) & np.concatenate([line.gaps, [True]])


def _points(line: Line) -> Flags:
    """Points that get a mark: those of a slice never, of a column with few values all, else those alone."""
    if not line.near:
        return np.zeros(len(line.values), dtype=np.bool_)
    return np.ones(len(line.values), dtype=np.bool_) if len(line.values) <= FEW_VALUES else _alone(line)


def _draw_points(ax: Axes, line: Line, numbers: Array, colour: str, zorder: float = 3.0) -> None:
    """Marks at such points."""
    points = _points(line)
    if points.any():
        ax.plot(line.values[points], numbers[points], "o", color=colour, markersize=3.5, zorder=zorder)


def _draw_bars(ax: Axes, line: Line, band: Array, style: dict[str, Any]) -> None:
    """A band at points that are alone."""
    alone = _alone(line)
    if alone.any():
        ax.vlines(line.values[alone], *band[alone].T, **{**style, "linewidth": 3.0})


# ---- A profile of a categorical column: points with intervals at its levels, since there is nothing between them -----


MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def draw_predictions(ax: Axes, numbers: Along, shares: Array, names: list[str], limits: tuple[float, float]) -> None:
    """Central intervals as bars, the wide ones thin, with a point for the mean or the effect; or a point per output."""
    levels, outputs = np.arange(len(numbers.rsens)), numbers.prediction.shape[1]
    if numbers.kind in ("number", "count"):
        label, held, of_curve = band_labels(numbers, shares)
        darkest = 0.6 if numbers.curve is None else 0.35
        for k, strength in enumerate(np.linspace(darkest, 0.15, max(len(shares), 2))[: len(shares)]):
            low, high = numbers.bands[:, k, :, 0].T
            style: dict[str, Any] = {"color": tint(BLUE, float(strength)), "zorder": 1.5 - 0.01 * k}
            ax.vlines(levels, low, high, linewidth=max(3.0, 9.0 - 2.5 * k), label=held[k], **style)
        if numbers.curve is not None:
            ax.vlines(levels, *numbers.curve[:, :, 0].T, color=BLACK, linewidth=1.4, label=of_curve, zorder=2.5)
        ax.plot(levels, numbers.prediction[:, 0], "o", color=BLACK, markersize=5.0, label=label, zorder=3)
        legend_above(ax, *limits, first=label)
        return
    for k in range(outputs):
        beside = levels + 0.5 * (k + 0.5) / outputs - 0.25  # outputs side by side
        colour, marker = SERIES[k % len(SERIES)], MARKERS[k % len(MARKERS)]
        if numbers.curve is not None:
            ax.vlines(beside, *numbers.curve[:, :, k].T, color=tint(colour, 0.4), linewidth=4.0)
        elif numbers.kind == "vector" and len(shares):
            ax.vlines(beside, *numbers.bands[:, 0, :, k].T, color=tint(colour, 0.4), linewidth=4.0)
        point: dict[str, Any] = {"color": colour, "markersize": 6.0, "label": line_label(numbers, names, k)}
        ax.plot(beside, numbers.prediction[:, k], marker, **point)
    name_curves(ax, numbers, shares)
    if numbers.kind == "vector":
        legend_above(ax, *limits)
    else:
        end_at_one(ax)


def draw_sensitivities(ax: Axes, numbers: Along) -> None:
    """R-sens at each level as a point, its parts as smaller ones beside it."""
    levels = np.arange(len(numbers.rsens))
    ax.plot(levels, numbers.rsens, "o", color=VERMILLION, markersize=8.0, label="R-sens", zorder=3)
    for k, (label, part) in enumerate(zip(part_labels(numbers.parts), numbers.parts.values(), strict=True)):
        marker = MARKERS[1 + k % (len(MARKERS) - 1)]
        ax.plot(levels + 0.12 * (k + 1), part, marker, color=PARTS[k % len(PARTS)], markersize=6.0, label=label)
    highest = float(numbers.rsens.max())
    legend_above(ax, 0.0, highest if highest > 0.0 else 1.0, below=0.04)


def name_levels(upper: Axes, lower: Axes, labels: list[str]) -> None:
    """The levels as ticks of the lower axes, turned where they would run into each other."""
    size = font_size(lower, len(labels), along="width")
    room = axes_points(lower)[0] / len(labels)
    turned: dict[str, Any] = {"rotation": 45.0, "ha": "right", "rotation_mode": "anchor"}
    wide = 0.6 * size * max(map(len, short_labels(labels))) > 0.9 * room
    name_ticks(lower.xaxis, labels, size, **(turned if wide else {}))
    for panel in (upper, lower):
        panel.set_xlim(-0.5, len(labels) - 0.5)
