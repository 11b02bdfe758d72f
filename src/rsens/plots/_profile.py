"""What one variable does to the prediction, and R-sens along it: near the rows, or on a slice as in the paper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rsens._typing import Array
from rsens.adapters import as_contrasts, read_for
from rsens.derivatives import rows_of
from rsens.measures import check_weights, training_inputs
from rsens.plots._along import Along, along, output_names, prepared_for
from rsens.plots._bands import masses
from rsens.plots._levels import draw_predictions, draw_sensitivities, name_levels
from rsens.plots._line import Line, find_column, line_of, number_of_knots, slice_of
from rsens.plots._model_and_rows import model_and_table, step_of, two_valued_columns
from rsens.plots._near import near_rows
from rsens.plots._path import check_varies
from rsens.plots._plot import NARROW, Layout, Plot, name_in_text
from rsens.plots._profile_axes import draw_prediction, draw_rug, draw_sensitivity, draw_targets, limits
from rsens.plots._style import axis_label, check_two_axes, new_axes_above, plain, short_labels, tidy

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
