"""What NGBoost predicts: almost always a frozen SciPy distribution inside."""

from __future__ import annotations

from typing import Any

import numpy as np

from rsens._conversions._conversion import Conversion, has_ancestor, unknown
from rsens._conversions._scipy_frozen import SCIPY_FROZEN
from rsens._conversions._shapes import multivariate_normal
from rsens._errors import InputError
from rsens.distributions import Bernoulli, Categorical, Distribution

KNOWN = (
    "Normal", "NormalFixedVar", "NormalFixedMean", "LogNormal", "Exponential", "Gamma", "Weibull", "Beta", "Poisson",
    "TFixedDf", "TFixedDfFixedVar", "Cauchy", "Bernoulli", "k_categorical", "MultivariateNormal",
)  # fmt: skip


def from_ngboost(obj: Any) -> Distribution:
    if has_ancestor(obj, "ngboost.T"):
        raise InputError(
            "T of ngboost has degrees of freedom that depend on x, and those of rsens' StudentT are fixed. "
            "Fit with Dist=TFixedDf instead."
        )
    if has_ancestor(obj, "ngboost.ClassificationDistn"):
        # An unknown attribute of these objects is None.
        logits = vars(obj).get("logits")
        if logits is not None and len(logits) == 2:
            return Bernoulli(logit=logits[1] - logits[0])
        return Categorical(obj.class_probs())
    if has_ancestor(obj, "ngboost.MVN"):
        return multivariate_normal(obj.loc, np.linalg.inv(obj.cov_inv))
    frozen = vars(obj).get("dist")
    if not SCIPY_FROZEN.accepts(frozen):
        raise unknown(obj, "ngboost", KNOWN, _name(obj))
    try:
        return SCIPY_FROZEN.convert(frozen)
    except InputError:
        raise unknown(obj, "ngboost", KNOWN, _name(obj)) from None


def _name(obj: Any) -> str:
    """The distribution's own name: NGBoost wraps it in classes that add a score."""
    names = [kind.__name__ for kind in type(obj).__mro__ if kind.__module__.startswith("ngboost.distns")]
    return next((name for name in names if name != "DistWithUncensoredScore"), type(obj).__name__)


NGBOOST = Conversion("NGBoost", lambda obj: has_ancestor(obj, "ngboost.Distn"), from_ngboost, KNOWN)
