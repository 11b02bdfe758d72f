"""The target of the test: y as the additive model sees it, and the scale on which terms add up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logit

from rsens import distributions as ds
from rsens import likelihoods, models
from rsens._errors import Argument, InputError
from rsens._refits import read_targets
from rsens._typing import Array
from rsens.adapters import classes_of

#: Where the search for the noise starts, in variances of y.
NOISE = 0.1
_LINKS: dict[type, type[likelihoods.Likelihood]] = {
    models.BayesianLogisticRegression: likelihoods.LogitLikelihood,
    models.BayesianProbitRegression: likelihoods.ProbitLikelihood,
}
_SCALES = {"logit": "logit", "probit": "probit", "poisson": "log", "negative_binomial": "log"}


@dataclass(frozen=True, eq=False)
class Target:
    """y, the likelihood of the additive model, and the scale on which terms add up: identity, log, logit or probit."""

    y: Array
    likelihood: likelihoods.Likelihood
    scale: str
    n_classes: int = 0  # 0 for numbers and counts


@dataclass(frozen=True)
class Untested:
    """The reason for leaving out the test."""

    reason: str


def likelihood_for(model: Any, family: ds.Distribution, y: Any) -> Target | Untested:
    """The target for a model that predicts this family: with its own likelihood if it is ours, else by the family."""
    if isinstance(family, ds.Mixture):
        return likelihood_for(model, family.member, y)
    if family.support == "vector":
        return Untested("the model predicts several numbers per row")
    targets = read_targets(y, len(y) if hasattr(y, "__len__") else 0)
    if isinstance(family, ds.Binomial) and not isinstance(family, ds.Bernoulli):
        return Untested("the model predicts how many of several trials succeed")
    if isinstance(family, ds.Bernoulli | ds.Categorical):
        return _classes(model, family, targets)
    return _numbers(_likelihood_of_numbers(model, family), family, targets)


def scale_text(scale: str) -> str:
    """The scale in words, for use after "on"."""
    return "the scale of y" if scale == "identity" else f"the {scale} scale"


def _likelihood_of_numbers(model: Any, family: ds.Distribution) -> likelihoods.Likelihood:
    if isinstance(model, models.GPRegressor):
        fitted = model.likelihood_  # with the start that a search always has, not where this one ended
        return fitted.with_theta(type(fitted).start(NOISE).theta)
    if isinstance(model, models.BayesianPoissonRegression) or isinstance(family, ds.Poisson):
        return likelihoods.PoissonLikelihood()
    if isinstance(family, ds.NegativeBinomial):
        return likelihoods.NegativeBinomialLikelihood()
    return likelihoods.GaussianLikelihood(NOISE)


def _numbers(likelihood: likelihoods.Likelihood, family: ds.Distribution, targets: Any) -> Target | Untested:
    y, scale = likelihood.checked_target(targets), _SCALES.get(likelihood.name, "identity")
    if likelihood.target == "counts":
        return Untested("y is constant") if np.ptp(y) == 0.0 else Target(y, likelihood, scale)
    if isinstance(family, ds.LogNormal | ds.Gamma | ds.Exponential | ds.Weibull):
        y, scale = np.log(_inside(y, 0.0, np.inf, "above 0")), "log"
    elif isinstance(family, ds.Beta):
        y, scale = logit(_inside(y, 0.0, 1.0, "between 0 and 1")), "logit"
    size = float(np.max(np.abs(y)))
    deviation = float(np.std(y / size)) if size > 0.0 else 0.0
    if deviation < 1e-12:
        return Untested("y is constant")
    y = y / size
    return Target((y - np.mean(y)) / deviation, likelihood, scale)


def _inside(y: Array, low: float, high: float, where: str) -> Array:
    outside = ~((y > low) & (y < high))
    if outside.any():
        row = int(outside.argmax())
        raise InputError(
            Argument("y"), f" must be {where}, as the model predicts; got {y[row]:g} at row {row}. Drop such rows."
        )
    return y


def _classes(model: Any, family: ds.Bernoulli | ds.Categorical, targets: Any) -> Target | Untested:
    known = classes_of(model)
    plain = targets.astype(str) if targets.dtype == object else targets
    codes = plain if known is None else models.read_labels(targets, np.asarray(known), len(targets))
    present, numbered = np.unique(codes, return_inverse=True)
    most = 2 if isinstance(family, ds.Bernoulli) else np.shape(family.probabilities)[-1]
    if len(present) > most:
        raise InputError(
            Argument("y"), f" must have at most {most} different values, the classes of the model; got {len(present)}."
        )
    if len(present) < 2:
        return Untested("y has one class only")
    likelihood: likelihoods.Likelihood = likelihoods.LogitLikelihood()
    if len(present) == 2:
        if isinstance(model, models.GPClassifier):
            likelihood = model.likelihood_
        elif type(model) in _LINKS:
            likelihood = _LINKS[type(model)]()
    return Target(numbered.astype(np.float64), likelihood, _SCALES[likelihood.name], len(present))
