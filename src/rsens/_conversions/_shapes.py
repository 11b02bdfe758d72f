"""One value per row: axes that other libraries have and our families do not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rsens._errors import InputError
from rsens.distributions import Distribution, Mixture, MultivariateNormal, Normal, namespace

Shape = tuple[int, ...]


def one_value_per_row(family: Distribution) -> Distribution:
    """The family with rows (n,), or () for all rows: an axis of length one behind the rows is dropped."""
    rows = row_shape(family)
    if len(rows) <= 1:
        return family
    if len(rows) == 2 and rows[1] == 1:
        return mapped(family, lambda leaf, axes: _expanded(leaf, rows, axes)[:, 0])
    raise InputError(
        f"{type(family).__name__}: expected one distribution per row, shape (n,) or (n, 1); got shape {rows}. "
        "Choose one output, or build a MultivariateNormal(mean, covariance) where y is a vector."
    )


def expanded(family: Distribution, rows: Shape) -> Distribution:
    """The family with every array broadcast to these rows; as it is where it has more axes already (after a vmap)."""
    if len(rows) < len(row_shape(family)):
        return family
    return mapped(family, lambda leaf, axes: _expanded(leaf, rows, axes))


def mixture(weights: Any, components: Distribution) -> Mixture:
    """A mixture whose components lie along the last axis of one family's rows."""
    rows = np.broadcast_shapes(row_shape(components), np.shape(weights)[-1:])

    def component(s: int) -> Distribution:
        def chosen(leaf: Any, axes: int) -> Any:
            index: tuple[Any, ...] = (..., s, *[slice(None)] * axes)
            return _expanded(leaf, rows, axes)[index]

        return mapped(components, chosen)

    return Mixture([component(s) for s in range(rows[-1])], weights)


def independent(family: Distribution, axes: int) -> Distribution:
    """The last `axes` axes of the rows belong to one y: a vector of independent Normals is a MultivariateNormal.

    One axis without further rows stays the rows: that is how a whole column of y is written in other libraries.
    """
    rows = row_shape(family)
    if axes == 0 or (axes == 1 and (len(rows) <= 1 or rows[-1] == 1)):
        return family
    if axes > 1 or not isinstance(family, Normal):
        raise InputError(
            f"{type(family).__name__}: y is a vector or an array per row (shape {rows}), and only vectors of Normals "
            "can be converted. Explain one component of y at a time."
        )
    mean, variance = (_expanded(leaf, rows, 0) for leaf in (family.mean, family.variance))
    return multivariate_normal(mean, variance[..., None] * _identity(variance))


def multivariate_normal(mean: Any, covariance: Any) -> Distribution:
    """MultivariateNormal(mean, covariance); in one dimension the Normal that it is."""
    if np.shape(mean)[-1] == 1:
        return Normal(mean[..., 0], covariance[..., 0, 0])
    return MultivariateNormal(mean, covariance)


def row_shape(family: Distribution) -> Shape:
    """The axes of the family's arrays that belong to rows, broadcast against each other."""
    shapes = [_rows(leaf, axes) for leaf, axes in zip(family.leaves(), family.event_axes(), strict=True)]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise InputError(
            f"{type(family).__name__}: the parameters of all rows must fit each other; got shapes "
            f"{', '.join(map(str, shapes))}."
        ) from None


def mapped(family: Distribution, change: Callable[[Any, int], Any]) -> Distribution:
    """The family with every array changed; `change` gets it and how many of its axes belong to one row."""
    leaves: Iterator[Any] = map(change, family.leaves(), family.event_axes())
    return family.rebuilt(leaves)


def _rows(leaf: Any, axes: int) -> Shape:
    shape = tuple(np.shape(leaf))
    return shape[: len(shape) - axes]


def _expanded(leaf: Any, rows: Shape, axes: int) -> Any:
    """The array with these rows in front of its own event axes."""
    shape = tuple(np.shape(leaf))
    event = shape[len(shape) - axes :]
    try:
        return namespace(leaf).broadcast_to(leaf, rows + event)
    except (RuntimeError, TypeError, ValueError):  # whatever the array library says about shapes
        raise InputError(f"parameters of shape {shape} do not fit a distribution of shape {rows + event}.") from None


def _identity(like: Any) -> Any:
    """The unit matrix as large as the last axis, in the same array type."""
    xp = namespace(like)
    eye = np.eye(np.shape(like)[-1])
    return xp.as_tensor(eye, dtype=like.dtype, device=like.device) if xp.__name__ == "torch" else xp.asarray(eye)
