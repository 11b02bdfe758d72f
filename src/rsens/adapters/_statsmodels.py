"""Fitted results of statsmodels: linear, generalised linear, discrete and beta models, with or without a formula."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np

from rsens._conversions import is_a
from rsens._errors import Argument, InputError, warn
from rsens._table import is_frame, shape_of
from rsens._typing import Array
from rsens.adapters._adapter import FIRST, SECOND, Adapter, check_columns, expected_model, jumps, quotients
from rsens.adapters._linear_predictor import (
    LinearPredictor,
    LocationResponse,
    MeanMap,
    MeanResponse,
    MultinomialPredictor,
    OnLinearPredictor,
    Response,
    identity_mean,
    log_mean,
    plug_in_mean,
    probability_mean,
)
from rsens.derivatives import (
    Derivatives,
    Description,
    Finding,
    Model,
    chain_rule,
    check_order,
    extrapolated,
    rows_for,
    rows_of,
    spread_out,
    step_unit,
    without_columns,
    without_derivatives,
)
from rsens.distributions import Bernoulli, Beta, Gamma, NegativeBinomial, Normal, Poisson, StudentT
from rsens.likelihoods import (
    GaussianLikelihood,
    LogitLikelihood,
    NegativeBinomialLikelihood,
    PoissonLikelihood,
    ProbitLikelihood,
)

#: Rows at which jumps of the formula are looked for.
LOOKED_AT = 64
#: A name that is not called, or a name in quotes.
NAMES = re.compile(r"""([^\W\d]\w*\b)(?!\s*[("'])|["']([^"']+)["']""")


def from_statsmodels(results: Any, *, uncertainty: bool = True, offset: float | None = None) -> Model:
    """A model from fitted results of statsmodels, for options that `explain(results, X)` does not have.

    The prediction is the distribution of an observation. OLS, WLS and GLS predict a Student-t, as
    `get_prediction().se_obs` does; for WLS and GLS an observation of weight 1 (sigma 1). GLM, discrete and beta models
    send the mean and the variance of the linear predictor through the family. Without a formula, rows have the columns
    of `exog`, the constant included; with one, they are the data frame that the formula reads.

    Args:
        results: The results that `fit()` returned: of OLS, WLS, GLS, GLM, Logit, Probit, Poisson, NegativeBinomial,
            MNLogit or BetaModel.
        uncertainty: Whether the coefficients are uncertain, with the covariance `results.cov_params()`. False takes
            the estimates for the truth, as `results.get_distribution` does.
        offset: A number to add to the linear predictor in every row. A model that was fitted with an offset or an
            exposure needs it: 0 predicts for an exposure of 1, log(e) for an exposure of e.

    Returns:
        A model for `explain`, `rsens` and all other measures.

    Example:
        >>> import numpy as np
        >>> import rsens
        >>> import statsmodels.api as sm
        >>> X = sm.add_constant(np.arange(6.0))
        >>> results = sm.OLS([0.0, 1.1, 1.9, 3.2, 3.9, 5.0], X).fit()
        >>> model = rsens.from_statsmodels(results, uncertainty=False)  # coefficients taken as known
        >>> rsens.rsens(model, X[:1]).round(2).tolist()
        [[0.25, 6.47]]
    """
    if not is_a(results, "statsmodels.ResultsWrapper", "statsmodels.Results"):
        text = f" must come from fit() of statsmodels; got {type(results).__name__}."
        raise InputError("from_statsmodels: ", Argument("results"), text)
    model, name = results.model, type(results.model).__name__
    if getattr(model, "exog", None) is None:
        raise InputError(f"{name} has lost its data (remove_data). Give results as fit() returned them.")
    offset = _offset(model, offset)
    seen = _observation(results)
    uncertain = bool(uncertainty) and not seen.plug_in
    predictor = _predictor(results, seen.response, uncertain, offset)
    spec = getattr(model, "model_spec", None) or getattr(model.data, "model_spec", None)
    spec = spec or getattr(model.data, "design_info", None)  # its name before 0.15
    classes = getattr(model, "_ynames_map", None) if is_a(model, "statsmodels.MNLogit") else None
    classes = None if classes is None else np.array(list(classes.values()))
    about = Description(
        f"{name} of statsmodels",
        seen.family,
        f"{seen.noise}, {'with the uncertainty of the coefficients' if uncertain else 'taking coefficients as known'}",
        "closed form" if spec is None else "closed form in the design, differences of the design",
        "columns of exog, the constant included"
        if spec is None
        else f"columns of the data frame behind {str(model.formula)!r}",
    )
    findings = tuple(_findings(results, seen, bool(uncertainty)))
    if spec is None:
        frame: Any = getattr(model.data, "orig_exog", None)
        names = tuple(frame.columns) if is_frame(frame) else ()
        check = partial(_check_exog, model.exog.shape[1], names)
        inputs: dict[str, Any] = {"training_inputs_": model.exog, "check_columns": check, "classes_": classes}
        return ExogModel(predictor, name, about, findings, **inputs)
    return FormulaModel(
        predictor,
        name,
        about,
        findings,
        transform=lambda rows: results._transform_predict_exog(rows)[0],
        formula=str(model.formula),
        categorical=[name for name in categorical_names(spec) if name in model.data.frame],
        check_columns=partial(_check_frame, str(model.formula)),
        classes_=classes,
    )


@dataclass(frozen=True, eq=False)
class ExogModel(OnLinearPredictor):
    """A prediction at rows of `exog`, with derivatives in closed form."""

    def derivatives(self, X: Any, order: int) -> Derivatives:
        check_order(order)
        model = self.coded(X)
        record = self.predictor.derivatives(model.numbers(X), order)
        return record if model.coding is None else without_columns(record, list(model.coding.categorical))

    def design_at(self, X: Any) -> Array:
        return self.coded(X).numbers(X)

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        return rows_for(self.predictor.bytes_per_row(n_columns, order))


def _check_exog(count: int, names: tuple[Any, ...], X: Any) -> None:
    """An error for other columns: statsmodels takes columns by position and does not notice."""
    constant = " sm.add_constant(X) adds the constant." if shape_of(X)[1] == count - 1 else ""
    check_columns(X, "of exog", count, names, constant)


def _check_frame(formula: str, X: Any) -> None:
    if not is_frame(X):
        raise InputError(Argument("X"), f" must be a data frame, for {formula!r}; got {type(X).__name__}.")


def _offset(model: Any, offset: float | None) -> float:
    """The offset of every row; a model that was fitted with one cannot guess it for other rows."""
    if offset is not None:
        return float(offset)
    fitted = [name for name in ("offset", "exposure") if np.any(getattr(model, name, None))]
    if fitted:
        raise InputError(
            f"{type(model).__name__} was fitted with an {fitted[0]}, which the columns of X do not have. Choose one to "
            "predict for: from_statsmodels(results, offset=0.0) is an exposure of 1, offset=np.log(e) one of e."
        )
    return 0.0


@dataclass(frozen=True, eq=False)
class _Observation:
    """The response to the linear predictor (None for several predictors), with words about its family and noise."""

    response: Response | None
    family: str
    noise: str = "included: of the family"
    #: The reason why the coefficients are taken as known although nobody asked for it; empty if they are not.
    plug_in: str = ""


def _predictor(
    results: Any, response: Response | None, uncertain: bool, offset: float
) -> LinearPredictor | MultinomialPredictor:
    estimate = np.asarray(results.params, dtype=np.float64)
    if response is None:
        return MultinomialPredictor.drawn(estimate, _covariance(results, estimate.size) if uncertain else None)
    columns = results.model.exog.shape[1]
    covariance = _covariance(results, columns) if uncertain else np.zeros((columns, columns))
    return LinearPredictor(estimate[:columns], covariance, response, offset)


def _covariance(results: Any, size: int) -> Array:
    """The covariance of the first coefficients, or an error with the call that does without."""
    try:
        covariance = np.asarray(results.cov_params(), dtype=np.float64)[:size, :size]
        usable = covariance.shape == (size, size) and bool(np.isfinite(covariance).all())
    except (AttributeError, ValueError, TypeError):  # a penalised fit has none; a Hessian that was not inverted
        usable = False
    if not usable:
        text = (
            "has no covariance of its coefficients. To take them as known: from_statsmodels(results, uncertainty=False)"
        )
        raise InputError(f"{type(results).__name__} {text}.")
    return covariance


def _observation(results: Any) -> _Observation:
    read = next((read for name, read in READERS.items() if is_a(results.model, f"statsmodels.{name}")), None)
    if read is None:
        known = ", ".join(name for name, reader in READERS.items() if reader)
        raise expected_model(
            f" that we can read; got results of statsmodels' {type(results.model).__name__}. Accepted are {known}. For "
            "others write what they predict: from_function(lambda X: Normal(results.predict(X), variance))."
        )
    return read(results)


def _linear(results: Any) -> _Observation:
    scale = float(getattr(results, "scale", np.nan))
    if not np.isfinite(scale) or scale <= 0.0:
        text = f"has scale {scale:g} and so no predictive distribution. Fit with fit(), to more rows than columns"
        raise InputError(f"{type(results).__name__} {text} and a target that is not an exact function of them.")
    one = "" if is_a(results.model, "statsmodels.OLS") else ", for an observation of weight 1"
    ν = float(results.df_resid)
    words = f"StudentT ({ν:g} degrees of freedom)", f"included: {scale:.3g} (scale{one})"
    return _Observation(LocationResponse(StudentT, scale, (ν,)), *words)


BINARY = {"logit": LogitLikelihood, "probit": ProbitLikelihood}


def _binary(link: str, results: Any) -> _Observation:
    trials = np.asarray(getattr(results.model, "n_trials", 1))
    of_one = ", of one trial" if (trials != 1).any() else ""
    return _Observation(BINARY[link](), f"Bernoulli{of_one}", "included: of the classes")


def _multinomial(results: Any) -> _Observation:
    return _Observation(None, f"Categorical ({np.shape(results.params)[1] + 1} classes)", "included: of the classes")


def _negative_binomial(results: Any) -> _Observation:
    kind, alpha = str(results.model.loglike_method), float(np.asarray(results.params)[-1])
    if kind == "nb1":  # variance μ(1 + α): the size μ/α moves with the mean
        response = MeanResponse(log_mean, lambda μ: NegativeBinomial(μ, μ / alpha), (1.0, 1.0 / alpha))
        return _Observation(response, f"NegativeBinomial (size mean/{alpha:.3g})")
    size = 1.0 if kind == "geometric" else 1.0 / alpha
    return _Observation(NegativeBinomialLikelihood(size), f"NegativeBinomial (size {size:.3g})")


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
    exact = link in BINARY
    mean: MeanMap = partial(probability_mean, BINARY[link]()) if exact else partial(plug_in_mean, model.link)
    response = MeanResponse(mean, lambda μ: Beta(φ * μ, φ * (1.0 - μ)), (φ, -φ))
    plug_in = "" if exact else _no_average(model.link)
    return _Observation(response, f"Beta (precision {φ:.3g})", "included: of the shares", plug_in)


def _generalised(results: Any) -> _Observation:
    family, scale = results.model.family, float(results.scale)
    kind, link = type(family).__name__, _name(family.link)
    if kind == "Gaussian" and link == "identity":
        return _Observation(GaussianLikelihood(scale), "Normal", f"included: {scale:.3g} (scale)")
    if kind == "Binomial" and link in BINARY:
        return _binary(link, results)
    if kind not in FAMILIES:
        text = f"does not correspond to any rsens family; known are {', '.join(FAMILIES)}"
        raise InputError(f"the {kind} family of statsmodels {text}. Write what it predicts: from_function(fn).")
    name, build, others = FAMILIES[kind]
    exact = {"identity": identity_mean, "log": log_mean}.get(link) if kind in AVERAGED else None
    mean = exact or partial(plug_in_mean, family.link)
    response = MeanResponse(mean, partial(build, family, scale), (1.0, *others))
    return _Observation(response, name, plug_in="" if exact else _no_average(family.link))


def _name(link: Any) -> str:
    """A link by the name of its class: many inherit from Logit without being one."""
    return type(link).__name__.lower()


def _no_average(link: Any) -> str:
    """The reason why the coefficients are taken as known under this link."""
    return f"the mean over uncertain coefficients has no closed form for the link {type(link).__name__}"


#: By ancestor in statsmodels, the first that fits: how y is distributed; None for models that we cannot read.
READERS: dict[str, Callable[[Any], _Observation] | None] = {
    "GLMGam": None,
    "GLSAR": None,
    "MNLogit": _multinomial,
    "OLS": _linear,
    "WLS": _linear,
    "GLS": _linear,
    "GLM": _generalised,
    "Logit": partial(_binary, "logit"),
    "Probit": partial(_binary, "probit"),
    "Poisson": lambda results: _Observation(PoissonLikelihood(), "Poisson"),
    "NegativeBinomial": _negative_binomial,
    "BetaModel": _beta,
}
#: Families of a GLM whose prediction over uncertain coefficients is the family at its mean; a Normal would be wider.
AVERAGED = ("Poisson", "NegativeBinomial", "Gamma")
#: By name in statsmodels: our family, how to make it from statsmodels' family, the scale and the mean, and derivatives
#: in the mean of its other parameters.
FAMILIES: dict[str, Any] = {
    "Gaussian": ("Normal", lambda family, scale, μ: Normal(μ, scale), (0.0,)),
    "Binomial": ("Bernoulli", lambda family, scale, μ: Bernoulli(μ), ()),
    "Poisson": ("Poisson", lambda family, scale, μ: Poisson(μ), ()),
    "NegativeBinomial": ("NegativeBinomial", lambda family, _, μ: NegativeBinomial(μ, 1.0 / float(family.alpha)), (0,)),
    "Gamma": ("Gamma", lambda family, scale, μ: Gamma(μ, 1.0 / scale), (0.0,)),
}


def _findings(results: Any, seen: _Observation, uncertainty: bool) -> Iterator[Finding]:
    values = getattr(results, "mle_retvals", None)
    converged = getattr(results, "converged", values.get("converged") if isinstance(values, dict) else None)
    if converged is not None and not converged:
        yield Finding("convergence", "wrong", "the fit did not converge. Give fit() more iterations (maxiter).")
    if not uncertainty:
        yield Finding("coefficients", "warning", "taken as known, as requested: the prediction is too narrow.")
    elif seen.plug_in:
        yield Finding("coefficients", "warning", f"taken as known: {seen.plug_in}.")
    else:
        kind = getattr(results, "cov_type", "nonrobust")
        yield Finding("coefficients", "ok", f"uncertain, with the covariance of the fit ({kind}).")
    family = type(getattr(results.model, "family", None)).__name__
    scale = float(getattr(results, "scale", 1.0))
    if family in ("Poisson", "Binomial", "NegativeBinomial") and scale != 1.0:
        text = f"the scale of {scale:.3g} widens the uncertainty of the coefficients, but not the {family} distribution"
        yield Finding("dispersion", "warning", f"{text}. For counts that vary more, fit a NegativeBinomial.")


def _adapt(obj: Any) -> Model:
    if is_a(obj, "statsmodels.Model"):
        raise expected_model(f"; got {type(obj).__name__} of statsmodels. Give what fit() returns.", "fitted ")
    return from_statsmodels(obj)


RESULTS = ("statsmodels.ResultsWrapper", "statsmodels.Results", "statsmodels.Model")
STATSMODELS = Adapter("results of statsmodels", lambda obj: is_a(obj, *RESULTS), _adapt)


# ---- Formulas --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class FormulaModel(OnLinearPredictor):
    """A prediction at the design of a formula, with derivatives in the columns of the data frame by the chain rule."""

    #: A data frame → its design, a matrix.
    transform: Callable[[Any], Any]
    formula: str
    #: Units of the columns, and the range in which differences may move them, (2, D); set by `prepared`.
    unit: Array | None = None
    bounds: Array | None = None

    def prepared(self, X: Any) -> Self:
        model = self.coded(X)
        numbers = model.numbers(rows_of(model, X))
        unit = step_unit(numbers)
        bounds = model._bounds(numbers, unit)
        half = numbers[: len(numbers) - len(numbers) // 2]
        if len(half) < len(numbers) and not np.allclose(model.design(half), model.design(numbers)[: len(half)], 1e-9):
            raise InputError(
                f"the formula {self.formula!r} mixes rows: a row's design changed when other rows left. Use center(x) "
                "or standardize(x), which remember the training data, in place of x - np.mean(x)."
            )
        model = replace(model, unit=unit, bounds=bounds)
        model._warn_of_jumps(numbers)
        return model

    def derivatives(self, X: Any, order: int) -> Derivatives:
        if self.unit is None or self.bounds is None:
            return self.prepared(X).derivatives(X, order)
        numbers = self.numbers(rows_of(self, X))
        columns = self.continuous(numbers.shape[1])
        record = self.predictor.derivatives(self.design(numbers), order)
        if not columns:
            return without_derivatives(record.distribution, numbers.shape[1], order)
        inside = np.clip(numbers, *self.bounds)
        at, unit = quotients(self.design, inside, columns), np.broadcast_to(self.unit, inside.shape)
        slopes = spread_out(extrapolated(at.first, FIRST * unit), self.coding, 1)
        bends = spread_out(extrapolated(at.second, SECOND * unit), self.coding, 2) if order == 2 else None
        return Derivatives(record.distribution, *chain_rule(slopes, bends, record.first, record.second))

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        design = 0 if self.like is None else self._design_of(self.like.source, 1).shape[1]
        own = 2 * 8 * design * (4 * n_columns + (4 * n_columns**2 if order == 2 else 0))  # copies, twice
        return rows_for(own + self.predictor.bytes_per_row(design or n_columns, order))

    def design_at(self, X: Any) -> Array:
        model = self.coded(X)
        table = rows_of(model, X)
        return model._design_of(model.rows(table), len(table))

    def design(self, numbers: Array, which: Any = None) -> Array:
        """The design (n, P) of rows given as numbers."""
        return self._design_of(self.rows_from(numbers), len(numbers))

    def _design_of(self, rows: Any, n: int) -> Array:
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a logarithm of 0 is looked for below
                design = np.asarray(self.transform(rows), dtype=np.float64)
        except Exception as error:  # the formula is the user's own code, and may raise anything
            reason = str(error).rpartition(" is:\n")[2].strip().splitlines()[0]  # after a sentence of statsmodels
            text = f": {reason}. Give all its columns, with the levels it was fitted to."
            message = f"the formula {self.formula!r} cannot be evaluated at the rows "
            raise InputError(message, Argument("X"), text) from error
        if design.shape[0] != n or not np.isfinite(design).all():
            text = " or next to them. Leave out rows at the edge of a logarithm or root."
            raise InputError(f"the formula {self.formula!r} is not finite at all rows of ", Argument("X"), text)
        return design

    def _bounds(self, numbers: Array, unit: Array) -> Array:
        """Splines and logarithms may end at the last row: differences there are taken a little inside."""
        bounds = np.array([[-np.inf], [np.inf]]) * np.ones(numbers.shape[1])
        for d in self.continuous(numbers.shape[1]):
            for side, row in enumerate((numbers[:, d].argmin(), numbers[:, d].argmax())):
                outward = SECOND * unit[d] * (1.0 if side else -1.0)
                try:
                    self.design(numbers[[row]] + outward * np.eye(numbers.shape[1])[d])
                except InputError:
                    bounds[side, d] = numbers[row, d] - outward
        return bounds

    def _warn_of_jumps(self, numbers: Array) -> None:
        assert self.unit is not None
        assert self.bounds is not None
        some = numbers[np.unique(np.linspace(0, len(numbers) - 1, LOOKED_AT).astype(np.intp))]
        at = quotients(self.design, np.clip(some, *self.bounds), self.continuous(numbers.shape[1]))
        slopes = extrapolated(at.first, FIRST * np.broadcast_to(self.unit, some.shape))
        if jumps(self.design, at, slopes, self.unit).any():
            warn(
                f"the formula {self.formula!r} jumps: derivatives do not see jumps, so R-sens is too small there. Put "
                "the part that jumps into another column of the data frame."
            )


def names_in(formula: str) -> set[str]:
    """Names that occur in a formula and may be columns, also as Q("name"); without the names of functions."""
    found = NAMES.findall(formula.rpartition("~")[2])
    return {quoted or name for name, quoted in found}


def categorical_names(spec: Any) -> list[str]:
    """Columns that the formula takes as categories, also where they hold numbers: C(k)."""
    if is_a(spec, "patsy.DesignInfo"):
        codes = [factor.name() for factor, info in spec.factor_infos.items() if info.type == "categorical"]
    else:
        codes = [str(factor) for factor in getattr(spec, "factor_contrasts", {})]
    return sorted({name for code in codes for name in names_in(code)})
