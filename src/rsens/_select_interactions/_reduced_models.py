"""GPs of main effects and some pairs, one after the other: each set of pairs is fitted once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rsens._refits import mean_kernel, with_likelihood_of, without_restarts
from rsens.kernels import ALL_KERNELS, Kernel, Stationary, Sum, additive

#: Two columns, by position.
ColumnPair = tuple[int, int]
#: Pairs that a reduced model has, in no order.
PairSet = frozenset[ColumnPair]

#: The kinds of terms of reduced models, by name.
KINDS = {kind.__name__: kind for kind in ALL_KERNELS if issubclass(kind, Stationary)}


@dataclass(frozen=True)
class KernelTerms:
    """What reduced models are made of: one term per column, and one per chosen pair, in the order of the columns."""

    n_columns: int
    categorical: tuple[int, ...] = ()
    kind: str = "EQ"

    def kernel(self, pairs: PairSet) -> Kernel:
        """The kernel with these pairs; the same whatever order they were chosen in."""
        return additive(self.n_columns, sorted(pairs), KINDS[self.kind], self.categorical)

    def parts(self, pairs: PairSet) -> list[ColumnPair | int]:
        """The columns and pairs that the terms of `kernel` belong to."""
        return [*range(self.n_columns), *sorted(pairs)]


@dataclass(eq=False)
class ReducedModels:
    """Reduced models of some rows, kept by their sets of pairs.

    A cold search for hyperparameters starts from the kernel as `additive` gives it, with the random restarts of the
    estimator. A warm search replaces the restarts by one start from the model with one pair fewer. That start alone
    would be too little: main effects that had to make up for a missing pair may be far from their place, with a ridge
    in between.
    """

    estimator: Any
    terms: KernelTerms
    X: Any
    y: Any
    warm: bool = True
    models: dict[PairSet, Any] = field(default_factory=dict)

    def model(self, pairs: PairSet, before: PairSet | None) -> Any:
        """The fitted model with these pairs; `before` is the set with one fewer that is fitted already, or None."""
        if pairs not in self.models:
            start = self.terms.kernel(pairs)
            if not self.warm or before is None:
                self.models[pairs] = fit_kernel(self.estimator, start, self.X, self.y)
            else:
                single, smaller = without_restarts(self.estimator), self.models[before]
                cold = fit_kernel(single, start, self.X, self.y)
                continued = _with_shared_terms(start, self.terms, pairs, smaller, before)
                warm = fit_kernel(with_likelihood_of(smaller, single), continued, self.X, self.y)
                self.models[pairs] = max(cold, warm, key=_log_posterior)
        return self.models[pairs]


def fit_kernel(estimator: Any, kernel: Kernel | None, X: Any, y: Any) -> Any:
    """A new model like `estimator`, with this kernel (None: its own)."""
    from sklearn.base import clone

    model = clone(estimator)
    return (model if kernel is None else model.set_params(kernel=kernel)).fit(X, y)


def kind_of_terms(kernel: Kernel | None) -> str:
    """The kind of the terms of reduced models: the full model's kernel if it is one of KINDS, else EQ."""
    return next((name for name, kind in KINDS.items() if type(kernel) is kind), "EQ")


def _log_posterior(model: Any) -> float:
    """What the search for the hyperparameters maximised; for several classes, of all together."""
    return sum(gp.log_posterior for gp in model._gps)


def _with_shared_terms(kernel: Kernel, terms: KernelTerms, pairs: PairSet, model: Any, before: PairSet) -> Kernel:
    """The kernel with the hyperparameters of the terms that the model has too; the mean of log values over classes."""
    shared = dict(zip(terms.parts(before), mean_kernel(model).terms, strict=True))
    assert isinstance(kernel, Sum)  # two columns at least
    return Sum(tuple(shared.get(part, own) for part, own in zip(terms.parts(pairs), kernel.terms, strict=True)))
