"""A function of NumPy rows, evaluated: its distribution, and the columns to take differences of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.derivatives._output import check_fixed, family_from, leaf_labels, parameters_of
from rsens.distributions import Distribution, Mixture


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The distribution at n rows, and z (n, M) with λ_m = g_m(z_m): a logit if the function gave one, else λ itself."""

    distribution: Distribution
    z: Array
    #: Whether the function returned an argument in single precision.
    single: bool

    def at(self, rows: Any) -> Evaluation:
        """The same at some of the rows."""
        leaves = [leaf[rows] for leaf in self.distribution.leaves()]
        return Evaluation(self.distribution.rebuilt(iter(leaves)).checked(), self.z[rows], self.single)

    def chain(self, z_first: Array, z_second: Array | None) -> tuple[Array, Array | None]:
        """∂λ = g' ∂z and ∂²λ = g' ∂²z + g'' ∂z ∂zᵀ; every λ_m has its own z_m."""
        slope, bend = _link_derivatives(self.distribution, self.z)
        first = slope[..., None] * z_first
        if z_second is None:
            return first, None
        if not bend.any():
            return first, slope[..., None, None] * z_second
        products = z_first[..., :, None] * z_first[..., None, :]
        return first, slope[..., None, None] * z_second + bend[..., None, None] * products


def evaluate(fn: Callable[[Array], Distribution], X: Array) -> Evaluation:
    """The function at the rows X, checked."""
    family = _call(fn, X)
    distribution = family.checked(len(X))
    single = any(leaf.ndim > 0 and leaf.dtype.kind == "f" and leaf.dtype.itemsize < 8 for leaf in family.leaves())
    return Evaluation(distribution, _z(distribution), single)


def parameters_at(fn: Callable[[Array], Distribution], X: Array) -> Array:
    """λ at the rows X, shape (n, M), not checked: its values may be invalid."""
    λ: Array = parameters_of(_call(fn, X), len(X))
    return np.broadcast_to(λ, (len(X), λ.shape[-1]))


def evaluate_moved(fn: Callable[[Array], Distribution], points: Array, here: Evaluation) -> Array:
    """z at moved copies of the rows, points (P, n, D), shape (P, n, M); the family must be the same as `here`."""
    copies, n, columns = points.shape
    try:
        there = evaluate(fn, points.reshape(-1, columns))
    except InputError as error:
        raise InputError(
            "at rows moved by a step: ",
            error.sentence,
            " If the function is defined only up to a boundary, keep the rows further away from it or give a smaller ",
            Argument("step"),
            ".",
        ) from error
    before, after = here.distribution, there.distribution
    if _signature(before) != _signature(after):
        got = f"{_signature(before)} and then {_signature(after)}"
        raise InputError(f"the function must return the same family for all rows; got {got}.")
    pairs = zip(before.leaves(), after.leaves(), strict=True)
    moved = [
        fixed and not np.allclose(new.reshape(copies, *old.shape), old, 1e-12, 0.0)
        for (_, fixed), (old, new) in zip(leaf_labels(before), pairs, strict=True)
    ]
    check_fixed(before, moved)
    return there.z.reshape(copies, n, -1)


def _call(fn: Callable[[Array], Distribution], X: Array) -> Distribution:
    """What the function returns for a copy of X, which it may write to, with NumPy arrays of any type."""
    return as_arrays(family_from(fn, X.copy()), len(X))


def as_arrays(family: Distribution, n: int) -> Distribution:
    """A family for n rows with NumPy arrays of any type in place of what the function returned."""
    leaves = []
    for (name, _), leaf in zip(leaf_labels(family), family.leaves(), strict=True):
        try:
            leaves.append(np.asarray(leaf))
        except (RuntimeError, TypeError, ValueError) as error:  # a tensor that requires grad, a ragged list
            reason = str(error).splitlines()[0]
            raise InputError(
                f"{type(family).__name__}: ", Argument(name), f" cannot be read as a NumPy array ({reason})."
            ) from None
    family = family.rebuilt(iter(leaves))
    parameters_of(family, n)
    return family


def z_columns(family: Distribution) -> Sequence[Any]:
    """The columns of z of a family that is no mixture, of any shapes that broadcast to (n,)."""
    logit = getattr(family, "logit", None)
    return family.columns() if logit is None else [logit]


def _signature(family: Distribution) -> str:
    """The family with its arguments and their sizes, to compare and to show."""
    labels = zip(leaf_labels(family), family.leaves(), strict=True)
    return f"{type(family).__name__}({', '.join(f'{name} {leaf.shape[1:]}' for (name, _), leaf in labels)})"


def _z(family: Distribution) -> Array:
    """z of a checked family, (n, M): the logit if it was given, because π near 1 has lost digits; else λ."""
    if isinstance(family, Mixture):
        if family.held_as_arrays:
            logits = family.components.fields().get("logit")
            λ: Array = family.parameters if logits is None else logits.T
            return λ
        return np.concatenate([_z(component) for component in family.components], axis=1)
    z: Array = family.fields()["logit"][:, None] if "logit" in family.fields() else family.parameters
    return z


def _by_logit(family: Distribution) -> list[bool]:
    """Which of the M columns of z are logits."""
    if isinstance(family, Mixture):
        if family.held_as_arrays:
            return ["logit" in family.components.fields()] * len(family.parameter_names)
        return [by_logit for component in family.components for by_logit in _by_logit(component)]
    return ["logit" in family.fields()] * len(family.parameter_names)


def _link_derivatives(family: Distribution, z: Array) -> tuple[Array, Array]:
    """g' and g'' of λ = g(z): for a logit π(1 − π) and π(1 − π)(1 − 2π), without cancellation in either tail."""
    slope = expit(z) * expit(-z)
    bend = -slope * np.tanh(0.5 * z)
    logit = np.array(_by_logit(family))
    return np.where(logit, slope, 1.0), np.where(logit, bend, 0.0)
