"""Central intervals of a predictive distribution, for the bands of a profile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
from scipy.special import ndtr, ndtri

from rsens._coding import Coding, Levels
from rsens._errors import Argument, InputError
from rsens._table import Table, column_deviations
from rsens._text import listed, quoted
from rsens._typing import Array, Flags
from rsens.adapters import as_contrasts, as_model, classes_of, read_for
from rsens.derivatives import Derivatives, Model, iterate, prepare
from rsens.distributions import Distribution, Mixture, Univariate, is_event
from rsens.measures import (
    check_alpha,
    contrast_parts,
    contrast_values,
    finite,
    first_of_prediction,
    parts,
    switches_of,
    training_inputs,
)

#: Nodes for the quantiles of a mixture, shared by all its components.
MIXTURE_NODES = 40_000


def masses(levels: Any) -> Array:
    """The probability within each band, narrowest first.

    A level from 1 on counts standard deviations of a normal distribution: 1, 2 and 3 hold 68.3, 95.4 and 99.7 %. A
    level below 1 is the probability itself.
    """
    try:
        values = np.atleast_1d(np.asarray(levels, dtype=np.float64))
    except (TypeError, ValueError):
        values = np.array([[]])
    # Beyond eight deviations the tails are below the spacing of float64 at 1.
    if values.ndim != 1 or not ((values > 0.0) & (values <= 8.0)).all():
        raise InputError(
            Argument("levels"),
            " must be numbers of standard deviations, like (1, 2, 3), or shares below 1, like (0.5, 0.9); "
            f"got {levels!r}.",
        )
    return np.sort(np.where(values < 1.0, values, 2.0 * ndtr(values) - 1.0))


def central_intervals(family: Distribution, shares: Array) -> Array:
    """Lower and upper ends of the central intervals of y that hold these shares, shape (n, shares, 2).

    They exist where standard deviations do not (Student-t with df ≤ 2), and are not symmetric where y is not.
    """
    tail = 0.5 * (1.0 - shares)
    both = _quantiles(family, np.concatenate([tail, 1.0 - tail]))
    return both.reshape(2, len(shares), both.shape[1]).transpose(2, 1, 0)


def _quantiles(family: Distribution, q: Array) -> Array:
    """Quantiles, shape (q, n)."""
    if isinstance(family, Univariate):
        return np.asarray(family.quantile(q[:, None]), dtype=np.float64)
    assert isinstance(family, Mixture)  # classes and vectors are drawn in other ways
    return _mixture_quantiles(family, q)


def _mixture_quantiles(family: Mixture, q: Array) -> Array:
    """Quantiles of all the components' quantiles, each with the probability it stands for: no random numbers.

    The nodes are dense in the tails, evenly spaced on the scale of a standard normal.
    """
    draws = family.checked().weights.shape[-1]
    n_nodes = int(np.clip(MIXTURE_NODES // draws, 21, 2001))
    edges = ndtr(np.linspace(-5.0, 5.0, n_nodes + 1))
    edges[0], edges[-1] = 0.0, 1.0
    middle, share = 0.5 * (edges[1:] + edges[:-1]), np.diff(edges)
    n = family.parameters.shape[0]
    weights = np.concatenate([group.weights for group in family.groups], axis=1)
    parts: list[Any] = [group.family for group in family.groups]
    nodes = np.concatenate([part.quantile(middle[:, None, None]) for part in parts], axis=1)
    result = np.empty((len(q), n))
    for i in range(n):
        values, mass = nodes[:, :, i].ravel(), np.outer(share, weights[i]).ravel()  # (nodes, S)
        order = np.argsort(values, kind="stable")
        values, below = values[order], np.cumsum(mass[order])
        if family.support == "continuous":
            result[:, i] = np.interp(q, below - 0.5 * mass[order], values)
        else:  # the first count that is reached with probability q
            result[:, i] = values[np.minimum(np.searchsorted(below, q - 1e-12), len(values) - 1)]
    return result


# ---- The numbers of a profile: what a model predicts, and how sensitive it is, along one variable --------------------


Kind = Literal["number", "count", "probability", "vector"]

#: The probability within one standard deviation of a normal distribution.
ONE_SD = np.array([0.6826894921370859])


@dataclass(frozen=True)
class Along:
    """g points along one variable, P outputs. Sensitivities are per step of the variable."""

    kind: Kind  # what the prediction is
    middle: str  # what the line in the middle is: "mean" or "median"
    prediction: Array  # (g, P)
    bands: Array  # (g, bands, 2, P), narrowest first
    rsens: Array  # (g,)
    parts: dict[str, Array]  # (g,) each; they add up to R-sens
    slope: Array  # (g,), |∂ prediction|, summed over outputs as in `measures.ead`
    spread: Array  # (g,), predictive standard deviation
    curve: Array | None = None  # (g, 2, P), the band of the prediction as a curve; none of a slice
    from_fit: bool = False  # whether that band includes what the fit does not know

    @property
    def naive(self) -> Array | None:
        """|∂ prediction| over a typical standard deviation: R-sens if the uncertainty were the same everywhere.

        The derivative alone has the unit of y and cannot share an axis with R-sens. None where nothing is uncertain.
        """
        typical = float(np.median(self.spread))
        with np.errstate(over="ignore"):
            line = self.slope / typical if 0.0 < typical < np.inf else np.array(np.nan)
        return line if np.isfinite(line).all() else None


def along(prepared: Model, rows: Table, column: int, *, step: float, shares: Array, alpha: float) -> Along:
    """Evaluate a model at some rows; it was prepared for these, or for others."""
    alpha = check_alpha(alpha)
    chunks = []
    for where, derivatives in iterate(prepared, with_contrasts_of(rows, (column,)), 1):
        chunks.append(_evaluate(derivatives, column, step, shares, alpha))
        finite(chunks[-1].rsens[:, None], where, (rows.names[column],), 1, "R-sens")
    return Along(
        kind=chunks[0].kind,
        middle=chunks[0].middle,
        prediction=np.concatenate([chunk.prediction for chunk in chunks]),
        bands=np.concatenate([chunk.bands for chunk in chunks]),
        rsens=np.concatenate([chunk.rsens for chunk in chunks]),
        parts={name: np.concatenate([chunk.parts[name] for chunk in chunks]) for name in chunks[0].parts},
        slope=np.concatenate([chunk.slope for chunk in chunks]),
        spread=np.concatenate([chunk.spread for chunk in chunks]),
    )


def prepared_for(model: Any, table: Table) -> Model:
    """The model prepared for the rows of a table: steps and levels come from the data, wherever it is evaluated."""
    return prepare(as_model(model).coded(table), table)


def with_contrasts_of(rows: Table, columns: Sequence[int]) -> Table:
    """The rows with contrasts in these columns only: those of other columns take long and are not drawn."""
    if rows.coding is None:
        return rows
    own = tuple(levels for levels in rows.coding.columns if levels.position in columns)
    return replace(rows, coding=Coding(rows.coding.names, own) if own else None)


def _evaluate(derivatives: Derivatives, column: int, step: float, shares: Array, alpha: float) -> Along:
    family = derivatives.distribution
    with np.errstate(over="ignore", invalid="ignore"):  # what does not fit in float64 is found by `finite` and `naive`
        first = derivatives.first[:, :, [column]] * step
        slope = first_of_prediction(derivatives)[:, :, column] * step
        rsens = np.sqrt(alpha) * family.fisher_norm(first)[:, 0]
        split = parts(family, first, alpha=alpha)
        switches = switches_of(derivatives, alpha)
        for position, values in contrast_values(switches):
            if position == column:
                rsens = values * step
        for position, of_contrast in contrast_parts(derivatives, switches) if split else ():
            if position == column:
                split = {name: part[:, None] * step for name, part in of_contrast.items()}
    kind, middle, prediction, bands = predictive(family, shares)
    return Along(
        kind=kind,
        middle=middle,
        prediction=prediction,
        bands=bands,
        rsens=rsens,
        parts={name: part[:, 0] for name, part in split.items()},
        slope=np.sqrt(alpha) * family.output_weight * np.abs(slope).sum(axis=1),
        spread=spread_of(family),
    )


def output_names(model: Any, kind: Kind, n_outputs: int) -> tuple[str, ...]:
    """The classes where the model names them."""
    classes = classes_of(model)
    if kind == "probability" and classes is not None and len(classes) == n_outputs:
        return tuple(str(name) for name in classes)
    return tuple(f"class {k}" if kind == "probability" else f"y{k}" for k in range(n_outputs))


def predictive(family: Distribution, shares: Array) -> tuple[Kind, str, Array, Array]:
    """What to draw: probabilities as they are, numbers with central intervals, vectors with standard deviations."""
    with np.errstate(over="ignore", invalid="ignore"):  # a mean that does not fit in float64 counts as none
        mean = np.asarray(family.mean, dtype=np.float64)
    if family.support == "classes" or is_event(family):
        mean = mean.reshape(len(mean), -1)
        return "probability", "mean", mean, np.empty((len(mean), 0, 2, mean.shape[1]))
    if family.support == "vector":
        z = ndtri(0.5 + 0.5 * shares)[:, None, None] * np.array([[-1.0], [1.0]])  # (bands, 2, 1)
        return "vector", "mean", mean, mean[:, None, None] + z * np.sqrt(family.variance)[:, None, None]
    kind: Kind = "count" if family.support == "counts" else "number"
    bands = central_intervals(family, shares)[..., None]
    if np.isfinite(mean).all():
        return kind, "mean", mean[:, None], bands
    return kind, "median", central_intervals(family, np.zeros(1))[:, 0, :1], bands


def spread_of(family: Distribution) -> Array:
    """Predictive standard deviation per row, or half the central interval of one where it does not exist."""
    with np.errstate(over="ignore", invalid="ignore"):
        variance = np.asarray(family.variance, dtype=np.float64)
    if family.support in ("classes", "vector"):
        return np.sqrt(family.output_weight * variance.sum(axis=1))
    missing = ~np.isfinite(variance)
    if not missing.any():
        return np.sqrt(variance)
    half = 0.5 * np.diff(central_intervals(family, ONE_SD)[:, 0], axis=1)[:, 0]
    return np.where(missing, half, np.sqrt(np.where(missing, 0.0, variance)))


# ---- The variable that a profile runs along, from arguments that are checked here ------------------------------------


@dataclass(frozen=True)
class Line:
    """A variable, and what the labels of its profile need to know."""

    name: str
    column: int
    step: float  # what one step of the variable is
    unit: str
    data: Array  # (n,), the variable in the data
    targets: Array | None  # (n,)
    target_name: str
    levels: Levels | None  # of a categorical column
    values: Array  # (g,), the points, in increasing order
    gaps: Flags  # (g − 1,), between which points nothing is drawn
    others: str = ""  # where the other columns stay, for the label of the axis
    near: bool = False  # whether all points are values that rows have

    @property
    def labels(self) -> tuple[str, ...] | None:
        """Of the levels that are drawn, for a categorical column."""
        return None if self.levels is None else tuple(str(self.levels.labels[int(code)]) for code in self.values)

    @property
    def limits(self) -> tuple[float, float]:
        """The ends of the axis; near the rows with room for marks at the first and the last."""
        low, high = float(self.values[0]), float(self.values[-1])
        room = 0.02 * (high - low) if self.near else 0.0
        return low - room, high + room

    def at(self, values: Array, **known: Any) -> Line:
        """The same with these points, and what else is known of them."""
        return replace(self, values=values, **{"gaps": np.zeros(len(values) - 1, dtype=np.bool_)} | known)


def line_of(table: Table, variable: Any, *, scale: Any, y: Any) -> Line:
    """The line along one column of a table, without points yet, or an `InputError` that says what is wrong."""
    column = find_column(table.names, variable)
    name, data = table.names[column], table.values[:, column]
    levels = None if table.coding is None or column not in table.coding.categorical else table.coding[column]
    step, unit = _step(scale, data, name) if levels is None else _levels_step(scale, levels)
    targets, target_name = _targets(y, len(data))
    return Line(name, column, step, unit, data, targets, target_name, levels, np.empty(0), np.empty(0, np.bool_))


def slice_of(table: Table, variable: Any, *, at: Any, grid: Any) -> tuple[Array, str]:
    """Rows (g, D) along a column while the other columns stay fixed, and where they stay, for the label of the axis."""
    column = find_column(table.names, variable)
    point, others = typical_row(table, at)
    if table.coding is not None and column in table.coding.categorical:
        values = np.arange(float(len(table.coding[column])))
    else:
        values = _grid(grid, table.values[:, column], table.names[column])
    rows = np.repeat(point[None], len(values), axis=0)
    rows[:, column] = values
    return rows, f" (others {others})" if len(table.names) > 1 else ""


def number_of_knots(grid: Any) -> int:
    """About how many points a line near the rows has."""
    if not _is_whole(grid) or grid < 2:
        raise InputError(
            Argument("grid"),
            " must be a whole number of at least 2: a profile near the rows has its points where rows are; "
            f"got {grid!r}. Points of your own need the values of the other columns: give ",
            Argument("at", "median"),
            ".",
        )
    return int(grid)


def _levels_step(scale: Any, levels: Levels) -> tuple[float, str]:
    """A step between levels, as `explain` counts it: a switch, times √(P(two rows differ)/2) in standard deviations."""
    if isinstance(scale, str) and scale == "raw":
        return 1.0, "per switch"
    f = levels.frequencies
    if isinstance(scale, str) and scale == "sd" and np.count_nonzero(f) > 1:
        return float(np.sqrt(0.5 * (1.0 - f @ f))), "per sd"
    return _step(scale, np.zeros(1), levels.name)


def find_column(names: tuple[str, ...], variable: Any, what: str = "variable") -> int:
    """The position of a column that is given by name or position."""
    if isinstance(variable, str) and variable in names:
        return names.index(variable)
    if _is_whole(variable) and 0 <= variable < len(names):
        return int(variable)
    near = get_close_matches(str(variable), names, 1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise InputError(
        Argument(what),
        f" must be a column of X, by name or position; got {variable!r}.{hint} X has {listed(names, 10)}.",
    )


def typical_row(table: Table, at: Any) -> tuple[Array, str]:
    """Values of all columns, and where they come from, in words."""
    # A median that occurs: halfway between two values of a binary column there is nothing to predict.
    median = _with_commonest(table, np.quantile(table.values, 0.5, axis=0, method="lower"))
    if isinstance(at, str):
        if at == "median":
            return median, "at the median"
        if at == "mean":
            return _with_commonest(table, table.values.mean(axis=0)), "at the mean"
    elif _is_whole(at):
        if not 0 <= at < len(table.values):
            raise InputError(Argument("at"), f" must be a row of X, from 0 to {len(table.values) - 1}; got {at}.")
        return table.values[int(at)].copy(), f"as in row {at}"
    elif hasattr(at, "keys"):
        given = {str(key): at[key] for key in at.keys()}  # noqa: SIM118  (a Series iterates over its values)
        unknown = [key for key in given if key not in table.names]
        if unknown:
            raise InputError(Argument("at"), f" names columns that X does not have: {quoted(unknown)}.")
        point = median.copy()
        for key, value in given.items():
            position = table.names.index(key)
            point[position] = _numbers(_code(table, position, value), f"at[{key!r}]", ())
        return point, "as given"
    elif np.ndim(at) == 1:
        if table.coding is not None and len(at) == len(median):
            at = [_code(table, position, value) for position, value in enumerate(at)]
        return _numbers(at, "at", median.shape), "as given"
    raise InputError(
        Argument("at"),
        f" must be 'median', 'mean', the position of a row, one number per column, or a dict by name; got {at!r}.",
    )


def _with_commonest(table: Table, point: Array) -> Array:
    """The point with the most frequent level in categorical columns."""
    for levels in () if table.coding is None else table.coding.columns:
        point[levels.position] = float(np.bincount(table.values[:, levels.position].astype(np.intp)).argmax())
    return point


def _code(table: Table, position: int, value: Any) -> Any:
    """The level code of a label in a categorical column; other values as they are."""
    if table.coding is None or position not in table.coding.categorical:
        return value
    return table.coding[position].codes([value], "at")[0]


def _grid(grid: Any, data: Array, name: str) -> Array:
    if _is_whole(grid):
        if grid < 2:
            raise InputError(Argument("grid"), f" must be at least 2 points; got {grid}.")
        low, high = float(data.min()), float(data.max())
        if low == high:
            raise InputError(
                f"{name!r} is {low:g} in all rows of X, so it has no range. Give the points as ", Argument("grid"), "."
            )
        return np.linspace(low, high, int(grid))
    values = np.unique(_numbers(grid, "grid", None))
    if len(values) < 2:
        raise InputError(
            Argument("grid"), f" must be a number of points, or at least two different points; got {grid!r}."
        )
    return values


def _step(scale: Any, data: Array, name: str) -> tuple[float, str]:
    if isinstance(scale, str):
        if scale == "raw":
            return 1.0, "per unit"
        if scale == "sd":
            deviation = float(column_deviations(data[:, None])[0])
            if deviation == 0.0:
                raise InputError(
                    f"{name!r} does not vary in X: it has no standard deviation. Give ", Argument("scale", "raw"), "."
                )
            return deviation, "per sd"
    elif isinstance(scale, Real) and not isinstance(scale, bool) and 0.0 < float(scale) < np.inf:
        return float(scale), f"per {float(scale):.3g}"
    raise InputError(Argument("scale"), f" must be 'sd', 'raw' or a number greater than 0; got {scale!r}.")


def _targets(y: Any, n: int) -> tuple[Array | None, str]:
    name = getattr(y, "name", None)
    label = "y" if name is None else str(name)
    return (None if y is None else _numbers(y, "y", (n,))), label


def _numbers(values: Any, what: str, shape: tuple[int, ...] | None) -> Array:
    """Finite numbers of this shape; None for any number of them along one axis."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(Argument(what), f" must be numbers; got {values!r:.80}.") from None
    if array.shape != shape and not (shape is None and array.ndim == 1):
        want = "one axis" if shape is None else f"shape {shape}" if shape else "a single number"
        raise InputError(Argument(what), f" must have {want}; got shape {array.shape}.")
    if not np.isfinite(array).all():
        wrong = int((~np.isfinite(array)).sum())
        raise InputError(Argument(what), f" must be finite; got {wrong} values that are not.")
    return array


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool | np.bool_)


# ---- The model and the rows of an explanation, and the step of each column, for plots that evaluate the model --------


def model_and_table(explanation: Any, model: Any, X: Any, call: str) -> tuple[Model, Table]:
    """The model and the rows: the given ones, or else the explanation's own, which it lacks if it comes from a file.

    Columns that the explanation compares between their two values are contrasts.
    """
    model = explanation.model if model is None else model
    X = explanation.data if X is None else X
    if model is None or X is None:
        raise InputError(
            "This plot evaluates the model at the rows, and this explanation, from a file or of parts, lacks one of "
            f"them. Give both to {call}, as ",
            Argument("model"),
            " and ",
            Argument("X"),
            ".",
        )
    source, table = read_for(model, X)
    columns = tuple(explanation.scale.index)
    if table.names != columns:
        raise InputError(
            Argument("X"),
            f" must have the columns that were explained, {len(columns)} from {columns[0]!r} to {columns[-1]!r}; "
            f"got {len(table.names)} from {table.names[0]!r} to {table.names[-1]!r}.",
        )
    compared = [columns.index(name) for name in two_valued_columns(explanation)]
    return as_contrasts(source, table, compared, training=training_inputs(model, len(columns)))


def two_valued_columns(explanation: Any) -> list[str]:
    """The columns of `Explanation.two_valued`: a term may have another name than its column."""
    return [explanation.groups.get(name, (name,))[0] for name in explanation.two_valued]


def step_of(explanation: Any, table: Table, column: int) -> tuple[str | float, str | None]:
    """The step of a column, as `profile` takes it, and the name of that step; None to name it by its size.

    A column that does not vary has no step. It gets the kind of scale instead, and `profile` says what is wrong.
    """
    unit = float(explanation.scale.iloc[column])
    name = {"sd": "per sd", "raw": "per unit"}.get(explanation.scale_kind)
    if name == "per unit" and table.coding is not None and column in table.coding.categorical:
        name = "per switch"
    return (unit if unit > 0.0 else explanation.scale_kind), name
