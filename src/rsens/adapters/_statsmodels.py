"""Fitted results of statsmodels: linear, generalised linear, discrete and beta models, with or without a formula."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rsens._coding import Coding
from rsens._errors import Argument, InputError
from rsens._table import Table, is_frame
from rsens._text import first_few
from rsens._typing import Array
from rsens.adapters._adapter import Adapter
from rsens.adapters._described import Described
from rsens.adapters._formula import FormulaModel, categorical_names
from rsens.adapters._linear_predictor import DesignPredictor, OnLinearPredictor
from rsens.adapters._origin import is_a
from rsens.adapters._statsmodels_results import Read, read_results
from rsens.derivatives import Derivatives, Description, Finding, Function, Model, rows_for, without_columns
from rsens.distributions import Distribution


def from_statsmodels(results: Any, *, uncertainty: bool = True, offset: float | None = None) -> Model:
    """A model from fitted results of statsmodels, for when `explain(results, X)` needs to be told more.

    The prediction is that of an observation. OLS, WLS and GLS predict a Student-t, as `get_prediction().se_obs` does;
    for WLS and GLS an observation of weight 1 (sigma 1). GLM, discrete and beta models send the mean and the variance
    of the linear predictor through the family. Without a formula, rows have the columns of `exog`, the constant
    included; with one, they are the data frame that the formula reads.

    Args:
        results: What `fit()` returned: of OLS, WLS, GLS, GLM, Logit, Probit, Poisson, NegativeBinomial, MNLogit or
            BetaModel.
        uncertainty: Whether the coefficients are uncertain, with the covariance `results.cov_params()`. False takes
            the estimates for the truth, as `results.get_distribution` does.
        offset: What to add to the linear predictor in every row. A model that was fitted with an offset or an exposure
            needs it: 0 predicts for an exposure of 1, log(e) for an exposure of e.

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
        raise InputError(
            "from_statsmodels: ",
            Argument("results"),
            f" must come from fit() of statsmodels; got {type(results).__name__}.",
        )
    model = results.model
    if getattr(model, "exog", None) is None:
        raise InputError(
            f"{type(model).__name__} has lost its data (remove_data). Give results as fit() returned them."
        )
    read = read_results(results, bool(uncertainty), _offset(model, offset))
    name = type(model).__name__
    spec = getattr(model, "model_spec", None) or getattr(model.data, "model_spec", None)
    spec = spec or getattr(model.data, "design_info", None)  # its name before 0.15
    classes = getattr(model, "_ynames_map", None) if is_a(model, "statsmodels.MNLogit") else None
    classes = None if classes is None else np.array(list(classes.values()))
    findings = tuple(_findings(results, read, bool(uncertainty)))
    if spec is not None:
        formula = str(model.formula)
        return FormulaModel(
            read.predictor,
            lambda rows: results._transform_predict_exog(rows)[0],
            formula,
            name,
            _description(name, read, uncertainty, f"columns of the data frame behind {formula!r}"),
            findings,
            categorical=categorical_names(spec),
            classes_=classes,
        )
    frame = getattr(model.data, "orig_exog", None)
    names = tuple(map(str, frame.columns)) if frame is not None and is_frame(frame) else None
    about = _description(name, read, uncertainty, "columns of exog, the constant included")
    return ExogModel(read.predictor, name, about, findings, names, model.exog, classes)


@dataclass(frozen=True, eq=False)
class ExogModel(Described, Function, OnLinearPredictor):
    """A prediction at rows of `exog`, with derivatives in closed form."""

    predictor: DesignPredictor
    label: str
    about: Description
    findings: tuple[Finding, ...] = ()
    #: The columns, where they have names.
    exog_names: tuple[str, ...] | None = None
    training_inputs_: Any = None
    classes_: Any = None
    categorical: Any = None
    coding: Coding | None = None

    def coded(self, X: Any, weights: Any = None) -> ExogModel:
        self._check_columns(X.source if isinstance(X, Table) else X)
        return super().coded(X, weights)

    def _derivatives(self, X: Any, order: int) -> Derivatives:
        record = self.predictor.derivatives(self.numbers(X), order)
        return record if self.coding is None else without_columns(record, list(self.coding.categorical))

    def predict_distribution(self, X: Any) -> Distribution:
        return self.predictor.predict(self.design_at(X))

    def design_at(self, X: Any) -> Array:
        return self.coded(X).numbers(X)

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        return rows_for(self.predictor.bytes_per_row(n_columns, order))

    def _check_columns(self, X: Any) -> None:
        """statsmodels takes columns by position and does not say when they are others; we do."""
        if X is None:
            return
        got = tuple(map(str, X.columns)) if is_frame(X) else None
        expected = len(self.exog_names) if self.exog_names else np.shape(self.training_inputs_)[-1]
        width = len(got) if got is not None else np.shape(X)[-1] if np.ndim(X) == 2 else expected
        listed = "" if self.exog_names is None else f": {first_few([repr(name) for name in self.exog_names])}"
        if width != expected:
            constant = " sm.add_constant(X) adds the constant." if width == expected - 1 else ""
            raise InputError(
                Argument("X"), f" must have the {expected} columns of exog{listed}; got {width}.{constant}"
            )
        if got is not None and self.exog_names is not None and got != self.exog_names:
            others = first_few([repr(name) for name in got])
            raise InputError(Argument("X"), f" must have the columns of exog in their order{listed}; got {others}.")


def _offset(model: Any, offset: float | None) -> float:
    """The offset of every row; a model that was fitted with one cannot guess it for other rows."""
    if offset is not None:
        return float(offset)
    fitted = [name for name in ("offset", "exposure") if np.any(getattr(model, name, None))]
    if fitted:
        raise InputError(
            f"{type(model).__name__} was fitted with an {fitted[0]}, which the columns of X do not have. Say what to "
            "predict for: from_statsmodels(results, offset=0.0) is an exposure of 1, offset=np.log(e) one of e."
        )
    return 0.0


def _description(name: str, read: Read, uncertainty: bool, columns: str) -> Description:
    how = (
        "closed form"
        if columns.startswith("columns of exog")
        else "closed form in the design, differences of the design"
    )
    spread = (
        "with the uncertainty of the coefficients"
        if uncertainty and not read.plug_in
        else "the coefficients taken for the truth"
    )
    return Description(f"{name} of statsmodels", read.family, f"{read.noise}, {spread}", how, columns)


def _findings(results: Any, read: Read, uncertainty: bool) -> Iterator[Finding]:
    converged = getattr(results, "converged", None)
    values = getattr(results, "mle_retvals", None)
    if converged is None and isinstance(values, dict):
        converged = values.get("converged")
    if converged is not None:
        yield (
            Finding("convergence", "ok", "the fit converged.")
            if converged
            else Finding("convergence", "wrong", "the fit did not converge. Give fit() more iterations (maxiter).")
        )
    if not uncertainty:
        yield Finding("coefficients", "warning", "taken for the truth, as was asked: the prediction is too sure.")
    elif read.plug_in:
        yield Finding("coefficients", "warning", f"taken for the truth: {read.plug_in}.")
    else:
        kind = getattr(results, "cov_type", "nonrobust")
        yield Finding("coefficients", "ok", f"uncertain, with the covariance of the fit ({kind}).")
    family = type(getattr(results.model, "family", None)).__name__
    scale = float(getattr(results, "scale", 1.0))
    if family in ("Poisson", "Binomial", "NegativeBinomial") and scale != 1.0:
        text = (
            f"the scale of {scale:.3g} widens the uncertainty of the coefficients, but not the {family} distribution."
        )
        yield Finding("dispersion", "warning", f"{text} For counts that vary more, fit a NegativeBinomial.")


def _accepts(obj: Any) -> bool:
    return is_a(obj, "statsmodels.ResultsWrapper", "statsmodels.Results", "statsmodels.Model")


def _adapt(obj: Any) -> Model:
    if is_a(obj, "statsmodels.Model"):
        raise InputError(
            "expected a fitted ",
            Argument("model"),
            f"; got {type(obj).__name__} of statsmodels. Give what fit() returns.",
        )
    return from_statsmodels(obj)


STATSMODELS = Adapter("results of statsmodels", _accepts, _adapt)
