"""The few array operations a family needs inside a user's function, for any array type the function uses."""

from __future__ import annotations

from functools import reduce
from numbers import Real
from typing import Any

import numpy as np

from rsens._threads import one_thread


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


def as_floats(values: Any) -> Any:
    """Values as an array of floats, if NumPy can read them; single precision stays, so that differences know it.

    JAX and PyTorch arrays are left alone, also in a list: NumPy would cut them off from their derivatives.
    """
    if _is_differentiable(values):
        return values
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, RuntimeError):  # a ragged list, or an array type that refuses
        return values
    if array.dtype.kind in "biu" or (array.dtype.kind == "O" and all(isinstance(v, Real) for v in array.flat)):
        return array.astype(np.float64)
    return array if array.dtype.kind == "f" else values


def stack(*columns: Any) -> Any:
    """Broadcast the columns against each other and stack them along a new last axis: λ, shape (n, M)."""
    xp = namespace(*columns)
    broadcast = xp.broadcast_tensors if xp.__name__ == "torch" else xp.broadcast_arrays
    return xp.stack(broadcast(*_as_arrays(xp, columns)), -1)


def flat_draws(λ: Any) -> Any:
    """λ of draws (S, n, M) as (n, S·M), draw after draw."""
    moved = namespace(λ).moveaxis(λ, 0, -2)
    return moved.reshape((*moved.shape[:-2], moved.shape[-2] * moved.shape[-1]))


def rows_first(values: Any, event_ndim: int) -> Any:
    """An array of draws (S, n, …) as (n, S, …), one per row (n, …) as (n, 1, …); one value for all stays."""
    axes = values.ndim - event_ndim
    if axes == 0:
        return values
    return values[:, None] if axes == 1 else namespace(values).moveaxis(values, 0, 1)


def rows_second(values: Any, event_ndim: int) -> Any:
    """The inverse of `rows_first`."""
    return values if values.ndim == event_ndim else namespace(values).moveaxis(values, 0, 1)


def weighted_sum(weights: Any, values: Any, event_ndim: int) -> Any:
    """Σ_s w_s v_s over draws, for weights (S,) or (n, S) that add up to 1 and values that broadcast to (S, n, …).

    Summed as v_0 + Σ w_s (v_s − v_0), so that values that are the same in all draws stay exact.
    """
    xp = namespace(weights, values)
    w, v = _as_arrays(xp, (weights, values))
    if v.ndim - event_ndim < 2:  # no axis of draws
        return v
    if xp is np and w.ndim == 1:  # a product of matrices: thousands of draws, and one array less in memory
        with one_thread("blas"):  # it reads memory, and a second thread would only wait
            return v[0] + np.tensordot(w, v - v[:1], 1)
    w = w[:, None] if w.ndim == 1 else xp.moveaxis(w, 1, 0)
    return v[0] + (w[(..., *(None,) * event_ndim)] * (v - v[:1])).sum(0)


def sigmoid(z: Any) -> Any:
    """1/(1 + e^{−z}) from e^{−|z|}: its first and second derivatives keep full relative accuracy in both tails."""
    xp = namespace(z)
    (z,) = _as_arrays(xp, (z,))
    positive = z >= 0.0
    t = xp.exp(-xp.where(positive, z, -z))  # not abs, whose derivative at 0 is 0
    return xp.where(positive, xp.ones_like(t), t) / (1.0 + t)


def _is_differentiable(values: Any) -> bool:
    """Whether it is an array of JAX or PyTorch, or a list that holds one."""
    if isinstance(values, list | tuple):
        return any(map(_is_differentiable, values))
    return namespace(values) is not np


def _as_arrays(xp: Any, values: Any) -> list[Any]:
    if xp is np:
        arrays = [np.asarray(value) for value in values]
        # Complex numbers are refused later.
        return [array if array.dtype.kind == "c" else array.astype(np.float64, copy=False) for array in arrays]
    if xp.__name__ == "torch":
        tensors = [value for value in values if isinstance(value, xp.Tensor)]
        dtype = reduce(xp.promote_types, (tensor.dtype for tensor in tensors))
        return [xp.as_tensor(value, dtype=dtype, device=tensors[0].device) for value in values]
    return [xp.asarray(value) for value in values]
