"""The point prediction of a distribution: what methods without uncertainty look at."""

from __future__ import annotations

import numpy as np

from rsens.distributions._base import Array, Distribution
from rsens.distributions._mixture import Mixture
from rsens.distributions._student_t import StudentT


def point_prediction(distribution: Distribution) -> Array:
    """f(λ), what `prediction_gradient` is the gradient of: the mean (of a Student-t the location), shape (n, P)."""
    if isinstance(distribution, Mixture):
        parts = [point_prediction(component) for component in distribution.components]
        return np.sum([w[:, None] * f for w, f in zip(distribution.weights.T, parts, strict=True)], axis=0)
    f = np.asarray(distribution.location if isinstance(distribution, StudentT) else distribution.mean)
    return f.reshape(len(f), -1)
