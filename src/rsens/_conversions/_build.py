"""Our families from the pieces of other libraries' distributions: more axes, mixtures, transforms, logits.

Only arithmetic is done with the parameters, so they may be tracers and tensors with gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from numbers import Real
from typing import Any

import numpy as np

from rsens._errors import InputError
from rsens.distributions import (
    Distribution,
    Exponential,
    Gamma,
    LogNormal,
    Mixture,
    MultivariateNormal,
    NegativeBinomial,
    Normal,
    StudentT,
    Weibull,
    namespace,
)

Shape = tuple[int, ...]
UNKNOWN = "is none of rsens' families"


# ---- axes ------------------------------------------------------------------------------------------------------------


def one_value_per_row(family: Distribution) -> Distribution:
    """The family with rows (n,), or () for all rows: an axis of length one behind the rows is dropped."""
    rows = _row_shape(family)
    if len(rows) <= 1:
        return family
    if len(rows) == 2 and rows[1] == 1:
        return _mapped(family, lambda leaf, axes: _broadcast(leaf, rows, axes)[:, 0])
    raise InputError(
        f"{type(family).__name__}: expected one distribution per row, shape (n,) or (n, 1); got shape {rows}. "
        "Choose one output, or build a MultivariateNormal(mean, covariance) where y is a vector."
    )


def expanded(family: Distribution, rows: Shape) -> Distribution:
    """The family with every array broadcast to these rows; as it is where it has more axes already (after a vmap)."""
    if len(rows) < len(_row_shape(family)):
        return family
    return _mapped(family, lambda leaf, axes: _broadcast(leaf, rows, axes))


def mixture(weights: Any, components: Distribution) -> Mixture:
    """A mixture whose components lie along the last axis of one family's rows."""
    rows = np.broadcast_shapes(_row_shape(components), np.shape(weights)[-1:])

    def component(s: int) -> Distribution:
        return _mapped(components, lambda leaf, axes: _broadcast(leaf, rows, axes)[(..., s, *[slice(None)] * axes)])

    return Mixture([component(s) for s in range(rows[-1])], weights)


def independent(family: Distribution, axes: int) -> Distribution:
    """The last `axes` axes of the rows belong to one y: a vector of independent Normals is a MultivariateNormal.

    One axis without further rows stays the rows: that is how a whole column of y is written in other libraries.
    """
    rows = _row_shape(family)
    if axes == 0 or (axes == 1 and (len(rows) <= 1 or rows[-1] == 1)):
        return family
    if axes > 1 or not isinstance(family, Normal):
        raise InputError(
            f"{type(family).__name__}: y is a vector or an array per row (shape {rows}), and only vectors of Normals "
            "can be converted. Explain one component of y at a time."
        )
    mean, variance = (_broadcast(leaf, rows, 0) for leaf in (family.mean, family.variance))
    xp, eye = namespace(variance), np.eye(rows[-1])
    like = {"dtype": variance.dtype, "device": variance.device} if xp.__name__ == "torch" else {}
    return multivariate_normal(mean, variance[..., None] * xp.asarray(eye, **like))


def multivariate_normal(mean: Any, covariance: Any) -> Distribution:
    """MultivariateNormal(mean, covariance); in one dimension the Normal that it is."""
    if np.shape(mean)[-1] == 1:
        return Normal(mean[..., 0], covariance[..., 0, 0])
    return MultivariateNormal(mean, covariance)


def _mapped(family: Distribution, change: Callable[[Any, int], Any]) -> Distribution:
    """The family with every array changed; `change` gets it and how many of its axes belong to one row."""
    return family.rebuilt(map(change, family.leaves(), family.event_axes()))


def _row_shape(family: Distribution) -> Shape:
    """The axes of the family's arrays that belong to rows, broadcast against each other."""
    leaves = zip(family.leaves(), family.event_axes(), strict=True)
    shapes = [tuple(np.shape(leaf))[: np.ndim(leaf) - axes] for leaf, axes in leaves]
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise InputError(
            f"{type(family).__name__}: the parameters of all rows must fit each other; got shapes "
            f"{', '.join(map(str, shapes))}."
        ) from None


def _broadcast(leaf: Any, rows: Shape, axes: int) -> Any:
    """The array with these rows in front of its own event axes."""
    shape = tuple(np.shape(leaf))
    event = shape[len(shape) - axes :]
    try:
        return namespace(leaf).broadcast_to(leaf, rows + event)
    except (RuntimeError, TypeError, ValueError):  # whatever the array library says about shapes
        raise InputError(f"parameters of shape {shape} do not fit a distribution of shape {rows + event}.") from None


# ---- parameters ------------------------------------------------------------------------------------------------------


def squared(deviation: Any) -> Any:
    """The square of a standard deviation or scale. A negative one stays negative, so that the family refuses it."""
    return deviation * abs(deviation)


def failures_before(size: Any, *, probability: Any = None, logit: Any = None) -> NegativeBinomial:
    """The count of events of this probability before `size` non-events: mean = size·p/(1 − p) = size·e^logit."""
    odds = namespace(logit).exp(logit) if probability is None else probability / (1.0 - probability)
    return NegativeBinomial(size * odds, size + 0.0 * odds)


def failures_before_first(*, probability: Any = None, logit: Any = None) -> NegativeBinomial:
    """The count of failures before the first success, which has this probability."""
    if probability is None:
        return failures_before(1.0, logit=-logit)
    return failures_before(1.0, probability=1.0 - probability)


def class_probabilities(*, probability: Any = None, logit: Any = None) -> Any:
    """Probabilities of classes along the last axis, which may be given as unnormalised log probabilities."""
    if logit is None:
        return probability
    xp = namespace(logit)
    if xp.__name__ == "torch":
        return xp.softmax(logit, -1)
    scaled = xp.exp(logit - xp.max(logit, -1, keepdims=True))
    return scaled / xp.sum(scaled, -1, keepdims=True)


# ---- transforms ------------------------------------------------------------------------------------------------------


def transformed(family: Distribution, steps: Iterable[Any]) -> Distribution:
    """The family of y after transforms or bijectors, in this order, by the names of their classes."""
    for step in steps:
        match type(step).__name__.strip("_"):
            case "AffineTransform":
                family = affine(family, step.loc, step.scale)
            case "Shift":
                family = affine(family, step.shift, 1.0)
            case "Scale":
                family = affine(family, 0.0, step.scale)
            case "ExpTransform" | "Exp":
                family = exponential(family)
            case "ComposeTransform":
                family = transformed(family, step.parts)
            case "Chain":  # lists the last one first
                family = transformed(family, reversed(step.bijectors))
            case "IdentityTransform" | "Identity":
                pass
            case name:
                raise InputError(
                    f"a {type(family).__name__} transformed by {name} {UNKNOWN}. Known are shifts and scales, and exp "
                    "of a Normal. Explain the distribution before the transform."
                )
    return family


def affine(family: Distribution, shift: Any, factor: Any) -> Distribution:
    """The distribution of shift + factor·Y."""
    match family:
        case Normal():
            return Normal(shift + factor * family.mean, factor**2 * family.variance)
        case StudentT():
            return StudentT(shift + factor * family.location, factor**2 * family.scale2, family.df)
    if not is_everywhere(shift, 0.0):
        raise InputError(
            f"{type(family).__name__} starts at 0; got one that is shifted by {_shown(shift)}. "
            "Subtract the shift from y, and convert the distribution without it."
        )
    match family:
        case LogNormal():
            with np.errstate(divide="ignore", invalid="ignore"):  # a scale ≤ 0 is refused by the family, with its row
                return LogNormal(family.mu + namespace(factor).log(factor), family.sigma2)
        case Gamma():
            return Gamma(factor * family.mean, family.shape)
        case Exponential():
            return Exponential(factor * family.mean)
        case Weibull():
            return Weibull(family.shape, factor * family.scale)
    if not is_everywhere(factor, 1.0):
        raise InputError(f"a {type(family).__name__} of y multiplied by {_shown(factor)} {UNKNOWN}.")
    return family


def exponential(family: Distribution) -> Distribution:
    """The distribution of exp(Y)."""
    if not isinstance(family, Normal):
        raise InputError(f"exp of {type(family).__name__} {UNKNOWN}; exp of a Normal is a LogNormal.")
    return LogNormal(family.mean, family.variance)


def is_everywhere(values: Any, number: float) -> bool:
    """Whether all values are known to be this number; False for what cannot be read while it is traced."""
    if isinstance(values, Real):
        return float(values) == number
    try:
        return bool((values == number).all())
    except (RuntimeError, TypeError, ValueError):  # inside jax.jit or torch.func
        return False


def _shown(values: Any) -> str:
    return f"{float(values):g}" if isinstance(values, Real) else "a value or array other than the plain number"
