"""The chain rule: derivatives of a latent z(x) become derivatives of λ(z(x))."""

from __future__ import annotations

import numpy as np

from rsens._errors import Argument, InputError
from rsens._typing import Array


def chain_rule(
    latent_first: Array,
    latent_second: Array | None,
    outer_first: Array,
    outer_second: Array | None = None,
) -> tuple[Array, Array | None]:
    """First and second derivatives of λ(z(x)) in x, from derivatives of z in x and of λ in z.

    Args:
        latent_first: ∂z_l/∂x_d, shape (n, L, D); for a latent Gaussian z = (m, v) and L = 2.
        latent_second: ∂²z_l/∂x_d∂x_e, shape (n, L, D, D), or None for first derivatives only.
        outer_first: ∂λ_m/∂z_l, shape (n, M, L).
        outer_second: ∂²λ_m/∂z_l∂z_k, shape (n, M, L, L); needed with `latent_second`.

    Returns:
        ∂λ = λ_z ∂z, shape (n, M, D), and ∂²λ = λ_z ∂²z + ∂zᵀ λ_zz ∂z, shape (n, M, D, D), or None.
    """
    n, latents, columns = latent_first.shape
    parameters = outer_first.shape[1]
    _check("outer_first", outer_first, (n, parameters, latents))
    first = outer_first @ latent_first
    if latent_second is None:
        return first, None
    if outer_second is None:
        raise InputError(
            "chain_rule: second derivatives of the latent need ", Argument("outer_second"), ", ∂²λ/∂z², too."
        )
    _check("latent_second", latent_second, (n, latents, columns, columns))
    _check("outer_second", outer_second, (n, parameters, latents, latents))
    linear = (outer_first @ latent_second.reshape(n, latents, columns * columns)).reshape(
        n, parameters, columns, columns
    )
    curved = np.swapaxes(latent_first, 1, 2)[:, None] @ outer_second @ latent_first[:, None]
    return first, linear + curved


def _check(what: str, values: Array, shape: tuple[int, ...]) -> None:
    if values.shape != shape:
        raise InputError("chain_rule: ", Argument(what), f" must have the shape {shape}; got {values.shape}.")
