"""What to say about an estimator that gives points and no distribution."""

from __future__ import annotations

from typing import Any

from rsens._errors import Argument, InputError


def no_distribution(estimator: Any) -> InputError:
    """The error for a plain regressor: what it lacks, what would do, and the lines to write."""
    name = type(estimator).__name__
    if not callable(getattr(estimator, "predict", None)):
        what = f"{name}, which has no predict"
    elif hasattr(estimator, "classes_") or getattr(estimator, "_estimator_type", None) == "classifier":
        return InputError(
            "expected a ",
            Argument("model"),
            f" that predicts distributions; got {name}, which predicts classes without probabilities. Take a "
            "classifier with predict_proba, or wrap this one: CalibratedClassifierCV(model).fit(X, y).",
        )
    else:
        what = f"{name}, which predicts points"
    return InputError(
        "expected a ",
        Argument("model"),
        f" that predicts distributions; got {what}. These do: GaussianProcessRegressor, BayesianRidge, ARDRegression, "
        "classifiers with predict_proba, and pipelines that end in one. Or say how far y is from the prediction: "
        "residuals = y_new - model.predict(X_new) on rows that it was not fitted to, then explain "
        "rsens.from_function(lambda X: rsens.Normal(model.predict(X), residuals.var())); for trees add step=0.3. Or "
        "fit rsens.BayesianLinearRegression() or rsens.GPRegressor().",
    )
