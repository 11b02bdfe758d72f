"""A function of NumPy rows evaluated once: its distribution, and the columns whose differences are taken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from rsens._errors import InputError
from rsens._typing import Array
from rsens.derivatives._output import check_fixed, family_from, leaf_labels, parameters_of
from rsens.distributions import Distribution, Mixture


@dataclass(frozen=True, eq=False)
class Evaluated:
    """The distribution at n rows, and λ_m = g_m(z_m): z is what was given (n, M), a logit or λ itself."""

    distribution: Distribution
    z: Array
    #: Whether an argument was returned in single precision.
    single: bool

    def at(self, rows: Any) -> Evaluated:
        """The same at some of the rows."""
        leaves = [leaf[rows] for leaf in self.distribution.leaves()]
        return Evaluated(self.distribution.rebuilt(iter(leaves)).checked(), self.z[rows], self.single)

    def chained(self, z_first: Array, z_second: Array | None) -> tuple[Array, Array | None]:
        """∂λ = g' ∂z and ∂²λ = g' ∂²z + g'' ∂z ∂zᵀ; every λ has its own z."""
        slope, bend = _link_derivatives(self.distribution, self.z)
        first = slope[..., None] * z_first
        if z_second is None:
            return first, None
        if not bend.any():
            return first, slope[..., None, None] * z_second
        products = z_first[..., :, None] * z_first[..., None, :]
        return first, slope[..., None, None] * z_second + bend[..., None, None] * products


def evaluate(fn: Callable[[Array], Distribution], X: Array) -> Evaluated:
    """The function at the rows X, checked."""
    family = _called(fn, X)
    distribution = family.checked(len(X))
    single = any(leaf.ndim > 0 and leaf.dtype.kind == "f" and leaf.dtype.itemsize < 8 for leaf in family.leaves())
    return Evaluated(distribution, _given(distribution), single)


def parameters_at(fn: Callable[[Array], Distribution], X: Array) -> Array:
    """λ at the rows X, shape (n, M), whether its values are valid or not."""
    λ: Array = parameters_of(_called(fn, X), len(X))
    return np.broadcast_to(λ, (len(X), λ.shape[-1]))


def evaluate_moved(fn: Callable[[Array], Distribution], points: Array, here: Evaluated) -> Array:
    """The z of moved copies of the rows, points (P, n, D), shape (P, n, M); the family must stay what it is there."""
    copies, n, columns = points.shape
    try:
        there = evaluate(fn, points.reshape(-1, columns))
    except InputError as error:
        raise InputError(
            f"at rows moved by a step: {error} If the function is defined up to a boundary only, keep the rows "
            "further away from it or give a smaller step."
        ) from error
    before, after = here.distribution, there.distribution
    if _signature(before) != _signature(after):
        got = f"{_signature(before)} and then {_signature(after)}"
        raise InputError(f"the function must return the same family for all rows; got {got}.")
    pairs = zip(before.leaves(), after.leaves(), strict=True)
    check_fixed(before, [not np.allclose(new.reshape(copies, *old.shape), old, 1e-12, 0.0) for old, new in pairs])
    return there.z.reshape(copies, n, -1)


def _called(fn: Callable[[Array], Distribution], X: Array) -> Distribution:
    """What the function returns for a copy of X (it may write to it), on NumPy arrays of any type."""
    family = family_from(fn, X.copy())
    leaves = []
    for (name, _), leaf in zip(leaf_labels(family), family.leaves(), strict=True):
        try:
            leaves.append(np.asarray(leaf))
        except (RuntimeError, TypeError, ValueError) as error:  # a tensor that requires grad, a ragged list
            reason = str(error).splitlines()[0]
            raise InputError(f"{type(family).__name__}: {name} cannot be read as a NumPy array ({reason}).") from None
    family = family.rebuilt(iter(leaves))
    parameters_of(family, len(X))
    return family


def _signature(family: Distribution) -> str:
    """The family with its arguments and their sizes, to be compared and shown."""
    labels = zip(leaf_labels(family), family.leaves(), strict=True)
    return f"{type(family).__name__}({', '.join(f'{name} {leaf.shape[1:]}' for (name, _), leaf in labels)})"


def _given(family: Distribution) -> Array:
    """The z of a checked family, (n, M): its logit where that was given, because π near 1 has lost digits; else λ."""
    if isinstance(family, Mixture):
        return np.concatenate([_given(component) for component in family.components], axis=1)
    z: Array = family.fields()["logit"][:, None] if "logit" in family.fields() else family.parameters
    return z


def _by_logit(family: Distribution) -> list[bool]:
    """Which of the M columns of z are logits."""
    if isinstance(family, Mixture):
        return [by_logit for component in family.components for by_logit in _by_logit(component)]
    return ["logit" in family.fields()] * len(family.parameter_names)


def _link_derivatives(family: Distribution, z: Array) -> tuple[Array, Array]:
    """The g' and g'' of λ = g(z): for a logit π(1 − π) and π(1 − π)(1 − 2π), without cancellation in either tail."""
    slope = expit(z) * expit(-z)
    bend = -slope * np.tanh(0.5 * z)
    logit = np.array(_by_logit(family))
    return np.where(logit, slope, 1.0), np.where(logit, bend, 0.0)
