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
from rsens.adapters._sklearn._rows import as_fitted, check_columns
from rsens.adapters._sklearn._understood import Understood
from rsens.derivatives import Description, Model, PredictionModel
from rsens.distributions import Distribution

#: What libraries are called where that is not what they are imported as.
LIBRARIES = {"sklearn": "scikit-learn"}


def _accepts(obj: Any) -> bool:
    looks_alike = callable(getattr(obj, "predict_proba", None)) or gives_std(obj) or distributional(obj) is not None
    return is_a(obj, "sklearn.BaseEstimator") or looks_alike


def _adapt(obj: Any) -> Model:
    understood, pipeline = read(obj), pipeline_of(obj)
    label, about, encoded = type(obj).__name__, _described(obj, understood), encoded_columns(pipeline)

    def predict(X: Any) -> Distribution:
        with foreign_errors(label):
            return understood.predict(as_fitted(obj, X))

    by_differences = PredictionModel(
        predict,
        label,
        about,
        understood.findings,
        categorical=encoded or None,
        check_columns=partial(check_columns, obj),
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
        check_columns=partial(check_columns, obj),
        findings=understood.findings,
        kernel_=understood.kernel,
        training_inputs_=understood.training,
        classes_=understood.classes,
    )


def _described(obj: Any, understood: Understood) -> Description:
    """What was understood, in words."""
    pipeline = pipeline_of(obj)
    steps = step_names(pipeline)
    library = LIBRARIES.get(library_of(obj), library_of(obj))
    ending = f" ending in {type(pipeline.steps[-1][1]).__name__}" if steps else ""
    through = f" through {', '.join(steps)}" if steps else ""
    return Description(
        f"{type(obj).__name__} of {library}{ending}",
        understood.family,
        understood.noise,
        "differences" if understood.closed is None else f"closed form{through}",
        "original columns of the pipeline" if steps else "columns of X as given",
    )


SCIKIT_LEARN = Adapter("scikit-learn", _accepts, _adapt)
