"""bambi: the parameters of the family for every posterior draw, from `Model.predict`; derivatives by differences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.adapters._bambi_columns import FormulaColumns, formula_columns, parameters_of
from rsens.adapters._bambi_families import family_named
from rsens.adapters._draws_finding import draws_finding
from rsens.adapters._origin import is_a
from rsens.adapters._pending import Pending
from rsens.derivatives import Description, Draws, DrawsModel, Model, from_function
from rsens.distributions import Distribution, Mixture


def from_bambi(model: Any, posterior: Any) -> Model:
    """A bambi model with its posterior draws, as a model to explain.

    The predictive is the mixture over draws of the model's family, noise included, also of distributional models. Rows
    are data frames with the columns of the formula. Factors and the groups of group-specific terms are categorical:
    their levels are compared, and only levels that the model was fitted to are known. The model and the draws are left
    as they are.

    Args:
        model: A fitted `bambi.Model` with one of the families gaussian, t, bernoulli, categorical, poisson,
            negativebinomial, gamma, exponential and beta.
        posterior: What `model.fit()` returned, a DataTree or InferenceData.

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
        raise InputError("from_bambi: ", Argument("model"), f" must be a bambi.Model; got {type(model).__name__}.")
    if not is_a(posterior, "xarray.DataTree", "arviz.InferenceData"):
        raise InputError(
            "from_bambi: ",
            Argument("posterior"),
            f" must be what model.fit() returned, a DataTree or InferenceData; got {type(posterior).__name__}.",
        )
    if not getattr(model, "built", True):
        raise InputError("from_bambi: ", Argument("model"), " is not fitted. Call model.fit() first.")
    return BambiModel(model, posterior)


class BambiModel(Pending):
    """The model that `from_bambi` makes: what the columns of X are called says how they fit the formula."""

    def __init__(self, model: Any, posterior: Any) -> None:
        self._model, self._posterior = model, _only_draws(posterior)
        self._family = family_named(model)
        self._columns = formula_columns(model)

    def built_for(self, X: Any) -> Model:
        names = tuple(map(str, self._columns.check(X).columns))
        draws = FormulaDraws.of(self._model, self._posterior, self._family, names, self._columns)
        levels = self._columns.levels
        return DrawsModel(
            draws.differences(categorical=levels),
            from_function(draws.matched, categorical=levels),
            2 * len(draws),
        ).described(self._description(len(draws)), draws_finding(len(draws)))

    def _description(self, count: int) -> Description:
        return Description(
            model=f"bambi model with {count} draws",
            family=f"mixture of {self._model.family.name}",
            noise="included: the family of the model",
            derivatives="differences over a small step",
            columns="columns of the formula",
        )


@dataclass(frozen=True, eq=False)
class FormulaDraws(Draws):
    """The draws of a bambi model; all of them are predicted in one call, as a function of rows of numbers."""

    model: Any
    posterior: Any
    family: Callable[..., Distribution]
    names: tuple[str, ...]
    columns: FormulaColumns

    @classmethod
    def of(
        cls,
        model: Any,
        posterior: Any,
        family: Callable[..., Distribution],
        names: tuple[str, ...],
        columns: FormulaColumns,
    ) -> FormulaDraws:
        count = posterior["posterior"].sizes["chain"] * posterior["posterior"].sizes["draw"]
        return cls(family, {}, np.full(count, 1.0 / count), model, posterior, family, names, columns)

    def some(self, count: int) -> FormulaDraws:
        """At most so many of the draws, of the first chain."""
        group = self.posterior["posterior"]
        kept = np.unique(np.linspace(0, group.sizes["draw"] - 1, count).astype(np.intp))
        few = _with_draws(self.posterior, group.isel(chain=[0], draw=kept))
        return FormulaDraws.of(self.model, few, self.family, self.names, self.columns)

    def matched(self, X: Array) -> Distribution:
        """One call gives all draws, so these are matched for some rows at a time."""
        return self.matched_by_rows(X)

    def mixture(self, X: Array) -> Mixture:
        """The predictive at rows of numbers, with arrays (S, n)."""
        shape = (len(self), len(X))
        parameters = self._predict(self.columns.frame(X, self.names))
        components = self.family(**{name: _filled(a, shape) for name, a in parameters.items()})
        return Mixture(components, self.weights, draws=True)

    def families(self, X: Array) -> Iterator[Distribution]:
        """The same draw by draw."""
        components = self.mixture(X).components
        for s in range(len(self)):
            yield type(components)(**{name: values[s] for name, values in components.fields().items()})

    def _predict(self, frame: Any) -> dict[str, Array]:
        """The parameters of the family for all draws at the rows of a data frame, (S,) or (S, n, …)."""
        try:
            predicted = self.model.predict(self.posterior, kind="response_params", data=frame, inplace=False)
        except (ValueError, TypeError, KeyError, IndexError) as error:
            raise InputError(
                Argument("X"),
                f": bambi cannot predict at these rows: {str(error).rstrip('.')}. Rows may have only the groups and "
                "levels that the model was fitted to, also where the formula combines them.",
            ) from error
        parameters = {}
        for name in self.model.family.likelihood.params:
            component = parameters_of(self.model)[name]
            values = (
                predicted["posterior"][getattr(component, "alias", None) or name].transpose("chain", "draw", ...).values
            )
            parameters[name] = values.reshape(-1, *values.shape[2:])
        return parameters


def _filled(values: Array, shape: tuple[int, int]) -> Array:
    """(S, n, …) from one value per draw, or per draw and row."""
    return np.broadcast_to(values[:, None], shape) if values.ndim == 1 else values


def _only_draws(posterior: Any) -> Any:
    """The group "posterior" alone: `predict` copies all it is given."""
    return _with_draws(posterior, posterior["posterior"])


def _with_draws(posterior: Any, group: Any) -> Any:
    """The same kind of object with these draws and nothing else."""
    if hasattr(posterior, "from_dict") and hasattr(posterior, "children"):  # a DataTree
        return type(posterior).from_dict({"posterior": group.to_dataset() if hasattr(group, "to_dataset") else group})
    return type(posterior)(posterior=group)
