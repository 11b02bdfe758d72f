"""PyMC: the parameters of the likelihood, read from the model's graph, for every posterior draw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, Self

import numpy as np

from rsens._coding import Coding
from rsens._errors import Argument, InputError
from rsens._table import Table, is_frame
from rsens._typing import Array
from rsens.adapters._adapter import is_a
from rsens.adapters._posterior_draws import DrawsAtOnce, draws_finding, draws_of
from rsens.adapters._pymc_graph import LikelihoodGraph, Placement, family_of
from rsens.derivatives import (
    Derivatives,
    Description,
    DrawsModel,
    Function,
    Model,
    from_function,
    rows_for,
    rows_of,
    spread_out,
)
from rsens.distributions import Distribution


def from_pymc(
    model: Any, posterior: Any, *, data: DataNames = "X", site: str | None = None, categorical: Any = None
) -> Model:
    """A PyMC model with its posterior draws, as a model to explain.

    The predictive is the mixture over draws of the likelihood, noise included. Its parameters are read from the graph
    of the model, with exact derivatives; second derivatives, of the mixture's mean and variance, are differences. The
    model and the draws are left as they are.

    Args:
        model: A `pymc.Model` (PyMC 5 or newer) in which the rows are `pm.Data`. A model that was sampled with constants
            can be written again with `pm.Data` and given here with the old draws.
        posterior: What `pm.sample` returned (a DataTree or InferenceData), its posterior group, or a dict with arrays
            (draws, …) or (chains, draws, …) for every free variable.
        data: The name of the pm.Data with rows X, (n, D); or, where each column has a pm.Data of its own,
            {"column": "name of its pm.Data"}. Columns of whole numbers on their own, such as the index of a group, are
            categorical.
        site: The name of the observed variable, if there are several.
        categorical: Columns of X that are categorical, by name or position, in addition to a data frame's own.

    Returns:
        A model for `explain`, `rsens` and all other measures.

    Example:
        >>> import numpy as np
        >>> import pymc as pm
        >>> import rsens
        >>> with pm.Model() as program:
        ...     rows = pm.Data("X", np.zeros((4, 1)))
        ...     slope = pm.Normal("slope")
        ...     _ = pm.Normal("y", slope * rows[:, 0], 0.5, observed=np.zeros(4))
        >>> draws = {"slope": [0.9, 1.0, 1.1]}  # or what pm.sample returned
        >>> rsens.rsens(rsens.from_pymc(program, draws), [[0.0]]).round(2).tolist()
        [[2.0]]
    """
    if is_a(model, "bambi.Model"):
        raise InputError("from_pymc: ", Argument("model"), " is a bambi Model. Write from_bambi(model, posterior).")
    if not is_a(model, "pymc.Model"):
        raise InputError("from_pymc: ", Argument("model"), f" must be a pymc.Model; got {type(model).__name__}.")
    observed = _observed_variable(model, site)
    rows = DataRows.of(model, data)
    family, fields = family_of(observed)
    free = _free_variables(model, list(fields.values()), rows, observed)
    draws = draws_of(posterior, "posterior", {v.name: _shape_of(v) for v in free})
    graph = LikelihoodGraph.of(family, fields, free, list(draws.values()), rows.placements)
    _try_out(graph, rows, model, observed)
    if isinstance(categorical, str | int):
        categorical = (categorical,)
    if isinstance(categorical, Mapping):
        categorical = {**dict.fromkeys(rows.levels), **categorical}
    else:
        categorical = (*rows.levels, *(categorical or ())) or None
    ours = DrawsAtOnce.of(graph.components, len(graph))
    trained_on = _training_rows(rows, data, posterior, model, observed)
    description = Description(
        model=f"PyMC model with {len(graph)} draws",
        family=f"mixture of {family.__name__}",
        noise=f"included: the likelihood of {observed.name!r}",
        derivatives="exact (PyTensor), second ones by differences",
        columns="columns of X as given" if isinstance(data, str) else "one pm.Data for each column",
    )
    return DrawsModel(
        LikelihoodModel(ours, graph, rows, categorical, training_inputs_=trained_on),
        from_function(ours.matched, categorical=categorical),
        len(graph) * len(graph.gradients),
        description,
        (draws_finding(len(graph)),),
    )


@dataclass(frozen=True, eq=False)
class LikelihoodModel(Function):
    """The mixture of a likelihood's draws, with exact first derivatives of every draw's λ."""

    draws: DrawsAtOnce
    graph: LikelihoodGraph
    data: DataRows
    categorical: Any = None
    coding: Coding | None = None
    training_inputs_: Any = None

    def coded(self, X: Any, weights: Any = None) -> Self:
        model = super().coded(X, weights)
        self.data.check(rows_of(model, X), model.coding)
        return model

    def _derivatives(self, X: Any, order: int) -> Derivatives:
        if order == 2:  # of every draw's λ; pairs are taken from the matched distribution instead
            return from_function(self.draws.mixture, categorical=self.coding).derivatives(X, 2)
        X = self.numbers(X)
        first = self.graph.first(X)[..., self.continuous(X.shape[1])]
        distribution = self.draws.mixture(X).checked(len(X))
        return Derivatives(distribution, spread_out(first.reshape(len(X), -1, first.shape[-1]), self.coding, 1))

    def predict_distribution(self, X: Any) -> Distribution:
        X = self.coded(X).numbers(X)
        return self.draws.mixture(X).checked(len(X))

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        numbers = len(self.draws) * len(self.graph.gradients) * (1 + n_columns)
        return rows_for(8.0 * 6.0 * numbers)  # PyTensor holds a few arrays of this size


# ---- Where the rows of X stand in a PyMC model: in its pm.Data -------------------------------------------------------


#: One pm.Data with all columns, or for each column of X the pm.Data that holds it.
DataNames = str | Mapping[str, str]


@dataclass(frozen=True)
class DataRows:
    """The data variables that X stands for, and what the model holds there now."""

    placements: tuple[Placement, ...]
    #: Rows that the model is known to run with, (N, D).
    values: Array
    #: The names of the columns, where the model has some.
    columns: tuple[str, ...] | None
    #: Columns that hold whole numbers on their own, such as the index of a group: they have levels, not derivatives.
    levels: tuple[int, ...]

    @classmethod
    def of(cls, model: Any, data: DataNames) -> DataRows:
        """Find the pm.Data named by `data` in the model."""
        if isinstance(data, str):
            variable = _variable(model, data)
            if variable.ndim != 2:
                raise InputError(
                    Argument("data"),
                    f" must name a pm.Data of rows and columns; {data!r} has {variable.ndim} axes. If each column has "
                    'a pm.Data of its own, name them: data={"height": "height", "age": "age"}.',
                )
            values = np.asarray(variable.get_value(), dtype=np.float64)
            return cls(((variable, None),), values, _column_names(model, data), ())
        if not isinstance(data, Mapping) or not data:
            raise InputError(
                Argument("data"),
                ' must be the name of the pm.Data of the rows, or a dict {"column": "name of its pm.Data"}; '
                f"got {type(data).__name__}.",
            )
        variables = [_variable(model, name) for name in data.values()]
        columns = [np.asarray(variable.get_value()) for variable in variables]
        for name, values in zip(data.values(), columns, strict=True):
            if values.shape not in ((len(columns[0]),), (len(columns[0]), 1)):
                raise InputError(
                    Argument("data"),
                    f": each pm.Data must hold one column, all of them as many rows; {name!r} has shape "
                    f"{values.shape}, the first one {columns[0].shape}.",
                )
        return cls(
            tuple((variable, j) for j, variable in enumerate(variables)),
            np.column_stack([values.reshape(-1).astype(np.float64) for values in columns]),
            tuple(data),
            tuple(j for j, values in enumerate(columns) if values.dtype.kind in "iub"),
        )

    def check(self, table: Table, coding: Coding | None) -> None:
        """Rows to explain must have the model's columns, and the numbers that its index variables take."""
        if table.values.shape[1] != self.values.shape[1]:
            raise InputError(
                Argument("X"),
                f" must have the {self.values.shape[1]} columns of the model's pm.Data; got {table.values.shape[1]}.",
            )
        if self.columns is not None and is_frame(table.source) and table.names != self.columns:
            raise InputError(
                Argument("X"),
                f" must have the columns of the model, in their order: {list(self.columns)}; got {list(table.names)}.",
            )
        for column in () if coding is None else coding.columns:
            if not all(isinstance(label, Real | np.bool_) for label in column.labels):
                raise InputError(
                    Argument("X"),
                    f": column {column.name!r} holds labels such as {column.labels[0]!r}, and the model takes numbers. "
                    "Give the number that stands for each label in the model.",
                )


def _training_rows(rows: DataRows, data: DataNames, posterior: Any, model: Any, observed: Any) -> Array | None:
    """The rows that the model was fitted to: kept with the draws, or still in the model; None if neither is sure."""
    kept = None  # the group with the data of the model, which PyMC stores beside the draws
    if is_a(posterior, "xarray.DataTree"):
        kept = posterior.children.get("constant_data")
    elif is_a(posterior, "arviz.InferenceData"):
        kept = getattr(posterior, "constant_data", None)
    names = [data] if isinstance(data, str) else list(data.values())
    if kept is not None and all(name in kept for name in names):
        return np.column_stack([np.asarray(kept[name].values, dtype=np.float64) for name in names])
    still = len(rows.values) == len(_observed_values(model, observed))
    return rows.values if still else None  # else set_data has put other rows in


def _variable(model: Any, name: str) -> Any:
    known = {variable.name: variable for variable in model.data_vars}
    if name in known:
        return known[name]
    if known:
        raise InputError(
            Argument("data"),
            f" must name the pm.Data of the rows X; got {name!r}, and the model has "
            f"{', '.join(map(repr, known))}. Write from_pymc(model, posterior, data={next(iter(known))!r}).",
        )
    raise InputError(
        "the rows X are written into this model as constants, so they cannot be moved. Build the model again with "
        'X = pm.Data("X", X) and give it here with the same draws: there is no need to sample again.'
    )


def _column_names(model: Any, name: str) -> tuple[str, ...] | None:
    """The coordinates of the columns, where the data were given dims with names."""
    dims = model.named_vars_to_dims.get(name) or (None, None)
    names = model.coords.get(dims[1]) if dims[1] is not None else None
    return tuple(map(str, names)) if names is not None and all(isinstance(n, str) for n in names) else None


# ---- The random variables of a PyMC model: the one observed, those it depends on, and whether rows can be moved ------


def _observed_variable(model: Any, site: str | None) -> Any:
    """The random variable of y: the one named, or the only one observed; one number per row."""
    known = {variable.name: variable for variable in model.observed_RVs}
    if not known:
        raise InputError("the model has no observed variable. Give y to its likelihood: observed=y.")
    site = next(iter(known)) if site is None and len(known) == 1 else site
    if site not in known:
        raise InputError(
            Argument("site"),
            f" must name the observed variable to explain, one of {', '.join(map(repr, known))}; got {site!r}. "
            f"Write from_pymc(model, posterior, site={next(iter(known))!r}).",
        )
    shape = _observed_values(model, known[site]).shape
    if len(shape) != 1 and not (len(shape) == 2 and shape[1] == 1):
        raise InputError(
            f"from_pymc explains one number per row; the observed {site!r} has shape {shape}. Explain one output at a "
            "time: its draws are still valid in a model with that output only."
        )
    return known[site]


def _observed_values(model: Any, variable: Any) -> Array:
    """The y that the model holds."""
    values = model.rvs_to_values[variable]
    if hasattr(values, "get_value"):  # pm.Data
        return np.asarray(values.get_value(borrow=True))
    return np.asarray(values.data if hasattr(values, "data") else values.eval(mode="FAST_COMPILE"))


def _free_variables(model: Any, fields: list[Any], rows: DataRows, observed: Any) -> list[Any]:
    """The random variables that the likelihood depends on. None of them may depend on the rows."""
    from pytensor.graph.traversal import ancestors

    graphs = [field for field in fields if hasattr(field, "owner")]
    reached = set(ancestors(graphs, blockers=model.free_RVs))
    free = [variable for variable in model.free_RVs if variable in reached]
    data = {variable for variable, _ in rows.placements}
    if not data <= reached and not any(data & set(ancestors([variable])) for variable in free):
        unused = ", ".join(repr(variable.name) for variable in data - reached)
        raise InputError(f"the likelihood of {observed.name!r} does not depend on the pm.Data {unused}.")
    of_rows = [variable.name for variable in free if data & set(ancestors([variable]))]
    if of_rows:
        raise InputError(
            f"the model draws {', '.join(map(repr, of_rows))} from a distribution that depends on the rows. Those "
            "draws belong to the rows it was fitted to, and other rows have none. Integrate them out of the model, for "
            "instance by a StudentT or NegativeBinomial in place of a draw per row."
        )
    return free


def _shape_of(variable: Any) -> tuple[int, ...]:
    """The shape of one draw of a free variable."""
    if None not in variable.type.shape:
        return tuple(variable.type.shape)
    return tuple(int(size) for size in variable.shape.eval(mode="FAST_COMPILE"))


def _try_out(graph: LikelihoodGraph, rows: DataRows, model: Any, observed: Any) -> None:
    """One draw at one row more than the model holds, and again in another order: rows must be free and independent."""
    n = len(rows.values)
    X = rows.values[np.arange(n + 1) % n]
    half = np.arange(n // 2 + 1)[::-1]
    try:
        λ, again = (np.asarray(graph.components(some, slice(1)).parameters)[0] for some in (X, X[half]))
    except (ValueError, IndexError, TypeError, AssertionError) as error:
        fixed = [v.name for v in model.data_vars if all(v is not moved for moved, _ in rows.placements)]
        raise InputError(
            f"the likelihood of {observed.name!r} cannot be evaluated at other rows than the model holds: "
            f"{str(error).splitlines()[0]} Everything that has one entry per row must come from the rows X"
            + (f"; the model also has the pm.Data {', '.join(map(repr, fixed))}" if fixed else "")
            + '. Name all of them, one for each column: data={"height": "height", "group": "group"}. Variables drawn '
            "for each row cannot be explained."
        ) from error
    scale = np.abs(λ).max(axis=0)
    if not np.allclose(λ[half], again, rtol=0.0, atol=1e-9 * scale.max(initial=1e-300)):
        raise InputError(
            f"the likelihood of {observed.name!r} mixes rows: a row's prediction changed when the other rows did. "
            "Compute means and scales from the training data before they go into the model, not from pm.Data."
        )
