"""bambi: the parameters of the family for every posterior draw, from `Model.predict`; derivatives by differences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any

import numpy as np

from rsens import distributions
from rsens._conversions import is_a
from rsens._errors import Argument, InputError
from rsens._table import as_pandas, is_frame, plain
from rsens._text import first_few, quoted
from rsens._typing import Array
from rsens.adapters._adapter import Pending, wrong_kind
from rsens.adapters._posterior_draws import DrawsAtOnce, draws_finding
from rsens.derivatives import Description, DrawsModel, Model, from_function
from rsens.distributions import Distribution

#: By the name of bambi's family; arguments are its parameters by name.
FAMILIES: dict[str, Callable[..., Distribution]] = {
    "gaussian": lambda mu, sigma: distributions.Normal(mu, sigma**2),
    "t": lambda mu, sigma, nu: distributions.StudentT(mu, sigma**2, nu),
    "bernoulli": lambda p: distributions.Bernoulli(p),
    "categorical": lambda p: distributions.Categorical(p),
    "poisson": lambda mu: distributions.Poisson(mu),
    "negativebinomial": lambda mu, alpha: distributions.NegativeBinomial(mu, alpha),
    "gamma": lambda mu, alpha: distributions.Gamma(mu, alpha),
    "exponential": lambda mu: distributions.Exponential(mu),
    "beta": lambda mu, kappa: distributions.Beta(mu * kappa, (1.0 - mu) * kappa),
}


def from_bambi(model: Any, posterior: Any) -> Model:
    """A bambi model with its posterior draws, as a model to explain.

    The predictive is the mixture over draws of the model's family, noise included, also of distributional models. Rows
    are data frames with the columns of the formula. Factors and the groups of group-specific terms are categorical:
    their levels are compared, and only levels that the model was fitted to are known. The model and the draws are left
    unchanged.

    Args:
        model: A fitted `bambi.Model` with one of the families gaussian, t, bernoulli, categorical, poisson,
            negativebinomial, gamma, exponential and beta.
        posterior: The result of `model.fit()`, a DataTree or InferenceData.

    Returns:
        A model for `explain`, `rsens` and all other measures.

    Example:
        >>> import bambi
        >>> import pandas as pd
        >>> import rsens
        >>> data = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0], "y": [0.0, 1.1, 1.9, 3.0]})
        >>> program = bambi.Model("y ~ x", data)
        >>> posterior = program.fit(draws=50, tune=50, chains=1, random_seed=0, progressbar=False)
        >>> rsens.rsens(rsens.from_bambi(program, posterior), data[["x"]]).shape
        (4, 1)
    """
    if not is_a(model, "bambi.Model"):
        raise wrong_kind("from_bambi", "model", "a bambi.Model", model)
    if not is_a(posterior, "xarray.DataTree", "arviz.InferenceData"):
        expected = "the result of model.fit(), a DataTree or InferenceData"
        raise wrong_kind("from_bambi", "posterior", expected, posterior)
    if not getattr(model, "built", True):
        raise InputError("from_bambi: ", Argument("model"), " is not fitted. Call model.fit() first.")
    name = model.family.name
    if name not in FAMILIES:
        raise InputError(
            f"the family {name!r} of bambi does not correspond to any rsens family; known are {quoted(FAMILIES)}. "
            "Write the prediction of one draw as a function: from_draws(fn, draws)."
        )
    for kind in ("censored", "truncated"):
        if getattr(_response_term(model), f"is_{kind}", False):
            raise InputError(
                f"the response of the model is {kind}, so an observation has another distribution than its family. "
                "Write the prediction of one draw as a function: from_draws(fn, draws)."
            )
    columns = FormulaColumns.of(model)
    draws = _with_draws(posterior, posterior["posterior"])  # `predict` copies all it is given
    return Pending(partial(_built, model, draws, columns))


def _built(model: Any, posterior: Any, columns: FormulaColumns, X: Any) -> Model:
    """The model for rows like X: the formula finds its columns by their names."""
    draws = _draws(model, posterior, tuple(map(str, columns.check(X).columns)), columns)
    levels, count = columns.levels, len(draws)
    about = Description(
        model=f"bambi model with {count} draws",
        family=f"mixture of {model.family.name}",
        noise="included: the family of the model",
        derivatives="differences over a small step",
        columns="columns of the formula",
    )
    matched = from_function(draws.matched, categorical=levels)
    return DrawsModel(draws.differences(categorical=levels), matched, 2 * count, about, (draws_finding(count),))


def _draws(model: Any, posterior: Any, names: tuple[str, ...], columns: FormulaColumns) -> DrawsAtOnce:
    """The draws as a function of rows of numbers, with these names of columns."""
    group = posterior["posterior"]
    count = group.sizes["chain"] * group.sizes["draw"]

    def components(X: Array) -> Distribution:
        try:
            rows = columns.frame(X, names)
            predicted = model.predict(posterior, kind="response_params", data=rows, inplace=False)["posterior"]
        except (ValueError, TypeError, KeyError, IndexError) as error:
            raise InputError(
                Argument("X"),
                f": bambi cannot predict at these rows: {str(error).rstrip('.')}. Rows may have only the groups and "
                "levels that the model was fitted to, also where the formula combines them.",
            ) from error
        parameters = {}
        for name in model.family.likelihood.params:
            alias = getattr(_parameters(model)[name], "alias", None) or name
            values = predicted[alias].transpose("chain", "draw", ...).values
            values = values.reshape(-1, *values.shape[2:])  # one value per draw, or per draw and row
            parameters[name] = np.broadcast_to(values[:, None], (count, len(X))) if values.ndim == 1 else values
        return FAMILIES[model.family.name](**parameters)

    def some(most: int) -> DrawsAtOnce:
        kept = np.unique(np.linspace(0, group.sizes["draw"] - 1, most).astype(np.intp))
        few = _with_draws(posterior, group.isel(chain=[0], draw=kept))
        return _draws(model, few, names, columns)

    return DrawsAtOnce.of(components, count, some)


def _with_draws(posterior: Any, group: Any) -> Any:
    """The same kind of object with these draws and nothing else."""
    if hasattr(posterior, "from_dict") and hasattr(posterior, "children"):  # a DataTree
        return type(posterior).from_dict({"posterior": group.to_dataset() if hasattr(group, "to_dataset") else group})
    return type(posterior)(posterior=group)


@dataclass(frozen=True)
class FormulaColumns:
    """The variables of a formula, in the order of the data it was fitted to."""

    names: tuple[str, ...]
    #: The variables with levels, and the levels of the training data: factors, and the groups of (1 | group).
    levels: dict[str, tuple[Any, ...]]
    #: The variables of the left-hand side.
    response: tuple[str, ...]
    #: The types of the columns, which rows made from numbers get again.
    types: dict[str, Any]

    @classmethod
    def of(cls, model: Any) -> FormulaColumns:
        """Read the design matrices of a built model."""
        used: set[str] = set()
        with_levels: set[str] = set()
        for component in _parameters(model).values():
            design = getattr(component, "design", None)  # a constant component has none
            for part in (getattr(design, "common", None), getattr(design, "group", None)):
                for term in getattr(part, "terms", {}).values():
                    used |= set(term.var_names)
                    with_levels |= set(_factors(term))
        data, response = model.data, _response_term(model)
        names = tuple(name for name in map(str, data.columns) if name in used)
        with_levels |= {name for name in names if not _is_number(data[name])}
        return cls(
            names,
            {name: tuple(_levels(data[name])) for name in names if name in with_levels},
            tuple(sorted(set(getattr(getattr(response, "term", response), "var_names", ()) or ()) - {""})),
            {name: data[name].dtype for name in names},
        )

    def frame(self, numbers: Array, names: tuple[str, ...]) -> Any:
        """Rows of numbers as a data frame with the labels that the model was fitted to."""
        import pandas as pd

        columns = dict(zip(names, numbers.T, strict=True))
        for name, levels in self.levels.items():
            if all(isinstance(level, Real | np.bool_) for level in levels):  # such levels are numbers already
                labels = {float(level): level for level in levels}
            else:  # others are counted
                labels = dict(enumerate(levels))
            columns[name] = pd.Series([labels[number] for number in columns[name]]).astype(self.types[name])
        return pd.DataFrame(columns)

    def check(self, X: Any) -> Any:
        """X as a data frame that has these columns and not the response."""
        X = as_pandas(X)
        for problem in self._problems(X):
            raise InputError(Argument("X"), problem)
        return X

    def _problems(self, X: Any) -> Iterator[str]:
        """Reasons why the rows X do not fit the formula, as they follow the name of the argument; the first counts."""
        if not is_frame(X):
            of = f"of the formula ({quoted(self.names)})"
            yield f" must be a data frame with the columns {of}; got {type(X).__name__}."
        given = list(map(str, X.columns))
        missing = [name for name in self.names if name not in given]
        if missing:
            yield f" must have the columns {quoted(missing)} of the formula; got {given}."
        for name in self.names:
            levels = self.levels.get(name)
            if levels is None and not _is_number(X[name]):
                yield f": column {name!r} must hold numbers, as in the data of the model; got {X[name].dtype}."
            unknown = [] if levels is None else [each for each in X[name].dropna().unique() if each not in levels]
            if unknown:
                new, known = (first_few([repr(plain(each)) for each in labels]) for labels in (unknown, levels or ()))
                yield f": column {name!r} has {new}, which the model was not fitted to. It knows {known}."
        for name in set(self.response) & {*given} - {*self.names}:
            yield f" has the column {name!r}, which the model predicts. Leave it out: X.drop(columns={name!r})."


def _parameters(model: Any) -> dict[str, Any]:
    """The parameters of the family by name; older releases call them components."""
    parameters = getattr(model, "parameters", None)
    return model.components if parameters is None else parameters


def _response_term(model: Any) -> Any:
    """The left-hand side of the formula; older releases keep it in a component."""
    term = getattr(model, "response_term", None)
    return model.response_component.term if term is None else term


def _factors(term: Any) -> Iterator[str]:
    """The variables of a term that are read as levels: C(x), and groups."""
    if hasattr(term, "factor"):  # (expr | factor)
        yield from term.factor.var_names
        yield from _factors(term.expr)
    for part in getattr(term, "components", ()):
        if getattr(part, "kind", None) == "categoric":
            yield from part.var_names


def _is_number(column: Any) -> bool:
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    return is_numeric_dtype(column) and not is_bool_dtype(column)


def _levels(column: Any) -> list[Any]:
    """The labels of a column, in the order of its categories or else sorted."""
    return list(column.cat.categories) if hasattr(column, "cat") else sorted(column.unique())
