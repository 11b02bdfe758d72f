"""Fitted estimators of scikit-learn, and objects that look like them, as models."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from rsens._errors import InputError, RsensWarning
from rsens._table import is_frame
from rsens._typing import Array
from rsens.adapters._adapter import Adapter, Described, check_fitted, expected_model, is_a, library_of, not_fitted
from rsens.adapters._sklearn._by_differences import OTHER_LIBRARIES, read_forest, read_probabilities
from rsens.adapters._sklearn._gaussian_process import read_gp_classifier, read_gp_regressor
from rsens.adapters._sklearn._linear import read_bayesian_linear
from rsens.adapters._sklearn._pipeline import Behind, best_of, encoded_columns, pipeline_of, read_own, read_target
from rsens.adapters._sklearn._prediction import Prediction, as_fitted, check_columns, gives_std, read_std
from rsens.adapters._sklearn._steps import RoughStepError, is_identity
from rsens.derivatives import (
    AsGiven,
    Derivatives,
    Description,
    Finding,
    Model,
    PredictionModel,
    check_order,
    rows_for,
    rows_of,
    without_columns,
)
from rsens.distributions import Distribution

#: Rows at which the steps of a pipeline are tried before all are explained.
TRIED = 32


def _accepts(obj: Any) -> bool:
    looks_alike = callable(getattr(obj, "predict_proba", None)) or gives_std(obj)
    return is_a(obj, "sklearn.BaseEstimator", *OTHER_LIBRARIES) or looks_alike


def _adapt(obj: Any) -> Model:
    prediction = read(obj)
    model = EstimatorModel(
        prediction,
        obj,
        type(obj).__name__,
        _described(obj, prediction),
        prediction.findings,
        categorical=encoded_columns(pipeline_of(obj)) or None,
        check_columns=partial(check_columns, obj),
        training_inputs_=prediction.training,
        classes_=prediction.classes,
    )
    return model if prediction.closed else model.by_differences_of_predictions()


SCIKIT_LEARN = Adapter("scikit-learn", _accepts, _adapt)


def read(estimator: Any) -> Prediction:
    """One fitted estimator, the first way that fits: what is inside, formulas, probabilities, standard deviations."""
    if callable(getattr(estimator, "derivatives", None)):
        return read_own(estimator)
    reader = next((reader for name, reader in READERS.items() if is_a(estimator, name)), None)
    if reader is not None:
        return reader(estimator)
    if callable(getattr(estimator, "predict_proba", None)):
        return read_probabilities(estimator)
    if gives_std(estimator):
        check_fitted(estimator)
        return read_std(estimator)
    raise _no_distribution(estimator)


def _read_pipeline(pipeline: Any) -> Prediction:
    steps = [step for _, step in pipeline.steps]
    return Behind.of(steps[:-1], read(steps[-1]))


def _read_target(estimator: Any) -> Prediction:
    if not hasattr(estimator, "regressor_"):
        raise not_fitted(estimator)
    return read_target(estimator, read(estimator.regressor_))


#: By ancestor.
READERS: dict[str, Callable[[Any], Prediction]] = {
    "sklearn.Pipeline": _read_pipeline,
    "sklearn.BaseSearchCV": lambda search: read(best_of(search)),
    "sklearn.TransformedTargetRegressor": _read_target,
    "sklearn.GaussianProcessRegressor": read_gp_regressor,
    "sklearn.GaussianProcessClassifier": read_gp_classifier,
    "sklearn.BayesianRidge": read_bayesian_linear,
    "sklearn.ARDRegression": read_bayesian_linear,
    "sklearn.ForestRegressor": read_forest,
    **OTHER_LIBRARIES,
}


@dataclass(frozen=True, eq=False)
class EstimatorModel(Described, AsGiven):
    """A fitted estimator with derivatives in closed form, in the columns of X as given."""

    prediction: Prediction
    estimator: Any
    label: str
    about: Description
    findings: tuple[Finding, ...] = ()

    @property
    def kernel_(self) -> Any:
        """The kernel of a Gaussian process, or one per class, in the columns of X: for measures of length-scales."""
        return self.prediction.kernel

    def derivatives(self, X: Any, order: int) -> Derivatives:
        check_order(order)
        model = self.coded(X)
        table = rows_of(model, X)
        try:
            with _foreign_errors(self.label):
                record = self.prediction.derivatives(as_fitted(self.estimator, model.rows(table)), order)
        except RoughStepError:
            return model.by_differences_of_predictions().derivatives(X, order)
        return without_columns(record, () if table.coding is None else list(table.coding.categorical))

    def predict_distribution(self, X: Any) -> Distribution:
        model = self.coded(X)
        table = rows_of(model, X)
        return self._predict(model.rows(table)).checked(len(table))

    def predict_point(self, X: Any) -> Array:
        model = self.coded(X)
        with _foreign_errors(self.label):
            return self.prediction.predict_point(as_fitted(self.estimator, model.rows(rows_of(model, X))))

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        return rows_for(self.prediction.bytes_per_row(n_columns, order))

    def prepared(self, X: Any) -> Model:
        """This model; or, if a step of the pipeline jumps, the same prediction by differences."""
        model = self.coded(X)
        rows = model.rows(rows_of(model, X))
        some = np.unique(np.linspace(0, len(rows) - 1, TRIED).astype(np.intp))
        try:
            with _foreign_errors(self.label):
                few = rows.iloc[some] if is_frame(rows) else rows[some]
                self.prediction.check_steps(as_fitted(self.estimator, few))
        except RoughStepError:
            return model.by_differences_of_predictions().prepared(X)
        for finding in self.findings:
            if finding.verdict != "ok":
                warnings.warn(RsensWarning(f"{self.label}: {finding.text}"), stacklevel=2)
        return model

    def by_differences_of_predictions(self) -> PredictionModel:
        """The same prediction by differences: for estimators without a formula, and steps without derivatives."""
        shared = ("categorical", "training_inputs_", "classes_", "coding", "check_columns", "like")
        given = {name: getattr(self, name) for name in shared}
        return PredictionModel(self._predict, self.label, self.about, self.findings, **given)

    def _predict(self, X: Any) -> Distribution:
        with _foreign_errors(self.label):
            return self.prediction.predict(as_fitted(self.estimator, X))


@contextmanager
def _foreign_errors(name: str) -> Iterator[None]:
    """Errors of other libraries about rows that they do not take, as an `InputError`."""
    try:
        yield
    except InputError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"{name} does not take these rows: {reason}") from error


def _described(obj: Any, prediction: Prediction) -> Description:
    """The estimator as it was understood, in words."""
    pipeline = pipeline_of(obj)
    parts = [step for _, step in pipeline.steps] if is_a(pipeline, "sklearn.Pipeline") else []
    steps = [type(step).__name__ for step in parts[:-1] if not is_identity(step)]
    ending = f" ending in {type(parts[-1]).__name__}" if steps else ""
    through = f" through {', '.join(steps)}" if steps else ""
    return Description(
        f"{type(obj).__name__} of {library_of(obj)}{ending}",
        prediction.family,
        prediction.noise,
        f"closed form{through}" if prediction.closed else "differences",
        "original columns of the pipeline" if steps else "columns of X as given",
    )


def _no_distribution(estimator: Any) -> InputError:
    """The error for a plain regressor: what it lacks, what would do, and the lines to write."""
    what = "predicts points" if callable(getattr(estimator, "predict", None)) else "has no predict"
    advice = (
        "These do: GaussianProcessRegressor, BayesianRidge, ARDRegression, classifiers with predict_proba, and "
        "pipelines that end in one. Or say how far y is from the prediction: residuals = y_new - model.predict(X_new) "
        "on rows that it was not fitted to, then explain rsens.from_function(lambda X: rsens.Normal(model.predict(X), "
        "residuals.var())); for trees add step=0.3. Or fit rsens.BayesianLinearRegression() or rsens.GPRegressor()."
    )
    classifies = hasattr(estimator, "classes_") or getattr(estimator, "_estimator_type", None) == "classifier"
    if classifies and callable(getattr(estimator, "predict", None)):
        what = "predicts classes without probabilities"
        advice = "Take a classifier with predict_proba, or wrap this one: CalibratedClassifierCV(model).fit(X, y)."
    return expected_model(f" that predicts distributions; got {type(estimator).__name__}, which {what}. {advice}")
