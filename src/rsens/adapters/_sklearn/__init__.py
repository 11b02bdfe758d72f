"""scikit-learn: fitted estimators and pipelines, and objects that look like them, as models."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from rsens._conversions import is_a
from rsens._errors import InputError
from rsens.adapters._adapter import Adapter, check_fitted, expected_model
from rsens.adapters._sklearn._estimators import (
    read_bayesian_linear,
    read_boosted_parameters,
    read_catboost,
    read_forest,
    read_ngboost,
    read_own,
    read_probabilities,
    read_skpro,
)
from rsens.adapters._sklearn._gaussian_process import read_gp_classifier, read_gp_regressor
from rsens.adapters._sklearn._pipeline import best_of, encoded_columns, pipeline_of, read_pipeline, read_target
from rsens.adapters._sklearn._pipeline import widened as widened
from rsens.adapters._sklearn._prediction import EstimatorModel, Prediction, check_columns, gives_std, read_std
from rsens.adapters._sklearn._steps import is_identity
from rsens.derivatives import Description, Model


def _accepts(obj: Any) -> bool:
    looks_alike = callable(getattr(obj, "predict_proba", None)) or gives_std(obj)
    return is_a(obj, "sklearn.BaseEstimator", *READERS) or looks_alike


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
    return model.by_differences_of_predictions() if prediction.derivatives is None else model


SCIKIT_LEARN = Adapter("scikit-learn", _accepts, _adapt)


def read(estimator: Any) -> Prediction:
    """One fitted estimator, the first way that fits: its parts, formulas, probabilities, standard deviations."""
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


#: By ancestor.
READERS: dict[str, Callable[[Any], Prediction]] = {
    "sklearn.Pipeline": lambda pipeline: read_pipeline(pipeline, read),
    "sklearn.BaseSearchCV": lambda search: read(best_of(search)),
    "sklearn.TransformedTargetRegressor": lambda model: read_target(model, read),
    "sklearn.GaussianProcessRegressor": read_gp_regressor,
    "sklearn.GaussianProcessClassifier": read_gp_classifier,
    "sklearn.BayesianRidge": read_bayesian_linear,
    "sklearn.ARDRegression": read_bayesian_linear,
    "sklearn.ForestRegressor": read_forest,
    "ngboost.NGBoost": read_ngboost,
    "skpro.BaseProbaRegressor": read_skpro,
    "xgboostlss.XGBoostLSS": read_boosted_parameters,
    "lightgbmlss.LightGBMLSS": read_boosted_parameters,
    "catboost.CatBoostRegressor": read_catboost,
}


def _described(obj: Any, prediction: Prediction) -> Description:
    """The estimator as a `Description`."""
    pipeline = pipeline_of(obj)
    parts = [step for _, step in pipeline.steps] if is_a(pipeline, "sklearn.Pipeline") else []
    steps = [type(step).__name__ for step in parts[:-1] if not is_identity(step)]
    through = f" through {', '.join(steps)}" if steps else ""
    return Description(
        f"{type(obj).__name__}, a fitted estimator{f' ending in {type(parts[-1]).__name__}' if steps else ''}",
        prediction.family,
        prediction.noise,
        "differences" if prediction.derivatives is None else f"closed form{through}",
        "original columns of the pipeline" if steps else "columns of X as given",
    )


def _no_distribution(estimator: Any) -> InputError:
    """The error for a plain regressor: why it cannot be explained, alternatives, and the lines to write."""
    predicts = callable(getattr(estimator, "predict", None))
    classifies = hasattr(estimator, "classes_") or getattr(estimator, "_estimator_type", None) == "classifier"
    if classifies and predicts:
        what = "predicts classes without probabilities"
        advice = "Take a classifier with predict_proba, or wrap this one: CalibratedClassifierCV(model).fit(X, y)."
    else:
        what = "predicts points" if predicts else "has no predict"
        advice = (
            "Give GaussianProcessRegressor, BayesianRidge, a classifier with predict_proba, or a pipeline that ends in "
            "one. Or add the spread of y on rows that it was not fitted to: rsens.from_function(lambda X: "
            "rsens.Normal(model.predict(X), residuals.var())); for trees with step=0.3."
        )
    return expected_model(f" that predicts distributions; got {type(estimator).__name__}, which {what}. {advice}")
