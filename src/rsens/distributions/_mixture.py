"""Mixture: λ = the parameters of all components, one after the other; the weights are fixed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.distributions._base import RowShaper
from rsens.distributions._components import Components
from rsens.distributions._mixture_groups import Group
from rsens.distributions._mixture_integral import changes_at_nodes
from rsens.distributions._mixture_parts import part_names_of, shares_of, split_by_part
from rsens.distributions._mixture_renyi import mixture_renyi
from rsens.distributions._numbers import as_numbers, norm
from rsens.distributions._univariate import tail_probability

_BLOCK = 2_000_000  # how many component densities to hold at once


@dataclass(frozen=True, eq=False)
class Mixture(Components):
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

    @property
    def mean(self) -> Array:
        return self._checked._average(lambda family: family.mean)

    @property
    def variance(self) -> Array:
        me, mean = self._checked, self.mean
        return me._average(lambda family: family.variance + (family.mean - mean) ** 2)

    def _log_prob(self, y: Array) -> Array:
        if self.whole is not None:
            return self._unrowed_last(self.whole._log_prob(self._with_rows(y)), y)
        with np.errstate(divide="ignore"):
            return self._over_rows(y, lambda joint, _: logsumexp(joint, axis=0), joint=True)

    def cdf(self, y: ArrayLike) -> Array:
        """P(Y ≤ y) = Σ_s w_s P_s(Y ≤ y) per row; y as in `log_prob`. For numbers and counts."""
        return tail_probability(self._if_ordered(), y, upper=False)

    def survival(self, y: ArrayLike) -> Array:
        """P(Y > y) per row, with the digits that 1 − cdf(y) loses where it is small."""
        return tail_probability(self._if_ordered(), y, upper=True)

    def _if_ordered(self) -> Self:
        """This mixture, if its y has an order."""
        if self._checked.support in ("classes", "vector"):
            raise InputError(f"Mixture: {self.support} have no distribution function. Use log_prob.")
        return self

    def _cdf(self, y: Array, upper: bool) -> Array:
        def total(_: Any, at: list[tuple[Group, Any, Array]]) -> Array:
            parts = (np.einsum("bs,skb->kb", g.weights, family._cdf(y, upper)) for g, family, y in at)
            return np.asarray(sum(parts))

        return self._over_rows(y, total)

    def _over_rows(self, y: Array, total: Callable[..., Array], joint: bool = False) -> Array:
        """`total` of the components at y, (points, rows), in blocks of rows; y has the rows last (vectors: before k).

        It gets log w_s + log p_s(y), (S, points, rows), where `joint` asks for it, and for each group its part at these
        rows with arrays (S, 1, rows).
        """
        event = 1 if self.support == "vector" else 0
        n, draws = self._rowed.weights.shape
        shape = np.broadcast_shapes(y.shape[: y.ndim - event], (n,))
        points = np.broadcast_to(y, shape + y.shape[y.ndim - event :]).reshape(-1, n, *y.shape[y.ndim - event :])
        result = np.empty(points.shape[:2])
        size = max(1, _BLOCK // (draws * len(points)))
        for start in range(0, n, size):
            rows = slice(start, start + size)
            at = [
                (
                    replace(g, weights=g.weights[rows]),
                    g.family._taken((slice(None), None, rows)),
                    points[:, rows],
                )
                for g in self.groups
            ]
            log_p = None
            if joint:
                log_p = np.concatenate(
                    [np.log(g.weights).T[:, None] + family._log_prob(points) for g, family, points in at]
                )
            result[:, rows] = total(log_p, at)
        return self._unrowed_last(result.reshape(shape), y)

    def _with_rows(self, y: Array) -> Array:
        return y if self.weights.ndim > 1 or self.support == "vector" else y[..., None]

    def _unrowed_last(self, values: Array, y: Array) -> Array:
        return values if self.weights.ndim > 1 else values.reshape(values.shape[:-1])

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
                with np.errstate(all="ignore"):
                    share = np.exp(np.log(group.weights[:, s]) + family._log_prob(y) - log_p)[..., None]
                    scores[..., columns] = np.where(share > 0.0, share * family._score(y), 0.0)
        return scores if self.weights.ndim > 1 else scores.reshape(*rows[:-1], -1)

    def _sample(self, rng: np.random.Generator, size: tuple[int, ...]) -> Array:
        me = self._rowed
        n = len(me.weights)
        edges = np.cumsum(np.concatenate([group.weights for group in self.groups], axis=1), axis=1)
        chosen = np.empty((*size, n), dtype=np.intp)
        for i in range(n):
            chosen[..., i] = np.searchsorted(edges[i], rng.random(size) * edges[i, -1], side="right")
        start, draws = 0, None
        for group in self.groups:
            count = group.weights.shape[1]
            own = np.clip(chosen - start, 0, count - 1)
            new = group.family._taken((own, np.arange(n)))._sample(rng, ())
            here = (chosen >= start) & (chosen < start + count)
            draws = (
                new if draws is None else np.where(here.reshape(here.shape + (1,) * (new.ndim - here.ndim)), new, draws)
            )
            start += count
        assert draws is not None  # a mixture has components
        return draws if self.weights.ndim > 1 else draws.reshape(size + draws.shape[len(size) + 1 :])

    def fisher_norm(self, u: ArrayLike) -> Array:
        """sqrt(uᵀ I(λ) u) for u (n, M, …), from one integral for all directions."""
        me, changes, shape = self._changes(u)
        if me.whole is not None:
            return me.whole.fisher_norm(me._average_change(changes)).reshape(shape)
        return np.array([norm(a, 0) for a in me._at_nodes(changes)]).reshape(shape)

    def whiten(self, u: ArrayLike) -> Array:
        """Rows of a factor of the information, times u: only lengths and angles mean anything, as elsewhere."""
        me, changes, shape = self._changes(u)
        if me.whole is not None:
            whitened = me.whole.whiten(me._average_change(changes))
        else:
            parts = [_reduced(a) for a in me._at_nodes(changes)]
            most = max(len(part) for part in parts)
            whitened = np.stack([np.pad(part, ((0, most - len(part)), (0, 0))) for part in parts])
        rows = self._checked.weights.ndim - 1
        return whitened.reshape(shape[:rows] + whitened.shape[1:2] + shape[rows:])

    def _changes(self, u: ArrayLike) -> tuple[Self, Array, tuple[int, ...]]:
        """The mixture with rows, u as (n, M, R), and the shape of what has one value for each change."""
        changes, me = as_numbers(u, "u"), self._checked
        shape = me.parameters.shape
        if changes.shape[: len(shape)] != shape:
            raise InputError(
                "Mixture: ",
                Argument("u"),
                f", a change of the parameters, must have the shape (rows, parameters, …), here {shape} and perhaps "
                f"further axes; got {changes.shape}.",
            )
        rest = changes.shape[len(shape) :]
        return me._rowed, changes.reshape(-1, shape[-1], int(np.prod(rest))), shape[:-1] + rest

    def _average_change(self, changes: Array) -> Array:
        """Σ_s w_s u_s, (n, M, R), of components that are one distribution together."""
        (group,) = self.groups
        return np.einsum("ns,nsmr->nmr", group.weights, changes[:, group.columns])

    def _at_nodes(self, changes: Iterable[Array]) -> Iterator[Array]:
        """a (K, R) with aᵀa = uᵀIu, row by row."""
        for i, u in enumerate(changes):
            rows = [group.row(i) for group in self.groups]
            with np.errstate(all="ignore"):  # not around `yield`: whoever ends the loop early would keep it
                found = changes_at_nodes([row for row in rows if len(row.weights)], u)
            if not len(found):
                raise InputError(
                    f"Mixture: the components of row {i} cannot be integrated: they are too far apart, or too narrow, "
                    "for float64. Give y or the columns in other units."
                )
            yield found

    # ---- parts ------------------------------------------------------------------------------------------------------

    @property
    def part_names(self) -> tuple[str, ...]:
        """Of draws of one family: where λ is a location, or a location and what is orthogonal to it."""
        me = self._checked
        if not me.draws or len(me.groups) > 1 or me.whole is not None:
            return ()
        return part_names_of(me.groups[0].family)

    def shares(self, u: ArrayLike) -> dict[str, Array]:
        """With g = Σ_k g_k of the parts k, ∫ g_k g/p of each, as a share of ∫ g²/p.

        One can be a little below 0, where a part works against the others: it counts as 0, and the others by their
        share of the rest, so that they add up to 1.
        """
        me, changes, shape = self._changes(u)
        names = me.part_names
        if not names:
            return {}
        (group,) = me.groups
        found = np.zeros((len(changes), len(names), changes.shape[-1]))
        by_part = (split_by_part(group, i, u, names) for i, u in enumerate(changes))
        for i, a in enumerate(me._at_nodes(by_part)):
            found[i] = shares_of(a.reshape(len(a), len(names), -1))
        return {name: found[:, k].reshape(shape) for k, name in enumerate(names)}

    def _whiten(self, u: Array, row: RowShaper) -> list[Array]:
        raise NotImplementedError  # `whiten` has all rows to itself

    def _renyi(self, other: Self, alpha: float) -> Array:
        rows = np.broadcast_shapes(self.weights.shape[:-1], other.weights.shape[:-1])
        n = rows[0] if rows else 1
        one, two = self.checked(n), other.checked(n)
        if one.whole is not None and two.whole is not None:
            return one.whole._renyi(two.whole, alpha).reshape(rows)
        pairs = ([[group.row(i) for group in p.groups] for p in (one, two)] for i in range(n))
        return np.array([mixture_renyi(p, q, alpha) for p, q in pairs]).reshape(rows)

    def _prediction(self) -> Array:
        return self._average(lambda family: family._prediction())

    def _prediction_gradient(self) -> Array:
        parts = [(group, group.family._prediction_gradient()) for group in self.groups]  # (S, n, P, M)
        n, outputs = parts[0][1].shape[1:3]
        gradient = np.empty((n, outputs, sum(group.columns.size for group, _ in parts)))
        for group, part in parts:
            gradient[..., group.columns] = np.einsum("ns,snpm->npsm", group.weights, part)
        return self._unrowed(gradient)

    def _prediction_hessian(self) -> Array | None:
        parts = [(group, group.family._prediction_hessian()) for group in self.groups]
        if all(part is None for _, part in parts):
            return None
        gradient = self._rowed._prediction_gradient()
        hessian = np.zeros((*gradient.shape, gradient.shape[-1]))
        for group, part in parts:
            if part is not None:
                for s, columns in enumerate(group.columns):
                    block = group.weights[:, s, None, None, None] * part[s]
                    hessian[..., columns[:, None], columns] = block
        return self._unrowed(hessian)


def _reduced(a: Array) -> Array:
    """Turn vectors (K, R) into at most R rows with the same lengths and angles."""
    return np.asarray(np.linalg.qr(a, mode="r")) if len(a) > a.shape[1] else a
