"""R-sens and R-sens₂ (paper eqs. 3 and 4)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rsens._typing import Array
from rsens.derivatives import Derivatives
from rsens.measures._contrasts import contrast_values, filled_first, filled_second
from rsens.measures._local import Chunks, check_alpha, from_derivatives, gathered


def rsens(model: Any, X: Any, *, alpha: float = 1.0) -> Array:
    """R-sens of every row and column, shape (n, D): sqrt(α · ∂λ/∂x_dᵀ I(λ) ∂λ/∂x_d), paper eq. (3).

    How fast the predictive distribution changes, in units of its own uncertainty, when x_d moves. The unit is one over
    the unit of the column.

    In a categorical column it is the contrast with the other levels, averaged with their frequencies w_l and per
    switch: Σ w_l sqrt(2 D_α[p(y | x) ‖ p(y | x with level l)]/α) / Σ w_l. It has the size of a derivative times a step
    from level to level; a fair binary column has the standard deviation ½, so a switch of it is two of these.

    Args:
        model: A fitted model of rsens, or a function wrapped by `from_jax`, `from_torch` or `from_function`.
        X: The rows to explain, (n, D): a data frame or an array.
        alpha: α, the order of the Rényi divergence, greater than 0; it multiplies everything by its square root. 1 is
            Kullback–Leibler.

    Returns:
        R-sens of row i in column d at [i, d], at least 0. The mean over rows is the importance of a column, which
        `explain` gives with its uncertainty.

    Example:
        A mean of 3 x₀ and a standard deviation of 2: one unit of x₀ moves the prediction by 1.5 standard deviations.

        >>> from rsens import Normal, from_function
        >>> model = from_function(lambda X: Normal(3.0 * X[:, 0], 4.0))
        >>> rsens(model, [[0.0, 5.0], [1.0, 6.0]]).round(6).tolist()
        [[1.5, 0.0], [1.5, 0.0]]
    """
    return gathered(rsens_chunks(model, X, alpha), X)


def rsens2(model: Any, X: Any, *, alpha: float = 1.0) -> Array:
    """R-sens₂ of every row and pair, shape (n, D, D): sqrt(α · ∂²λ/∂x_d∂x_eᵀ I(λ) ∂²λ/∂x_d∂x_e), paper eq. (4).

    How strongly x_d and x_e interact in the predictive distribution; symmetric in d and e. Unlike R-sens it depends on
    how the family is parametrised, so every family fixes its λ and says which it is.

    In a categorical column a contrast takes the place of the derivative: ‖∂_d λ(x_l) − ∂_d λ(x)‖ with a continuous
    column d, ‖λ(x_ll') − λ(x_l) − λ(x_l') + λ(x)‖ with another categorical one, averaged over levels with their
    frequencies, times sqrt(α). With itself it is 0.

    Args:
        model: A fitted model of rsens, or a function wrapped by `from_jax`, `from_torch` or `from_function`.
        X: The rows to explain, (n, D): a data frame or an array.
        alpha: α, the order of the Rényi divergence, greater than 0; it multiplies everything by its square root.

    Returns:
        R-sens₂ of row i for the columns d and e at [i, d, e], at least 0; d = e is the curvature in one column.

    Example:
        >>> from rsens import Normal, from_function
        >>> model = from_function(lambda X: Normal(X[:, 0] * X[:, 1], 4.0))
        >>> rsens2(model, [[0.0, 5.0], [1.0, 6.0]])[0].round(6).tolist()
        [[0.0, 0.5], [0.5, 0.0]]
    """
    return gathered(rsens2_chunks(model, X, alpha), X)


def rsens_chunks(model: Any, X: Any, alpha: float) -> Chunks:
    order = check_alpha(alpha)

    def value(derivatives: Derivatives) -> Array:
        values = np.sqrt(order) * derivatives.distribution.fisher_norm(derivatives.first)
        return filled_first(values, contrast_values(derivatives, order))

    return from_derivatives(model, X, 1, value, "R-sens")


def rsens2_chunks(model: Any, X: Any, alpha: float) -> Chunks:
    order = check_alpha(alpha)
    return from_derivatives(model, X, 2, lambda derivatives: rsens2_of(derivatives, order), "R-sens₂")


def rsens2_of(derivatives: Derivatives, alpha: float) -> Array:
    """R-sens₂ (n, D, D) of a record of second order."""
    assert derivatives.second is not None  # asked for with order = 2
    here, root = derivatives.distribution, np.sqrt(alpha)
    pairs = root * here.fisher_norm(derivatives.second)
    pairs = 0.5 * pairs + 0.5 * pairs.swapaxes(1, 2)  # equal but for rounding in some sources
    return filled_second(
        pairs, derivatives, lambda p, first: first, lambda p: p.parameters, lambda u: root * here.fisher_norm(u)
    )
