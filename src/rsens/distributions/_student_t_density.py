"""The log density of the standard Student-t, for locations, scales and df of any size."""

from __future__ import annotations

import numpy as np

from rsens._special import log_gamma_half_step
from rsens._typing import Array


def log_density(z: Array, df: Array) -> Array:
    """Log density of the standard t; as a difference of log-gammas its constant would have no digits at df = 1e8."""
    return log_gamma_half_step(0.5 * df) - 0.5 * np.log(np.pi * df) - 0.5 * (df + 1.0) * log1p_square(z / np.sqrt(df))


def log1p_square(z: Array) -> Array:
    """log(1 + z²), also where z² overflows."""
    size = np.abs(z)
    large = size > 1e8
    return np.where(large, 2.0 * np.log(np.where(large, size, 1.0)), np.log1p(np.where(large, 0.0, size) ** 2))


def log1p_square_difference(z: Array, z1: Array) -> Array:
    """log(1 + z1²) − log(1 + z²) for z, z1 ≥ 0."""
    unit = np.maximum(z, 1.0)
    x = ((z1 - z) / unit) * ((z1 + z) / unit) / (unit**-2.0 + (z / unit) ** 2)
    return np.where(np.abs(x) < 0.5, np.log1p(np.clip(x, -0.9, 1.0)), log1p_square(z1) - log1p_square(z))
