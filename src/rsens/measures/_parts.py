"""How much of R-sens comes from which part of λ: "moves the prediction" against "moves the uncertainty"."""

from __future__ import annotations

from typing import Any

import numpy as np

from rsens._typing import Array
from rsens.derivatives import Derivatives
from rsens.distributions import Distribution
from rsens.measures._contrasts import Switches, contrast_parts, filled_second, switches_of
from rsens.measures._local import check_alpha
from rsens.measures._terms import Terms


def parts_of(
    derivatives: Derivatives,
    alpha: float,
    units: Array | None = None,
    terms: Terms | None = None,
    switches: Switches | None = None,
) -> dict[str, Array]:
    """The parts of `rsens_of`, (n, T) each, by name: contrasts are split as the squared norm of λ(x_l) − λ(x) is."""
    n_columns = derivatives.first.shape[-1]
    units, terms = np.ones(n_columns) if units is None else units, terms or Terms.single(n_columns)
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

    R₂ of a pair is the norm of one change of λ: ∂²λ, the combination of second derivatives that attains the norm of a
    group, or the difference between levels. The part of block b is R_b²/R₂ of that change; of a contrast, averaged
    over levels just as R₂ is. The last block is what the others leave, so the parts add up to R₂ to the last digit.
    """
    derivatives = derivatives.for_pairs
    family, n_columns = derivatives.distribution, derivatives.first.shape[-1]
    units, terms = np.ones(n_columns) if units is None else units, terms or Terms.single(n_columns)
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
    family, root = derivatives.distribution, np.sqrt(alpha)
    return filled_second(
        part,
        derivatives,
        first=lambda p, first: first,
        value=lambda p: p.parameters,
        size_of_first=lambda change: root * _part(family, terms.along(change * units, family), name),
        size_of_value=lambda change: root * _part(family, change, name),
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
    """∂²λ (n, M, P) of each of the pairs of terms: of two columns, or the combination that a group's norm is of.

    Its weights are the first right singular vector of B ∂²λ, Bᵀ B = I(λ), over all links of the two terms.
    """
    second, family = derivatives.second, derivatives.distribution
    assert second is not None  # asked for with order = 2
    firsts = np.array([members[0] for members in terms.members])
    d, e = firsts[pairs[0]], firsts[pairs[1]]
    change = second[:, :, d, e] * (units[d] * units[e])
    for p, (s, t) in enumerate(zip(*pairs, strict=True)):
        if s in terms.grouped or t in terms.grouped:
            a, b = (index.ravel() for index in np.meshgrid(terms.members[s], terms.members[t], indexing="ij"))
            links = second[:, :, a, b] * (units[a] * units[b])
            _, _, weights = np.linalg.svd(family.whiten(links), full_matrices=False)
            change[:, :, p] = np.einsum("nml,nl->nm", links, weights[:, 0])
    return change


def _part(family: Distribution, change: Array, name: str) -> Array:
    """R_b²/R of a change of λ."""
    return family.fisher_norm(change) * family.shares(change)[name]
