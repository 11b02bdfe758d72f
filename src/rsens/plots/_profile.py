"""The effect of one variable on the prediction, and R-sens along it: near the rows, or on a slice as in the paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from rsens._accumulated import accumulated_effect, check_varies, levels_of, path_along
from rsens._arguments import whole_number
from rsens._errors import Argument, InputError
from rsens._table import Table, column_deviations
from rsens._text import percent
from rsens._typing import Array, Flags
from rsens.derivatives import Derivatives, Model, prepare, rows_of
from rsens.measures import first_of_prediction, parts_of, rsens_of, switches_of
from rsens.plots import _style as look
from rsens.plots._plot import Plot
from rsens.plots._predictions import (
    AtRows,
    as_numbers,
    at_rows,
    counted_rows,
    find_column,
    is_whole,
    output_names,
    pooled_quantiles,
    predict_with,
    read_levels,
    read_weighted,
    rows_explained,
    slice_rows,
    step_of,
    tails,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


#: The central intervals of all figures, the same as in an assessment.
INTERVALS = (0.5, 0.9)
#: How many points a profile has near the rows, and on a slice.
POINTS, SLICE_POINTS = 61, 101
#: The most points of the data in a profile.
TARGETS = 2_000
#: Fewer rows near a point are too few for bands of observations.
FEW = 5
#: The probabilities of y at which the rows near a point are pooled, dense in the tails, and their shares.
_EDGES = ndtr(np.linspace(-4.5, 4.5, 201))
NODES, NODE_SHARES = 0.5 * (_EDGES[1:] + _EDGES[:-1]), np.diff(_EDGES) / (_EDGES[-1] - _EDGES[0])
#: How far the upper axes reach, in half-widths of the innermost band: heavy tails may leave the picture.
REACH = 8.0
#: A column with at most this many different values has a mark at each.
FEW_VALUES = 25
#: The band of an effect: grey, and clear enough to see what is behind it.
CURVE: dict[str, Any] = {"color": look.BLACK, "alpha": 0.28, "linewidth": 0.0, "zorder": 2.5}


def profile(
    model: Any,
    X: Any,
    variable: str | int,
    *,
    at: Any = None,
    grid: Any = None,
    levels: Any = INTERVALS,
    scale: str | float = "sd",
    y: Any = None,
    weights: Any = None,
    ax: Sequence[Axes] | None = None,
) -> NDArray[np.object_]:
    """Effect of one variable on the prediction, near the rows, and below it R-sens along the variable.

    Above, the line is the accumulated local effect (Apley and Zhu, 2020): how the prediction changes from one value of
    the variable to the next, averaged over the rows near them, and added up. Its mean over the rows is the mean
    prediction. Other variables keep their values in these rows, so that the model is only evaluated at points that
    resemble rows, and an effect of a collinear variable is not taken for an effect of this one. Nothing is drawn beyond
    the rows, and lines are interrupted where rows are missing. Two bands:

    - grey, of the line: where the effect is, minus its mean, with the largest probability of `levels` at each point.
      For the models of rsens it covers the uncertainty of the fit and of the choice of rows; for others of the rows
      alone, as its label states. It takes the hyperparameters of a Gaussian process as known.
    - blue, of the observations: where y is at rows near here, which may differ from other rows in other variables too.
      With collinear variables the line can leave it: rows with a high value here may have a high y for another reason.

    Below: R-sens, averaged over the rows near here; its parts, dashed and dotted, which add up to it; and, thin and
    black, the absolute derivative of the mean over a typical predictive standard deviation. R-sens would equal it if
    the uncertainty were the same everywhere, so the two differ where uncertainty matters. Ticks are the rows.

    A categorical variable has points at its levels: effects are added up between levels whose rows are most alike, from
    the rows of the two. At most 500 rows are used, evenly spaced in the order of the variable.

    With `at`, a slice instead: the predictive distribution while the other variables stay fixed, as in Figures 1 and 2
    of the paper. Where variables are correlated, much of a slice may be unlike any row.

    Args:
        model: A model as `rsens.explain` takes it.
        X: The data: the rows that effects are averaged over.
        variable: Name or position of a column.
        at: None for a profile near the rows. For a slice the values of the other columns: "median" (of the values that
            occur, the middle one; of a categorical column the most frequent level), the position of a row of X, or a
            dict or Series by name, with medians for the columns it leaves out.
        grid: About how many points (61, on a slice 101). On a slice they are evenly spaced over the range of the data,
            and may be given.
        levels: The bands: shares of the central intervals.
        scale: One step of the variable: "sd" (its standard deviation in X), "raw" (1), or a number. For a
            categorical variable, "raw" is a switch to another level, and "sd" counts it as `rsens.explain` does.
        y: Targets of the rows, drawn as points above; of more than 2,000 rows, 2,000 are drawn.
        weights: How much each row counts, at least 0; None if all count the same. A slice does not need them.
        ax: Two Axes, upper and lower; None for a new figure.

    Returns:
        The two Axes, as an array.

    Example:
        >>> import numpy as np
        >>> import rsens
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> model = rsens.from_function(lambda X: rsens.Normal(X[:, 0] * X[:, 1], 1.0))
        >>> above, below = rsens.plots.profile(model, X, "x0")
        >>> above.get_ylabel(), below.get_ylabel()
        ('prediction', 'R-sens per sd')
    """
    check_panels(ax)
    found = profile_values(model, X, variable, at=at, grid=grid, levels=levels, scale=scale, weights=weights)
    return _draw(found, y, ax)


def profile_of(
    explanation: Any,
    variable: str | int,
    *,
    model: Any = None,
    X: Any = None,
    y: Any = None,
    ax: Sequence[Axes] | None = None,
    **options: Any,
) -> NDArray[np.object_]:
    """Effect of one variable on the prediction, and R-sens along it, in the units of an explanation."""
    check_panels(ax)
    model, source, table, weights = rows_explained(explanation, model, X, "plot_profile")
    column = find_column(table.names, variable)
    step, unit = step_of(explanation, table, column)
    found = _along(model, source, table, weights, column, **{"scale": step} | options)
    return _draw(found if unit is None or "scale" in options else replace(found, unit=unit), y, ax)


def check_panels(ax: Any) -> None:
    """An `InputError` unless `ax` is None or two Axes."""
    if ax is not None:
        look.check_two_axes(ax, "upper and lower", "2, 1, sharex=True")


def _draw(found: ProfileValues, y: Any, ax: Sequence[Axes] | None) -> NDArray[np.object_]:
    targets = None if y is None else as_numbers(y, "y", found.data.shape)  # before there is a figure
    if ax is None:
        figure = look.new_figure(4.8)
        ax = figure.subplots(2, 1, sharex=True, height_ratios=(4.0, 3.0))
        figure.align_ylabels(ax)
    upper, lower = ax
    _draw_prediction(upper, found)
    _draw_sensitivity(lower, found)
    if targets is not None:
        _draw_targets(upper, found.data, targets, fixed=found.kind == "probability")
    if found.labels is None:
        look.draw_rug(upper, found.data)
    else:
        look.name_columns(lower, found.labels, offset=0.0)
    # Near the rows there is room for marks at the first point and the last.
    room = 0.5 if found.labels else 0.02 * np.ptp(found.values) if found.near else 0.0
    for panel in (upper, lower):
        panel.set_xlim(found.values[0] - room, found.values[-1] + room)
        look.tidy(panel)
    upper.tick_params(axis="x", labelbottom=False)
    name = "prediction" if y is None else str(getattr(y, "name", None) or "y")
    look.plain(upper.set_ylabel("probability" if found.kind == "probability" else name))
    look.plain(lower.set_xlabel(look.axis_name(found.name) + found.others))
    look.plain(lower.set_ylabel(f"R-sens {found.unit}"))
    return np.array([upper, lower], dtype=object)


PROFILE = Plot(
    name="profile",
    draw=profile_of,
    of="variable",
    file="profile",
    section="profiles",
    takes=("model", "X", "y"),
    alt="Above, the effect of one variable on the prediction with its bands; below, R-sens along it.",
)


@dataclass(frozen=True, eq=False)
class ProfileValues(AtRows):
    """The numbers that a profile draws: a model at g points along a variable, or averages of rows near these points."""

    name: str
    unit: str  # of sensitivities, as the axis names it
    data: Array  # (n,), the variable in the data
    values: Array  # (g,), the points, in increasing order; levels are at 0, 1, …
    labels: tuple[str, ...] | None  # of the levels of a categorical variable
    gaps: Flags  # (g − 1,), between which points nothing is drawn
    near: bool  # whether all points are values that rows have
    others: str  # where the other columns stay, for the label of the axis
    outputs: tuple[str, ...]
    shares: Array  # the probability within each band
    curve: Array | None = None  # (g, 2, P), the band of the effect; none of a slice
    from_fit: bool = False  # whether that band includes the uncertainty of the fit

    @property
    def rsens(self) -> Array:
        """R-sens, (g,)."""
        return self.local["R-sens"]

    @property
    def parts(self) -> dict[str, Array]:
        """The parts that add up to R-sens, (g,) each."""
        return {name: part for name, part in self.local.items() if name not in ("R-sens", "slope")}

    @property
    def naive(self) -> Array | None:
        """|∂ prediction| over a typical standard deviation: R-sens if the uncertainty were the same everywhere."""
        typical = float(np.median(self.spread))
        with np.errstate(over="ignore"):
            line = self.local["slope"] / typical if 0.0 < typical < np.inf else np.array(np.nan)
        return line if np.isfinite(line).all() else None


def profile_values(model: Any, X: Any, variable: str | int, *, weights: Any = None, **options: Any) -> ProfileValues:
    """The numbers that `profile` draws; the arguments are the same."""
    source, table, counts = read_weighted(model, X, weights)
    return _along(model, source, table, counts, find_column(table.names, variable), **options)


def _along(
    model: Any,
    source: Model,
    table: Table,
    weights: Array,
    column: int,
    *,
    at: Any = None,
    grid: Any = None,
    levels: Any = INTERVALS,
    scale: str | float = "sd",
) -> ProfileValues:
    shares, known, data = read_levels(levels), levels_of(table, column), table.values[:, column]
    if at is None:
        check_varies(table, column)
        grid = whole_number(POINTS if grid is None else grid, "grid", 2)
    else:
        values = np.arange(float(len(known))) if known else _grid(grid, data, table.names[column])
        rows, others = slice_rows(table, column, values, at)
    step, unit = _step(scale, table, column)
    prepared, local = prepare(source, table), partial(_sensitivities, column=column, step=step)
    if at is None:
        table, weights = counted_rows(prepared, table, weights, column)
        path = path_along(table, column, weights, grid)
        nodes = np.abs(2.0 * NODES - 1.0)[len(NODES) // 2 :]  # central intervals that end at all nodes
        here = at_rows(prepared, table, (column,), local, nodes)
        median = here.middle == "median"
        variances = None if median else getattr(model, "prediction_variances", None)
        predict = predict_with(prepared, table, median=median)
        effect, sd = accumulated_effect(predict, table, column, path, weights, here.prediction, variances)
        # Levels are drawn in the order of their codes; their effects were added up in another order.
        drawn = np.argsort(path.knots, kind="stable")
        values, near = path.knots[drawn], path.near[drawn]
        here = replace(
            here,
            prediction=effect[drawn],
            bands=_pooled(near, here, shares),
            spread=near @ here.spread,
            local={name: near @ each for name, each in here.local.items()},
        )
        curve, others, gaps = None, "", path.gaps
        if len(shares):
            half = ndtri(0.5 + 0.5 * shares[-1]) * sd[drawn]
            curve = np.stack([effect[drawn] - half, effect[drawn] + half], axis=1)
    else:
        here = at_rows(prepared, rows_of(prepared, rows), (column,), local, shares)
        variances, curve, gaps = None, None, np.zeros(len(values) - 1, dtype=np.bool_)
    labels = None if known is None else tuple(str(known.labels[int(code)]) for code in values)
    if labels:
        data, values = np.searchsorted(values, data).astype(np.float64), np.arange(float(len(values)))
    return ProfileValues(
        **vars(here),
        name=table.names[column],
        unit=unit,
        data=data,
        values=values,
        labels=labels,
        gaps=gaps,
        near=at is None,
        others=others,
        outputs=output_names(model, here.kind, here.prediction.shape[1]),
        shares=shares,
        curve=curve,
        from_fit=variances is not None,
    )


def _sensitivities(derivatives: Derivatives, *, column: int, step: float) -> dict[str, Array]:
    """R-sens, |∂ prediction| and the parts of R-sens at rows, per step of a column."""
    contrasts = tuple(replace(contrast, column=0) for contrast in derivatives.contrasts if contrast.column == column)
    alone = replace(derivatives, first=derivatives.first[:, :, [column]], second=None, contrasts=contrasts)
    unit, switches = np.array([step]), switches_of(alone, 1.0)
    slope = alone.distribution.output_weight * np.abs(first_of_prediction(alone)[:, :, 0] * step).sum(axis=1)
    split = parts_of(alone, 1.0, unit, switches=switches)
    rsens = rsens_of(alone, 1.0, unit, switches=switches)
    return {name: each[:, 0] for name, each in {"R-sens": rsens, "slope": slope[:, None], **split}.items()}


def _pooled(near: Array, here: AtRows, shares: Array) -> Array:
    """Central intervals of y over the rows near each point, (g, shares, 2, P), from the mixture of their p(y)."""
    g, outputs = len(near), here.prediction.shape[1]
    if not here.bands.shape[1]:  # probabilities have none
        return np.empty((g, 0, 2, outputs))
    nodes = np.concatenate([here.bands[:, ::-1, 0], here.bands[:, :, 1]], axis=1)  # (n, NODES, P)
    bands = np.full((g, len(shares), 2, outputs), np.nan)
    for k, weights in enumerate(near):
        rows = np.flatnonzero(weights)
        if len(rows) >= min(FEW, near.shape[1]):
            mass = np.outer(weights[rows], NODE_SHARES)
            for p in range(outputs):
                bands[k, :, :, p] = pooled_quantiles(nodes[rows, :, p], mass, tails(shares), here.kind == "count")
    return bands


def _grid(grid: Any, data: Array, name: str) -> Array:
    """The points of a slice."""
    low, high = float(data.min()), float(data.max())
    if grid is not None and not is_whole(grid):
        values = np.unique(as_numbers(grid, "grid", None))
    elif low < high:
        values = np.linspace(low, high, whole_number(SLICE_POINTS if grid is None else grid, "grid", 2))
    else:
        hint = " in all rows of X, so it has no range. Give the points as "
        raise InputError(f"{name!r} is {low:g}{hint}", Argument("grid"), ".")
    if len(values) < 2:
        raise InputError(Argument("grid"), f" must be a number of points, or at least two points; got {grid!r}.")
    return values


def _step(scale: Any, table: Table, column: int) -> tuple[float, str]:
    """The size of a step and its name; one sd of levels is a switch times √(P(two rows differ)/2), as in `explain`."""
    levels = levels_of(table, column)
    if isinstance(scale, str) and scale == "raw":
        return 1.0, "per unit" if levels is None else "per switch"
    if isinstance(scale, str) and scale == "sd":
        deviation = float(column_deviations(table.values[:, [column]])[0])
        if deviation == 0.0:
            why = f"{table.names[column]!r} does not vary in X: it has no standard deviation. Give "
            raise InputError(why, Argument("scale", "raw"), ".")
        if levels is not None:
            deviation = float(np.sqrt(0.5 * (1.0 - levels.frequencies @ levels.frequencies)))
        return deviation, "per sd"
    if isinstance(scale, Real) and not isinstance(scale, bool) and 0.0 < float(scale) < np.inf:
        return float(scale), f"per {float(scale):.3g}"
    raise InputError(Argument("scale"), f" must be 'sd', 'raw' or a number greater than 0; got {scale!r}.")


def _draw_prediction(ax: Axes, found: ProfileValues) -> None:
    """The mean, or the effect on it, in its bands; of classes and vectors one line each."""
    label, held, of_curve = found.middle, [percent(share, level=True) for share in found.shares], ""
    if found.curve is not None:
        label = "effect" if found.middle == "mean" else f"effect on the {found.middle}"
        of_curve = f"its {held[-1]} band{'' if found.from_fit else ' over rows'}"
        held = [f"{share} of observations" for share in held]
    levels = found.labels is not None
    if found.kind in ("number", "count"):
        # Shades of blue, darkest for the narrowest band (paper, Figure 1), and the wide ones behind the narrow.
        darkest = 0.6 if found.curve is None else 0.35
        for k, strength in enumerate(np.linspace(darkest, 0.15, max(len(held), 2))[: len(held)]):
            style: dict[str, Any] = {"color": look.tint(look.BLUE, float(strength)), "label": held[k], "linewidth": 0.0}
            style |= {"zorder": 1.5 - 0.01 * k, "step": "mid" if found.kind == "count" else None}  # counts jump
            _draw_band(ax, found, found.bands[:, k, :, 0], style, bar=max(3.0, 9.0 - 2.5 * k))
        if found.curve is not None:
            dark = {"color": look.BLACK, "zorder": 2.5} if levels else CURVE
            _draw_band(ax, found, found.curve[:, :, 0], dark | {"label": of_curve}, bar=1.4)
        _draw_line(ax, found, found.prediction[:, 0], color=look.BLACK, linewidth=1.4, label=label, zorder=3)
    else:
        names = look.short_labels(found.outputs) if len(found.outputs) > 1 else ["effect" if of_curve else None]
        for k, name in enumerate(names):
            colour, dash, marker = look.series(k)
            shift = 0.5 * (k + 0.5) / len(names) - 0.25  # levels side by side
            band = found.curve if found.curve is not None else found.bands[:, 0] if found.bands.shape[1] else None
            if band is not None:  # only the narrowest predictive band: the bands of several outputs overlap
                light: dict[str, Any] = {"color": look.tint(colour, 0.4)}
                if not levels:
                    light = {"color": colour, "alpha": 0.2, "linewidth": 0.0}
                _draw_band(ax, found, band[:, :, k], light, bar=4.0, shift=shift)
            style = {"color": colour, "linestyle": dash, "linewidth": 1.6, "label": name}
            _draw_line(ax, found, found.prediction[:, k], marker, shift, **style)
        if of_curve:  # these bands have the colours of their outputs
            several = of_curve.replace("its", "their").replace("band", "bands")
            ax.fill_between([], [], [], label=several if len(names) > 1 else of_curve, **CURVE)
    if found.kind == "probability":
        ax.set_ylim(0.0, 1.0)
        ax.set_yticks([0.0, 0.25, 0.5, 0.75, 1.0])
    else:
        low, high = _limits(found)
        room = 0.06 * (high - low if high > low else max(abs(high), 1.0))
        ax.set_ylim(low - room, high + room)
    look.add_legend(ax, first=label)


def _limits(found: ProfileValues) -> tuple[float, float]:
    """Lowest and highest value to show; very wide bands are cut off."""
    low, high = float(found.prediction.min()), float(found.prediction.max())
    bands = found.bands[:, :1] if found.kind == "vector" else found.bands
    bands = bands[np.isfinite(bands).all(axis=(1, 2, 3))]
    if bands.size:
        inner = bands[:, 0]
        middle, reach = inner.mean(axis=1), REACH * 0.5 * (inner[:, 1] - inner[:, 0])
        lowest = float(np.maximum(bands[:, :, 0].min(axis=1), middle - reach).min())
        highest = float(np.minimum(bands[:, :, 1].max(axis=1), middle + reach).max())
        # Of a slice the bands alone count: a mean may be far outside them.
        low, high = (min(low, lowest), max(high, highest)) if found.near else (lowest, highest)
    if found.curve is not None:  # it is seen whole unless it would make everything else small
        room = high - low
        low = min(low, max(float(found.curve.min()), low - room))
        high = max(high, min(float(found.curve.max()), high + room))
    return low, high


def _draw_sensitivity(ax: Axes, found: ProfileValues) -> None:
    """R-sens, its parts, and its value under constant uncertainty."""
    drawn: list[tuple[Array, dict[str, Any]]] = [
        (found.rsens, {"color": look.VERMILLION, "linewidth": 2.2, "label": "R-sens", "zorder": 3})
    ]
    for k, (label, part) in enumerate(zip(look.part_labels(found.parts), found.parts.values(), strict=True)):
        dash = look.DASHES[1 + k % (len(look.DASHES) - 1)]  # dashed, dotted (paper, Figure 2)
        style = {"color": look.PARTS[k % len(look.PARTS)], "linestyle": dash, "linewidth": 1.8, "zorder": 4}
        drawn.append((part, style | {"label": label}))
    if found.naive is not None and found.labels is None:
        style = {"color": look.BLACK, "linewidth": 1.0, "label": "|derivative| / typical sd", "zorder": 2}
        drawn.append((found.naive, style))
    for k, (number, style) in enumerate(drawn):
        _draw_line(ax, found, number, look.series(k)[2], 0.12 * k, **style)
    highest = max(float(number.max()) for number, _ in drawn)
    below = 0.0 if found.labels is None else -0.04
    ax.set_ylim(below * highest, 1.05 * highest if highest > 0.0 else 1.05)
    look.add_legend(ax)


def _draw_line(
    ax: Axes, found: ProfileValues, numbers: Array, marker: str = "o", shift: float = 0.0, **style: Any
) -> None:
    """A line with marks at points to which no line leads, and at all where the column has few values."""
    if found.labels is not None:
        style |= {"linestyle": "none", "marker": marker, "markersize": 6.0}
        ax.plot(found.values + shift, numbers, **style)
        return
    ax.plot(_broken(found, found.values), _broken(found, numbers), **style)
    marked = _alone(found) | (len(found.values) <= FEW_VALUES)
    if found.near and marked.any():
        mark = {"color": style["color"], "zorder": style.get("zorder", 3.0)}
        ax.plot(found.values[marked], numbers[marked], "o", markersize=3.5, **mark)


def _draw_band(
    ax: Axes, found: ProfileValues, ends: Array, style: dict[str, Any], *, bar: float, shift: float = 0.0
) -> None:
    """An area between two lines (g, 2), and a bar at points to which no line leads; at levels bars alone."""
    as_bars = {name: value for name, value in style.items() if name != "step"}
    if found.labels is not None:
        ax.vlines(found.values + shift, *ends.T, **as_bars | {"linewidth": bar})
        return
    ax.fill_between(_broken(found, found.values), *_broken(found, ends).T, **style)
    alone = _alone(found)
    if alone.any():
        ax.vlines(found.values[alone], *ends[alone].T, **as_bars | {"linewidth": 3.0, "label": None})


def _broken(found: ProfileValues, numbers: Array) -> Array:
    """Numbers at the points of a line, with NaN in its gaps: nothing is drawn there."""
    return np.insert(numbers, np.flatnonzero(found.gaps) + 1, np.nan, axis=0)


def _alone(found: ProfileValues) -> Flags:
    """Points between two gaps, to which no line leads."""
    return np.concatenate([[True], found.gaps]) & np.concatenate([found.gaps, [True]])


def _draw_targets(ax: Axes, data: Array, targets: Array, *, fixed: bool) -> None:
    """The data as points, of many rows some, evenly spaced in their order; the limits grow unless they are fixed."""
    shown = np.sort(look.some_rows(data, TARGETS))
    low, high = ax.get_ylim()
    ax.plot(data[shown], targets[shown], "o", color=look.BLACK, markersize=3.0, zorder=4, **look.FAINT)
    room = 0.05 * (high - low)
    lowest, highest = float(targets.min()) - room, float(targets.max()) + room
    ax.set_ylim(low if fixed else min(low, lowest), high if fixed else max(high, highest))
