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
from rsens._text import quoted
from rsens._typing import Array
from rsens.adapters._adapter import Pending, wrong_kind
from rsens.adapters._posterior_draws import DrawsAtOnce
from rsens.derivatives import Model
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
    term = getattr(model, "response_term", None)
    term = model.response_component.term if term is None else term  # of older releases
    if getattr(term, "is_censored", False) or getattr(term, "is_truncated", False):
        raise InputError(
            "the response of the model is censored or truncated, so an observation has another distribution than its "
            "family. Write the prediction of one draw as a function: from_draws(fn, draws)."
        )
    columns = FormulaColumns.of(model)
    group = posterior["posterior"]  # `predict` copies all it is given
    if is_a(posterior, "xarray.DataTree"):
        draws = type(posterior).from_dict({"posterior": group.to_dataset()})
    else:
        draws = type(posterior)(posterior=group)
    return Pending(partial(_built, model, draws, columns))


def _built(model: Any, posterior: Any, columns: FormulaColumns, X: Any) -> Model:
    """The model for rows like X: the formula finds its columns by their names."""
    sizes = posterior["posterior"].sizes
    count = sizes["chain"] * sizes["draw"]
    components = partial(_components, model, posterior, columns, tuple(map(str, columns.check(X).columns)), count)
    noise = "included: the family of the model"
    draws = DrawsAtOnce.of(components, count)
    return draws.model("bambi model", model.family.name, noise, "columns of the formula", columns.levels)


def _components(
    model: Any, posterior: Any, columns: FormulaColumns, names: tuple[str, ...], count: int, X: Array
) -> Distribution:
    """The family of every draw at rows of numbers with these names of columns, arrays (S, n)."""
    try:
        rows = columns.frame(X, names)
        predicted = model.predict(posterior, kind="response_params", data=rows, inplace=False)["posterior"]
    except (ValueError, TypeError, KeyError, IndexError) as error:
        text = f": bambi cannot predict at these rows: {str(error).rstrip('.')}. Rows may have only known levels."
        raise InputError(Argument("X"), text) from error
    parameters = {}
    for name in model.family.likelihood.params:
        alias = getattr(_parameters(model)[name], "alias", None) or name
        values = predicted[alias].transpose("chain", "draw", ...).values
        values = values.reshape(-1, *values.shape[2:])  # one value per draw, or per draw and row
        parameters[name] = np.broadcast_to(values[:, None], (count, len(X))) if values.ndim == 1 else values
    return FAMILIES[model.family.name](**parameters)


@dataclass(frozen=True)
class FormulaColumns:
    """The variables of a formula, in the order of the data it was fitted to."""

    #: The types of the columns by name, which rows made from numbers get again.
    types: dict[str, Any]
    #: The variables with levels, and the levels of the training data: factors, and the groups of (1 | group).
    levels: dict[str, tuple[Any, ...]]

    @classmethod
    def of(cls, model: Any) -> FormulaColumns:
        """Read the design matrices of a built model."""
        designs = [getattr(each, "design", None) for each in _parameters(model).values()]  # a constant has none
        parts = [getattr(design, part, None) for design in designs for part in ("common", "group")]
        terms = [term for part in parts for term in getattr(part, "terms", {}).values()]
        used = {name for term in terms for name in term.var_names}
        factors = {name for term in terms for name in _factors(term)}
        types = {str(name): model.data[name].dtype for name in model.data.columns if name in used}
        with_levels = [name for name in types if name in factors or not _is_number(model.data[name])]
        return cls(types, {name: tuple(_levels(model.data[name])) for name in with_levels})

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
        """X as a data frame that has these columns."""
        X = as_pandas(X)
        given = list(map(str, X.columns)) if is_frame(X) else []
        missing = [name for name in self.types if name not in given]
        if missing:
            got = given or type(X).__name__
            raise InputError(Argument("X"), f" must be a data frame with the columns {quoted(missing)}; got {got}.")
        for name in self.types:
            unknown = [label for label in X[name].dropna().unique() if label not in self.levels.get(name, (label,))]
            if unknown:
                text = f": column {name!r} has {quoted(map(plain, unknown))}, which the model was not fitted to."
                raise InputError(Argument("X"), text)
            if name not in self.levels and not _is_number(X[name]):
                text = f": column {name!r} must hold numbers, as in the data of the model; got {X[name].dtype}."
                raise InputError(Argument("X"), text)
        return X


def _parameters(model: Any) -> dict[str, Any]:
    """The parameters of the family by name; older releases call them components."""
    parameters = getattr(model, "parameters", None)
    return model.components if parameters is None else parameters


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
