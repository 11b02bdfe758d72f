"""How much of R-sens comes from which part of λ: "moves the prediction" against "moves the uncertainty"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import digamma, gamma

from rsens import distributions as ds
from rsens._typing import Array
from rsens.derivatives import Derivatives
from rsens.distributions import Distribution, Mixture, is_event
from rsens.measures._rsens import Switches, check_alpha, contrast_parts, filled_second, switches_of
from rsens.measures._terms import Terms, units_and_terms


def parts_of(
    derivatives: Derivatives,
    alpha: float,
    units: Array | None = None,
    terms: Terms | None = None,
    switches: Switches | None = None,
) -> dict[str, Array]:
    """The parts of `rsens_of`, (n, T) each, by name: contrasts are split as the squared norm of λ(x_l) − λ(x) is."""
    units, terms = units_and_terms(derivatives, units, terms)
    family = derivatives.distribution
    if not family.part_names:
        return {}
    by_part = parts(family, terms.along(derivatives.first * units, family), alpha=alpha)
    for column, split in contrast_parts(derivatives, switches_of(derivatives, alpha) if switches is None else switches):
        for name, part in split.items():
            by_part[name][:, terms.of_column(column)] = part * units[column]
    return by_part


def pair_parts_of(
    derivatives: Derivatives, pairs: Array, alpha: float, units: Array | None = None, terms: Terms | None = None
) -> dict[str, Array]:
    """The parts of `pairs` = `rsens2_of(…)`, (n, P) each, by name; pairs s < t in the order of `np.triu_indices`.

    R₂ of a pair is the norm of one change of λ, and the part of block b is R_b²/R₂ of that change; of a contrast,
    averaged over levels as R₂ is. The last block is R₂ minus the others, so the parts add up to R₂ to the last digit.
    """
    derivatives = derivatives.for_pairs
    family, (units, terms) = derivatives.distribution, units_and_terms(derivatives, units, terms)
    if not family.part_names:
        return {}
    *leading, last = family.part_names
    upper = np.triu_indices(len(terms), 1)
    change = np.sqrt(alpha) * _along_pairs(derivatives, units, terms, upper)
    whole = rest = pairs[:, *upper]
    result, shares = {}, family.shares(change)
    for name in leading:
        part = whole * shares[name]
        if derivatives.contrasts:
            by_term = np.zeros_like(pairs)
            by_term[:, *upper] = part
            part = _with_contrasts(by_term, derivatives, alpha, units, terms, name)[:, *upper]
        result[name] = np.minimum(part, rest)  # rounding
        rest = rest - result[name]
    return result | {last: rest}


def _with_contrasts(
    part: Array, derivatives: Derivatives, alpha: float, units: Array, terms: Terms, name: str
) -> Array:
    """The part (n, T, T) of this name, with the pairs of categorical columns filled in."""
    family = derivatives.distribution

    def part_of(change: Array) -> Array:
        """R_b²/R of a change of λ."""
        return np.sqrt(alpha) * family.fisher_norm(change) * family.shares(change)[name]

    return filled_second(
        part,
        derivatives,
        size_of_first=lambda change: part_of(terms.along(change * units, family)),
        size_of_value=part_of,
        units=units,
        terms=terms,
    )


def parts(distribution: Distribution, derivative: Array, *, alpha: float = 1.0) -> dict[str, Array]:
    """R-sens split over the parts of λ, by name; empty for families that cannot be split.

    `derivative` is ∂λ (n, M, D), or ∂²λ (n, M, D, D) for R-sens₂; each part has the shape of the local values.
    With R_b the norm of the orthogonal block b alone, R² = Σ R_b², and the part is R_b²/R: the parts add up to R.
    Written as R · (R_b/R)², because R_b² need not fit in float64 where R does; 0 where R = 0. Mixtures of draws have
    parts of another kind (`Mixture.shares`).

    Example:
        >>> import numpy as np
        >>> from rsens import Normal
        >>> from rsens.measures import parts
        >>> parts(Normal([0.0], [1.0]), np.array([[[3.0], [4.0 * 2.0**0.5]]]))  # R-sens is 5
        {'mean': array([[1.8]]), 'variance': array([[3.2]])}
    """
    root = np.sqrt(check_alpha(alpha))
    if not distribution.part_names:
        return {}
    whole = distribution.fisher_norm(derivative)
    return {name: root * whole * share for name, share in distribution.shares(derivative).items()}


def _along_pairs(derivatives: Derivatives, units: Array, terms: Terms, pairs: tuple[Any, Any]) -> Array:
    """∂²λ (n, M, P) of each of the pairs of terms: of two columns, or the combination that a group's norm is of."""
    second, family = derivatives.second, derivatives.distribution
    assert second is not None  # asked for with order = 2
    firsts = np.array([members[0] for members in terms.members])
    d, e = firsts[pairs[0]], firsts[pairs[1]]
    change = second[:, :, d, e] * (units[d] * units[e])
    for p, (s, t) in enumerate(zip(*pairs, strict=True)):
        if s in terms.grouped or t in terms.grouped:
            a, b = (index.ravel() for index in np.meshgrid(terms.members[s], terms.members[t], indexing="ij"))
            links = second[:, :, a, b] * (units[a] * units[b])
            # The first right singular vector of B ∂²λ, Bᵀ B = I(λ), over all links of the two terms.
            _, _, weights = np.linalg.svd(family.whiten(links), full_matrices=False)
            change[:, :, p] = np.einsum("nml,nl->nm", links, weights[:, 0])
    return change


# sd = √V with V(λ) the variance of the family, so ∂sd = V_λ ∂λ / (2 sd). Classes and vectors have no single spread.


def has_spread(distribution: Distribution) -> bool:
    """Whether the standard deviation and its derivative are known: of one number that is not a class."""
    if isinstance(distribution, Mixture):
        return not is_event(distribution) and all(kind in _VARIANCE_GRADIENTS for kind in distribution.kinds)
    return type(distribution) in _VARIANCE_GRADIENTS


def spread_of(distribution: Distribution) -> Array:
    """The standard deviation, shape (n,), of a family that `has_spread`; infinite or NaN where it does not exist."""
    with np.errstate(invalid="ignore", over="ignore"):
        return np.sqrt(np.asarray(distribution.checked().variance, dtype=np.float64))


def first_of_spread(derivatives: Derivatives) -> Array:
    """∂sd = V_λ ∂λ / (2 sd), shape (n, D); 0 in categorical columns, NaN where the variance is not finite."""
    distribution = derivatives.distribution
    with np.errstate(all="ignore"):
        slope = np.einsum("nm,nmd->nd", variance_gradient(distribution), derivatives.first)
        slope = slope / (2.0 * spread_of(distribution))[:, np.newaxis]
    return np.where(np.isfinite(slope), slope, np.nan)


def variance_gradient(distribution: Distribution) -> Array:
    """V_λ, shape (n, M)."""
    p: Any = distribution.checked()
    if isinstance(p, Mixture):
        return _of_mixture(p)
    columns = np.broadcast_arrays(p.mean, *_VARIANCE_GRADIENTS[type(p)](p))[1:]
    return np.stack(columns, axis=-1)


def _of_mixture(p: Mixture) -> Array:
    """V = Σ w_s (V_s + (μ_s − μ)²), so ∂V/∂λ_s = w_s (∂V_s + 2 (μ_s − μ) ∂μ_s)."""
    mean, gradient = p.mean, np.empty(p.parameters.shape)
    for group in p.groups:  # arrays (S, n)
        c: Any = group.family
        own = np.stack(np.broadcast_arrays(c.mean, *_VARIANCE_GRADIENTS[type(c)](c))[1:], axis=-1)
        each = own + 2.0 * (c.mean - mean)[..., np.newaxis] * c.prediction_gradient()[..., 0, :]
        gradient[:, group.columns] = group.weights[..., np.newaxis] * np.moveaxis(each, 0, 1)
    return gradient


def _of_weibull(p: ds.Weibull) -> tuple[Array, Array]:
    """V = s² (Γ(1 + 2x) − Γ(1 + x)²), x = 1/k, dx/dk = −x²."""
    x = 1.0 / p.shape
    one, two = gamma(1.0 + x), gamma(1.0 + 2.0 * x)
    by_x = 2.0 * two * digamma(1.0 + 2.0 * x) - 2.0 * one**2 * digamma(1.0 + x)
    return -(p.scale**2) * by_x * x**2, 2.0 * p.variance / p.scale


def _of_beta(p: ds.Beta) -> tuple[Array, Array]:
    """log V = log a + log b − 2 log c − log(c + 1), c = a + b."""
    c = p.a + p.b
    rest = 2.0 / c + 1.0 / (c + 1.0)
    return p.variance * (1.0 / p.a - rest), p.variance * (1.0 / p.b - rest)


def _of_student_t(p: ds.StudentT) -> tuple[Any, Array]:
    with np.errstate(divide="ignore", invalid="ignore"):
        return 0.0, np.where(p.df > 2.0, p.df / (p.df - 2.0), np.nan)


def _of_histogram(p: ds.Histogram) -> tuple[Array, ...]:
    """V = Σ p_k (width_k²/12 + (middle_k − mean)²), and moving the mean does not change V; for changes with Σ∂p = 0."""
    middles = p.borders[..., :-1] + 0.5 * np.diff(p.borders)
    return tuple(np.moveaxis((middles - p.mean[..., np.newaxis]) ** 2 + np.diff(p.borders) ** 2 / 12.0, -1, 0))


#: ∂V/∂λ by column of λ. A family that is not here has no effect on its spread.
_VARIANCE_GRADIENTS: dict[type[Distribution], Callable[[Any], tuple[Any, ...]]] = {
    ds.Normal: lambda p: (0.0, 1.0),
    ds.StudentT: _of_student_t,
    ds.LogNormal: lambda p: (2.0 * p.variance, p.variance + p.mean**2 * np.exp(p.sigma2)),
    ds.Gamma: lambda p: (2.0 * p.mean / p.shape, -((p.mean / p.shape) ** 2)),
    ds.Exponential: lambda p: (2.0 * p.mean,),
    ds.Beta: _of_beta,
    ds.Weibull: _of_weibull,
    ds.Binomial: lambda p: (p.n * (1.0 - 2.0 * p.mean / p.n),),
    ds.Poisson: lambda p: (1.0,),
    ds.Histogram: _of_histogram,
    ds.NegativeBinomial: lambda p: (1.0 + 2.0 * p.mean / p.size, -((p.mean / p.size) ** 2)),
}
