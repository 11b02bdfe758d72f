"""The directional form: R-sens along any direction, and the directions along which it is largest.

With W = B ∂λ/∂x, Bᵀ B = I(λ), moving x along v changes the prediction at the rate |W v| = sqrt(vᵀ G v), G = Wᵀ W.
The diagonal of G is R-sens². Its mean over the data plays the part that the mean outer product of gradients plays in
active subspaces (Constantine, 2015), with the uncertainty of the prediction in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rsens._errors import InputError
from rsens._typing import Array
from rsens.adapters import read_for
from rsens.derivatives import Derivatives
from rsens.measures._rsens import check_alpha, check_continuous, chunks_of, gathered
from rsens.measures._terms import check_scale, check_weights


@dataclass(frozen=True, eq=False)
class ActiveSubspace:
    """Eigenvalues (largest first) and eigenvectors (columns) of `mean`, the average of G over the rows, shape (D, D).

    An eigenvalue is the mean square R-sens along its eigenvector, a unit vector in scaled columns (x_d / scale_d). The
    entry of largest magnitude in each eigenvector is positive.

    Example:
        >>> from rsens import Normal, from_function
        >>> from rsens.measures import active_subspace
        >>> model = from_function(lambda X: Normal(3.0 * X[:, 0] + 4.0 * X[:, 1], 1.0))
        >>> found = active_subspace(model, [[0.0, 5.0], [1.0, 6.0]])
        >>> found.names, found.mean.round(3).tolist()
        (('x0', 'x1'), [[9.0, 12.0], [12.0, 16.0]])
    """

    names: tuple[str, ...]
    eigenvalues: Array
    eigenvectors: Array
    mean: Array


def directional(model: Any, X: Any, *, alpha: float = 1.0) -> Array:
    """G(x) = α (∂λ/∂x)ᵀ I(λ) ∂λ/∂x of every row, shape (n, D, D): R-sens along v is sqrt(vᵀ G v).

    Example:
        >>> import numpy as np
        >>> from rsens import Normal, from_function
        >>> from rsens.measures import directional
        >>> model = from_function(lambda X: Normal(X[:, 0] + X[:, 1], 1.0))
        >>> G = directional(model, [[0.0, 5.0], [1.0, 6.0]])[0]
        >>> along, across = np.array([1.0, 1.0]), np.array([1.0, -1.0])
        >>> float((along @ G @ along).round(4)), float((across @ G @ across).round(4))
        (4.0, 0.0)
    """
    order = check_alpha(alpha)
    model, table = read_for(model, X)
    check_continuous(table, "The directional form")

    def value(derivatives: Derivatives, alpha: float, *_: Any) -> Array:
        w = derivatives.distribution.whiten(derivatives.first)
        return alpha * np.matmul(w.swapaxes(1, 2), w)

    # G is made of first derivatives, but it has one entry per pair of columns.
    chunks = chunks_of(value, 1, "G, the matrix of squared R-sens,", column_axes=2)
    return gathered(chunks(model, table, order), len(table))


def active_subspace(
    model: Any, X: Any, *, weights: Any = None, scale: Any = None, alpha: float = 1.0
) -> ActiveSubspace:
    """The directions along which the prediction is most sensitive, on average over the rows of X.

    `weights` counts rows differently; `scale` (one number per column, by name or in order) sets the units in which a
    direction has length 1: without it they are the raw units of the columns, so give standard deviations when columns
    differ in kind. Nothing of size n is kept.

    Example:
        >>> from rsens import Normal, from_function
        >>> from rsens.measures import active_subspace
        >>> model = from_function(lambda X: Normal(3.0 * X[:, 0] + 4.0 * X[:, 1], 1.0))
        >>> found = active_subspace(model, [[0.0, 5.0], [1.0, 6.0]])
        >>> found.eigenvalues.round(3).tolist(), found.eigenvectors[:, 0].round(3).tolist()
        ([25.0, 0.0], [0.6, 0.8])
    """
    model, table = read_for(model, X)
    check_continuous(table, "The active subspace")
    root = np.sqrt(check_alpha(alpha) * check_weights(weights, len(table.values)))
    units = check_scale(scale, table.names)

    def value(derivatives: Derivatives, *_: Any) -> Array:
        return derivatives.distribution.whiten(derivatives.first) * units

    # The mean of G is Fᵀ F with F the R factor of all W stacked; G itself, a square, would lose the small eigenvalues.
    factor = np.zeros((0, len(table.names)))
    for rows, w in chunks_of(value, 1, "The whitened derivative")(model, table, 1.0):
        stacked = (root[rows, None, None] * w).reshape(-1, len(table.names))
        factor = np.asarray(np.linalg.qr(np.concatenate([factor, stacked]), mode="r"))
    _, lengths, vectors = np.linalg.svd(factor)
    with np.errstate(over="ignore"):
        mean = factor.T @ factor
    if not np.isfinite(mean).all():
        raise InputError("The mean of G, squared sensitivities, does not fit in float64. Give `scale`, or rescale y.")
    eigenvalues = np.zeros(len(table.names))
    eigenvalues[: len(lengths)] = lengths**2
    largest = np.take_along_axis(vectors, np.abs(vectors).argmax(axis=1)[:, None], axis=1)
    return ActiveSubspace(table.names, eigenvalues, (vectors * np.sign(largest)).T, mean)
