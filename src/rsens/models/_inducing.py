"""Inducing inputs, chosen among the rows of X, so that categorical columns keep their levels; and are they enough?

The check compares a ranking with the answer of half as many inducing inputs, with nothing fitted again. Inducing inputs
are in the order in which they were chosen, and L of K_uu is triangular: so the first h whitened weights, w_h, belong to
the GP with the first h inducing inputs. Given the data, w has precision B = I + S and mean ŵ, where S and Bŵ
are sums over rows (`_sparse.py`). Their first h entries are the sums of the smaller GP: it has the precision I + S_hh
and the mean (I + S_hh)⁻¹(Bŵ)_h. For Gaussian noise this is exactly its posterior; for other likelihoods it is one step
of Newton's method away from the mode of the larger GP.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack, svd
from sklearn.utils.validation import check_is_fitted

from rsens._errors import Argument, Sentence
from rsens._table import Table
from rsens._text import percent
from rsens._typing import Array
from rsens.kernels import Kernel
from rsens.models._rows import SEARCH_ROWS, Data
from rsens.models._sparse import LowRankPrior, factored_identity_plus
from rsens.posteriors import DenseRoot, LatentPosterior

#: When less than this share of the largest prior variance is left, another row adds nothing.
NOTHING = 1e-10
#: Rows whose variances differ by less than this share are equally good, and the first is taken: on a regular grid
#: rounding would decide otherwise, and rounding depends on the order in which a mean was summed.
TIE = 1e-9
#: The most memory of the greedy choice: if X has too many rows for it, we draw as many as fit.
GREEDY_BYTES = 64 * 2**20
#: How far R-sens may move from M/2 to M, relative to the largest: the error that is left at M is smaller than that,
#: since it falls quickly with M.
MOST_CHANGE = 0.25
#: Two variables differ clearly if the larger R-sens exceeds the smaller by this share of the largest.
CLEARLY = 0.05
#: Inducing inputs that leave no more than this share of the prior variance at any row do what all rows would do, and
#: it does not matter that half of them may not.
NOTHING_LEFT = 1e-4
#: How many rows are looked at.
CHECKED_ROWS = 1000


def choose_inducing(
    X: Array, kernel: Kernel, M: int, random_state: int | np.random.Generator | None = None, *, enough: float = NOTHING
) -> tuple[NDArray[np.intp], float]:
    """At most M rows of X, in the order of choice, and the largest share of the prior variance they leave at a row.

    A pivoted Cholesky factorisation of k(X, X), in O(N M²), until that share is `enough`; random only if X has very
    many rows. The first of equally good rows is taken: give X in an order that depends on its values only.
    """
    seen = np.arange(len(X))
    most = max(M, GREEDY_BYTES // (8 * M))
    if len(X) > most:
        seen = np.sort(np.random.default_rng(random_state).choice(len(X), most, replace=False))
    rows, left = _greedy(X[seen], kernel, min(M, len(seen)), enough)
    largest = float(kernel.diag(X[seen]).max())
    chosen = seen[rows or [0]]  # at least one, even if f = 0 everywhere, as under a Linear kernel at the origin
    return chosen, float(left.max()) / largest if largest > 0.0 else 0.0


def inducing_inputs(data: Data, kernel: Kernel, M: int, enough: float, rng: np.random.Generator) -> Array:
    """At most M rows for this kernel, chosen among all, or among as many as fit in the memory of the choice."""
    most = max(M, GREEDY_BYTES // (8 * M))
    if len(data.y) > SEARCH_ROWS and most < len(data.y):
        data = data.drawn(most, rng.spawn(1)[0])
    X = data.ordered.X
    return X[choose_inducing(X, kernel, M, rng, enough=enough)[0]]


def _greedy(X: Array, kernel: Kernel, M: int, enough: float) -> tuple[list[int], Array]:
    """The pivots, and k(x, x) − q(x, x) at every row; C is the Cholesky factor."""
    left = kernel.diag(X)
    nothing = enough * left.max()
    C = np.empty((len(X), M), order="F")
    rows: list[int] = []
    while (j := len(rows)) < M and left.max() > nothing:
        pivot = int(np.argmax(left >= (1.0 - TIE) * left.max()))
        column = kernel(X, X[pivot : pivot + 1])[:, 0]
        if j:
            column = column - blas.dgemv(1.0, C[:, :j], C[pivot, :j])
        C[:, j] = column / np.sqrt(left[pivot])
        left = np.maximum(left - C[:, j] ** 2, 0.0)
        rows.append(pivot)
        left[rows] = 0.0
    return rows, left


@dataclass(frozen=True, eq=False)
class InducingCheck:
    """R-sens of every variable, per standard deviation, from all M inducing inputs and from the first half of them."""

    names: tuple[str, ...]
    n_inducing: int
    values: Array
    values_of_half: Array
    #: The largest prior variance of f that the inducing inputs leave at a row, relative to the largest prior variance.
    left: float

    @property
    def largest_change(self) -> float:
        """The largest difference between the two, relative to the largest R-sens."""
        largest = float(self.values.max())
        return float(np.abs(self.values_of_half - self.values).max()) / largest if largest > 0.0 else 0.0

    @property
    def changed_order(self) -> list[tuple[str, str]]:
        """Pairs of variables, the more important first, that differ clearly and trade places with half of M."""
        larger = self.values[:, None] - self.values
        trade = (larger > CLEARLY * self.values.max()) & (self.values_of_half[:, None] < self.values_of_half)
        return [(self.names[i], self.names[j]) for i, j in np.argwhere(trade)]

    @property
    def passed(self) -> bool:
        """Whether M is enough: half of it gives similar numbers in the same order, or M leaves nothing."""
        return self.left <= NOTHING_LEFT or (self.largest_change <= MOST_CHANGE and not self.changed_order)

    @property
    def advice(self) -> Sentence:
        """The finding, and a way to improve the model."""
        return Sentence(
            f"The ranking depends on the number of inducing inputs: {self} Raise ",
            Argument("inducing"),
            f", for example to {2 * self.n_inducing}, until this no longer is so.",
        )

    def __str__(self) -> str:
        if self.left <= NOTHING_LEFT:
            return f"{self.n_inducing} inducing inputs leave {self.left:.1g} of the prior variance: it is as if exact."
        trading = [f"{' and '.join(pair)} trade places" for pair in self.changed_order[:1]]
        return (
            f"with {self.n_inducing // 2} instead of {self.n_inducing} inducing inputs, R-sens changes by up to "
            f"{percent(self.largest_change)} of the largest, and "
            f"{(trading or ['clearly different variables keep their order'])[0]}."
        )

    __repr__ = __str__


def checked_inducing(model: Any, X: Any = None) -> InducingCheck | None:
    """See `GPRegressor.inducing_check`."""
    check_is_fitted(model)
    rows = model.training_inputs_ if X is None else model._rows(X)
    if any(gp.inducing is None or len(gp.inducing) < 2 for gp in model._gps):
        return None
    smaller = copy(model)
    smaller._gps = tuple(replace(gp, posterior=half_posterior(gp.posterior)) for gp in model._gps)
    some = rows[np.unique(np.linspace(0, len(rows) - 1, CHECKED_ROWS).astype(np.intp))]
    table = Table(tuple(model._column_names), some, None, model.coding_)
    records = [each.derivatives(table, 1) for each in (model, smaller)]
    values, of_half = (np.mean(record.distribution.fisher_norm(record.first), axis=0) for record in records)
    left = max(_left(gp.posterior, model._units.inputs(some)) for gp in model._gps)
    scale = model.input_scale_
    return InducingCheck(table.names, model.n_inducing, scale * values, scale * of_half, left)


def _left(posterior: LatentPosterior, inputs: Array) -> float:
    """The largest of k** − q** at the inputs, relative to the largest k**."""
    prior, missed = posterior.kernel.diag(inputs), []
    for rows, V in LowRankPrior(posterior.kernel, inputs, posterior.inputs).chunks():
        missed.append(prior[rows] - np.einsum("ij,ij->j", V, V))
    return float(np.concatenate(missed).max() / prior.max()) if prior.any() else 0.0


def half_posterior(posterior: LatentPosterior) -> LatentPosterior:
    """The posterior with the first half of the inducing inputs, from the posterior with all of them."""
    assert isinstance(posterior.root, DenseRoot)
    inputs, half = posterior.inputs, len(posterior.inputs) // 2
    L = LowRankPrior(posterior.kernel, inputs[:0], inputs).L
    # RL is diag(√(s/(1 + s)))Uᵀ up to a rotation from the left, with S = U diag(s) Uᵀ
    _, g, Ut = svd(blas.dtrmm(1.0, L, posterior.root.R, side=1, lower=1), full_matrices=False)
    left = np.maximum(1.0 - g**2, np.finfo(np.float64).eps)  # 1/(1 + s)
    scaled = np.asfortranarray(Ut * (g / np.sqrt(left))[:, None])  # diag(√s)Uᵀ
    w = blas.dtrmv(L, posterior.weights, lower=1, trans=1)
    Bw = w + blas.dgemv(1.0, scaled, blas.dgemv(1.0, scaled, w), trans=1)
    S_hh = blas.dgemm(1.0, scaled[:, :half], scaled[:, :half], trans_a=1)
    w_h, _ = lapack.dpotrs(factored_identity_plus(S_hh), Bw[:half], lower=1)
    return LowRankPrior(posterior.kernel, inputs[:0], inputs[:half]).posterior(w_h, S_hh, posterior.mean)
