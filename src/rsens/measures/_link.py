"""Pairs on the link scale: the scale on which a model adds up, such as the logit or the log rate.

A probability bends even if nothing interacts: π(x) = σ(β₁x₁ + β₂x₂) has ∂²π/∂x₁∂x₂ ≠ 0. On the scale of η = logit π it
is 0. There R-sens₂ of a pair is

    sqrt(α ∂²ηᵀ I_η ∂²η),   I_η = Jᵀ I(λ) J,   J = ∂λ/∂η,

with I_η the Fisher information of the observation about η: π(1 − π) for a logit, the rate for a log rate, 1/variance
for the mean of a Normal. For our models η is the mean of the latent f, for others the natural link of the family.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

import numpy as np

from rsens._errors import Argument, InputError
from rsens._table import Table
from rsens._typing import Array
from rsens.adapters import as_model
from rsens.derivatives import Around, Derivatives, Model, chain_rule
from rsens.distributions import Distribution, Link


@dataclass(frozen=True, eq=False)
class Linked(Distribution):
    """A predictive family with η (n, K) in place of λ; `given` makes the distribution and J = ∂λ/∂η (n, M, K)."""

    eta: Any
    given: Callable[[], tuple[Distribution, Array]]
    domains: ClassVar[dict[str, Any]] = {}
    support: ClassVar[Literal["vector"]] = "vector"

    @property
    def parameter_names(self) -> tuple[str, ...]:
        return tuple(f"eta{k}" for k in range(self.eta.shape[1]))

    @property
    def parameters(self) -> Array:
        return self.eta

    def checked(self, n: int | None = None) -> Self:
        if not np.isfinite(self.eta).all():
            raise InputError("η, the prediction on the link scale, is not finite in some rows. Leave these rows out.")
        return self

    @cached_property
    def _given(self) -> tuple[Distribution, Array]:
        return self.given()

    def _whiten(self, u: Array, row: Callable[[Array], Array]) -> list[Array]:
        distribution, jacobian = self._given
        return list(np.moveaxis(distribution.whiten(np.einsum("nmk,kn...->nm...", jacobian, u)), 1, 0))

    def _renyi(self, other: Self, alpha: float) -> Array:
        return self._given[0].renyi(other._given[0], alpha)

    def _score(self, y: Array) -> Array:
        distribution, jacobian = self._given
        return np.einsum("...nm,nmk->...nk", distribution.score(y), jacobian)

    def _log_prob(self, y: Array) -> Array:
        return self._given[0].log_prob(y)

    def _sample(self, rng: np.random.Generator, size: tuple[int, ...]) -> Array:
        return self._given[0].sample(rng, *size)

    def _prediction(self) -> Array:
        return self._given[0].prediction()

    def _prediction_gradient(self) -> Array:
        distribution, jacobian = self._given
        return distribution.prediction_gradient() @ jacobian


class OnLink(Around):
    """A model whose λ is η. `latent` is an estimator that knows its η: it has `link_derivatives`, `link_jacobian`."""

    def __init__(self, source: Model, latent: Any = None) -> None:
        super().__init__(source)
        self.latent, self.takes_codes, self.takes_many_levels = latent, False, False

    def derivatives(self, X: Any, order: int) -> Derivatives:
        if self.latent is not None:
            return Derivatives(*self._of_latent(X, order))
        record = super().derivatives(X, order)
        record = record.for_pairs if order == 2 else record
        link = family_link(record.distribution)
        first, second = chain_rule(record.first, record.second, link.first, link.second)
        return Derivatives(Linked(link.eta, lambda: (record.distribution, link.jacobian)), first, second)

    def predict_distribution(self, X: Any) -> Linked:
        if self.latent is not None:
            return self._of_latent(X, 0)[0]
        distribution = super().predict_distribution(X).checked()
        link = family_link(distribution)
        return Linked(link.eta, lambda: (distribution, link.jacobian))

    def _of_latent(self, X: Any, order: int) -> tuple[Linked, Array, Array | None]:
        rows = X.source if isinstance(X, Table) else X
        eta, first, second = self.latent.link_derivatives(rows, order)
        return Linked(eta, lambda: self.latent.link_jacobian(rows)), first, second

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        return max(1, super().rows_per_chunk(n_columns, order) // 2)

    def coded(self, X: Any, weights: Any = None) -> OnLink:
        return OnLink(self._model.coded(X, weights), self.latent)

    def prepared(self, X: Any) -> OnLink:
        return OnLink(self._model.prepared(X), self.latent)


def on_link(model: Any, source: Model) -> OnLink:
    """The model on its link scale; `source` is the same model as the measures see it."""
    knowing = (each for each in (model, as_model(model)) if callable(getattr(each, "link_derivatives", None)))
    return OnLink(source.for_pairs, next(knowing, None))


def family_link(distribution: Distribution) -> Link:
    """The link of a distribution; an error for families without one."""
    link = distribution.link()
    if link is None:
        raise InputError(
            Argument("pairs", "link"),
            f" needs a scale on which effects may add up, and rsens knows none for a {type(distribution).__name__}. "
            "Use pairs=True.",
        )
    return link
