"""The record that every derivative measure reads, λ at n rows with derivatives in x, and records made of records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import softmax

from rsens._errors import Argument, InputError, warn
from rsens._table import Table, column_scale
from rsens._text import quoted
from rsens._typing import Array
from rsens.derivatives._contrasts import Contrast
from rsens.derivatives._differences import Quotients, extrapolated
from rsens.distributions import Bernoulli, Categorical, Distribution, Mixture


@dataclass(frozen=True, eq=False)
class Derivatives:
    """The predictive distribution at n rows, and how its M parameters λ change along the D columns.

    `first[i, m, d]` is ∂λ_m/∂x_d at row i and `second[i, m, d, e]` is ∂²λ_m/∂x_d∂x_e; `second` is None for order 1.
    Both are 0 in categorical columns, which have `contrasts` instead; `iterate` adds them.

    Example:
        The mean is x², the variance 1.

        >>> import rsens
        >>> model = rsens.from_function(lambda X: rsens.Normal(X[:, 0] ** 2, 1.0))
        >>> record = model.derivatives([[3.0]], order=2)
        >>> record.first[0, :, 0].round(4).tolist(), record.second[0, :, 0, 0].round(3).tolist()
        ([6.0, 0.0], [2.0, 0.0])
    """

    distribution: Distribution
    first: Array
    second: Array | None = None
    contrasts: tuple[Contrast, ...] = ()
    #: The record, of order 2, that pairs are taken from where it is not this one: for posterior draws one distribution
    #: in place of their mixture (`Mixture.matched`). `second` is then None.
    matched: Derivatives | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.distribution, Distribution):
            problem = f" must be an rsens family; got {type(self.distribution).__name__}."
            raise InputError("Derivatives: ", Argument("distribution"), problem)
        shape = np.shape(self.first)
        if len(shape) != 3:
            problem = f" must have the shape (rows, parameters, columns); got {shape}."
            raise InputError("Derivatives: ", Argument("first"), problem)
        distribution = self.distribution.checked(shape[0])
        object.__setattr__(self, "distribution", distribution)
        for what, axes in (("first", 1), ("second", 2)):
            if (given := getattr(self, what)) is not None:
                values, names = np.asarray(given, dtype=np.float64), distribution.parameter_names
                _check(values, (shape[0], len(names), *shape[2:] * axes), names, what)
                object.__setattr__(self, what, values)

    @property
    def for_pairs(self) -> Derivatives:
        """The record that R-sens₂ and everything else about pairs is taken from."""
        return self if self.matched is None else self.matched

    def __len__(self) -> int:
        return len(self.first)


def without_derivatives(distribution: Distribution, columns: int, order: int) -> Derivatives:
    """The record of a distribution that depends on no continuous column."""
    n, m = distribution.parameters.shape
    return Derivatives(
        distribution, np.zeros((n, m, columns)), np.zeros((n, m, columns, columns)) if order == 2 else None
    )


def without_columns(record: Derivatives, columns: Sequence[int]) -> Derivatives:
    """The record with derivatives of 0 in some columns: those whose levels are compared instead."""
    if not columns:
        return record
    first, second = zero_in(columns, record.first, record.second)
    return replace(record, first=first, second=second)


def zero_in(columns: Sequence[int], first: Any, second: Any) -> tuple[Any, Any]:
    """Derivatives (…, D) and (…, D, D), either of which may be None, with 0 in some columns."""
    some = list(columns)
    if some and first is not None:
        first = first.copy()
        first[..., some] = 0.0
    if some and second is not None:
        second = second.copy()
        second[..., some] = second[..., some, :] = 0.0
    return first, second


def _check(values: Array, shape: tuple[int, ...], names: tuple[str, ...], what: str) -> None:
    if values.shape != shape:
        raise InputError(
            "Derivatives: ",
            Argument(what),
            f" must have the shape {shape} for {shape[0]} rows, {shape[1]} parameters "
            f"({', '.join(names[:6])}{', …' if len(names) > 6 else ''}) and {shape[2]} columns; got {values.shape}.",
        )
    bad = ~np.isfinite(values)
    if bad.any():
        row, m, *columns = (int(i) for i in np.argwhere(bad)[0])
        raise InputError(
            f"the {what} derivative of {names[m]!r} in column {' and '.join(map(str, columns))} (counted from 0) "
            f"is {values[row, m, *columns]:g} at row {row} ({int(bad.sum())} of {bad.size} values are not finite). "
            "Check the model there: a square root, norm or absolute value at 0 has no derivative."
        )


def chain_rule(
    latent_first: Array, latent_second: Array | None, outer_first: Array, outer_second: Array | None = None
) -> tuple[Array, Array | None]:
    """First and second derivatives of λ(z(x)) in x, from derivatives of z in x and of λ in z; see `Inner.chain`."""
    return Inner(latent_first, latent_second).chain(outer_first, None if latent_second is None else outer_second)


@dataclass(frozen=True, eq=False)
class Inner:
    """Derivatives of the L inputs z(x) of a model in the D columns of x, at n rows."""

    first: Array  # (n, L, D), with n = 1 if it is the same at all rows
    second: Array | None = None  # (n, L, D, D); None where all are 0, or were not asked for

    @property
    def n_columns(self) -> int:
        """D, the number of columns of x."""
        return self.first.shape[2]

    def rows(self, rows: slice) -> Inner:
        """The same at some of the rows."""
        first = self.first if len(self.first) == 1 else self.first[rows]
        second = self.second if self.second is None or len(self.second) == 1 else self.second[rows]
        return Inner(first, second)

    def chain(self, outer_first: Array, outer_second: Array | None) -> tuple[Array, Array | None]:
        """Derivatives of λ(z(x)) in x, (n, M, D) and (n, M, D, D), from derivatives of λ in z (n, M, L), (n, M, L, L).

        ∂λ = λ_z ∂z and ∂²λ = ∂zᵀ λ_zz ∂z + λ_z ∂²z; a second derivative that is None is 0, in λ_zz and in ∂²z.
        """
        J, H = self.first[:, None], self.second
        first = np.matmul(outer_first, self.first)
        second = None
        if outer_second is not None:
            second = np.matmul(np.matmul(J.swapaxes(-1, -2), outer_second), J)
        if H is not None:
            L, D = self.first.shape[1:]
            bent = np.matmul(outer_first, H.reshape(len(H), L, D * D)).reshape(*first.shape[:2], D, D)
            second = bent if second is None else second + bent
        return first, second

    def into(self, outer: Inner) -> Inner:
        """The derivatives of w(z(x)), where `outer` has the derivatives of w in z."""
        return Inner(*self.chain(outer.first, outer.second))


# ---- classes against the rest, one distribution for several ---------------------------------------------------------


def normalized(members: Sequence[Distribution]) -> Categorical:
    """p_k = π_k/Σ_j π_j from one Bernoulli per class."""
    return Categorical(softmax(_log_probabilities(members), axis=1))


def normalized_derivatives(members: Sequence[Derivatives]) -> Derivatives:
    """The Categorical with the derivatives of all p_k, from the record of one Bernoulli per class.

    With p_k = π_k/S, S = Σ_j π_j, relative derivatives ρ_k = ∂π_k/π_k, ρ_k,de = ∂²π_k/π_k, and their averages
    ρ̄ = Σ_j p_j ρ_j (which is ∂S/S) and ρ̄_de = Σ_j p_j ρ_j,de,

        ∂_d p_k    = p_k (ρ_k,d − ρ̄_d)
        ∂_d∂_e p_k = p_k (ρ_k,de − ρ̄_de − (ρ_k,d − ρ̄_d) ρ̄_e − (ρ_k,e − ρ̄_e) ρ̄_d).

    Both add up to 0 over the classes. Two classes give the binary classifier; with more, p is not the posterior of a
    joint (softmax) model: away from the data it goes to 1/K.
    """
    log_pi = _log_probabilities([member.distribution for member in members])
    p = softmax(log_pi, axis=1)
    distribution = Categorical(p)
    scale = np.exp(log_pi)
    relative = _relative(np.stack([member.first[:, 0] for member in members], axis=1), scale)
    average = np.einsum("nk,nkd->nd", p, relative)
    deviation = relative - average[:, None]
    first = p[..., None] * deviation
    seconds = [member.second[:, 0] for member in members if member.second is not None]
    if len(seconds) < len(members):
        return Derivatives(distribution, first)
    relative_second = _relative(np.stack(seconds, axis=1), scale)
    average_second = np.einsum("nk,nkde->nde", p, relative_second)
    cross = deviation[..., :, None] * average[:, None, None, :]
    inner = relative_second - average_second[:, None] - cross - np.swapaxes(cross, -1, -2)
    return Derivatives(distribution, first, p[..., None, None] * inner)


def _log_probabilities(members: Sequence[Distribution]) -> Array:
    """log π (n, K): through the logit, so that it is finite where π underflows."""
    for member in members:
        if not isinstance(member, Bernoulli):
            raise InputError(f"one-vs-rest needs a Bernoulli per class; got {type(member).__name__}.")
    return np.stack([member.log_prob(1.0) for member in members], axis=1)


def _relative(derivative: Array, pi: Array) -> Array:
    """∂π/π, and 0 where π underflows to 0."""
    pi = pi.reshape(pi.shape + (1,) * (derivative.ndim - 2))
    return np.divide(derivative, pi, out=np.zeros_like(derivative), where=pi > 0.0)


#: Steps for derivatives of λ̄ in the members' λ, as shares of how fast λ changes. λ̄ is a smooth function of averages, so
#: central differences with one extrapolation are right to about 1e-10.
_STEP = 2.0**-8


def matched_record(records: Sequence[Derivatives], weights: Array) -> Derivatives:
    """The record of `Mixture.matched` of several records of the same rows and columns."""
    mixture = Mixture([record.distribution for record in records], weights).checked()
    family = mixture.matched().checked(len(records[0]))
    seconds = [record.second for record in records if record.second is not None]
    if len(mixture.kinds) == 1 and family.matched_by_average:
        first = np.einsum("s,snmd->nmd", weights, [record.first for record in records])
        return Derivatives(family, first, np.einsum("s,snmde->nmde", weights, seconds) if seconds else None)

    # λ̄ is a function of the members' λ(x + t) = λ + ∂λ t + ½ tᵀ∂²λ t: its differences need no evaluation of any model.
    def matched(step: Array) -> Array:
        λ: Array = Mixture([_moved(record, step) for record in records], weights).checked().matched().parameters
        return λ

    # A step moves a member by a small part of its width at most, in Fisher norm, also to second order.
    sizes = [record.distribution.fisher_norm(record.first) for record in records]
    for record in records:
        if record.second is not None:
            sizes.append(np.sqrt(record.distribution.fisher_norm(np.einsum("nmdd->nmd", record.second))))
    size = np.max(sizes, axis=0)
    h = _STEP / np.where((size > 0.0) & np.isfinite(size), size, 1.0)  # (n, D)
    steps = Quotients(
        lambda points: np.stack([matched(step) for step in points]),
        np.zeros_like(h),
        family.parameters,
        list(range(h.shape[1])),
    )
    second = extrapolated(steps.second, h) if seconds else None
    return Derivatives(family, extrapolated(steps.first, h), second)


def _moved(record: Derivatives, step: Array) -> Distribution:
    """A member's own distribution at rows moved by these steps (n, D)."""
    λ = record.distribution.parameters + np.einsum("nmd,nd->nm", record.first, step)
    if record.second is not None:
        λ = λ + 0.5 * np.einsum("nmde,nd,ne->nm", record.second, step, step)
    family: Any = record.distribution
    return family.with_parameters(λ)


# ---- piecewise linear models ----------------------------------------------------------------------------------------


#: Second derivatives that count as 0: relative to the slope per unit of a column, and, as differences in float64 are
#: wrong by a share of the value itself, to the value. Differences may also meet a kink now and then.
NOTHING = NOTHING_BY_DIFFERENCES = 1e-6
KINKS_BY_DIFFERENCES = 0.05
#: The angle, or relative change, between slopes that counts as a difference.
TURN = 1e-4


class Bends:
    """Whether second derivatives can see interactions: in a piecewise linear model, such as a ReLU network, they are 0.

    λ = g(z) with z piecewise linear has ∂²λ = c ∂λ ∂λᵀ at every row, c = 0 without a link g. If that holds and λ is
    smooth, ∂λ changes only along itself, so its direction is the same everywhere: a linear model, or one with a linear
    predictor. If the direction differs between rows, the model bends at kinks that second derivatives at rows miss.
    """

    def __init__(self, table: Table, by_differences: bool) -> None:
        scale = column_scale(table.values)
        self._units = np.where(scale > 0.0, scale, 1.0)
        self._levels = table.values[:, [] if table.coding is None else list(table.coding.categorical)]
        self._by_differences = by_differences
        self._seen = 0
        self._curved = self._bent = self._turns = self._changes = np.zeros(())  # rows with it, by parameter
        self._reference: dict[bytes, Array] = {}  # the first slopes, by levels
        self._names: tuple[str, ...] = ()

    def add(self, rows: slice, record: Derivatives) -> None:
        """Look at the records of some more rows."""
        assert record.second is not None
        first = record.first * self._units
        second = record.second * self._units[:, None] * self._units  # in turn: a product of two units may not fit
        self._names = record.distribution.parameter_names
        self._seen += len(first)
        with np.errstate(all="ignore"):
            length2 = np.sum(first**2, axis=2)
            c = np.einsum("nmd,nmde,nme->nm", first, second, first) / length2**2
            along = np.where(np.isfinite(c), c, 0.0)[..., None, None] * first[..., :, None] * first[..., None, :]
            nothing = NOTHING * np.sqrt(np.maximum(length2, length2.mean(axis=0)))
            if self._by_differences:
                nothing = nothing + NOTHING_BY_DIFFERENCES * np.abs(record.distribution.parameters)
            self._curved = self._curved + np.sum(np.abs(second).max(axis=(2, 3)) > nothing, axis=0)
            self._bent = self._bent + np.sum(np.abs(second - along).max(axis=(2, 3)) > nothing, axis=0)
            # Slopes with the first ones among rows of the same levels: between levels a linear model's may differ.
            kinds, index, place = np.unique(self._levels[rows], axis=0, return_index=True, return_inverse=True)
            known = [self._reference.setdefault(kind.tobytes(), first[i]) for kind, i in zip(kinds, index, strict=True)]
            start = np.stack(known)[place.reshape(-1)]
            start2, inner, largest = np.sum(start**2, axis=2), np.sum(first * start, axis=2), length2.max(axis=0)
            visible = (length2 > NOTHING * largest) & (start2 > NOTHING * largest)
            turns = visible & (length2 * start2 - inner**2 > TURN * length2 * start2)
            self._turns = self._turns + turns.sum(axis=0)
            changes = np.sum((first - start) ** 2, axis=2) > TURN * np.maximum(largest, start2)
            self._changes = self._changes + changes.sum(axis=0)

    def warn(self) -> None:
        """Warn, once, of the parameters whose second derivatives are 0, or only a link's, between kinks."""
        allowed = (KINKS_BY_DIFFERENCES if self._by_differences else 0.0) * self._seen
        flat = (self._curved <= allowed) & (self._changes > 0)
        found = flat | ((self._bent <= allowed) & (self._turns > 0))
        if not found.any():
            return
        named = quoted(name for name, each in zip(self._names, found, strict=True) if each)
        what = "are 0" if flat.any() else "come from a link function alone (a logit, a log)"
        warn(
            f"second derivatives of {named} {what} at every row, although the slopes differ between rows: the model "
            "is piecewise linear, like a ReLU network, and R-sens₂ shows no interactions. Use a smooth activation "
            "(softplus, tanh, SiLU), or differences over a step that spans the bends: from_function(fn, step=0.3)."
        )
