"""GPs of main effects and some pairs, one after the other: each set of pairs is fitted once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rsens.kernels import ALL_KERNELS, Kernel, Stationary, Sum, additive

ColumnPair = tuple[int, int]
#: Pairs that a reduced model has, in no order.
PairSet = frozenset[ColumnPair]


@dataclass(frozen=True)
class KernelTerms:
    """The terms of reduced models: one per column, and one per chosen pair, in the order of the columns."""

    n_columns: int
    categorical: tuple[int, ...] = ()
    kind: str = "EQ"

    def kernel(self, pairs: PairSet) -> Kernel:
        """The kernel with these pairs; the same for every order of choice."""
        return additive(self.n_columns, sorted(pairs), kinds_of_terms()[self.kind], self.categorical)

    def parts(self, pairs: PairSet) -> list[ColumnPair | int]:
        """The columns and pairs that the terms of `kernel` belong to."""
        return [*range(self.n_columns), *sorted(pairs)]


@dataclass(eq=False)
class ReducedModels:
    """Reduced models of some rows, kept by their sets of pairs.

    A warm start alone is too little: main effects that had to make up for a missing pair may be far away.
    """

    estimator: Any
    terms: KernelTerms
    X: Any
    y: Any
    models: dict[PairSet, Any] = field(default_factory=dict)

    def model(self, pairs: PairSet, before: PairSet | None) -> Any:
        """The fitted model with these pairs; `before` is the set with one fewer that is fitted already, or None."""
        from sklearn.base import clone

        if pairs not in self.models:
            start = self.terms.kernel(pairs)
            if before is None:
                self.models[pairs] = fit_kernel(self.estimator, start, self.X, self.y)
            else:
                single, smaller = clone(self.estimator).set_params(n_restarts=0), self.models[before]
                cold = fit_kernel(single, start, self.X, self.y)
                continued = _with_shared_terms(start, self.terms, pairs, smaller, before)
                likelihood = smaller._gps[0].likelihood
                again = clone(single).set_params(likelihood=likelihood) if len(likelihood.theta) else single
                warm = fit_kernel(again, continued, self.X, self.y)
                self.models[pairs] = max(cold, warm, key=_log_posterior)
        return self.models[pairs]


def fit_kernel(estimator: Any, kernel: Kernel | None, X: Any, y: Any) -> Any:
    """A new model like `estimator`, with this kernel (None: its own)."""
    from sklearn.base import clone

    model = clone(estimator)
    return (model if kernel is None else model.set_params(kernel=kernel)).fit(X, y)


def kinds_of_terms() -> dict[str, type[Stationary]]:
    """The kernels that the terms of reduced models may have, by name: the stationary ones."""
    return {kind.__name__: kind for kind in ALL_KERNELS if issubclass(kind, Stationary)}


def kind_of_terms(kernel: Kernel | None) -> str:
    """The kind of the terms of reduced models: the full model's kernel if it is a single stationary one, else EQ."""
    return next((name for name, kind in kinds_of_terms().items() if type(kernel) is kind), "EQ")


def _log_posterior(model: Any) -> float:
    """The value that the search for the hyperparameters maximised, summed over classes."""
    return sum(gp.log_posterior for gp in model._gps)


def _with_shared_terms(kernel: Kernel, terms: KernelTerms, pairs: PairSet, model: Any, before: PairSet) -> Kernel:
    """The kernel with the hyperparameters of the terms that the model has too; the mean of log values over classes."""
    kernels = [gp.kernel for gp in model._gps]  # in the units that the search works in, one for each class
    mean = kernels[0].with_theta(np.mean([each.theta for each in kernels], axis=0))
    shared = dict(zip(terms.parts(before), mean.terms, strict=True))
    assert isinstance(kernel, Sum)  # two columns at least
    return Sum(tuple(shared.get(part, own) for part, own in zip(terms.parts(pairs), kernel.terms, strict=True)))
