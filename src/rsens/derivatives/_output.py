"""Checks of the results of a user's function, the same for all sources of derivatives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
from scipy.special import expit

from rsens._coding import Coding
from rsens._conversions import converted
from rsens._errors import Argument, InputError, warn
from rsens._typing import Array
from rsens.distributions import Distribution, Mixture, flat_draws

#: How far a row's λ may differ between two batches, relative to its column: more than the rounding of bad conditioning.
SAME = 1e-6


def check_function(fn: Any, call: str, of: str = "rows X") -> None:
    if not callable(fn):
        raise InputError(f"{call}: ", Argument("fn"), f" must be a function of {of}; got {type(fn).__name__}.")


def family_from(function: Callable[[Any], Any], X: Any) -> Distribution:
    """The result of the function for the rows X as one of the families."""
    result = converted(function(X), "the function must return a distribution")
    try:
        result.leaves()
    except (AttributeError, TypeError):
        raise InputError(
            f"{type(result).__name__}: the arguments are not what this family is built from. "
            "A mixture is Mixture([Normal(…), Normal(…)], weights), or Mixture(Normal(…), weights) of arrays "
            "(components, rows)."
        ) from None
    return result


def parameters_of(family: Distribution, n: int) -> Any:
    """λ, shape (n, M), or (M,) or (1, M) if all rows have the same; else an error with the shapes that came."""
    reason: Exception | None = None
    try:
        λ = family.parameters
        fits = len(λ.shape) == 1 or (len(λ.shape) == 2 and λ.shape[0] in (1, n))
    except (IndexError, RuntimeError, TypeError, ValueError) as error:  # from the array library, about shapes
        fits, reason = False, error
    if not fits:
        raise InputError(
            f"the function got {n} rows and must return {type(family).__name__} with one entry per row, the rows on "
            f"the first axis and no axis too many; got {signature(family)}. A column is taken with [:, 0]."
        ) from reason
    return λ


def first_rows(family: Distribution, n: int) -> Distribution:
    """The first n rows of a family, unchecked: the rest is padding."""
    leaves = zip(family.leaves(), family.event_axes(), strict=True)
    return family.rebuilt(iter([leaf[:n] if leaf.ndim > axes else leaf for leaf, axes in leaves]))


def leaf_labels(family: Distribution) -> list[tuple[str, bool]]:
    """For each of `family.leaves()` its name, and whether it is fixed, not part of λ (df, n, weights)."""
    labels = []
    if isinstance(family, Mixture):
        for s, component in enumerate([family.components] if family.held_as_arrays else family.components):
            place = "components" if family.held_as_arrays else f"components[{s}]"
            labels += [(f"{place}.{name}", fixed) for name, fixed in leaf_labels(component)]
    return labels + [(name, name in family.fixed_fields) for name in family.fields()]


def signature(family: Distribution, row_axes: int = 0) -> str:
    """The family with the shapes of its arguments, without their first `row_axes` axes; for messages."""
    labels = zip(leaf_labels(family), family.leaves(), strict=True)
    shapes = ", ".join(f"{name} {tuple(np.shape(leaf))[row_axes:]}" for (name, _), leaf in labels)
    return f"{type(family).__name__}({shapes})"


def check_moved(family: Distribution, moved: Sequence[bool], single: Iterable[bool] = repeat(False)) -> None:
    """Check the arguments that depend on x: they are part of λ, whose derivatives are taken, and in float64 like X."""
    in_single = (
        " was computed in single precision, although X is float64. Remove conversions to float32 from the function, "
        "and call .double() on PyTorch modules."
    )
    names = ", ".join(family.parameter_names[:6])
    of_x = f" depends on x, but only the parameters are differentiated ({names}). Keep it the same for all x."
    for (name, fixed), moves, is_single in zip(leaf_labels(family), moved, single, strict=False):
        if moves and (is_single or fixed):
            raise InputError(f"{type(family).__name__}: ", Argument(name), in_single if is_single else of_x)


def check_rows_independent(
    parameters_at: Callable[[Array], Array],
    X: Array,
    parameters: Array,
    coding: Coding | None = None,
) -> None:
    """Each row of λ may depend only on its own row of X, because all rows are differentiated at once."""
    # The first half again, reversed, behind copies of a row between the first and the last: means and positions show.
    kept = len(X) - len(X) // 2
    between = X[-1].copy()
    moved = slice(None) if coding is None else list(coding.continuous)  # between levels there is nothing
    between[moved] = 0.8 * between[moved] + 0.2 * X[0, moved]
    if not np.ptp(X, axis=0).any():  # equal rows need a row that differs from them
        between[moved] = between[moved] * 1.0001 + 0.0001
    company = np.broadcast_to(between, (max(2, len(X) // 2), X.shape[1]))
    again = parameters_at(np.concatenate([company, X[:kept][::-1]]))[len(company) :][::-1]
    if _same(again, parameters[:kept]):
        return
    if not _same(parameters_at(X), parameters_at(X)):
        raise InputError(
            "the function is random: the same rows gave different predictions. Use the same random numbers in every "
            "call; for a PyTorch module with dropout or batch normalisation call .eval()."
        )
    raise InputError(
        "the function mixes rows: a row's prediction changed when the other rows did. Each row may depend only on "
        "itself: compute means, scales and ranks from the training data, not from X, and call .eval() on a PyTorch "
        "module with batch normalisation."
    )


def warn_if_cut(distribution: Distribution, first: Array, levels: Array | None = None) -> None:
    """Warn about a parameter that differs between rows (of the same `levels`) but has no derivative at any."""
    λ = distribution.parameters if levels is None else within_levels(distribution.parameters, levels)
    for m, name in enumerate(distribution.parameter_names):
        if not first[:, m].any() and np.ptp(λ[:, m]) > SAME * np.abs(λ[:, m]).max():
            warn(
                f"{name!r} differs between rows, but its derivative is zero at every row. Either it is piecewise "
                "constant (then from_function(fn, step=0.3) shows its changes), or the function cuts the derivative "
                "off (detach, stop_gradient, rounding)."
            )
            return


def within_levels(values: Array, levels: Array) -> Array:
    """Values (n, M), each row shifted so that the first row with its levels agrees with the very first row."""
    _, first, group = np.unique(levels, axis=0, return_index=True, return_inverse=True)
    return values - values[first[group.reshape(-1)]] + values[:1]


def categorical_values(coding: Coding | None, X: Array) -> Array | None:
    """The categorical columns of the numbers X; None without any."""
    return None if coding is None else X[:, list(coding.categorical)]


def spread_out(values: Any, coding: Coding | None, axes: int) -> Any:
    """Derivatives in the continuous columns, on the last axes, as derivatives in all columns: 0 in categorical ones."""
    if coding is None or values is None:
        return values
    columns = list(coding.continuous)
    full = np.zeros(values.shape[:-axes] + (len(coding.names),) * axes)
    index: tuple[Any, ...] = (..., *np.ix_(*[columns] * axes))
    full[index] = values
    return full


def _same(a: Array, b: Array) -> bool:
    return a.shape == b.shape and bool(np.all(np.abs(a - b) <= SAME * np.abs(b).max(axis=0, initial=0.0)))


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The distribution at n rows, and z (n, M) with λ_m = g_m(z_m): a logit if the function gave one, else λ itself."""

    distribution: Distribution
    z: Array
    #: Which of the M columns of z are logits.
    by_logit: list[bool]
    #: Whether the function returned an argument in single precision.
    single: bool

    def at(self, rows: Any) -> Evaluation:
        """The same at some of the rows."""
        leaves = [leaf[rows] for leaf in self.distribution.leaves()]
        return Evaluation(self.distribution.rebuilt(iter(leaves)).checked(), self.z[rows], self.by_logit, self.single)

    def chain(self, z_first: Array, z_second: Array | None) -> tuple[Array, Array | None]:
        """∂λ = g' ∂z and ∂²λ = g' ∂²z + g'' ∂z ∂zᵀ; every λ_m has its own z_m.

        For a logit g' = π(1 − π) and g'' = π(1 − π)(1 − 2π), without cancellation in either tail.
        """
        if not any(self.by_logit):
            return z_first, z_second
        slope = np.where(self.by_logit, expit(self.z) * expit(-self.z), 1.0)
        bend = np.where(self.by_logit, -slope * np.tanh(0.5 * self.z), 0.0)
        first = slope[..., None] * z_first
        if z_second is None:
            return first, None
        products = z_first[..., :, None] * z_first[..., None, :]
        return first, slope[..., None, None] * z_second + bend[..., None, None] * products

    def norms(self, changes: Array) -> Array:
        """Fisher norms (n, K) of changes of z (n, M, K); 0 where they do not fit in float64."""
        with np.errstate(all="ignore"):
            found = self.distribution.fisher_norm(self.chain(changes, None)[0])
        return np.where(np.isfinite(found), found, 0.0)


def evaluate(fn: Callable[[Array], Distribution], X: Array) -> Evaluation:
    """The function at the rows X, checked."""
    family = as_arrays(family_from(fn, X.copy()), len(X))  # a copy, which the function may write to
    distribution = family.checked(len(X))
    single = any(leaf.ndim > 0 and leaf.dtype.kind == "f" and leaf.dtype.itemsize < 8 for leaf in family.leaves())
    return Evaluation(distribution, *_z_of(distribution), single)


def parameters_at(fn: Callable[[Array], Distribution], X: Array) -> Array:
    """λ at the rows X, shape (n, M), not checked: its values may be invalid."""
    λ: Array = parameters_of(as_arrays(family_from(fn, X.copy()), len(X)), len(X))
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
    if signature(before, 1) != signature(after, 1):
        got = f"{signature(before, 1)} and then {signature(after, 1)}"
        raise InputError(f"the function must return the same family for all rows; got {got}.")
    leaves = zip(leaf_labels(before), before.leaves(), after.leaves(), strict=True)
    check_moved(before, [fixed and differs(new.reshape(copies, *old.shape), old) for (_, fixed), old, new in leaves])
    return there.z.reshape(copies, n, -1)


def differs(new: Array, old: Array) -> bool:
    """Whether an argument that may not depend on x does."""
    return not np.allclose(new, old, 1e-12, 0.0)


def as_arrays(family: Distribution, n: int) -> Distribution:
    """A family for n rows with NumPy arrays of any type in place of the function's own."""
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
    if not (isinstance(family, Mixture) and family.draws):  # the distribution of each draw was checked, and λ is long
        parameters_of(family, n)
    return family


def _z_of(family: Distribution) -> tuple[Array, list[bool]]:
    """z of a checked family, (n, M): λ, or the logit if it was given, as π has lost digits; and which are logits."""
    if isinstance(family, Mixture) and family.held_as_arrays:
        z, logits = _z_of(family.components)
        return flat_draws(z), logits * len(z)
    if isinstance(family, Mixture):
        parts = [_z_of(component) for component in family.members]
        return np.concatenate([z for z, _ in parts], axis=1), [logit for _, logits in parts for logit in logits]
    logit = family.fields().get("logit")
    z = family.parameters if logit is None else logit[..., None]
    return z, [logit is not None] * len(family.parameter_names)
