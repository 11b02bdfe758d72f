"""`as_family`: a distribution of another library as one of our families."""

from __future__ import annotations

from typing import Any

from rsens._conversions._build import one_value_per_row
from rsens._conversions._libraries import CONVERSIONS, Conversion
from rsens._errors import InputError
from rsens.distributions import Distribution


def as_family(obj: Any) -> Distribution:
    """A predictive distribution of another library as one of rsens' families, in rsens' parameters λ.

    Known are frozen `scipy.stats` distributions and the newer `scipy.stats.Normal` and its like, `torch.distributions`,
    GPyTorch's MultivariateNormal over rows (its marginals), NumPyro, TensorFlow Probability, NGBoost and skpro. Arrays
    stay what they are, so gradients flow and JAX can trace it. Functions given to `from_function`, `from_jax` and
    `from_torch` may return any of these without calling it.

    Args:
        obj: The distribution, with one value per row, shape (n,) or (n, 1). A family of rsens is returned as it is.

    Returns:
        The family. A standard deviation has become a variance, a Gamma its (mean, shape), a negative binomial its
        (mean, size); logits stay logits.

    Example:
        >>> from scipy.stats import norm
        >>> from rsens import as_family
        >>> as_family(norm(loc=[0.0, 1.0], scale=2.0))
        Normal(mean=array([0., 1.]), variance=array(4.))
    """
    return converted(obj, "expected a distribution")


def converted(obj: Any, expected: str) -> Distribution:
    """`as_family`, with an error that begins with what was expected."""
    if isinstance(obj, Distribution):
        return obj
    if not isinstance(obj, type):
        for conversion in CONVERSIONS:
            if conversion.accepts(obj):
                return one_value_per_row(_convert(conversion, obj))
    raise InputError(
        f"{expected}: one of rsens' families with one value per row, such as Normal(mean, variance), or a distribution "
        f"of scipy.stats, torch, NumPyro, TensorFlow Probability, NGBoost or skpro; got {_describe(obj)}. "
        f"{_advice(obj)}"
    )


def _convert(conversion: Conversion, obj: Any) -> Distribution:
    try:
        return conversion.convert(obj)
    except (AttributeError, KeyError) as error:  # a class of the same name, or another version of the library
        raise InputError(
            f"{type(obj).__name__} looks like a distribution of {conversion.name} but cannot be read as one ({error}). "
            "Build the family from its parameters, such as Normal(mean, variance)."
        ) from error


def _advice(obj: Any) -> str:
    if isinstance(obj, tuple | list) and len(obj) == 2:
        return (
            "If these are a mean and a standard deviation, write Normal(mean, sd**2): it takes a variance, not a "
            "standard deviation."
        )
    if hasattr(obj, "freeze") and type(obj).__module__.startswith("scipy."):
        return f"Give it its parameters: scipy.stats.{obj.name}(…)."
    return "Build the family from its parameters (a variance, not a standard deviation)."


def _describe(obj: Any) -> str:
    kind = type(obj)
    module = kind.__module__.partition(".")[0]
    if obj is None:
        return "None (is a return missing?)"
    if isinstance(obj, type):
        return f"the class {obj.__name__} without its parameters"
    if isinstance(obj, tuple | list):
        return f"a {kind.__name__} of {len(obj)}"
    if isinstance(getattr(obj, "shape", None), tuple):
        return f"{'an array' if module in ('numpy', 'jax', 'jaxlib') else kind.__name__} of shape {tuple(obj.shape)}"
    return f"{kind.__name__} of {module}" if module not in ("builtins", "__main__") else kind.__name__
