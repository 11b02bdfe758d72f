"""From quantiles at fixed levels to the probabilities of fixed bins, for any array type."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rsens._errors import Argument, InputError, RsensWarning
from rsens._typing import Array
from rsens.distributions._arrays import as_floats, namespace
from rsens.distributions._numbers import as_numbers

#: More than this share of the rows' mass outside the borders is worth a warning.
_OUTSIDE = 0.1
_MOST_BINS = 200


def bins_from_quantiles(levels: ArrayLike, values: Any, borders: ArrayLike | None) -> tuple[Array, Any]:
    """Borders (K + 1,) and probabilities (n, K); `Histogram.from_quantiles` says how."""
    levels, values = _read_levels(levels), as_floats(values)
    xp = namespace(values)
    if np.ndim(values) == 0 or np.shape(values)[-1] != len(levels):
        raise InputError(
            "Histogram: ",
            Argument("values"),
            f" must be quantiles of shape (rows, {len(levels)}), one column per level; got {tuple(np.shape(values))}.",
        )
    _warn_if_crossed(values)
    values = xp.sort(values)[0] if xp.__name__ == "torch" else xp.sort(values, axis=-1)
    at = _default_borders(levels, values) if borders is None else as_numbers(borders, "borders")
    if at.ndim != 1 or len(at) < 2:
        raise InputError(
            "Histogram: ", Argument("borders"), f" must be a list of at least two numbers; got shape {at.shape}."
        )
    return at, _masses(xp, values, levels, at)


def _masses(xp: Any, values: Any, levels: Array, at: Array) -> Any:
    """The probabilities of the bins, (n, K): the distribution function is linear between quantiles, exponential beyond.

    Each piece of it is monotone and its differences are added up, so that no small probability is a difference of large
    ones. At the ends the pieces are taken at ±∞: what lies outside counts in the outermost bins.
    """
    b = xp.as_tensor(at, dtype=values.dtype, device=values.device) if xp.__name__ == "torch" else xp.asarray(at)
    # The density at the start of a tail: next to it, or of the whole row if that is lower; quantiles may be tied.
    typical = (values[..., -1:] - values[..., :1]) * float(1.0 / (levels[-1] - levels[0]))
    widths, steps = values[..., 1:] - values[..., :-1], np.diff(levels)
    first = xp.maximum(widths[..., :1] * float(1.0 / steps[0]), typical)
    last = xp.maximum(widths[..., -1:] * float(1.0 / steps[-1]), typical)
    bottom, top = float(levels[0]), float(1.0 - levels[-1])
    pieces = [
        (_tail(xp, values[..., :1] - b, first, bottom), 0.0, bottom),
        (-_tail(xp, b - values[..., -1:], last, top), -top, 0.0),
    ]
    for j, step in enumerate(map(float, steps)):
        pieces.append((step * _ramp(xp, b, values[..., j : j + 1], widths[..., j : j + 1]), 0.0, step))
    _warn_if_outside(sum(at_borders[..., 0] - low + high - at_borders[..., -1] for at_borders, low, high in pieces))
    return sum(_steps(xp, at_borders, low, high) for at_borders, low, high in pieces)


def _ramp(xp: Any, b: Any, low: Any, width: Any) -> Any:
    """From 0 at `low` to 1 at low + width; a step if they are the same."""
    apart = width > 0.0
    ramp = xp.clip((b - low) / xp.where(apart, width, xp.ones_like(width)), 0.0, 1.0)
    return xp.where(apart, ramp, xp.where(b >= low, xp.ones_like(ramp), xp.zeros_like(ramp)))


def _steps(xp: Any, values: Any, low: float, high: float) -> Any:
    """What a monotone function gains in each bin, with `low` and `high` as its values at the outer borders."""
    ends = xp.concatenate([0.0 * values[..., :1] + low, values[..., 1:-1], 0.0 * values[..., :1] + high], -1)
    return ends[..., 1:] - ends[..., :-1]


def _tail(xp: Any, distance: Any, thinness: Any, mass: float) -> Any:
    """The mass further out than `distance` from the outermost quantile, all of it for a distance below 0.

    The density begins at 1/thinness and falls off as e^{−distance/(thinness·mass)}, so that it holds this mass.
    """
    outside = distance > 0.0
    scale = thinness * mass
    apart = scale > 0.0
    reach = xp.where(outside & apart, distance / xp.where(apart, scale, xp.ones_like(scale)), xp.zeros_like(distance))
    beyond = xp.where(outside & ~apart, xp.zeros_like(reach), xp.exp(-reach))
    return mass * beyond


def _default_borders(levels: Array, values: Any) -> Array:
    """Even bins over all rows' quantiles, as wide as an average row's standard deviation, told by its middle half."""
    given = np.asarray(values.detach().cpu() if hasattr(values, "detach") else values, dtype=np.float64)
    given = given.reshape(-1, len(levels))
    quartiles = np.array([np.interp([0.25, 0.75], levels, row) for row in given])
    width = float(np.mean(quartiles[:, 1] - quartiles[:, 0])) / 1.349
    low, high = given.min(), given.max()
    if not (width > 0.0 and np.isfinite(high - low)):
        raise InputError(
            "Histogram: the quantiles are all equal or not finite, so there are no bins between them. Give ",
            Argument("borders"),
            ".",
        )
    bins = min(_MOST_BINS, 2 + int(np.ceil((high - low) / width)))
    return np.linspace(low - width, high + width, bins + 1)


def _read_levels(levels: ArrayLike) -> Array:
    read = as_numbers(levels, "levels")
    if read.ndim != 1 or len(read) < 2 or not ((read > 0.0) & (read < 1.0)).all() or (np.diff(read) <= 0.0).any():
        raise InputError(
            "Histogram: ",
            Argument("levels"),
            f" must be at least two increasing numbers between 0 and 1, such as [0.1, 0.5, 0.9]; got {levels!r}.",
        )
    return read


def _warn_if_crossed(values: Any) -> None:
    try:
        crossed = int((values[..., 1:] < values[..., :-1]).any(-1).sum())
    except (RuntimeError, TypeError):  # inside a trace nothing can be looked at
        return
    if crossed:
        warnings.warn(
            f"the quantiles of {crossed} rows cross (a higher level has a lower value). They were sorted.",
            RsensWarning,
            stacklevel=4,
        )


def _warn_if_outside(mass: Any) -> None:
    try:
        outside = float(mass.mean())
    except (RuntimeError, TypeError):
        return
    if outside > _OUTSIDE:
        warnings.warn(
            f"{outside:.0%} of the predicted probability lies outside the borders and is counted in the outermost "
            "bins. Give borders that reach further.",
            RsensWarning,
            stacklevel=5,
        )
