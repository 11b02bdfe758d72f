"""PyMC: the parameters of the likelihood, read from the model's graph, for every posterior draw."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from numbers import Real
from typing import Any

import numpy as np

from rsens import distributions
from rsens._conversions import is_a
from rsens._errors import Argument, InputError
from rsens._table import as_pandas, column_of, columns_of_labels, is_frame
from rsens._text import quoted
from rsens._typing import Array
from rsens.adapters._adapter import Pending, check_columns, first_line, wrong_kind
from rsens.adapters._posterior_draws import DrawsAtOnce, drawn_per_row, draws_of
from rsens.derivatives import Model
from rsens.distributions import Distribution

#: One pm.Data with all columns, or for each column of X the pm.Data that holds it.
DataNames = str | Mapping[str, str]


def from_pymc(
    model: Any, posterior: Any, *, data: DataNames = "X", site: str | None = None, categorical: Any = None
) -> Model:
    """A PyMC model with its posterior draws, as a model to explain.

    The predictive is the mixture over draws of the likelihood, noise included. Its parameters are read from the graph
    of the model, never from samples of y; derivatives are differences, right to about 1e-9. The model and the draws are
    left unchanged.

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
    free = _free_variables(model, family, rows)
    draws = draws_of(posterior, "posterior", {v.name: _shape_of(v) for v in free})
    graph = LikelihoodGraph.of(family, free, tuple(draws.values()), rows)
    _try_out(graph, rows, model, observed)
    named = (categorical,) if isinstance(categorical, str | int) else categorical or ()
    if isinstance(named, Mapping):
        categorical = {**dict.fromkeys(rows.levels), **named}
    else:
        categorical = (*rows.levels, *named) or None
    columns = "columns of X as given" if isinstance(data, str) else "one pm.Data for each column"
    noise = f"included: the likelihood of {observed.name!r}"
    count = len(graph.draws[0])
    explained = DrawsAtOnce.of(graph.components, count).model(
        "PyMC model", type(family).__name__, noise, columns, categorical
    )
    return Pending(partial(_for_rows, explained, rows))


def _for_rows(model: Model, rows: DataRows, X: Any) -> Model:
    """The model, if the rows X have its columns and numbers in them."""
    X = as_pandas(X)
    check_columns(X, "of the model's pm.Data", rows.values.shape[1], rows.columns)
    for d in columns_of_labels(X):
        words = [label for label in column_of(X, d) if not isinstance(label, Real | np.bool_)]
        if words:
            name = repr(X.columns[d]) if is_frame(X) else d
            text = f": column {name} holds labels such as {words[0]!r}. Give the numbers that the model takes."
            raise InputError(Argument("X"), text)
    return model


@dataclass(frozen=True)
class DataRows:
    """The data variables in the place of X, one with all columns or one for each, and the rows that they hold now."""

    variables: tuple[Any, ...]
    #: Rows that the model is known to run with, (N, D).
    values: Array
    #: The names of separate columns.
    columns: tuple[str, ...] = ()
    #: Separate columns of whole numbers, such as the index of a group: they have levels, not derivatives.
    levels: tuple[int, ...] = ()

    @classmethod
    def of(cls, model: Any, data: DataNames) -> DataRows:
        """Find the pm.Data named by `data` in the model."""
        if not isinstance(data, str | Mapping) or not data:
            text = ' must be the name of the pm.Data of the rows, or a dict {"column": "name of its pm.Data"}; got '
            raise InputError(Argument("data"), f"{text}{type(data).__name__}.")
        names = [data] if isinstance(data, str) else list(data.values())
        variables = tuple(_variable(model, name) for name in names)
        held = [np.asarray(variable.get_value()) for variable in variables]
        if isinstance(data, str) and held[0].ndim == 2:
            return cls(variables, held[0].astype(np.float64))
        if isinstance(data, str) or any(v.shape not in ((len(held[0]),), (len(held[0]), 1)) for v in held):
            text = (
                " must name one pm.Data of rows and columns, or for each column one pm.Data of the same length, as in "
                'data={"height": "height", "age": "age"}; got the shapes '
            )
            raise InputError(Argument("data"), f"{text}{[values.shape for values in held]}.")
        whole = tuple(j for j, values in enumerate(held) if values.dtype.kind in "iub")
        return cls(variables, np.column_stack(held).astype(np.float64), tuple(data), whole)

    def placed(self, X: Any) -> dict[Any, Any]:
        """For each data variable the part of the rows X, a graph, that goes in its place."""
        one, *others = self.variables
        if one.ndim == 2 and not others and not self.levels:
            return {one: X}  # float64 for any type of the data, and the graph follows
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
    shape = known[site].type.shape
    if len(shape) != 1 and not (len(shape) == 2 and shape[1] == 1):
        raise InputError(f"from_pymc explains one number per row; the observed {site!r} has shape {shape}.")
    return known[site]


def _free_variables(model: Any, family: Distribution, rows: DataRows) -> list[Any]:
    """The random variables that the likelihood depends on. None of them may depend on the rows."""
    from pytensor.graph.traversal import ancestors

    graphs = [field for field in family.fields().values() if hasattr(field, "owner")]
    reached = set(ancestors(graphs, blockers=model.free_RVs))
    free = [variable for variable in model.free_RVs if variable in reached]
    of_rows = [variable.name for variable in free if {*rows.variables} & set(ancestors([variable]))]
    if of_rows:
        raise drawn_per_row(of_rows)
    return free


def _shape_of(variable: Any) -> tuple[int, ...]:
    """The shape of one draw of a free variable."""
    if None not in variable.type.shape:
        return tuple(variable.type.shape)
    return tuple(int(size) for size in variable.shape.eval(mode="FAST_COMPILE"))


def _try_out(graph: LikelihoodGraph, rows: DataRows, model: Any, observed: Any) -> None:
    """One draw at one row more than the model holds: the number of rows must be free."""
    try:
        graph.components(rows.values[np.arange(len(rows.values) + 1) % len(rows.values)], slice(1))
    except (ValueError, IndexError, TypeError, AssertionError) as error:
        fixed = [variable.name for variable in model.data_vars if variable not in rows.variables]
        others = f" The model also has the pm.Data {quoted(fixed)}." if fixed else ""
        raise InputError(
            f"the likelihood of {observed.name!r} cannot be evaluated at other rows than the model holds: "
            f"{first_line(error)}. Everything with one entry per row must come from the rows X, named by ",
            Argument("data"),
            f"; variables drawn for each row cannot be explained.{others}",
        ) from error


@dataclass(frozen=True)
class LikelihoodGraph:
    """λ(draw, x) of a likelihood: the fields of our family as graphs of rows X (n, D) and of all draws."""

    family: type[Distribution]
    X: Any
    variables: tuple[Any, ...]
    fields: dict[str, Any]
    draws: tuple[Array, ...]

    @classmethod
    def of(cls, family: Distribution, free: list[Any], draws: tuple[Array, ...], rows: DataRows) -> LikelihoodGraph:
        """From a family of graphs of the model's data and free variables."""
        import pytensor.tensor as pt
        from pytensor.graph.replace import clone_replace, vectorize_graph

        X = pt.dmatrix("rows")
        one, several = [_placeholder(v) for v in free], [_placeholder(v, draws_first=True) for v in free]
        given = {**rows.placed(X), **dict(zip(free, one, strict=True))}
        fields = {name: pt.as_tensor(field) for name, field in family.fields().items()}
        # Not strict: the types of the rows may be others.
        graphs = clone_replace(list(fields.values()), given, rebuild_strict=False)
        per_row = [_per_row(g, family.domains[name].event_ndim) for name, g in zip(fields, graphs, strict=True)]
        of_draws = vectorize_graph(per_row, dict(zip(one, several, strict=True)))
        return cls(type(family), X, tuple(several), dict(zip(fields, of_draws, strict=True)), draws)

    def components(self, X: Array, draws: slice = slice(None)) -> Distribution:
        """The family of every draw at every row, arrays (S, n)."""
        values = [array[draws] for array in self.draws]
        arrays = {}
        for name, given in zip(self.fields, self._run(X, *values), strict=True):
            array = np.asarray(given, dtype=np.float64)  # it may lack the draws, the rows or both
            event = array.shape[array.ndim - self.family.domains[name].event_ndim :]
            arrays[name] = np.broadcast_to(array, (len(values[0]), len(X), *event))
        return self.family(**arrays)

    def __getstate__(self) -> dict[str, Any]:
        """For pickling: without the compiled function, which is compiled again when needed."""
        return {name: value for name, value in self.__dict__.items() if name != "_run"}

    @cached_property
    def _run(self) -> Callable[..., list[Array]]:
        import pytensor

        # The default mode spends up to minutes on compiling, and runs no faster.
        inputs = [self.X, *self.variables]
        return pytensor.function(inputs, list(self.fields.values()), mode="FAST_COMPILE", on_unused_input="ignore")


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
