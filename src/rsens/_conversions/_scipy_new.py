"""The newer distributions of scipy.stats: `Normal(mu=…, sigma=…)`, `make_distribution(…)`, their sums and products."""

from __future__ import annotations

from typing import Any

import numpy as np

from rsens._conversions._conversion import Conversion, has_ancestor, unknown
from rsens._conversions._scipy_frozen import STANDARD, as_array
from rsens._conversions._transforms import affine, exponential, squared
from rsens.distributions import Binomial, Distribution, Mixture, Normal

KNOWN = ("Normal", "StandardNormal", "Binomial", "Mixture", *(f"make_distribution({name})" for name in STANDARD))


def from_new(obj: Any) -> Distribution:
    values = {name: as_array(value) for name, value in getattr(obj, "_parameters", {}).items()}
    match type(obj).__name__:
        case "StandardNormal":
            return Normal(0.0, 1.0)
        case "Normal":
            return Normal(values["mu"], squared(values["sigma"]))
        case "Binomial":
            return Binomial(values["n"], values["p"])
        case "Mixture":
            return Mixture([from_new(part) for part in obj._components], np.asarray(obj._weights))
        case "ShiftedScaledDistribution":
            return affine(from_new(obj._dist), values["loc"], values["scale"])
        case "MonotonicTransformedDistribution" if getattr(obj, "_g", None) is np.exp:
            return exponential(from_new(obj._dist))
        case "CustomDistribution":
            name = _made_from(type(obj))
            if name in STANDARD:
                return STANDARD[name](**values)
    raise unknown(obj, "scipy.stats", KNOWN, str(obj).partition("(")[0])


def _made_from(kind: type) -> str:
    """The name of the older distribution that `make_distribution` took the formulas of this class from."""
    owners: list[Any] = [getattr(formula, "__self__", None) for formula in vars(kind).values()]
    names = (str(owner.name) for owner in owners if type(owner).__module__.startswith("scipy.stats"))
    return next(names, "")


SCIPY_NEW = Conversion(
    "newer scipy.stats distributions",
    lambda obj: has_ancestor(obj, "scipy._ProbabilityDistribution", "scipy.UnivariateDistribution"),
    from_new,
    KNOWN,
)
