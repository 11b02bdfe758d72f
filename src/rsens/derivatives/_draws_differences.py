"""First derivatives of every draw of a NumPy function by central differences."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit

from rsens._coding import Coding
from rsens._table import Table
from rsens._typing import Array
from rsens.derivatives._counted import Counter
from rsens.derivatives._derivatives import Derivatives, without_derivatives
from rsens.derivatives._differences import DifferenceModel
from rsens.derivatives._draws import Draws
from rsens.derivatives._evaluation import z_columns
from rsens.derivatives._model import MAX_BYTES, Function, rows_of
from rsens.derivatives._output import check_fixed, spread_out
from rsens.derivatives._steps import Steps
from rsens.distributions import Distribution, Mixture

#: How many draws, and rows, are looked at for what can be wrong with a function: it is the same one for all draws.
LOOKED_AT = 4
LOOKED_AT_ROWS = 64


@dataclass(frozen=True, eq=False)
class DrawDifferences(Function):
    """The mixture of the draws with ∂λ of each: 2D + 1 copies of the rows in one call of the function per draw."""

    draws: Draws
    step: Array | None = None
    scale: Array | None = None
    categorical: Any = None
    coding: Coding | None = None
    #: The steps for all explained rows; set by `prepared`.
    steps: Steps | None = None
    #: Who counts the rows that the function is asked about.
    counter: Counter | None = None

    by_differences: ClassVar[bool] = True

    def _derivatives(self, X: Any, order: int) -> Derivatives:
        if order == 2:  # the stacked form is rare: the whole machinery, for the mixture as one function
            return self._all_at_once().derivatives(X, 2)
        X = self.numbers(X)
        n, columns = X.shape[0], self.continuous(X.shape[1])
        self._count(n * (1 + 2 * len(columns)))
        if not columns:
            return without_derivatives(self.draws.mixture(X).checked(n), X.shape[1], order)
        steps = self.steps or Steps.of(X, self.step, self.scale)
        h = steps.widths(X, 1)
        below, above = X - h, X + h
        points = np.broadcast_to(X, (1 + 2 * len(columns), *X.shape)).copy()
        for k, d in enumerate(columns):
            points[1 + 2 * k, :, d], points[2 + 2 * k, :, d] = above[:, d], below[:, d]
        width = (above - below)[:, columns]  # as rounded
        mixture, first = self._differences(points, width)
        return Derivatives(mixture, spread_out(first, self.coding, 1))

    def _differences(self, points: Array, width: Array) -> tuple[Mixture, Array]:
        """The mixture at the rows, points[0], and ∂λ (n, S·M, columns) from the points moved up and down."""
        copies, n, n_columns = points.shape
        fields: dict[str, Array] = {}
        first = np.empty(0)
        kind: type[Distribution] | None = None
        for s, family in enumerate(self.draws.families(points.reshape(-1, n_columns))):
            kind = type(family)
            columns = z_columns(family)
            if s == 0:
                first = np.empty((n, len(self.draws), len(columns), (copies - 1) // 2))
            for m, column in enumerate(columns):
                z = _by_copies(column, copies, n)
                np.subtract(z[1::2].T, z[2::2].T, out=first[:, s, m])
            for name, values in family.fields().items():
                event = values.shape[values.ndim - family.domains[name].event_ndim :]
                if s == 0:
                    fields[name] = np.empty((len(self.draws), n, *event))
                at = _by_copies(values, copies, n, event)
                fields[name][s] = at[0]
                if name in family.fixed_fields and not np.allclose(at, at[0], 1e-12, 0.0):
                    check_fixed(family, [key == name for key in family.fields()])
        assert kind is not None  # there is at least one draw
        first /= width[:, None, None, :]
        mixture = Mixture(kind(**fields), self.draws.weights, draws=True).checked(n)
        if "logit" in fields:  # ∂π = π(1 − π) ∂logit
            z0 = fields["logit"].T
            first *= (expit(z0) * expit(-z0))[:, :, None, None]
        return mixture, first.reshape(n, -1, first.shape[-1])

    def predict_distribution(self, X: Any) -> Distribution:
        X = self.coded(X).numbers(X)
        self._count(len(X))
        return self.draws.mixture(X).checked(len(X))

    def prepared(self, X: Any) -> DrawDifferences:
        model = self.coded(X)
        table = rows_of(model, X)
        steps = Steps.of(model.numbers(table), self.step, self.scale)
        # A look at a few rows and draws, for rows that are mixed up, jumps, noise and rounding.
        few = DifferenceModel(self.draws.some(LOOKED_AT).mixture, self.step, self.scale, None, model.coding)
        some = np.unique(np.linspace(0, len(table) - 1, LOOKED_AT_ROWS).astype(np.intp))
        replace(few, steps=steps).derivatives(Table(table.names, table.values[some], None, table.coding), 1)
        return replace(model, steps=steps)

    def counted(self, counter: Counter) -> DrawDifferences:
        return replace(self, counter=counter)

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        if order == 2:
            return self._all_at_once().rows_per_chunk(n_columns, 2)
        parameters = len(self.draws) * 2
        return max(1, int(MAX_BYTES / (8.0 * parameters * 6.0 * max(1, n_columns))))

    def _all_at_once(self) -> DifferenceModel:
        parameters = len(self.draws) * 2
        model = DifferenceModel(self.draws.mixture, self.step, self.scale, self.categorical, self.coding, parameters)
        return replace(model, steps=self.steps)

    def _count(self, rows: int) -> None:
        if self.counter is not None:
            self.counter.add(rows)


def _by_copies(values: Array, copies: int, n: int, event: tuple[int, ...] = ()) -> Array:
    """(copies · n, …) → (copies, n, …). This is called for every draw, and `broadcast_to` is slow."""
    shape = (copies * n, *event)
    return (values if values.shape == shape else np.broadcast_to(values, shape)).reshape(copies, n, *event)
