"""Kernels of scikit-learn as ours: a smooth kernel, and the variance that WhiteKernels add at equal rows.

A WhiteKernel may stand anywhere in the tree. With δ = 1 at a row and itself, and 0 between two rows,

    (a + w_a δ)(b + w_b δ) = ab + (w_a b(x, x) + w_b a(x, x) + w_a w_b) δ,

so the white part of a product is one number only where the prior variance of the other factor does not depend on x.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rsens._errors import InputError
from rsens.adapters._sklearn._exp_sine_squared import ExpSineSquared
from rsens.kernels import (
    EQ,
    Constant,
    ConstantDiagonal,
    Kernel,
    Linear,
    Matern32,
    Matern52,
    Product,
    RationalQuadratic,
    Sum,
)

HOME = "sklearn.gaussian_process.kernels"


class UntranslatableError(Exception):
    """The kernel is none that we have; the text says which part of it."""


@dataclass(frozen=True)
class Translated:
    """smooth + white·δ; None for no smooth part at all."""

    smooth: Kernel | None
    white: float = 0.0


def translated(kernel: Any) -> Translated:
    """A fitted kernel of scikit-learn in our terms, or an `UntranslatableError`."""
    name = _native_name(kernel)
    if name == "CompoundKernel":
        raise InputError(
            "the kernel is a CompoundKernel, one kernel per class of a GaussianProcessClassifier. Explain the fitted "
            "classifier itself."
        )
    if name not in _TRANSLATIONS:
        raise UntranslatableError(type(kernel).__name__)
    try:
        return _TRANSLATIONS[name](kernel)
    except InputError as error:
        if name in _COMPOSED or isinstance(error, RoughKernelError):
            raise
        raise UntranslatableError(repr(kernel)) from error  # a constant of 0, say: ours are positive


class RoughKernelError(InputError):
    """The kernel has no derivatives at the training rows."""


def _native_name(kernel: Any) -> str:
    """The class of scikit-learn whose value and diagonal the kernel has; "" if somebody wrote their own."""
    mro = type(kernel).__mro__
    own = [next((kind for kind in mro if method in vars(kind)), object) for method in ("__call__", "diag")]
    return own[0].__qualname__ if all(kind.__module__ == HOME for kind in own) else ""


def _lengthscale(kernel: Any) -> float | tuple[float, ...]:
    values = np.squeeze(np.asarray(kernel.length_scale, dtype=np.float64))
    return tuple(values.tolist()) if values.ndim else float(values)


def _matern(kernel: Any) -> Translated:
    if kernel.nu == 0.5:
        raise RoughKernelError(
            "the kernel Matern(nu=0.5) has no derivatives in x at the training rows. Refit with nu=1.5 or 2.5, or with "
            "RBF."
        )
    kinds: dict[float, type[Kernel]] = {1.5: Matern32, 2.5: Matern52, np.inf: EQ}
    if kernel.nu not in kinds:
        raise UntranslatableError(f"Matern(nu={kernel.nu:g})")
    return Translated(kinds[kernel.nu](1.0, _lengthscale(kernel)))  # type: ignore[call-arg]


def _dot_product(kernel: Any) -> Translated:
    """σ₀² + x·z."""
    level = float(kernel.sigma_0) ** 2
    return Translated(Sum((Linear(1.0), Constant(level))) if level > 0.0 else Linear(1.0))


def _sum(kernel: Any) -> Translated:
    return _added(translated(kernel.k1), translated(kernel.k2))


def _product(kernel: Any) -> Translated:
    return _multiplied(translated(kernel.k1), translated(kernel.k2))


def _power(kernel: Any) -> Translated:
    """k^p as a product of p factors."""
    p = float(kernel.exponent)
    if not 1.0 <= p <= 8.0 or p != int(p):
        raise UntranslatableError(f"Exponentiation(exponent={p:g})")
    base = power = translated(kernel.kernel)
    for _ in range(int(p) - 1):
        power = _multiplied(power, base)
    return power


_COMPOSED: dict[str, Callable[[Any], Translated]] = {"Sum": _sum, "Product": _product, "Exponentiation": _power}
_TRANSLATIONS: dict[str, Callable[[Any], Translated]] = _COMPOSED | {
    "RBF": lambda k: Translated(EQ(1.0, _lengthscale(k))),
    "Matern": _matern,
    "RationalQuadratic": lambda k: Translated(RationalQuadratic(1.0, _lengthscale(k), float(k.alpha))),
    "ExpSineSquared": lambda k: Translated(ExpSineSquared(1.0, float(k.periodicity), float(k.length_scale))),
    "DotProduct": _dot_product,
    "ConstantKernel": lambda k: Translated(Constant(float(k.constant_value))),
    "WhiteKernel": lambda k: Translated(None, float(k.noise_level)),
}


def _added(a: Translated, b: Translated) -> Translated:
    smooth = [part.smooth for part in (a, b) if part.smooth is not None]
    return Translated(Sum(tuple(smooth)) if len(smooth) == 2 else smooth[0] if smooth else None, a.white + b.white)


def _multiplied(a: Translated, b: Translated) -> Translated:
    white = a.white * b.white
    for part, other in ((a, b), (b, a)):
        if part.white > 0.0 and other.smooth is not None:
            white += part.white * _prior_variance(other.smooth)
    smooth = None if a.smooth is None or b.smooth is None else _times(a.smooth, b.smooth)
    return Translated(smooth, white)


def _times(a: Kernel, b: Kernel) -> Kernel:
    """The product; a constant becomes part of the variances of the other factor, which then has one array less."""
    for factor, other in ((a, b), (b, a)):
        if isinstance(factor, Constant):
            return _scaled(other, factor.variance)
    return Product((a, b))


def _scaled(kernel: Kernel, factor: float) -> Kernel:
    if isinstance(kernel, Sum):
        return Sum(tuple(_scaled(term, factor) for term in kernel.terms))
    if isinstance(kernel, Product):
        first, *others = kernel.factors
        return Product((_scaled(first, factor), *others))
    if isinstance(kernel, ConstantDiagonal | Linear):
        return replace(kernel, variance=factor * kernel.variance)  # type: ignore[type-var, operator]
    raise UntranslatableError(type(kernel).__name__)


def _prior_variance(kernel: Kernel) -> float:
    """k(x, x), where it is the same for all x."""
    if isinstance(kernel, Sum):
        return sum(map(_prior_variance, kernel.terms))
    if isinstance(kernel, Product):
        return float(np.prod([_prior_variance(factor) for factor in kernel.factors]))
    if isinstance(kernel, ConstantDiagonal):
        return kernel.variance
    raise UntranslatableError("a product of WhiteKernel and DotProduct")
