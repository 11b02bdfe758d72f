"""Which objects of scikit-learn, and which that look like them, can be explained; and how."""

from __future__ import annotations

from functools import partial
from typing import Any

from rsens.adapters._adapter import Adapter
from rsens.adapters._origin import is_a, library_of
from rsens.adapters._sklearn._closed_model import ClosedModel
from rsens.adapters._sklearn._distributional import distributional
from rsens.adapters._sklearn._foreign_errors import foreign_errors
from rsens.adapters._sklearn._pipeline import encoded_columns, step_names
from rsens.adapters._sklearn._read import pipeline_of, read
from rsens.adapters._sklearn._return_std import gives_std
from rsens.adapters._sklearn._rows import as_fitted
from rsens.derivatives import Description, Model, PredictionModel
from rsens.distributions import Distribution


def _accepts(obj: Any) -> bool:
    looks_alike = callable(getattr(obj, "predict_proba", None)) or gives_std(obj) or distributional(obj) is not None
    return is_a(obj, "sklearn.BaseEstimator") or looks_alike


def _adapt(obj: Any) -> Model:
    understood, pipeline = read(obj), pipeline_of(obj)
    label, steps, encoded = type(obj).__name__, step_names(pipeline), encoded_columns(pipeline)
    about = Description(
        f"{label} of {library_of(obj)}" + (f" ending in {type(pipeline.steps[-1][1]).__name__}" if steps else ""),
        understood.family,
        understood.noise,
        "by differences"
        if understood.closed is None
        else f"in closed form through {', '.join(steps)}"
        if steps
        else "in closed form",
        "original columns of the pipeline" if steps else "columns of X as given",
    )

    def predict(X: Any) -> Distribution:
        with foreign_errors(label):
            return understood.predict(as_fitted(obj, X))

    by_differences = PredictionModel(
        predict,
        label,
        about,
        understood.findings,
        categorical=encoded or None,
        training_inputs_=understood.training,
        classes_=understood.classes,
    )
    if understood.closed is None:
        return by_differences
    return ClosedModel(
        understood.closed,
        label,
        about,
        partial(as_fitted, obj),
        by_differences,
        categorical=encoded or None,
        findings=understood.findings,
        training_inputs_=understood.training,
        classes_=understood.classes,
    )


SCIKIT_LEARN = Adapter("scikit-learn", _accepts, _adapt)
