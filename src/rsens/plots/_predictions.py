"""Predictions, their intervals and sensitivities at rows, for profiles and surfaces, and the arguments of the two."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, Literal

import numpy as np
from scipy.special import ndtr, ndtri

from rsens._accumulated import levels_of
from rsens._coding import Coding
from rsens._errors import Argument, InputError
from rsens._table import Table, column_positions
from rsens._text import quoted
from rsens._typing import Array
from rsens.adapters import as_contrasts, classes_of, read_for
from rsens.derivatives import Derivatives, Model, iterate, rows_of
from rsens.distributions import Distribution, Mixture, Univariate, is_event
from rsens.measures import check_weights, finite, training_inputs
from rsens.plots._style import some_rows

Kind = Literal["number", "count", "probability", "vector"]
#: With more rows than this, effects are made from this many: evenly spaced in the order of the variable.
MOST_ROWS = 500
#: Nodes for the quantiles of a mixture, shared by all its components.
MIXTURE_NODES = 40_000
#: The probability within one standard deviation of a normal distribution.
ONE_SD = np.array([0.6826894921370859])


@dataclass(frozen=True, eq=False)
class AtRows:
    """A model at m rows, with P outputs."""

    kind: Kind
    middle: str  # of the prediction: "mean" or "median"
    prediction: Array  # (m, P)
    bands: Array  # (m, bands, 2, P), narrowest first
    spread: Array  # (m,), predictive standard deviation
    local: dict[str, Array]  # (m,) each: sensitivities


def at_rows(
    prepared: Model,
    rows: Table,
    columns: Sequence[int],
    local: Callable[[Derivatives], dict[str, Array]],
    shares: Array,
) -> AtRows:
    """Evaluate a prepared model at rows: bands of `shares`, and `local` sensitivities; two columns are for pairs."""
    chunks = []
    name = ":".join(rows.names[column] for column in columns)
    if rows.coding is not None:  # contrasts take long, and only these columns need them
        own = tuple(levels for levels in rows.coding.columns if levels.position in columns)
        rows = replace(rows, coding=Coding(rows.coding.names, own) if own else None)
    for where, record in iterate(prepared, rows, len(columns), watch=False):
        with np.errstate(over="ignore", invalid="ignore"):  # what does not fit in float64 is found by `finite`
            values = local(record)
        main = next(iter(values))
        finite(values[main][:, None], where, (name,), 1, main)
        chunks.append((*predictive(record.distribution, shares), spread_of(record.distribution), values))
    kinds, middles, predictions, bands, spreads, found = zip(*chunks, strict=True)
    return AtRows(
        kind=kinds[0],
        middle=middles[0],
        prediction=np.concatenate(predictions),
        bands=np.concatenate(bands),
        spread=np.concatenate(spreads),
        local={name: np.concatenate([values[name] for values in found]) for name in found[0]},
    )


def predictive(family: Distribution, shares: Array) -> tuple[Kind, str, Array, Array]:
    """Kind, middle, prediction and bands: numbers have central intervals, vectors standard deviations, events none."""
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
    return kind, "median", medians(family), bands


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


def output_names(model: Any, kind: Kind, n_outputs: int) -> tuple[str, ...]:
    """The classes where the model names them."""
    classes = classes_of(model)
    if kind == "probability" and classes is not None and len(classes) == n_outputs:
        return tuple(str(name) for name in classes)
    return tuple(f"class {k}" if kind == "probability" else f"y{k}" for k in range(n_outputs))


def predict_with(prepared: Model, table: Table, *, median: bool) -> Callable[[Array], Array]:
    """A function that gives means (m, P) at rows of values, or medians for families without a mean, chunk by chunk."""

    def predict(rows: Array) -> Array:
        most = prepared.rows_per_chunk(rows.shape[1], 1)
        found = []
        for start in range(0, len(rows), most):
            part = table.like(rows[start : start + most])
            each = medians(prepared.predict_distribution(part).checked()) if median else prepared.predict_point(part)
            found.append(np.asarray(each, dtype=np.float64).reshape(len(each), -1))
        result = np.concatenate(found)
        if not np.isfinite(result).all():
            raise InputError("The prediction is not finite near some rows, so its effects do not add up.")
        return result

    return predict


def counted_rows(
    prepared: Model, table: Table, weights: Array, column: int, most: int = MOST_ROWS
) -> tuple[Table, Array]:
    """The rows that count; of many, some that are evenly spaced in the order of a column, both ends included."""
    rows = np.flatnonzero(weights)
    rows = np.sort(rows[some_rows(table.values[rows, column], most)])
    if len(rows) == len(weights):
        return table, weights
    some = rows_of(prepared, table.like(table.values[rows]))
    return replace(some, coding=table.coding), weights[rows] / weights[rows].sum()


def read_levels(levels: Any) -> Array:
    """The shares of central intervals, narrowest first."""
    try:
        shares = np.sort(np.atleast_1d(np.asarray(levels, dtype=np.float64)))
    except (TypeError, ValueError):
        shares = np.array([[]])
    if shares.ndim != 1 or not ((shares > 0.0) & (shares < 1.0)).all():
        raise InputError(Argument("levels"), f" must be shares between 0 and 1, like (0.5, 0.9); got {levels!r}.")
    return shares


def central_intervals(family: Distribution, shares: Array) -> Array:
    """Lower and upper ends of the central intervals of y that hold these shares, shape (n, shares, 2)."""
    q = tails(shares).T.ravel()  # all lower ends, then all upper ones
    if isinstance(family, Univariate):
        ends = np.asarray(family.quantile(q[:, None]), dtype=np.float64)
    else:
        assert isinstance(family, Mixture)  # classes and vectors are drawn in other ways
        ends = _mixture_quantiles(family, q)
    return ends.reshape(2, len(shares), ends.shape[1]).transpose(2, 1, 0)


def medians(family: Distribution) -> Array:
    """The medians of a distribution of numbers, (n, 1)."""
    return central_intervals(family, np.zeros(1))[:, 0, :1]


def tails(shares: Array) -> Array:
    """The probabilities below both ends of central intervals, (shares, 2)."""
    tail = 0.5 * (1.0 - shares)
    return np.stack([tail, 1.0 - tail], axis=1)


def _mixture_quantiles(family: Mixture, q: Array) -> Array:
    """Quantiles (q, n) of the pooled quantiles of all components, each with its probability: no random numbers."""
    draws = family.checked().weights.shape[-1]
    n_nodes = int(np.clip(MIXTURE_NODES // draws, 21, 2001))
    edges = ndtr(np.linspace(-5.0, 5.0, n_nodes + 1))  # dense in the tails
    edges[0], edges[-1] = 0.0, 1.0
    middle, share = 0.5 * (edges[1:] + edges[:-1]), np.diff(edges)
    weights = np.concatenate([group.weights for group in family.groups], axis=1)
    parts: list[Any] = [group.family for group in family.groups]
    nodes = np.concatenate([part.quantile(middle[:, None, None]) for part in parts], axis=1)  # (nodes, S, n)
    counts = family.support != "continuous"
    masses_of_rows = (np.outer(share, of_row) for of_row in weights)
    return np.column_stack([pooled_quantiles(nodes[:, :, i], mass, q, counts) for i, mass in enumerate(masses_of_rows)])


def pooled_quantiles(values: Array, mass: Array, q: Array, counts: bool) -> Array:
    """Quantiles of values that have a probability each; of counts the first that is reached with probability q."""
    order = np.argsort(values, axis=None, kind="stable")
    values, mass = values.ravel()[order], mass.ravel()[order]
    below = np.cumsum(mass)
    if counts:
        return np.asarray(values[np.minimum(np.searchsorted(below, q - 1e-9), len(values) - 1)])
    return np.interp(q, below - 0.5 * mass, values)


def find_column(names: tuple[str, ...], variable: Any, what: str = "variable") -> int:
    """The position of a column that is given by name or position."""
    return column_positions((variable,), names, what)[0]


def slice_rows(table: Table, column: int, values: Array, at: Any) -> tuple[Table, str]:
    """Rows with these values in a column, while the others stay fixed, and where they stay, in words."""
    point, others = _typical_row(table, at)
    rows = np.repeat(point[None], len(values), axis=0)
    rows[:, column] = values
    return table.like(rows), f" (others {others})" if len(table.names) > 1 else ""


def _typical_row(table: Table, at: Any) -> tuple[Array, str]:
    """Values of all columns, and where they come from, in words."""
    if is_whole(at):
        if not 0 <= at < len(table.values):
            raise InputError(Argument("at"), f" must be a row of X, from 0 to {len(table.values) - 1}; got {at}.")
        return table.values[int(at)].copy(), f"as in row {at}"
    # A median that occurs: halfway between two values of a binary column there is nothing to predict.
    point = np.quantile(table.values, 0.5, axis=0, method="lower")
    for levels in () if table.coding is None else table.coding.columns:
        point[levels.position] = float(np.bincount(table.values[:, levels.position].astype(np.intp)).argmax())
    if isinstance(at, str) and at == "median":
        return point, "at the median"
    if not hasattr(at, "keys"):
        raise InputError(
            Argument("at"), f" must be 'median', the position of a row, or a dict of numbers by name; got {at!r}."
        )
    given = {str(key): at[key] for key in at.keys()}  # noqa: SIM118  (a Series iterates over its values)
    unknown = [key for key in given if key not in table.names]
    if unknown:
        raise InputError(Argument("at"), f" names columns that X does not have: {quoted(unknown)}.")
    for key, value in given.items():
        position = table.names.index(key)
        known = levels_of(table, position)
        code = value if known is None else known.codes([value], "at")[0]
        point[position] = as_numbers(code, f"at[{key!r}]", ())
    return point, "as given"


def as_numbers(values: Any, what: str, shape: tuple[int, ...] | None) -> Array:
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


def is_whole(value: Any) -> bool:
    """Whether a value is a whole number, and no truth value."""
    return isinstance(value, Integral) and not isinstance(value, bool | np.bool_)


def read_weighted(model: Any, X: Any, weights: Any) -> tuple[Model, Table, Array]:
    """A model and its rows as rsens reads them, and weights that add up to 1."""
    source, table = read_for(model, X)
    counts = check_weights(weights, len(table))
    if weights is not None and table.coding is not None:  # a function's levels are counted under the weights
        source, table = read_for(model, X, counts)
    return source, table, counts


def rows_explained(explanation: Any, model: Any, X: Any, call: str) -> tuple[Any, Model, Table, Array]:
    """The model, as given and as read, the rows and their weights: the given ones, or else the explanation's own."""
    own = X is None or X is explanation.data
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
    source, table, weights = read_weighted(model, X, explanation.weights if own else None)
    columns = tuple(explanation.scale.index)
    if table.names != columns:
        raise InputError(
            Argument("X"),
            f" must have the columns that were explained, {len(columns)} from {columns[0]!r} to {columns[-1]!r}; "
            f"got {len(table.names)} from {table.names[0]!r} to {table.names[-1]!r}.",
        )
    # A term of two values may have another name than its column.
    compared = [columns.index(explanation.groups.get(name, (name,))[0]) for name in explanation._two_valued]
    training = training_inputs(model, len(columns))
    return model, *as_contrasts(source, table, compared, training=training, weights=weights), weights


def step_of(explanation: Any, table: Table, column: int) -> tuple[str | float, str | None]:
    """The step of a column, as `profile` takes it, and the name of that step; None to name it by its size."""
    unit = float(explanation.scale.iloc[column])
    name = {"sd": "per sd", "raw": "per unit"}.get(explanation.scale_kind)
    if name == "per unit" and levels_of(table, column) is not None:
        name = "per switch"
    return (unit if unit > 0.0 else explanation.scale_kind), name  # of a constant column `profile` raises the error
