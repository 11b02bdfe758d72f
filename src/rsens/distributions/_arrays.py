"""The few array operations a family needs inside a user's function, whatever array type that function uses."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np


def namespace(*arrays: Any) -> Any:
    """The module (numpy, jax.numpy or torch) whose functions work on these arrays."""
    for array in arrays:
        match type(array).__module__.partition(".")[0]:
            case "jax" | "jaxlib":
                import jax.numpy as jnp

                return jnp
            case "torch":
                import torch

                return torch
    return np


def stack(*columns: Any) -> Any:
    """Broadcast the columns against each other and stack them along a new last axis: λ, shape (n, M)."""
    xp = namespace(*columns)
    broadcast = xp.broadcast_tensors if xp.__name__ == "torch" else xp.broadcast_arrays
    return xp.stack(broadcast(*_as_arrays(xp, columns)), -1)


def concatenate(*blocks: Any) -> Any:
    """Join blocks (n, M_b) along the last axis."""
    return namespace(*blocks).concatenate(blocks, -1)


def sigmoid(z: Any) -> Any:
    """1/(1 + e^{−z}) from e^{−|z|}: its first and second derivatives keep full relative accuracy in both tails."""
    xp = namespace(z)
    (z,) = _as_arrays(xp, (z,))
    positive = z >= 0.0
    t = xp.exp(-xp.where(positive, z, -z))  # not abs, whose derivative at 0 is 0
    return xp.where(positive, xp.ones_like(t), t) / (1.0 + t)


def _as_arrays(xp: Any, values: Any) -> list[Any]:
    if xp is np:
        arrays = [np.asarray(value) for value in values]
        return [array if array.dtype.kind == "c" else array.astype(np.float64) for array in arrays]  # refused later
    if xp.__name__ == "torch":
        tensors = [value for value in values if isinstance(value, xp.Tensor)]
        dtype = reduce(xp.promote_types, (tensor.dtype for tensor in tensors))
        return [xp.as_tensor(value, dtype=dtype, device=tensors[0].device) for value in values]
    return [xp.asarray(value) for value in values]
