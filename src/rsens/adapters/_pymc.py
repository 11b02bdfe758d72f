"""PyMC: the parameters of the likelihood, read from the model's graph, for every posterior draw."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any, Self

import numpy as np

from rsens import distributions
from rsens._coding import Coding
from rsens._conversions import is_a
from rsens._errors import Argument, InputError
from rsens._table import is_frame
from rsens._text import quoted
from rsens._typing import Array
from rsens.adapters._adapter import check_columns, first_line, wrong_kind
from rsens.adapters._posterior_draws import DrawsAtOnce, drawn_per_row, draws_finding, draws_of
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
    model and the draws are left unchanged.

    Args:
        model: A `pymc.Model` (PyMC 5 or newer) in which the rows are `pm.Data`. A model that was sampled with constants
            can be written again with `pm.Data` and given here with the old draws.
        posterior: The result of `pm.sample` (a DataTree or InferenceData), its posterior group, or a dict with arrays
            (draws, …) or (chains, draws, …) for every free variable.
        data: The name of the pm.Data with rows X, (n, D); or, where each column is another pm.Data,
            {"column": "name of its pm.Data"}. Such columns of whole numbers, as the index of a group, are categorical.
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
        raise wrong_kind("from_pymc", "model", "a pymc.Model", model)
    observed = _observed_variable(model, site)
    rows = DataRows.of(model, data)
    family = _family_of(observed)
    free = _free_variables(model, family, rows, observed)
    draws = draws_of(posterior, "posterior", {v.name: _shape_of(v) for v in free})
    graph = LikelihoodGraph.of(family, free, list(draws.values()), rows)
    _try_out(graph, rows, model, observed)
    named = (categorical,) if isinstance(categorical, str | int) else categorical or ()
    if isinstance(named, Mapping):
        categorical = {**dict.fromkeys(rows.levels), **named}
    else:
        categorical = (*rows.levels, *named) or None
    ours = DrawsAtOnce.of(graph.components, len(graph))
    predictive = LikelihoodModel(ours, graph, rows, categorical)
    description = Description(
        model=f"PyMC model with {len(graph)} draws",
        family=f"mixture of {type(family).__name__}",
        noise=f"included: the likelihood of {observed.name!r}",
        derivatives="exact (PyTensor), second ones by differences",
        columns="columns of X as given" if isinstance(data, str) else "one pm.Data for each column",
    )
    matched = from_function(ours.matched, categorical=categorical)
    n_parameters = len(graph) * len(graph.gradients)
    return DrawsModel(predictive, matched, n_parameters, description, (draws_finding(len(graph)),))


@dataclass(frozen=True, eq=False)
class LikelihoodModel(Function):
    """The mixture of a likelihood's draws, with exact first derivatives of every draw's λ."""

    draws: DrawsAtOnce
    graph: LikelihoodGraph
    data: DataRows
    categorical: Any = None
    coding: Coding | None = None

    def coded(self, X: Any, weights: Any = None) -> Self:
        model = super().coded(X, weights)
        table = rows_of(model, X)
        rows = table.source if is_frame(table.source) else table.values
        check_columns(rows, "of the model's pm.Data", self.data.values.shape[1], self.data.columns)
        for column in () if model.coding is None else model.coding.columns:
            if not all(isinstance(label, Real | np.bool_) for label in column.labels):
                text = (
                    f"{column.name!r} holds labels such as {column.labels[0]!r}. Give the numbers that the model takes."
                )
                raise InputError(Argument("X"), f": column {text}")
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


#: One pm.Data with all columns, or for each column of X the pm.Data that holds it.
DataNames = str | Mapping[str, str]


@dataclass(frozen=True)
class DataRows:
    """The data variables in the place of X, one with all columns or one for each, and the rows that they hold now."""

    variables: tuple[Any, ...]
    #: Rows that the model is known to run with, (N, D).
    values: Array
    #: The names of the columns, where the model has some.
    columns: tuple[str, ...] = ()
    #: Separate columns of whole numbers, such as the index of a group: they have levels, not derivatives.
    levels: tuple[int, ...] = ()
    by_column: bool = True

    @classmethod
    def of(cls, model: Any, data: DataNames) -> DataRows:
        """Find the pm.Data named by `data` in the model."""
        if not isinstance(data, str | Mapping) or not data:
            text = ' must be the name of the pm.Data of the rows, or a dict {"column": "name of its pm.Data"}; got '
            raise InputError(Argument("data"), f"{text}{type(data).__name__}.")
        names = [data] if isinstance(data, str) else list(data.values())
        variables = tuple(_variable(model, name) for name in names)
        held = [np.asarray(variable.get_value()) for variable in variables]
        if isinstance(data, str):
            if held[0].ndim != 2:
                text = (
                    f" must name a pm.Data of rows and columns; {data!r} has {held[0].ndim} axes. For separate columns "
                )
                raise InputError(Argument("data"), text + 'write data={"height": "height", "age": "age"}.')
            _, dim = model.named_vars_to_dims.get(data) or (None, None)
            labels = tuple(model.coords.get(dim) or ()) if dim is not None else ()  # coordinates of the columns
            named = labels if all(isinstance(label, str) for label in labels) else ()
            return cls(variables, held[0].astype(np.float64), named, by_column=False)
        for name, values in zip(names, held, strict=True):
            if values.shape not in ((len(held[0]),), (len(held[0]), 1)):
                text = f": each pm.Data must hold one column of the same length; {name!r} has shape {values.shape}, "
                raise InputError(Argument("data"), f"{text}the first one {held[0].shape}.")
        whole = tuple(j for j, values in enumerate(held) if values.dtype.kind in "iub")
        return cls(variables, np.column_stack(held).astype(np.float64), tuple(data), whole)

    def placed(self, X: Any) -> dict[Any, Any]:
        """For each data variable the part of the rows X, a graph, that goes in its place."""
        if not self.by_column:  # float64 for any type of the data, and the graph follows
            return {self.variables[0]: X}
        parts = {v: X[:, j] if v.ndim == 1 else X[:, j : j + 1] for j, v in enumerate(self.variables)}
        return {v: part if v.dtype.startswith("float") else part.astype(v.dtype) for v, part in parts.items()}


def _variable(model: Any, name: str) -> Any:
    """The pm.Data of this name; rows that are constants of the graph cannot be moved."""
    known = {variable.name: variable for variable in model.data_vars}
    if not known:
        raise InputError(
            "the rows X are written into this model as constants, so they cannot be moved. Build the model again with "
            'X = pm.Data("X", X) and give it here with the same draws, without sampling again.'
        )
    if name not in known:
        text = f" must name the pm.Data of the rows X; got {name!r}, and the model has {quoted(known)}. Write "
        raise InputError(Argument("data"), f"{text}from_pymc(model, posterior, data={next(iter(known))!r}).")
    return known[name]


def _observed_variable(model: Any, site: str | None) -> Any:
    """The random variable of y, by name or the only one observed; one number per row."""
    known = {variable.name: variable for variable in model.observed_RVs}
    if not known:
        raise InputError("the model has no observed variable. Give y to its likelihood: observed=y.")
    site = next(iter(known)) if site is None and len(known) == 1 else site
    if site not in known:
        text = f" must name the observed variable to explain, one of {quoted(known)}; got {site!r}. Write "
        raise InputError(Argument("site"), f"{text}from_pymc(model, posterior, site={next(iter(known))!r}).")
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


def _free_variables(model: Any, family: Distribution, rows: DataRows, observed: Any) -> list[Any]:
    """The random variables that the likelihood depends on. None of them may depend on the rows."""
    from pytensor.graph.traversal import ancestors

    graphs = [field for field in family.fields().values() if hasattr(field, "owner")]
    reached = set(ancestors(graphs, blockers=model.free_RVs))
    free = [variable for variable in model.free_RVs if variable in reached]
    of_rows = [variable.name for variable in free if {*rows.variables} & set(ancestors([variable]))]
    if of_rows:
        raise drawn_per_row(of_rows)
    unused = [variable.name for variable in rows.variables if variable not in reached]
    if unused:
        raise InputError(f"the likelihood of {observed.name!r} does not depend on the pm.Data {quoted(unused)}.")
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
        fixed = [variable.name for variable in model.data_vars if variable not in rows.variables]
        raise InputError(
            f"the likelihood of {observed.name!r} cannot be evaluated at other rows than the model holds: "
            f"{first_line(error)}. Everything with one entry per row must come from the rows X"
            + (f"; the model also has the pm.Data {quoted(fixed)}" if fixed else "")
            + '. Name all of them, one for each column: data={"height": "height", "group": "group"}. Variables drawn '
            "for each row cannot be explained."
        ) from error
    scale = np.abs(λ).max(axis=0)
    if not np.allclose(λ[half], again, rtol=0.0, atol=1e-9 * scale.max(initial=1e-300)):
        raise InputError(
            f"the likelihood of {observed.name!r} mixes rows: a row's prediction changed when the other rows did. "
            "Compute means and scales from the training data before they go into the model, not from pm.Data."
        )


@dataclass(frozen=True)
class LikelihoodGraph:
    """λ(draw, x) of a likelihood: the fields of our family as graphs, and the derivatives of λ."""

    family: type[Distribution]
    #: The rows X (n, D), and the free variables of one draw.
    X: Any
    free: tuple[Any, ...]
    fields: dict[str, Any]
    gradients: tuple[Any, ...]
    draws: tuple[Array, ...]

    @classmethod
    def of(cls, family: Distribution, free: list[Any], draws: list[Array], rows: DataRows) -> LikelihoodGraph:
        """The fields of a family of graphs as functions of rows X (n, D) and of draws of the free variables."""
        import pytensor
        import pytensor.tensor as pt
        from pytensor.graph.replace import clone_replace

        X = pt.dmatrix("rows")
        inputs = [_placeholder(variable) for variable in free]
        given = {**rows.placed(X), **dict(zip(free, inputs, strict=True))}
        fields = {name: pt.as_tensor(field) for name, field in family.fields().items()}
        # Not strict: the types of the rows may be others.
        graphs = clone_replace(list(fields.values()), given, rebuild_strict=False)
        ndim = {name: family.domains[name].event_ndim for name in fields}
        per_row = {name: _per_row(graph, ndim[name]) for name, graph in zip(fields, graphs, strict=True)}
        gradients = [
            pytensor.grad(column.sum(), X, disconnected_inputs="ignore", return_disconnected="zero")
            for name, graph in per_row.items()
            if name not in family.fixed_fields
            for column in _columns(graph, ndim[name], name)
        ]
        return cls(type(family), X, tuple(inputs), per_row, tuple(gradients), tuple(draws))

    def __len__(self) -> int:
        """How many draws there are."""
        return len(self.draws[0])

    def components(self, X: Array, draws: slice = slice(None)) -> Distribution:
        """The family of every draw at every row, arrays (S, n)."""
        values = [array[draws] for array in self.draws]
        arrays = {}
        for name, given in zip(self.fields, self._run_values(X, *values), strict=True):
            array = np.asarray(given, dtype=np.float64)  # it may lack the draws, the rows or both
            event = array.shape[array.ndim - self.family.domains[name].event_ndim :]
            arrays[name] = np.broadcast_to(array, (len(values[0]), len(X), *event))
        return self.family(**arrays)

    def first(self, X: Array) -> Array:
        """∂λ/∂x of every draw, (n, S, M, D)."""
        shape = (len(self), *X.shape)
        # A λ that does not depend on the draws comes back without their axis.
        columns = [np.broadcast_to(gradient, shape) for gradient in self._run_gradients(X, *self.draws)]
        return np.moveaxis(np.stack(columns, axis=2), 0, 1)

    def __getstate__(self) -> dict[str, Any]:
        """For pickling: without the compiled functions, which are compiled again when needed."""
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_run")}

    @cached_property
    def _run_values(self) -> Callable[..., list[Array]]:
        return self._compiled(list(self.fields.values()))

    @cached_property
    def _run_gradients(self) -> Callable[..., list[Array]]:
        return self._compiled(list(self.gradients))

    def _compiled(self, outputs: list[Any]) -> Callable[..., list[Array]]:
        """A function of the rows and of all draws at once."""
        import pytensor
        from pytensor.graph.replace import vectorize_graph

        draws = [_placeholder(variable, draws_first=True) for variable in self.free]
        replaced = dict(zip(self.free, draws, strict=True))
        # The default mode spends up to minutes on compiling, and runs no faster.
        return pytensor.function(
            [self.X, *draws], vectorize_graph(outputs, replaced), mode="FAST_COMPILE", on_unused_input="ignore"
        )


def _placeholder(variable: Any, draws_first: bool = False) -> Any:
    """An input for the draws of a free variable: float64, unless it is whole numbers."""
    import pytensor.tensor as pt

    dtype = "float64" if variable.dtype.startswith("float") else variable.dtype
    shape = ((None,) if draws_first else ()) + tuple(variable.type.shape)
    return pt.tensor(variable.name, shape=shape, dtype=dtype)


def _per_row(graph: Any, event_ndim: int) -> Any:
    """The graph with one axis of rows, of length one if all rows have the same; y of shape (n, 1) has one too many."""
    axes = graph.ndim - event_ndim
    return graph[None] if axes == 0 else graph if axes == 1 else graph[:, 0]


def _columns(graph: Any, event_ndim: int, name: str) -> list[Any]:
    """The parameters of λ that a field holds: itself, or one for each class."""
    if event_ndim == 0:
        return [graph]
    classes = graph.type.shape[-1]
    if classes is None:
        raise InputError(
            f"the number of classes in {name!r} must be known to PyMC: give the coefficients a fixed shape, or the "
            "likelihood a fixed number of classes."
        )
    return [graph[..., k] for k in range(classes)]


#: Our family from the parameters that PyMC's random variable holds, in its order. They are graphs: only arithmetic is
#: done. People write others: Gamma holds (shape, scale), Exponential a scale, NegativeBinomial (n, p).
FAMILIES: dict[str, Callable[..., Distribution]] = {
    "NormalRV": lambda mu, sigma: distributions.Normal(mu, sigma**2),
    "StudentTRV": lambda nu, mu, sigma: distributions.StudentT(mu, sigma**2, nu),
    "CauchyRV": lambda mu, scale: distributions.StudentT(mu, scale**2, 1.0),
    "LogNormalRV": lambda mu, sigma: distributions.LogNormal(mu, sigma**2),
    "GammaRV": lambda shape, scale: distributions.Gamma(shape * scale, shape),
    "ExponentialRV": distributions.Exponential,
    "BetaRV": distributions.Beta,
    "WeibullBetaRV": distributions.Weibull,
    "WeibullRV": distributions.Weibull,
    "BernoulliRV": distributions.Bernoulli,
    "BinomialRV": distributions.Binomial,
    "CategoricalRV": distributions.Categorical,
    "PoissonRV": distributions.Poisson,
    "NegBinomialRV": lambda n, p: distributions.NegativeBinomial(n * (1.0 - p) / p, n),
}


def _family_of(variable: Any) -> Distribution:
    """Our family of an observed variable, of graphs."""
    op = variable.owner.op
    name = type(op).__name__
    if name not in FAMILIES:
        known = ", ".join(sorted({key.removesuffix("RV").removesuffix("Beta") or "Beta" for key in FAMILIES}))
        raise InputError(
            f"the likelihood of {variable.name!r} is a {name.removesuffix('RV')} of PyMC, which does not correspond to "
            f"any rsens family (known: {known}). For zero-inflated, truncated, censored and custom likelihoods write "
            "the prediction of one draw as a function that returns a family: from_draws(fn, draws)."
        )
    return FAMILIES[name](*op.dist_params(variable.owner))
