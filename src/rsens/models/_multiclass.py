"""More than two classes: one binary GP per class against the rest; `derivatives/_records.py` normalises them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rsens._errors import InputError
from rsens._typing import Array


def one_vs_rest_targets(codes: NDArray[np.intp], n_classes: int) -> tuple[Array, ...]:
    """For each class, 1 in its rows and 0 in the others; codes are the class numbers 0 … K − 1."""
    targets = tuple((codes == k).astype(np.float64) for k in range(n_classes))
    missing = [str(k) for k, y in enumerate(targets) if not y.any()]
    if missing:
        raise InputError(
            f"every class needs at least one row; number {', '.join(missing)} of the {n_classes} classes has none. "
            "Add rows with it, or leave it out."
        )
    return targets
