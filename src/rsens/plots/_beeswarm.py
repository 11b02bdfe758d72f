"""Local R-sens of every row, one swarm of points per variable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rsens._accumulated import levels_of
from rsens._coding import Coding
from rsens._errors import Argument, InputError
from rsens._table import Table, read_table
from rsens._typing import Array
from rsens.plots import _style as look
from rsens.plots._plot import Plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: With more rows than this, the points are evenly spaced quantiles of the local values.
MOST_POINTS = 1000
#: How much of the height of a row its swarm may take.
SWARM_HEIGHT = 0.8


def beeswarm(explanation: Any, *, top: int | None = 10, X: Any = None, ax: Axes | None = None) -> Axes:
    """`Explanation.local_main` as points, one for each row and variable, with the variables that matter most on top.

    Points that would cover each other are drawn above each other; if they do not fit into their row of the picture,
    they move closer. The colour is the value of the variable, from low to high between its 5 % and 95 % quantiles;
    categorical columns and groups are grey. The diamonds are `Explanation.main`.

    Args:
        explanation: The result of `rsens.explain`.
        top: How many variables to show; None for all.
        X: The rows that were explained, for an explanation read from a file. Without them the points have one colour.
        ax: The Axes to draw in; None for a new figure. The colour bar takes a little of its room.

    Returns:
        The Axes. Names that were shortened are whole in the `gid` of the tick labels.

    Example:
        >>> import numpy as np
        >>> import rsens
        >>> X = np.random.default_rng(0).normal(size=(60, 2))
        >>> model = rsens.from_function(lambda X: rsens.Normal(X[:, 0] * X[:, 1], 1.0))
        >>> explanation = rsens.explain(model, X, random_state=0)
        >>> ax = rsens.plots.beeswarm(explanation)
        >>> ax.get_xlabel()
        'R-sens per sd  (points: rows, diamond: mean)'
    """
    from matplotlib.cm import ScalarMappable

    look.check_plot(explanation, "beeswarm", "rsens.explain", ("main", "local_main"), ax=ax, top=top)
    table = _table(explanation, explanation.data if X is None else X)
    main, hidden = look.first_terms(explanation.main, top)
    rows = len(main) + bool(hidden)
    ax = look.row_axes(rows, row=0.5) if ax is None else ax
    look.name_rows(ax, [str(name) for name in main.index], hidden)
    local = explanation.local_main[list(main.index)].to_numpy()
    furthest = float(max(local.max(), main.max()))
    ax.set_xlim(-0.015 * furthest, 1.03 * furthest) if furthest > 0.0 else ax.set_xlim(-0.015, 1.0)
    colours = [_colours(explanation, table, str(name)) for name in main.index]
    diameter = float(np.clip(45.0 / np.sqrt(len(local)), 2.0, 6.0))
    for row, of_rows in enumerate(colours):
        shown = look.some_rows(local[:, row], MOST_POINTS)
        plain = [look.BLUE if table is None else look.GREY] * len(shown)
        points: dict[str, Any] = {"s": diameter**2, "c": plain if of_rows is None else of_rows[shown]}
        ax.axhline(row, color="#E0E0E0", linewidth=0.7, zorder=0.5)
        ax.scatter(
            local[shown, row], row + _offsets(ax, local[shown, row], diameter), linewidths=0.0, zorder=2.0, **points
        )
    means: dict[str, Any] = {"markersize": min(6.0, 0.5 * look.axes_points(ax)[1] / rows), "zorder": 3.0}
    means |= {"markerfacecolor": "white", "markeredgecolor": look.BLACK, "markeredgewidth": 0.22 * means["markersize"]}
    ax.plot(main.to_numpy(), np.arange(len(main)), "D", linestyle="none", **means)

    n = len(local)
    few = [f"{MOST_POINTS:,} of {n:,} rows shown, evenly spaced quantiles of R-sens"] if n > MOST_POINTS else []
    ax.set_xlabel(f"{look.value_label(explanation)}  (points: rows, diamond: mean)")
    look.add_notes(ax, few)
    if any(of_rows is not None for of_rows in colours):
        bar = look.draw_colour_bar(ax, ScalarMappable(cmap=look.low_high()), "value", labelpad=-12.0)
        bar.set_ticks([0.0, 1.0], labels=["low", "high"])
        bar.ax.tick_params(length=0)
    look.tidy(ax, keep=("bottom",))
    return ax


def _table(explanation: Any, X: Any) -> Table | None:
    """The rows that were explained; None where they are not known."""
    if X is None:
        return None
    renamed = explanation.groups
    levels = [name for name in explanation.categorical if name not in explanation._two_valued]
    categorical = [renamed.get(name, (name,))[0] for name in levels]
    table = Coding.of(X, categorical).read(X) if categorical else read_table(X)
    if len(table.values) != explanation.n:
        raise InputError(
            Argument("X"), f" must be the {explanation.n} rows that were explained; got {len(table.values)}."
        )
    return table


def _colours(explanation: Any, table: Table | None, term: str) -> Array | None:
    """One colour per row (n, 4) by the value of a number; None for groups and levels, and where rows are not known."""
    columns = explanation.groups.get(term, (term,))
    if table is None or len(columns) > 1:
        return None
    column = table.names.index(columns[0])
    return None if levels_of(table, column) else look.low_high()(look.between_quantiles(table.values[:, column]))


def _offsets(ax: Axes, values: Array, diameter: float) -> Array:
    """How far points at increasing values are from the middle of their row, in rows.

    Points within one diameter (in points) are moved apart, alternately above and below the middle.
    """
    (width, height), (low, high) = look.axes_points(ax), ax.get_xlim()
    place = np.floor((values - low) / (high - low) * width / diameter)
    number = np.arange(len(values)) - np.searchsorted(place, place)  # among the points of the same place
    lanes = (number + 1) // 2 * np.where(number % 2, -1.0, 1.0)
    spacing = diameter * abs(np.subtract(*ax.get_ylim())) / height
    return np.asarray(lanes * min(spacing, SWARM_HEIGHT / (np.ptp(lanes) + 1.0)))


BEESWARM = Plot(
    name="beeswarm",
    draw=beeswarm,
    of="explanation",
    file="rows",
    section="spread",
    takes=("X",),
    caption="Local R-sens of each row, coloured by the value of the variable; diamonds: the mean.",
    alt="Points, one for each row and variable, by local R-sens; the means are in the table.",
)
