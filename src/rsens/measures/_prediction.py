"""The methods without uncertainty: EAD, AED, EAH and AEH differentiate the point prediction f only (paper, section 3).

f is the mean of the predictive distribution (the location of a Student-t), a function f(λ) of its parameters, so
∂f = f_λ ∂λ and ∂²f = f_λ ∂²λ + ∂λᵀ f_λλ ∂λ. A family with several outputs (class probabilities, a vector y) has one f_p
for each; they are added up with the family's `output_weight`.

In a categorical column |f(x_l) − f(x)|, averaged over the other levels with their frequencies, takes the place of the
derivative. Levels have no order, so it has no sign, and AED and AEH are there what EAD and EAH are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rsens._errors import Argument, InputError
from rsens._table import Table
from rsens._typing import Array
from rsens.adapters import read_for
from rsens.derivatives import Derivatives, Model
from rsens.distributions import Distribution
from rsens.measures._contrasts import filled_first, filled_second, prediction_contrasts
from rsens.measures._local import Chunks, from_derivatives, gathered
from rsens.measures._terms import Terms


def ead(model: Any, X: Any) -> Array:
    """|∂f/∂x_d| of every row, summed over outputs, shape (n, D); its mean over rows is the EAD of the paper.

    Example:
        >>> from rsens import Normal, from_function
        >>> from rsens.measures import ead
        >>> model = from_function(lambda X: Normal(X[:, 0] ** 2, 1.0))
        >>> ead(model, [[-1.0], [2.0]]).round(4).tolist()
        [[2.0], [4.0]]
    """
    return _gathered(ead_chunks, model, X)


def eah(model: Any, X: Any) -> Array:
    """|∂²f/∂x_d∂x_e| of every row, summed over outputs, shape (n, D, D); its mean over rows is the EAH of the paper.

    Example:
        >>> from rsens import Normal, from_function
        >>> from rsens.measures import eah
        >>> model = from_function(lambda X: Normal(-X[:, 0] * X[:, 1], 1.0))
        >>> eah(model, [[0.0, 5.0], [1.0, 6.0]])[0].round(4).tolist()
        [[0.0, 1.0], [1.0, 0.0]]
    """
    return _gathered(eah_chunks, model, X)


def aed(model: Any, X: Any) -> Array:
    """The signed ∂f/∂x_d of every row, whose mean's absolute value is the AED: (n, D), or (n, P, D) for P outputs.

    Example:
        >>> from rsens import Normal, from_function
        >>> from rsens.measures import aed
        >>> model = from_function(lambda X: Normal(X[:, 0] ** 2, 1.0))
        >>> aed(model, [[-1.0], [2.0]]).round(4).tolist()
        [[-2.0], [4.0]]
    """
    return _without_single_output(prediction_derivatives(model, X, 1))


def aeh(model: Any, X: Any) -> Array:
    """The signed ∂²f/∂x_d∂x_e of every row, whose mean's absolute value is the AEH: (n, D, D), or (n, P, D, D).

    Example:
        >>> from rsens import Normal, from_function
        >>> from rsens.measures import aeh
        >>> model = from_function(lambda X: Normal(-X[:, 0] * X[:, 1], 1.0))
        >>> (aeh(model, [[0.0, 5.0], [1.0, 6.0]])[0] + 0.0).round(4).tolist()
        [[0.0, -1.0], [-1.0, 0.0]]
    """
    return _without_single_output(prediction_derivatives(model, X, 2))


def prediction_derivatives(model: Any, X: Any, order: int = 1) -> Array:
    """First or second derivatives of the point prediction, shape (n, P, D) or (n, P, D, D) for P outputs."""
    if order not in (1, 2):
        raise InputError(Argument("order"), f" must be 1 or 2; got {order!r}.")
    value = first_of_prediction if order == 1 else second_of_prediction
    source, table = read_for(model, X)
    chunks = from_derivatives(source, table, order, value, "The derivative of the prediction")
    return gathered(chunks, len(table.values))


def first_of_prediction(derivatives: Derivatives) -> Array:
    """∂f = f_λ ∂λ, shape (n, P, D); absolute contrasts in categorical columns."""
    first = _first(derivatives.distribution, derivatives.first)
    return filled_first(first, prediction_contrasts(derivatives))


def _first(distribution: Distribution, first: Array) -> Array:
    return np.einsum("npm,nmd->npd", distribution.prediction_gradient(), first)


def second_of_prediction(derivatives: Derivatives) -> Array:
    """∂²f = f_λ ∂²λ + ∂λᵀ f_λλ ∂λ, shape (n, P, D, D); absolute contrasts in pairs with categorical columns."""
    derivatives, n_columns = derivatives.for_pairs, derivatives.first.shape[-1]
    return _filled(_second(derivatives), derivatives, np.abs, np.ones(n_columns), Terms.single(n_columns))


def _second(derivatives: Derivatives) -> Array:
    assert derivatives.second is not None  # asked for with order = 2
    second = np.einsum("npm,nmde->npde", derivatives.distribution.prediction_gradient(), derivatives.second)
    hessian = derivatives.distribution.prediction_hessian()
    if hessian is not None:
        second += np.einsum("nmd,npmk,nke->npde", derivatives.first, hessian, derivatives.first, optimize=True)
    return 0.5 * second + 0.5 * second.swapaxes(2, 3)


def _filled(
    second: Array, derivatives: Derivatives, size: Callable[[Array], Array], units: Array, terms: Terms
) -> Array:
    return filled_second(
        second,
        derivatives,
        first=_first,
        value=Distribution.prediction,
        size_of_first=size,
        size_of_value=np.abs,
        units=units,
        terms=terms,
    )


def ead_chunks(model: Model, table: Table, alpha: float = 1.0) -> Chunks:
    return from_derivatives(model, table, 1, lambda d: _summed(d, first_of_prediction(d)), "EAD")


def eah_chunks(model: Model, table: Table, alpha: float = 1.0) -> Chunks:
    return from_derivatives(model, table, 2, lambda d: _summed(d, second_of_prediction(d)), "EAH")


def ead_by_terms(model: Model, table: Table, alpha: float, units: Array, terms: Terms) -> Chunks:
    """EAD of columns and groups, per unit: |∂f| in the direction within the group in which f moves most."""

    def value(derivatives: Derivatives) -> Array:
        return _summed(derivatives, terms.lengths(first_of_prediction(derivatives) * units))

    return from_derivatives(model, table, 1, value, "EAD", names=terms.names)


def eah_by_terms(model: Model, table: Table, alpha: float, units: Array, terms: Terms) -> Chunks:
    """EAH of pairs of columns or groups, per product of units."""

    def value(derivatives: Derivatives) -> Array:
        derivatives = derivatives.for_pairs
        pairs = terms.pair_lengths(_second(derivatives) * np.outer(units, units))
        return _summed(
            derivatives, _filled(pairs, derivatives, lambda change: terms.lengths(change * units), units, terms)
        )

    return from_derivatives(model, table, 2, value, "EAH", names=terms.names)


def aed_chunks(model: Model, table: Table, alpha: float = 1.0) -> Chunks:
    """Signed and weighted, with an axis for outputs: the global AED is Σ_p |mean over rows|."""
    return from_derivatives(model, table, 1, lambda d: d.distribution.output_weight * first_of_prediction(d), "AED")


def aeh_chunks(model: Model, table: Table, alpha: float = 1.0) -> Chunks:
    """Signed and weighted, with an axis for outputs: the global AEH is Σ_p |mean over rows|."""
    return from_derivatives(model, table, 2, lambda d: d.distribution.output_weight * second_of_prediction(d), "AEH")


def _gathered(chunks: Callable[[Model, Table], Chunks], model: Any, X: Any) -> Array:
    source, table = read_for(model, X)
    return gathered(chunks(source, table), len(table.values))


def _summed(derivatives: Derivatives, of_prediction: Array) -> Array:
    return derivatives.distribution.output_weight * np.abs(of_prediction).sum(axis=1)


def _without_single_output(values: Array) -> Array:
    return values[:, 0] if values.shape[1] == 1 else values
