"""The mixture of draws of a PyTorch function: all draws at once, by vmap."""

from __future__ import annotations

from typing import Any

import numpy as np

from rsens.derivatives._draws import Draws, check_one_family
from rsens.derivatives._output import family_from
from rsens.distributions import Distribution, Mixture


def torch_mixture(draws: Draws, X: Any) -> Mixture:
    """The predictive at rows X, as tensors."""
    import torch

    seen: list[Distribution] = []

    def leaves(parameters: dict[str, Any]) -> list[Any]:
        family = family_from(lambda Z: draws.fn(parameters, Z), X)
        check_one_family(family)
        seen[:] = [family]
        return [torch.as_tensor(leaf) for leaf in family.leaves()]

    parameters = {name: torch.as_tensor(values) for name, values in draws.values.items()}
    try:
        stacked = torch.func.vmap(leaves)(parameters)
    except RuntimeError:  # an operation that vmap cannot batch
        each = [leaves({name: values[s] for name, values in parameters.items()}) for s in range(len(draws))]
        stacked = [torch.stack(leaf) for leaf in zip(*each, strict=True)]
    (family,) = seen
    fields = {}
    for (name, _), values in zip(family.fields().items(), stacked, strict=True):
        axes = values.ndim - family.domains[name].event_ndim
        fields[name] = values[:, None] if axes == 1 else values  # one value for all rows
    return Mixture(type(family)(**fields), np.asarray(draws.weights), draws=True)


def torch_matched(draws: Draws, X: Any) -> Distribution:
    """One distribution in place of the mixture."""
    return torch_mixture(draws, X).matched()
