"""The mixture of draws of a JAX function: all draws at once, by vmap."""

from __future__ import annotations

from typing import Any

import numpy as np

from rsens.derivatives._draws import Draws, check_one_family
from rsens.derivatives._output import family_from
from rsens.distributions import Distribution, Mixture


def jax_mixture(draws: Draws, X: Any) -> Mixture:
    """The predictive at rows X, traced by JAX."""
    import jax
    import jax.numpy as jnp

    seen: list[Distribution] = []

    def leaves(parameters: dict[str, Any]) -> list[Any]:
        family = family_from(lambda Z: draws.fn(parameters, Z), X)
        check_one_family(family)
        seen[:] = [family]
        return [jnp.asarray(leaf) for leaf in family.leaves()]

    stacked = jax.vmap(leaves)({name: jnp.asarray(values) for name, values in draws.values.items()})
    (family,) = seen
    fields = {}
    for (name, _), values in zip(family.fields().items(), stacked, strict=True):
        axes = values.ndim - family.domains[name].event_ndim
        fields[name] = values[:, None] if axes == 1 else values  # one value for all rows
    return Mixture(type(family)(**fields), np.asarray(draws.weights), draws=True)


def jax_matched(draws: Draws, X: Any) -> Distribution:
    """One distribution in place of the mixture."""
    return jax_mixture(draws, X).matched()
