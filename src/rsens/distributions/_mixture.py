"""Mixture: λ = the parameters of all components, one after the other; the weights are fixed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.distributions._base import Distribution, RowShaper
from rsens.distributions._domain import Domain
from rsens.distributions._finite import finite_renyi
from rsens.distributions._mixture_nodes import check_same_bins, mixture_nodes, over_bins, supremum
from rsens.distributions._univariate import Univariate, tail_probability

_BLOCK = 4_000_000  # how many numbers to hold at once while the information is summed
_SMALL = 64  # keep the factor of the information up to this many parameters


@dataclass(frozen=True, eq=False)
class Mixture(Distribution):
    """Mixture(components, weights): p(y) = Σ_s w_s p_s(y).

    λ stacks the components' own parameters, and R-sens₂ uses this stacked λ; the weights are fixed. The Fisher
    information has no closed form; uᵀIu = E_y[(∂ log p · u)²] is summed over y (classes, counts) or integrated
    (numbers), right to about 1e-8 if the mass lies within float64 (a Gamma of shape 0.01 has some below it). Vectors
    are integrated on lattices around the components: right to about 1e-8 in two dimensions and 1e-5 in three and more
    if the components are of similar size, and to about three digits if their sizes differ a lot. Histograms over the
    same borders are summed bin by bin, exactly.

    Args:
        components: A list of S families over the same kind of y, each with n rows, or with one for all rows.
        weights: w, shape (n, S), or (S,) for all rows; between 0 and 1, each row adding up to 1. They may not depend
            on x.

    Example:
        >>> from rsens.distributions import Normal
        >>> Mixture([Normal([0.0, 1.0], 1.0), Normal([4.0, 5.0], 1.0)], [0.75, 0.25]).mean.tolist()
        [1.0, 2.0]
    """

    components: Any
    weights: Any
    domains: ClassVar[dict[str, Domain]] = {"weights": Domain(0.0, 1.0, closed=True, event_ndim=1)}
    fixed_fields: ClassVar[tuple[str, ...]] = ("weights",)

    @property
    def support(self) -> str:  # type: ignore[override]
        return self.components[0].support

    @property
    def output_weight(self) -> float:  # type: ignore[override]
        return self.components[0].output_weight

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return tuple(f"{s}.{name}" for s, c in enumerate(self.components) for name in c.parameter_names)

    def columns(self) -> list[Any]:
        return [column for component in self.components for column in component.columns()]

    def leaves(self) -> list[Any]:
        return [leaf for component in self.components for leaf in component.leaves()] + [self.weights]

    def event_axes(self) -> list[int]:
        return [axes for component in self.components for axes in component.event_axes()] + [1]

    def rebuilt(self, leaves: Iterator[Any]) -> Self:
        return type(self)([component.rebuilt(leaves) for component in self.components], next(leaves))

    def checked(self, n: int | None = None) -> Self:
        components = list(self.components) if isinstance(self.components, Sequence) else []
        if not components or not all(isinstance(component, Distribution) for component in components):
            raise InputError(
                "Mixture: ",
                Argument("components"),
                " must be a non-empty list of families, such as [Normal(…), Normal(…)]; "
                f"got {[type(c).__name__ for c in components] or type(self.components).__name__}.",
            )
        if any(isinstance(component, Mixture) for component in components):
            raise InputError(
                "Mixture: one of the ",
                Argument("components"),
                " is itself a Mixture. List its components instead, and multiply the weights.",
            )
        if len({component.support for component in components}) > 1:
            raise InputError(
                "Mixture: all ",
                Argument("components"),
                " must be distributions of the same kind of y; got "
                + ", ".join(sorted({f"{type(c).__name__} ({c.support})" for c in components}))
                + ".",
            )
        components = [component.checked(n) for component in components]
        if components[0].support in ("classes", "vector") and len({len(c.parameter_names) for c in components}) > 1:
            raise InputError(
                "Mixture: all ", Argument("components"), " must have the same number of classes, or of dimensions."
            )
        check_same_bins(components)
        weights = self._read_field("weights", self.weights)
        total = weights.sum(axis=-1)
        if weights.shape[-1] != len(components) or (np.abs(total - 1.0) > 1e-8).any():
            raise InputError(
                f"Mixture: {len(components)} components need {len(components)} ",
                Argument("weights"),
                f" that add up to 1; got shape {weights.shape} and sums around {np.mean(total):.6g}.",
            )
        shapes = [weights.shape[:-1], *(c.parameters.shape[:-1] for c in components)]
        try:
            rows = np.broadcast_shapes(*shapes)
        except ValueError:
            raise InputError(
                "Mixture: ",
                Argument("weights"),
                " and ",
                Argument("components"),
                f" must have the same number of rows; got {sorted(set(shapes))}.",
            ) from None
        if len(rows) == 1:
            components = [component.checked(rows[0]) for component in components]
        family = type(self)(components, np.broadcast_to(weights, rows + weights.shape[-1:]))
        family.__dict__["_checked"] = family
        return family

    @property
    def mean(self) -> Array:
        me = self._checked
        return sum(me._weight(s, c.mean) * c.mean for s, c in enumerate(me.components))

    @property
    def variance(self) -> Array:
        me, mean = self._checked, self.mean
        return sum(me._weight(s, mean) * (c.variance + (c.mean - mean) ** 2) for s, c in enumerate(me.components))

    def _weight(self, s: int, like: Array) -> Array:
        """w_s per row, shaped to multiply an array with the rows first."""
        weight = self.weights[..., s]
        return weight.reshape(weight.shape + (1,) * (like.ndim - weight.ndim))

    @cached_property
    def _stacked(self) -> Distribution | None:
        """All components as one family with a leading axis, if they are of one univariate family: one call for all."""
        first = self.components[0]
        alike = all(type(c) is type(first) and c.fields().keys() == first.fields().keys() for c in self.components)
        if not alike or not isinstance(first, Univariate):
            return None
        fields = {name: np.stack([getattr(c, name) for c in self.components])[:, None] for name in first.fields()}
        return type(first)(**fields)

    def _component_log_probs(self, y: Array) -> Array:
        """log w_s + log p_s(y), shape (S, …)."""
        with np.errstate(divide="ignore"):
            log_weights = np.log(self.weights)
        if self._stacked is None:
            return np.stack([log_weights[..., s] + c._log_prob(y) for s, c in enumerate(self.components)])
        log_p = self._stacked._log_prob(_with_rows(y, log_weights.shape[:-1]))
        joint = np.moveaxis(log_weights, -1, 0)[:, None] + log_p
        return joint.reshape(len(joint), *np.broadcast_shapes(y.shape, log_weights.shape[:-1]))

    def _component_scores(self, y: Array) -> Array:
        """The components' own scores side by side, shape (…, M)."""
        if self._stacked is None:
            return np.concatenate([component._score(y) for component in self.components], -1)
        scores = np.moveaxis(self._stacked._score(_with_rows(y, self.weights.shape[:-1])), 0, -2)
        return scores.reshape(*np.broadcast_shapes(y.shape, self.weights.shape[:-1]), -1)

    def _log_prob(self, y: Array) -> Array:
        with np.errstate(divide="ignore"):
            return logsumexp(self._component_log_probs(y), axis=0)

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
        parts = (self.weights[..., s] * c._cdf(y, upper) for s, c in enumerate(self.components))
        return np.asarray(sum(parts))

    def _score(self, y: Array) -> Array:
        # ∂ log p/∂λ_s = responsibility of s × its own score
        joint = self._component_log_probs(y)
        with np.errstate(all="ignore"):
            share = np.exp(np.moveaxis(joint - logsumexp(joint, axis=0), 0, -1))
            share = np.repeat(share, [len(c.parameter_names) for c in self.components], axis=-1)
            return np.where(share > 0.0, share * self._component_scores(y), 0.0)

    def _sample(self, rng: np.random.Generator, size: tuple[int, ...]) -> Array:
        draws = np.stack([component._sample(rng, size) for component in self.components])
        edges = np.cumsum(self.weights[..., :-1], axis=-1)
        chosen = (rng.random(size + self.weights.shape[:-1])[..., None] >= edges).sum(axis=-1)
        chosen = chosen.reshape(chosen.shape + (1,) * (draws.ndim - 1 - chosen.ndim))
        return np.take_along_axis(draws, np.broadcast_to(chosen, draws.shape[1:])[None], axis=0)[0]

    @cached_property
    def _information_factor(self) -> Array:
        """B (n, M, M): the scores at the nodes times the roots of their weights, reduced by QR."""
        return np.concatenate([_reduce(scores) for _, scores in self._weighted_scores()])

    def _weighted_scores(self) -> Iterator[tuple[slice, Array]]:
        """The scores at the nodes times the roots of their weights, (rows, nodes, M), in blocks of rows."""
        n, m = len(self.weights), self.parameters.shape[-1]
        step, start = min(64, n), 0
        while start < n:
            rows = slice(start, min(n, start + step))
            part = self._rows(rows)
            y, log_weights = mixture_nodes(part.components, part.weights)
            if step > 1 and y.shape[0] * m * step > _BLOCK:
                step = max(1, _BLOCK // (y.shape[0] * m))
                continue
            root = np.exp(0.5 * (log_weights + part._log_prob(y)))
            yield rows, np.moveaxis(part._score(y) * root[..., None], 0, 1)
            start = rows.stop

    def _rows(self, rows: slice) -> Self:
        part = self.rebuilt(iter([leaf[rows] for leaf in self.leaves()]))
        return part.checked(len(part.weights))

    def _whiten(self, u: Array, row: RowShaper) -> list[Array]:
        if not self.weights.shape[:-1]:
            return [part[0] for part in self.checked(1)._whiten(u[:, None], row)]
        changes = np.moveaxis(u, 0, 1).reshape(u.shape[1], len(u), -1)
        if len(u) <= _SMALL:
            whitened = self._information_factor @ changes
        else:
            # Many components: B would be larger than B u, of which only lengths and angles matter.
            blocks = [_reduce(scores @ changes[rows]) for rows, scores in self._weighted_scores()]
            most = max(block.shape[1] for block in blocks)
            whitened = np.concatenate([np.pad(b, ((0, 0), (0, most - b.shape[1]), (0, 0))) for b in blocks])
        return [part.reshape(u.shape[1:]) for part in np.moveaxis(whitened, 1, 0)]

    def _renyi(self, other: Self, alpha: float) -> Array:
        rows = np.broadcast_shapes(self.weights.shape[:-1], other.weights.shape[:-1])
        n = rows[0] if rows else 1
        one, two = self.checked(n), other.checked(n)
        result = np.empty(n)
        for i in range(n):
            # Row by row: each pair of mixtures gets its own nodes, and memory stays small.
            p, q = one._rows(slice(i, i + 1)), two._rows(slice(i, i + 1))
            pooled = [*p.components, *q.components], np.concatenate([p.weights, q.weights], -1) / 2.0
            y, log_weights = mixture_nodes(*pooled, tails=True)
            log_p, log_q = p._log_prob(y)[:, 0], q._log_prob(y)[:, 0]
            with np.errstate(invalid="ignore"):
                d = np.where(np.isneginf(log_p), 0.0, log_q - log_p)
            smooth = self.support == "continuous" and not over_bins(p.components)
            if np.isinf(alpha) and smooth:
                result[i] = supremum(p, q, y[:, 0])
                continue
            w = log_weights[:, 0]
            if alpha > 1.0 and smooth and _diverges(log_p + (1.0 - alpha) * d + w):
                result[i] = np.inf
                continue
            result[i] = finite_renyi(
                log_p + w, log_q + w, d, alpha, exact=self.support == "classes" or over_bins(p.components)
            )
        return result.reshape(rows)

    def _prediction(self) -> Array:
        parts = [c._prediction() for c in self.components]
        return np.sum([self._weight(s, f) * f for s, f in enumerate(parts)], axis=0)

    def _prediction_gradient(self) -> Array:
        blocks = [c._prediction_gradient() for c in self.components]
        return np.concatenate([self._weight(s, g) * g for s, g in enumerate(blocks)], -1)

    def _prediction_hessian(self) -> Array | None:
        if all(c._prediction_hessian() is None for c in self.components):
            return None
        gradient = self._prediction_gradient()
        hessian = np.zeros((*gradient.shape, gradient.shape[-1]))
        start = 0
        for s, component in enumerate(self.components):
            block, size = component._prediction_hessian(), len(component.parameter_names)
            if block is not None:
                here = slice(start, start + size)
                hessian[..., here, here] = self._weight(s, block) * block
            start += size
        return hessian


def _reduce(vectors: Array) -> Array:
    """Turn vectors (n, K, R) into at most R rows with the same lengths and angles."""
    return np.asarray(np.linalg.qr(vectors, mode="r")) if vectors.shape[1] > vectors.shape[2] else vectors


def _with_rows(y: Array, rows: tuple[int, ...]) -> Array:
    """y with exactly one axis in front of the rows."""
    return np.broadcast_to(y, np.broadcast_shapes(y.shape, rows)).reshape(-1, *rows)


def _diverges(log_integrand: Array) -> bool:
    """Whether the integrand is still large at the outermost nodes, which reach tail probabilities of 1e-300."""
    finite = log_integrand[np.isfinite(log_integrand)]
    return bool(finite.size and max(finite[0], finite[-1]) > finite.max() - 30.0)
