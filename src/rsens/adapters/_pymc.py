"""PyMC: the parameters of the likelihood, read from the model's graph, for every posterior draw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np

from rsens._coding import Coding
from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.adapters._draws_finding import draws_finding
from rsens.adapters._origin import is_a
from rsens.adapters._posterior_draws import draws_of
from rsens.adapters._pymc_data import DataNames, DataRows, data_rows, training_rows
from rsens.adapters._pymc_families import family_of
from rsens.adapters._pymc_graph import LikelihoodGraph, likelihood_of
from rsens.adapters._pymc_variables import free_variables, observed_values, observed_variable, shape_of, try_out
from rsens.derivatives import (
    Derivatives,
    Description,
    Draws,
    DrawsModel,
    Function,
    Model,
    from_function,
    rows_for,
    rows_of,
    spread_out,
)
from rsens.distributions import Distribution, Mixture


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
    _check_model(model)
    observed = observed_variable(model, site)
    rows = data_rows(model, data)
    family, fields = family_of(observed)
    free = free_variables(model, list(fields.values()), rows, observed)
    draws = draws_of(posterior, "posterior", {v.name: shape_of(v) for v in free}, within="the model")
    graph = likelihood_of(family, fields, free, list(draws.values()), rows.placements)
    try_out(graph, rows, model, observed)
    ours = LikelihoodDraws.of(graph)
    categorical = _categorical(rows.levels, categorical)
    trained_on = training_rows(rows, data, posterior, len(observed_values(model, observed)))
    predictive = LikelihoodModel(ours, rows, categorical, training_inputs_=trained_on)
    description = Description(
        model=f"PyMC model with {len(graph)} draws",
        family=f"mixture of {family.__name__}",
        noise=f"included: the likelihood of {observed.name!r}",
        derivatives="exact (PyTensor), second ones by differences",
        columns="columns of X as given" if isinstance(data, str) else "one pm.Data for each column",
    )
    matched = from_function(ours.matched, categorical=categorical)
    return DrawsModel(predictive, matched, len(graph) * len(graph.gradients), description, (draws_finding(len(graph)),))


def _check_model(model: Any) -> None:
    if is_a(model, "pymc.Model"):
        return
    if is_a(model, "bambi.Model"):
        raise InputError("from_pymc: ", Argument("model"), " is a bambi Model. Write from_bambi(model, posterior).")
    raise InputError("from_pymc: ", Argument("model"), f" must be a pymc.Model; got {type(model).__name__}.")


@dataclass(frozen=True, eq=False)
class LikelihoodDraws(Draws):
    """The draws of a likelihood's parameters; all of them are evaluated in one call."""

    graph: LikelihoodGraph

    @classmethod
    def of(cls, graph: LikelihoodGraph) -> LikelihoodDraws:
        return cls(partial(_components, graph), {}, np.full(len(graph), 1.0 / len(graph)), graph)

    def matched(self, X: Array) -> Distribution:
        """One call gives all draws, so these are matched for some rows at a time."""
        return self.matched_by_rows(X)

    def mixture(self, X: Array) -> Mixture:
        return Mixture(self.graph.components(X), self.weights, draws=True)


@dataclass(frozen=True, eq=False)
class LikelihoodModel(Function):
    """The mixture of a likelihood's draws, with exact first derivatives of every draw's λ."""

    draws: LikelihoodDraws
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
        first = self.draws.graph.first(X)[..., self.continuous(X.shape[1])]
        distribution = self.draws.mixture(X).checked(len(X))
        return Derivatives(distribution, spread_out(first.reshape(len(X), -1, first.shape[-1]), self.coding, 1))

    def predict_distribution(self, X: Any) -> Distribution:
        X = self.coded(X).numbers(X)
        return self.draws.mixture(X).checked(len(X))

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        numbers = len(self.draws) * len(self.draws.graph.gradients) * (1 + n_columns)
        return rows_for(8.0 * 6.0 * numbers)  # PyTensor holds a few arrays of this size


def _components(graph: LikelihoodGraph, parameters: dict[str, Any], X: Array) -> Distribution:
    return graph.components(X)


def _categorical(levels: tuple[int, ...], categorical: Any) -> Any:
    """The columns that the model indexes with, and those that the user names."""
    if categorical is None:
        return levels or None
    if isinstance(categorical, Mapping):
        return {**dict.fromkeys(levels), **categorical}
    return (*levels, *([categorical] if isinstance(categorical, str | int) else categorical))
