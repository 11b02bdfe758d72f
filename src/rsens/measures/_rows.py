"""Arguments that weigh rows and scale columns, checked once."""

from __future__ import annotations

from typing import Any

import numpy as np

from rsens._errors import Argument, InputError
from rsens._frames import as_pandas
from rsens._text import quoted
from rsens._typing import Array


def check_weights(weights: Any, n: int) -> Array:
    """One weight per row, adding up to 1; None gives equal weights."""
    if weights is None:
        return np.full(n, 1.0 / n)
    values = _numbers(weights, "weights")
    if values.shape != (n,):
        raise InputError(
            Argument("weights"), f": expected one number for each of the {n} rows; got shape {values.shape}."
        )
    if not (np.isfinite(values) & (values >= 0.0)).all() or not values.any():
        raise InputError(
            Argument("weights"), " must be finite, at least 0, and not all 0. Leave out rows that should not count."
        )
    values = values / values.max()  # the sum of large weights need not fit in float64
    return values / values.sum()


def check_scale(scale: Any, names: tuple[str, ...]) -> Array:
    """One factor per column: a Series or dict by name, or numbers in the order of the columns; None gives ones."""
    if scale is None:
        return np.ones(len(names))
    if hasattr(scale, "keys"):
        given = {str(key): scale[key] for key in scale.keys()}  # noqa: SIM118  (a Series iterates over its values)
        missing = [name for name in names if name not in given]
        if missing:
            raise InputError(Argument("scale"), f" has no entry for {quoted(missing)}. Give one number per column.")
        scale = [given[name] for name in names]
    values = _numbers(scale, "scale")
    if values.shape != (len(names),):
        raise InputError(
            Argument("scale"), f": expected one number for each of the {len(names)} columns; got shape {values.shape}."
        )
    bad = ~(np.isfinite(values) & (values >= 0.0))
    if bad.any():
        raise InputError(
            Argument("scale"), f" must be finite and at least 0; got {values[bad][0]:g} for {names[bad.argmax()]!r}."
        )
    return values


def _numbers(values: Any, what: str) -> Array:
    try:
        return np.asarray(as_pandas(values, what), dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(Argument(what), f" must be numbers; got {type(values).__name__}.") from None
