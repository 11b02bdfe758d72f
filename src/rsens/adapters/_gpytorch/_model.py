"""The model that every GP of GPyTorch and BoTorch becomes: a latent Gaussian, and what is observed of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rsens._coding import Coding
from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.adapters._gpytorch._checks import State, findings
from rsens.adapters._gpytorch._observations import Observation
from rsens.adapters._gpytorch._source import LatentSource
from rsens.adapters._gpytorch._transforms import Outcome
from rsens.derivatives import Derivatives, Description, Finding, Model, check_order, rows_of
from rsens.distributions import Distribution
from rsens.posteriors import Latent


@dataclass(frozen=True, eq=False)
class GaussianProcess(Model):
    """f from the source, y from f.

    Args:
        source: The latent Gaussian, on the scale on which the model works.
        outcome: The way from that scale to the scale of y, or of log y.
        observation: What y is given f, in the units of y.
        state: How the object was found, for the checks.
        training_inputs_: (N, D), in the units of X, where the model keeps them.
        levels: The values of the columns that the kernel takes for categories: {position: values}.
    """

    source: LatentSource
    outcome: Outcome
    observation: Observation
    state: State
    training_inputs_: Array | None = None
    levels: Mapping[int, tuple[float, ...]] = field(default_factory=dict)
    coding: Coding | None = None
    takes_tables = True
    takes_codes = True

    @property
    def name(self) -> str:
        return self.state.name

    def derivatives(self, X: Any, order: int) -> Derivatives:
        check_order(order)
        latent = self._in_units(self.source.derivatives(self._rows(X), order))
        return self.observation.derivatives(self._without_levels(latent))

    def predict_distribution(self, X: Any) -> Distribution:
        return self.observation.predictive(self._in_units(self.source.moments(self._rows(X))))

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        return self.source.rows_per_chunk(n_columns, order)

    def coded(self, X: Any, weights: Any = None) -> GaussianProcess:
        if self.coding is not None or not self.levels:
            return self
        coding = Coding.of(X, {d: list(values) for d, values in self.levels.items()}, weights=weights)
        return replace(self, coding=coding)

    @property
    def description(self) -> Description:
        return Description(
            self.state.title, self.observation.family, self.observation.noise, self.source.way, self.state.columns
        )

    def checks(self, X: Any) -> Iterator[Finding]:
        yield from findings(self.state, self.source, self._rows(X))

    def _rows(self, X: Any) -> Array:
        return numbers(self, X, self.state.n_columns)

    def _without_levels(self, latent: Latent) -> Latent:
        """Categorical columns have contrasts, and no derivatives, whatever else the kernel makes of them."""
        if self.coding is None:
            return latent
        numeric = np.ones(len(self.coding.names))
        numeric[list(self.coding.categorical)] = 0.0
        first, second = latent.first, latent.second
        return replace(
            latent,
            first=None if first is None else first * numeric,
            second=None if second is None else second * numeric[:, None] * numeric,
        )

    def _in_units(self, latent: Latent) -> Latent:
        shift, scale = self.outcome.shift, self.outcome.scale
        if (shift, scale) == (0.0, 1.0):
            return latent
        factors = np.array([scale, scale**2])
        return Latent(
            shift + scale * latent.mean,
            scale**2 * latent.variance,
            None if latent.first is None else latent.first * factors[:, None],
            None if latent.second is None else latent.second * factors[:, None, None],
        )


def numbers(model: Model, X: Any, n_columns: int | None) -> Array:
    """The rows X as the GP takes them, (n, D)."""
    values = rows_of(model, X).values
    if n_columns is not None and values.shape[1] != n_columns:
        raise InputError(
            f"{model.name} was fitted to {n_columns} columns; got ",
            Argument("X"),
            f" with {values.shape[1]}. Give the columns of the training data, in their order.",
        )
    return values if model.coding is None else model.coding.numbers(values)
