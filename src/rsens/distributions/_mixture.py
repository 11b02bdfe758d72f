"""Mixture: λ = the parameters of all components, one after the other; the weights are fixed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from itertools import islice
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.distributions._base import (
    SHARES,
    Distribution,
    Domain,
    Ordered,
    RowShaper,
    flat_draws,
    norm,
    rows_first,
    rows_second,
    weighted_sum,
)
from rsens.distributions._bernoulli import Bernoulli
from rsens.distributions._histogram import Histogram
from rsens.distributions._mixture_integral import Group, changes_at_nodes, mixture_renyi
from rsens.distributions._normal import Normal

_BLOCK = 2_000_000  # how many component densities to hold at once
PREDICTION, NOISE, KNOWLEDGE = "prediction", "noise", "knowledge"


@dataclass(frozen=True, eq=False)
class Mixture(Ordered):
    """Mixture(components, weights): p(y) = Σ_s w_s p_s(y).

    λ stacks the components' own parameters, and R-sens₂ uses this stacked λ; the weights are fixed. The Fisher
    information has no closed form; uᵀIu = ∫ (∂p·u)²/p dy is summed over y (counts) or integrated (numbers), right to
    about 1e-8. Classes, events and bins need neither: a mixture of Bernoullis is a Bernoulli. Vectors are integrated on
    lattices around the components: right to about 1e-8 in two dimensions and 1e-5 in three and more if the components
    are of similar size, and to about three digits if their sizes differ a lot.

    Args:
        components: A list of S families over the same kind of y, each with n rows, or with one for all rows. Or one
            family whose arrays have the components in front of the rows, (S, n): thousands of posterior draws without
            thousands of objects.
        weights: w, shape (n, S), or (S,) for all rows; between 0 and 1, each row adding up to 1. They may not depend
            on x.
        draws: Whether the components are posterior draws or members of an ensemble, so that where they differ is what
            is not known. Changes of such a mixture have the parts "prediction" (all components move together), "noise"
            (the spread of each moves) and "knowledge" (they move apart).

    Example:
        >>> from rsens import Mixture, Normal
        >>> Mixture([Normal([0.0, 1.0], 1.0), Normal([4.0, 5.0], 1.0)], [0.75, 0.25]).mean.tolist()
        [1.0, 2.0]
        >>> Mixture(Normal([[0.0, 1.0], [4.0, 5.0]], 1.0), [0.75, 0.25]).mean.tolist()
        [1.0, 2.0]
    """

    components: Any
    weights: Any
    draws: bool = field(default=False, kw_only=True)
    domains: ClassVar[dict[str, Domain]] = {"weights": SHARES}
    fixed_fields: ClassVar[tuple[str, ...]] = ("weights",)
    same_support: ClassVar[bool] = False

    @property
    def held_as_arrays(self) -> bool:
        """Whether the components were given as one family with (S, n) arrays."""
        return isinstance(self.components, Distribution)

    @property
    def kinds(self) -> set[type[Distribution]]:
        """The families of the components."""
        return {type(component) for component in self._given}

    @property
    def _given(self) -> Sequence[Distribution]:
        """The objects that were given: one or more."""
        return [self.components] if self.held_as_arrays else self.components

    @property
    def members(self) -> list[Distribution]:
        """The components, one object each, of any array type."""
        if not self.held_as_arrays:
            return list(self._given)
        leaves = list(zip(self.components.leaves(), self.components.event_axes(), strict=True))
        each = ((v[s] if v.ndim > 1 + axes else v for v, axes in leaves) for s in range(self.weights.shape[-1]))
        return [self.components.rebuilt(values) for values in each]

    @property
    def member(self) -> Distribution:
        """The first component, for properties that all of them share."""
        return self.members[0]

    @property
    def support(self) -> str:  # type: ignore[override]
        return self._given[0].support

    @property
    def output_weight(self) -> float:  # type: ignore[override]
        return self._given[0].output_weight

    @cached_property
    def parameter_names(self) -> tuple[str, ...]:
        parts = [self.components] * self.weights.shape[-1] if self.held_as_arrays else self.components
        return tuple(f"{s}.{name}" for s, part in enumerate(parts) for name in part.parameter_names)

    def columns(self) -> list[Any]:
        return [column for component in self._given for column in component.columns()]

    @property
    def parameters(self) -> Any:
        return flat_draws(self.components.parameters) if self.held_as_arrays else super().parameters

    def event_axes(self) -> list[int]:
        return [axes + self.held_as_arrays for given in self._given for axes in given.event_axes()] + [1]

    def leaves(self) -> list[Any]:
        """Rows come first in all of them, also where the components have draws in front."""
        leaves = [leaf for given in self._given for leaf in given.leaves()]
        if self.held_as_arrays:
            axes = self.components.event_axes()
            if not any(leaf.ndim > 1 + event for leaf, event in zip(leaves, axes, strict=True)):
                raise TypeError("one family without an axis of draws in front of the rows")
            leaves = list(map(rows_first, leaves, axes))
        return [*leaves, self.weights]

    def rebuilt(self, leaves: Iterator[Any]) -> Self:
        if not self.held_as_arrays:
            return type(self)([each.rebuilt(leaves) for each in self.components], next(leaves), draws=self.draws)
        axes = self.components.event_axes()
        components = self.components.rebuilt(map(rows_second, islice(leaves, len(axes)), axes))
        return type(self)(components, next(leaves), draws=self.draws)

    def matched(self) -> Distribution:
        """One distribution in place of the mixture, in the components' own λ: `_matched` of their family."""
        if self.held_as_arrays:
            return self.components._matched(lambda values, event_ndim=0: weighted_sum(self.weights, values, event_ndim))
        groups = self._checked.groups
        if len(groups) == 1:
            return type(self)(groups[0].family, groups[0].weights).matched()
        if self.support != "continuous":
            raise InputError("Mixture: components of different families have no common λ. Use one family.")
        return Normal(self.mean, self.variance)

    def checked(self, n: int | None = None) -> Self:
        self._check_kinds()
        weights, given = self._read_field("weights", self.weights), self._given
        total, draws = weights.sum(axis=-1), weights.shape[-1]
        count = draws if self.held_as_arrays else len(given)
        if draws != count or (np.abs(total - 1.0) > 1e-8).any():
            got = f"got shape {weights.shape} and sums around {np.mean(total):.6g}."
            raise self._refused("weights", f" that add up to 1; {got}", f"{count} components need {count} ")

        def filled(family: Distribution, n: int | None) -> Distribution:
            return family._filled(n, draws) if self.held_as_arrays else family.checked(n)

        parts = [filled(family, n) for family in given]
        shapes = [part._shape[int(self.held_as_arrays) : -1] for part in parts]
        try:
            rows = np.broadcast_shapes(weights.shape[:-1], *shapes)
        except ValueError:
            problem = f" must have the same number of rows; got {sorted({weights.shape[:-1], *shapes})}."
            raise InputError("Mixture: ", Argument("weights"), " and ", Argument("components"), problem) from None
        parts = [part if shape == rows else filled(part, rows[0]) for part, shape in zip(parts, shapes, strict=True)]
        if self.support in ("classes", "vector") and len({len(part.parameter_names) for part in parts}) > 1:
            raise self._refused("components", " must have the same number of classes, or of dimensions.", "all ")
        borders = [part._borders if isinstance(part, Histogram) else np.empty(0) for part in parts]
        if not all(np.array_equal(borders[0], each) for each in borders):
            before = "a Histogram can be mixed with others over the same borders only; all "
            raise self._refused("components", " must be Histograms over these bins.", before)
        components = parts[0] if self.held_as_arrays else parts
        family = type(self)(components, np.broadcast_to(weights, (*rows, draws)), draws=self.draws)
        family.__dict__["_checked"] = family
        return family

    def _check_kinds(self) -> None:
        """Refuse components that are not families over one kind of y."""
        given = list(self._given) if isinstance(self._given, Sequence) else []
        kinds = [type(family).__name__ for family in given]
        if not given or not all(isinstance(family, Distribution) for family in given):
            raise self._refused(
                "components",
                " must be a non-empty list of families, such as [Normal(…), Normal(…)], or one family with arrays "
                f"(components, rows); got {kinds or type(self.components).__name__}.",
            )
        if "Mixture" in kinds:
            problem = " is itself a Mixture. List its components instead, and multiply the weights."
            raise self._refused("components", problem, "one of the ")
        if len({family.support for family in given}) > 1:
            got = ", ".join(sorted(set(kinds)))
            raise self._refused("components", f" must be distributions of the same kind of y; got {got}.", "all ")

    @cached_property
    def groups(self) -> list[Group]:
        """The components of a checked mixture with n rows, in one group per family."""
        me = self._rowed
        if me.held_as_arrays:
            draws, _, size = me.components.parameters.shape
            return [Group(me.components, me.weights, np.arange(draws * size).reshape(-1, size))]
        sizes = [len(component.parameter_names) for component in me.components]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        alike: dict[Any, list[int]] = {}
        for s, component in enumerate(me.components):
            shapes = tuple((name, values.shape[1:]) for name, values in component.fields().items())
            alike.setdefault((type(component), shapes), []).append(s)
        groups = []
        for members in alike.values():
            first = me.components[members[0]]
            fields = {name: np.stack([getattr(me.components[s], name) for s in members]) for name in first.fields()}
            columns = starts[members][:, None] + np.arange(sizes[members[0]])
            groups.append(Group(first._with(fields), me.weights[:, members], columns))
        return groups

    @cached_property
    def whole(self) -> Distribution | None:
        """The mixture as one distribution of the components' family, where it is one: classes, events."""
        if len(self.groups) > 1:
            return None
        return self.groups[0].family._collapsed(self.groups[0].weights)

    @property
    def _rowed(self) -> Self:
        """This mixture with an axis of rows, also where one distribution was given without."""
        return self if self.weights.ndim > 1 else self.checked(1)

    def _unrowed(self, values: Array) -> Array:
        """Values (n, …) of `_rowed` without the rows that were not given."""
        return values if self.weights.ndim > 1 else values[0]

    def _with_rows(self, y: Array) -> Array:
        return y if self.weights.ndim > 1 or self.support == "vector" else y[..., None]

    def _average(self, of: Callable[[Distribution], Array]) -> Array:
        """Σ_s w_s f_s for f (S, n, …) of each family."""
        parts = [np.einsum("ns,sn...->n...", group.weights, of(group.family)) for group in self.groups]
        return self._unrowed(np.sum(parts, axis=0))

    @property
    def mean(self) -> Array:
        return self._checked._average(lambda family: family.mean)

    @property
    def variance(self) -> Array:
        me, mean = self._checked, self.mean
        return me._average(lambda family: family.variance + (family.mean - mean) ** 2)

    def _log_prob(self, y: Array) -> Array:
        if self.whole is not None:
            values = self.whole._log_prob(self._with_rows(y))
            return values if self.weights.ndim > 1 else values[..., 0]

        def joint(family: Any, weights: Array, y: Array) -> Array:
            return logsumexp(np.log(weights).T[:, None] + family._log_prob(y), axis=0)

        return self._over_rows(y, joint, np.logaddexp)

    def _cdf(self, y: Array, upper: bool) -> Array:
        def share(family: Any, weights: Array, y: Array) -> Array:
            return np.einsum("bs,skb->kb", weights, family._cdf(y, upper))

        return self._over_rows(y, share, np.add)

    def _over_rows(self, y: Array, of: Callable[..., Array], add: Callable[..., Array]) -> Array:
        """`of` a family with arrays (S, 1, rows), weights (rows, S) and points (points, rows), added over groups."""
        event = 1 if self.support == "vector" else 0
        n, draws = self._rowed.weights.shape
        shape = np.broadcast_shapes(y.shape[: y.ndim - event], (n,))
        points = np.broadcast_to(y, shape + y.shape[y.ndim - event :]).reshape(-1, n, *y.shape[y.ndim - event :])
        result = np.empty(points.shape[:2])
        size = max(1, _BLOCK // (draws * len(points)))
        for rows in (slice(start, start + size) for start in range(0, n, size)):
            taken = ((group.family._taken((slice(None), None, rows)), group.weights[rows]) for group in self.groups)
            result[:, rows] = reduce(add, (of(family, weights, points[:, rows]) for family, weights in taken))
        return result.reshape(shape if self.weights.ndim > 1 else shape[:-1])

    def _score(self, y: Array) -> Array:
        # ∂ log p/∂λ_s = responsibility of s × its own score
        me, vector = self._rowed, self.support == "vector"
        y = self._with_rows(y)
        rows = np.broadcast_shapes(y.shape[:-1] if vector else y.shape, me.weights.shape[:-1])
        scores = np.empty((*rows, sum(group.columns.size for group in self.groups)))
        log_p = me._log_prob(y)
        for group in self.groups:
            for s, columns in enumerate(group.columns):
                family = group.family._taken(s)
                share = np.exp(np.log(group.weights[:, s]) + family._log_prob(y) - log_p)[..., None]
                scores[..., columns] = np.where(share > 0.0, share * family._score(y), 0.0)
        return scores if self.weights.ndim > 1 else scores.reshape(*rows[:-1], -1)

    def _sample(self, rng: np.random.Generator, size: tuple[int, ...]) -> Array:
        n = len(self._rowed.weights)
        edges = np.cumsum(np.concatenate([group.weights for group in self.groups], axis=1), axis=1)
        chosen = np.empty((*size, n), dtype=np.intp)
        for i in range(n):
            chosen[..., i] = np.searchsorted(edges[i], rng.random(size) * edges[i, -1], side="right")
        start, draws = 0, np.zeros(())
        for group in self.groups:
            own, count = chosen - start, group.weights.shape[1]
            new = group.family._taken((np.clip(own, 0, count - 1), np.arange(n)))._sample(rng, ())
            here = ((own >= 0) & (own < count)).reshape(own.shape + (1,) * (new.ndim - own.ndim))
            draws = np.where(here, new, draws)
            start += count
        return draws if self.weights.ndim > 1 else draws.reshape(size + draws.shape[len(size) + 1 :])

    def fisher_norm(self, u: ArrayLike) -> Array:
        """sqrt(uᵀ I(λ) u) for u (n, M, …), from one integral for all directions."""
        me, changes, shape = self._changes(u)
        if me.whole is not None:
            return me.whole.fisher_norm(changes).reshape(shape)
        return np.array([norm(a, 0) for a in me._at_nodes(changes)]).reshape(shape)

    def whiten(self, u: ArrayLike) -> Array:
        """Rows of a factor of the information, times u: only lengths and angles mean anything, as elsewhere."""
        me, changes, shape = self._changes(u)
        if me.whole is not None:
            whitened = me.whole.whiten(changes)
        else:
            # Vectors (K, R) as at most R rows with the same lengths and angles.
            parts = [np.linalg.qr(a, mode="r") if len(a) > a.shape[1] else a for a in me._at_nodes(changes)]
            most = max(len(part) for part in parts)
            whitened = np.stack([np.pad(part, ((0, most - len(part)), (0, 0))) for part in parts])
        rows = self._checked.weights.ndim - 1
        return whitened.reshape(shape[:rows] + whitened.shape[1:2] + shape[rows:])

    def _whiten(self, u: Array, row: RowShaper) -> list[Array]:
        raise NotImplementedError  # `whiten` has all rows to itself

    def _changes(self, u: ArrayLike) -> tuple[Self, Array, tuple[int, ...]]:
        """The mixture with rows, u as (n, M, R), or its average for `whole`, and the shape of one value per change."""
        me, changes, (*rows, m) = self._checked._rowed, self._read_change(u), self._shape
        rest = changes.shape[len(rows) + 1 :]
        changes = changes.reshape(-1, m, int(np.prod(rest)))
        if me.whole is not None:
            changes = np.einsum("ns,nsmr->nmr", me.groups[0].weights, changes[:, me.groups[0].columns])
        return me, changes, (*rows, *rest)

    def _at_nodes(self, changes: Iterable[Array]) -> Iterator[Array]:
        """a (K, R) with aᵀa = uᵀIu, row by row."""
        for i, u in enumerate(changes):
            rows = [group.row(i) for group in self.groups]
            with np.errstate(all="ignore"):  # not around `yield`: a loop that ends early would keep it
                found = changes_at_nodes([row for row in rows if len(row.weights)], u)
            if not len(found):
                raise InputError(
                    f"Mixture: the components of row {i} cannot be integrated: they are too far apart, or too narrow, "
                    "for float64. Give y or the columns in other units."
                )
            yield found

    @property
    def part_names(self) -> tuple[str, ...]:
        """The parts of draws of one family, if λ is a location, or a location and parameters orthogonal to it."""
        me = self._checked
        if not me.draws or len(me.groups) > 1 or me.whole is not None:
            return ()
        family = me.groups[0].family
        if family.parameters.shape[-1] == 1:
            return PREDICTION, KNOWLEDGE
        return (PREDICTION, NOISE, KNOWLEDGE) if family.orthogonal_blocks else ()

    def shares(self, u: ArrayLike) -> dict[str, Array]:
        """∫ g_k g/p of each part k as a share of ∫ g²/p, g = Σ_k g_k; one below 0 counts as 0, and they add up to 1."""
        (me, changes, shape), names, found = self._changes(u), self._checked.part_names, []
        if not names:
            return {}
        by_part = (_split_by_part(me.groups[0], i, u, names) for i, u in enumerate(changes))
        for a in me._at_nodes(by_part):
            each = a.reshape(len(a), len(names), -1)
            length = norm(each.sum(axis=1), 0)
            each = each / np.where(length > 0.0, length, 1.0)
            parts = np.maximum(np.einsum("kpr,kr->pr", each, each.sum(axis=1)), 0.0)
            total = parts.sum(axis=0)
            found.append(parts / np.where(total > 0.0, total, 1.0))
        return {name: np.array([parts[k] for parts in found]).reshape(shape) for k, name in enumerate(names)}

    def _check_comparable(self, other: Self) -> None:
        """Mixtures may have other weights and other components."""

    def _renyi(self, other: Self, alpha: float) -> Array:
        if self.whole is not None and other.whole is not None:
            self.whole._check_comparable(other.whole)
            return self.whole._renyi(other.whole, alpha)
        pairs = ([[group.row(i) for group in p.groups] for p in (self, other)] for i in range(len(self.weights)))
        return np.array([mixture_renyi(p, q, alpha) for p, q in pairs])

    def _prediction(self) -> Array:
        return self._average(lambda family: family._prediction())

    def _prediction_gradient(self) -> Array:
        me = self._rowed
        gradient = np.empty((*me._prediction().shape, me.parameters.shape[-1]))
        for group in me.groups:
            part = group.family._prediction_gradient()  # (S, n, P, M)
            gradient[..., group.columns] = np.einsum("ns,snpm->npsm", group.weights, part)
        return self._unrowed(gradient)

    @property
    def has_spread(self) -> bool:
        return all(part.has_spread for part in self._given)

    def variance_gradient(self) -> Array:
        """V = Σ w_s (V_s + (μ_s − μ)²), so ∂V/∂λ_s = w_s (∂V_s + 2 (μ_s − μ) ∂μ_s)."""
        me = self._checked
        mean, gradient = me.mean, np.empty(me.parameters.shape)
        for group in me.groups:  # arrays (S, n)
            family = group.family
            along = 2.0 * (family.mean - mean)[..., np.newaxis] * family.prediction_gradient()[..., 0, :]
            each = family.variance_gradient() + along
            gradient[:, group.columns] = group.weights[..., np.newaxis] * np.moveaxis(each, 0, 1)
        return gradient

    def _prediction_hessian(self) -> Array | None:
        parts = [(group, group.family._prediction_hessian()) for group in self.groups]
        if all(part is None for _, part in parts):
            return None
        gradient = self._rowed._prediction_gradient()
        hessian = np.zeros((*gradient.shape, gradient.shape[-1]))
        for group, part in parts:
            if part is not None:
                for s, columns in enumerate(group.columns):
                    hessian[..., columns[:, None], columns] = group.weights[:, s, None, None, None] * part[s]
        return self._unrowed(hessian)


def _split_by_part(group: Group, row: int, u: Array, names: tuple[str, ...]) -> Array:
    """The change u (S·M, R) of one row split into (S·M, parts · R): ∂m̄ = Σ w_s ∂m_s, ∂m_s − ∂m̄, the rest of ∂λ_s."""
    location = next(iter(group.family.orthogonal_blocks.values()), slice(0, 1))
    own = u[group.columns]  # (S, M, R)
    parts = {name: np.zeros_like(own) for name in names}
    parts[PREDICTION][:, location] = np.einsum("s,smr->mr", group.weights[row], own[:, location])
    parts[KNOWLEDGE][:, location] = own[:, location] - parts[PREDICTION][:, location]
    if NOISE in names:
        parts[NOISE] = own.copy()
        parts[NOISE][:, location] = 0.0
    return np.stack(list(parts.values()), axis=2).reshape(len(u), -1)


def is_event(family: Distribution) -> bool:
    """Whether y is 0 or 1, so that one probability describes it: a Bernoulli, or a mixture of them."""
    kinds = family.kinds if isinstance(family, Mixture) else {type(family)}
    return all(issubclass(kind, Bernoulli) for kind in kinds)
