"""The methods without uncertainty: EAD, AED, EAH and AEH differentiate the point prediction f only (paper, section 3).

f is the mean of the predictive distribution (the location of a Student-t), a function f(λ) of its parameters, so
∂f = f_λ ∂λ and ∂²f = f_λ ∂²λ + ∂λᵀ f_λλ ∂λ. A family with several outputs (class probabilities, a vector y) has one f_p
for each; they are added up with the family's `output_weight`.

In a categorical column |f(x_l) − f(x)|, averaged over the other levels with their frequencies, takes the place of the
derivative. Levels have no order, so it has no sign, and AED and AEH equal EAD and EAH.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rsens._typing import Array
from rsens.derivatives import Derivatives
from rsens.distributions import Distribution
from rsens.measures._rsens import filled_second, weighted_sum
from rsens.measures._terms import Terms, units_and_terms


def first_of_prediction(derivatives: Derivatives) -> Array:
    """∂f = f_λ ∂λ, shape (n, P, D); absolute contrasts in categorical columns."""
    first, here = _first(derivatives.distribution, derivatives.first), derivatives.distribution.prediction()
    for contrast in derivatives.contrasts:
        changes = (np.abs(there.prediction() - here) for there in contrast.levels)
        first[..., contrast.column] = weighted_sum(contrast, changes)
    return first


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


def ead_of(derivatives: Derivatives, alpha: float, units: Array | None = None, terms: Terms | None = None) -> Array:
    """EAD (n, T) per unit: |∂f|, of a group in the direction in which f moves most; α plays no part."""
    units, terms = units_and_terms(derivatives, units, terms)
    return _summed(derivatives, terms.lengths(first_of_prediction(derivatives) * units))


def eah_of(derivatives: Derivatives, alpha: float, units: Array | None = None, terms: Terms | None = None) -> Array:
    """EAH (n, T, T) of pairs of columns or groups, per product of units."""
    derivatives = derivatives.for_pairs
    units, terms = units_and_terms(derivatives, units, terms)
    pairs = terms.pair_lengths(_second(derivatives) * np.outer(units, units))
    return _summed(derivatives, _filled(pairs, derivatives, lambda change: terms.lengths(change * units), units, terms))


def aed_of(derivatives: Derivatives, *_: Any) -> Array:
    """∂f signed and weighted, (n, P, D): the global AED is Σ_p |mean over rows|."""
    return derivatives.distribution.output_weight * first_of_prediction(derivatives)


def aeh_of(derivatives: Derivatives, *_: Any) -> Array:
    """∂²f signed and weighted, (n, P, D, D): the global AEH is Σ_p |mean over rows|."""
    return derivatives.distribution.output_weight * second_of_prediction(derivatives)


def _summed(derivatives: Derivatives, of_prediction: Array) -> Array:
    return derivatives.distribution.output_weight * np.abs(of_prediction).sum(axis=1)


UP, DOWN, BOTH = "▲", "▼", "±"
#: Below this consistency a variable counts as moving the prediction both ways. With U the movement up and V that down,
#: |U − V|/(U + V) < ½ means that more than a quarter of all movement is against the rest.
MIXED = 0.5


def consistency(mean: Array, mean_size: Array) -> Array:
    """|mean ∂f| / mean |∂f|, in [0, 1]: 1 where ∂f never changes its sign; NaN where f does not move or has no ∂f."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.minimum(np.abs(mean) / mean_size, 1.0)  # rounding may leave 1 + 1e-16


def arrows(direction: Any, consistency: Any) -> list[str]:
    """An arrow up or down, or ±, for each mean derivative and its consistency; "" where nothing moves."""
    slope, share = (np.asarray(each, dtype=np.float64).ravel() for each in (direction, consistency))
    unknown, mixed = ~np.isfinite(share + slope), (share < MIXED) | (slope == 0.0)
    return [str(arrow) for arrow in np.select([unknown, mixed, slope > 0.0], ["", BOTH, UP], DOWN)]


# sd = √V with V(λ) the variance of the family, so ∂sd = V_λ ∂λ / (2 sd). Classes and vectors have no single spread.


def spread_of(distribution: Distribution) -> Array:
    """The standard deviation, shape (n,), of a family that has a spread; infinite or NaN where it does not exist."""
    with np.errstate(invalid="ignore", over="ignore"):
        return np.sqrt(np.asarray(distribution.checked().variance, dtype=np.float64))


def first_of_spread(derivatives: Derivatives) -> Array:
    """∂sd = V_λ ∂λ / (2 sd), shape (n, D); 0 in categorical columns, NaN where the variance is not finite."""
    distribution = derivatives.distribution
    with np.errstate(all="ignore"):
        slope = np.einsum("nm,nmd->nd", distribution.variance_gradient(), derivatives.first)
        slope = slope / (2.0 * spread_of(distribution))[:, np.newaxis]
    return np.where(np.isfinite(slope), slope, np.nan)
