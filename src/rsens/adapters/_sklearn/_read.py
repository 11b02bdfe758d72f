"""One fitted estimator in, what was understood of it out."""

from __future__ import annotations

from typing import Any

from rsens._errors import InputError
from rsens.adapters._origin import is_a
from rsens.adapters._sklearn._distributional import distributional
from rsens.adapters._sklearn._forest import read_forest
from rsens.adapters._sklearn._gpc import read_gp_classifier
from rsens.adapters._sklearn._gpr import read_gp_regressor
from rsens.adapters._sklearn._linear import read_bayesian_linear
from rsens.adapters._sklearn._pipeline import behind
from rsens.adapters._sklearn._plain import no_distribution
from rsens.adapters._sklearn._probabilities import read_probabilities
from rsens.adapters._sklearn._return_std import gives_std, read_std
from rsens.adapters._sklearn._rsens_model import read_own
from rsens.adapters._sklearn._target import read_transformed_target
from rsens.adapters._sklearn._understood import Understood, check_fitted, not_fitted


def read(estimator: Any) -> Understood:
    """The first way that fits: what is inside, formulas, standard deviations, probabilities."""
    if is_a(estimator, "sklearn.Pipeline"):
        steps = [step for _, step in estimator.steps]
        return behind(steps[:-1], read(steps[-1]))
    if is_a(estimator, "sklearn.BaseSearchCV"):
        return read(best_of(estimator))
    if is_a(estimator, "sklearn.TransformedTargetRegressor"):
        if not hasattr(estimator, "regressor_"):
            raise not_fitted(estimator)
        return read_transformed_target(estimator, read(estimator.regressor_))
    if callable(getattr(estimator, "derivatives", None)):
        return read_own(estimator)
    if is_a(estimator, "sklearn.GaussianProcessRegressor"):
        return read_gp_regressor(estimator)
    if is_a(estimator, "sklearn.GaussianProcessClassifier"):
        return read_gp_classifier(estimator)
    if is_a(estimator, "sklearn.BayesianRidge", "sklearn.ARDRegression"):
        return read_bayesian_linear(estimator)
    if is_a(estimator, "sklearn.ForestRegressor"):
        return read_forest(estimator)
    if (reader := distributional(estimator)) is not None:
        return reader(estimator)
    if callable(getattr(estimator, "predict_proba", None)):
        return read_probabilities(estimator)
    if gives_std(estimator):
        check_fitted(estimator)
        return read_std(estimator)
    raise no_distribution(estimator)


def best_of(search: Any) -> Any:
    """The estimator that GridSearchCV and its kin have chosen and refitted."""
    if not hasattr(search, "best_estimator_"):
        raise InputError(f"{type(search).__name__} has no best_estimator_. Call fit(X, y) first, with refit=True.")
    return search.best_estimator_


def pipeline_of(estimator: Any) -> Any:
    """The pipeline inside a search or a TransformedTargetRegressor; the estimator itself if it is neither."""
    if is_a(estimator, "sklearn.BaseSearchCV"):
        return pipeline_of(best_of(estimator))
    if is_a(estimator, "sklearn.TransformedTargetRegressor"):
        return pipeline_of(estimator.regressor_)
    return estimator
