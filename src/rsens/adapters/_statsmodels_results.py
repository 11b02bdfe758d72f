"""What fitted results of statsmodels say: the family of an observation, its link, its coefficients and their spread."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from rsens._errors import Argument, InputError
from rsens._typing import Array
from rsens.adapters._linear_predictor import DesignPredictor, LinearPredictor, MultinomialPredictor, Response
from rsens.adapters._origin import is_a
from rsens.adapters._responses import (
    MeanMap,
    MeanResponse,
    PlugInMean,
    ProbabilityMean,
    StudentTResponse,
    identity_mean,
    log_mean,
)
from rsens.distributions import Bernoulli, Beta, Gamma, NegativeBinomial, Normal, Poisson
from rsens.likelihoods import (
    GaussianLikelihood,
    LogitLikelihood,
    NegativeBinomialLikelihood,
    PoissonLikelihood,
    ProbitLikelihood,
)

ACCEPTED = "OLS, WLS, GLS, GLM, Logit, Probit, Poisson, NegativeBinomial, MNLogit and BetaModel"
BINARY = {"logit": LogitLikelihood, "probit": ProbitLikelihood}


@dataclass(frozen=True, eq=False)
class Read:
    """A prediction, and in words what it is: its family, its noise, and how far the coefficients are uncertain."""

    predictor: DesignPredictor
    family: str
    noise: str
    #: Why the coefficients are taken for the truth although nobody asked for it; empty if they are not.
    plug_in: str = ""


@dataclass(frozen=True, eq=False)
class _Observation:
    response: Response
    family: str
    noise: str
    plug_in: str = ""


def read_results(results: Any, uncertainty: bool, offset: float) -> Read:
    """The prediction of fitted results."""
    model = results.model
    if is_a(model, "statsmodels.MNLogit"):
        estimate = np.asarray(results.params, dtype=np.float64)
        covariance = _covariance(results, estimate.size) if uncertainty else None
        family = f"Categorical ({estimate.shape[1] + 1} classes)"
        return Read(MultinomialPredictor.drawn(estimate, covariance), family, "included: the classes themselves")
    seen = _observation(results)
    columns = model.exog.shape[1]
    used = uncertainty and not seen.plug_in
    covariance = _covariance(results, columns) if used else np.zeros((columns, columns))
    coefficients = np.asarray(results.params, dtype=np.float64)[:columns]
    predictor = LinearPredictor(coefficients, covariance, seen.response, offset)
    return Read(predictor, seen.family, seen.noise, seen.plug_in if uncertainty else "")


def _covariance(results: Any, size: int) -> Array:
    """The covariance of the first coefficients, or an error that says how to do without."""
    try:
        covariance = np.asarray(results.cov_params(), dtype=np.float64)[:size, :size]
        usable = covariance.shape == (size, size) and bool(np.isfinite(covariance).all())
    except (AttributeError, ValueError, TypeError):  # a penalised fit has none; a Hessian that was not inverted
        usable = False
    if not usable:
        raise InputError(
            f"{type(results).__name__} has no covariance of its coefficients, so their uncertainty is not known. To "
            "take them for the truth: from_statsmodels(results, uncertainty=False)."
        )
    return covariance


def _observation(results: Any) -> _Observation:
    model = results.model
    if is_a(model, "statsmodels.GLMGam", "statsmodels.GLSAR"):
        raise _unknown(model)
    if is_a(model, "statsmodels.OLS", "statsmodels.WLS", "statsmodels.GLS"):
        return _linear(results)
    if is_a(model, "statsmodels.GLM"):
        return _generalised(results)
    if is_a(model, "statsmodels.Logit"):
        return _binary("logit", model)
    if is_a(model, "statsmodels.Probit"):
        return _binary("probit", model)
    if is_a(model, "statsmodels.Poisson"):
        return _Observation(PoissonLikelihood(), "Poisson", "included: of the counts")
    if is_a(model, "statsmodels.NegativeBinomial"):
        return _negative_binomial(results)
    if is_a(model, "statsmodels.BetaModel"):
        return _beta(results)
    raise _unknown(model)


def _unknown(model: Any) -> InputError:
    return InputError(
        "expected a ",
        Argument("model"),
        f" that we can read; got results of statsmodels' {type(model).__name__}. Accepted are {ACCEPTED}. For others "
        "write what they predict: from_function(lambda X: Normal(results.predict(X), variance)).",
    )


def _linear(results: Any) -> _Observation:
    scale = float(getattr(results, "scale", np.nan))
    if not np.isfinite(scale) or scale <= 0.0:
        raise InputError(
            f"{type(results).__name__} has no noise (scale {scale:g}), so there is no predictive distribution. Fit "
            "with fit(), to more rows than columns and a target that is not an exact function of them."
        )
    one = "" if is_a(results.model, "statsmodels.OLS") else ", for an observation of weight 1"
    ν = float(results.df_resid)
    return _Observation(
        StudentTResponse(scale, ν), f"StudentT ({ν:g} degrees of freedom)", f"included: {scale:.3g} (scale{one})"
    )


def _binary(link: str, model: Any) -> _Observation:
    trials = np.asarray(getattr(model, "n_trials", 1))
    of_one = ", of one trial" if (trials != 1).any() else ""
    return _Observation(BINARY[link](), f"Bernoulli{of_one}", "included: of the classes")


def _negative_binomial(results: Any) -> _Observation:
    kind, noise = str(results.model.loglike_method), "included: of the counts"
    if kind == "geometric":
        return _Observation(NegativeBinomialLikelihood(1.0), "NegativeBinomial (size 1)", noise)
    alpha = float(np.asarray(results.params)[-1])
    if kind == "nb1":  # variance μ(1 + α): the size μ/α moves with the mean
        response = MeanResponse(log_mean, lambda μ: NegativeBinomial(μ, μ / alpha), (1.0, 1.0 / alpha))
        return _Observation(response, f"NegativeBinomial (size mean/{alpha:.3g})", noise)
    return _Observation(NegativeBinomialLikelihood(1.0 / alpha), f"NegativeBinomial (size {1.0 / alpha:.3g})", noise)


def _beta(results: Any) -> _Observation:
    model = results.model
    if model.exog_precision.shape[1] != 1 or np.ptp(model.exog_precision) > 0.0:
        raise InputError(
            "BetaModel with a precision that depends on columns has two sets of columns, and X has one. Write what it "
            "predicts: from_function(fn), with fn(X) giving Beta(mean·precision, (1 − mean)·precision)."
        )
    last = float(np.asarray(results.params)[-1])
    φ = float(model.link_precision.inverse(last * float(model.exog_precision[0, 0])))  # its ones are float32
    link = _name(model.link)
    mean: MeanMap = ProbabilityMean(BINARY[link]()) if link in BINARY else PlugInMean(model.link)
    response = MeanResponse(mean, lambda μ: Beta(φ * μ, φ * (1.0 - μ)), (φ, -φ))
    return _Observation(
        response,
        f"Beta (precision {φ:.3g})",
        "included: of the shares",
        "" if link in BINARY else _no_average(model.link),
    )


def _generalised(results: Any) -> _Observation:
    family, scale = results.model.family, float(results.scale)
    kind, link = type(family).__name__, _name(family.link)
    noise = f"included: {scale:.3g} (scale)" if kind == "Gaussian" else "included: of the family"
    if kind == "Gaussian" and link == "identity":
        return _Observation(GaussianLikelihood(scale), "Normal", noise)
    if kind == "Binomial" and link in BINARY:
        return _binary(link, results.model)
    if kind == "Poisson" and link == "log":
        return _Observation(PoissonLikelihood(), "Poisson", noise)
    if kind == "NegativeBinomial" and link == "log":
        size = 1.0 / float(family.alpha)
        return _Observation(NegativeBinomialLikelihood(size), f"NegativeBinomial (size {size:.3g})", noise)
    if kind not in FAMILIES:
        raise InputError(
            f"the {kind} family of statsmodels has no counterpart among the families of rsens. Use one of "
            f"{', '.join(FAMILIES)}, or write what it predicts with from_function(fn)."
        )
    name, build, others = FAMILIES[kind]
    exact = {"identity": identity_mean, "log": log_mean}.get(link) if kind in AVERAGED else None
    response = MeanResponse(exact or PlugInMean(family.link), partial(build, family, scale), (1.0, *others))
    return _Observation(response, name, noise, "" if exact else _no_average(family.link))


def _normal(family: Any, scale: float, μ: Array) -> Normal:
    return Normal(μ, scale)


def _bernoulli(family: Any, scale: float, μ: Array) -> Bernoulli:
    return Bernoulli(μ)


def _poisson(family: Any, scale: float, μ: Array) -> Poisson:
    return Poisson(μ)


def _counts(family: Any, scale: float, μ: Array) -> NegativeBinomial:
    return NegativeBinomial(μ, 1.0 / float(family.alpha))


def _gamma(family: Any, scale: float, μ: Array) -> Gamma:
    return Gamma(μ, 1.0 / scale)


#: Families whose prediction over uncertain coefficients is the family at its mean; a Normal would be wider.
AVERAGED = ("Poisson", "NegativeBinomial", "Gamma")
#: By name in statsmodels: our family, how to make it at a mean, and derivatives in the mean of its other parameters.
FAMILIES: dict[str, Any] = {
    "Gaussian": ("Normal", _normal, (0.0,)),
    "Binomial": ("Bernoulli", _bernoulli, ()),
    "Poisson": ("Poisson", _poisson, ()),
    "NegativeBinomial": ("NegativeBinomial", _counts, (0.0,)),
    "Gamma": ("Gamma", _gamma, (0.0,)),
}


def _name(link: Any) -> str:
    """A link by the name of its class: many inherit from Logit without being one."""
    return type(link).__name__.lower()


def _no_average(link: Any) -> str:
    return f"the mean over uncertain coefficients has no closed form for the link {type(link).__name__}"
