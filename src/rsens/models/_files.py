"""Fitted models as files, without pickle: `save_model`, `load_model` and `read_metadata`.

A file is a zip archive of `model.json`, which any editor can read, and float64 arrays (`.npy`). It holds names from our
lists, numbers and text, so opening one cannot run anything; whatever does not fit is refused.

The file contains the training inputs, column names and labels, and the posterior, which gives away the targets: whoever
has the file has the data. An exact GP on N rows takes 4N² bytes (36 MB for 3000 rows).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from rsens._coding import Coding
from rsens._errors import Argument, InputError
from rsens._files import or_none, text, tuple_of, whole
from rsens.models._archive import Arrays, opened, write_archive
from rsens.models._file_state import gp_state, restore_gp, restore_weights, weights_state
from rsens.models._file_values import (
    classes_from_dict,
    classes_to_dict,
    coding_from_dict,
    coding_to_dict,
    mapping,
    parameter_from_plain,
    parameter_to_plain,
    same_keys,
)
from rsens.models._glm import BayesianLogisticRegression, BayesianPoissonRegression, BayesianProbitRegression
from rsens.models._gp import GPClassifier, GPRegressor
from rsens.models._linear import BayesianLinearRegression
from rsens.models._rows import SEARCH_ROWS

FORMAT = "rsens model"
VERSION = 1
ENTRIES = ("model", "parameters", "rows", "columns", "names", "coding", "classes", "state", "metadata")

#: Parameters that files may lack, and what they are then.
LATER = {"search_rows": SEARCH_ROWS}
GAUSSIAN_PROCESSES = (GPRegressor, GPClassifier)
MODELS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        *GAUSSIAN_PROCESSES,
        BayesianLinearRegression,
        BayesianProbitRegression,
        BayesianLogisticRegression,
        BayesianPoissonRegression,
    )
}


def save_model(model: Any, path: str | os.PathLike[str], *, metadata: Mapping[str, Any] | None = None) -> None:
    """Write a fitted model of rsens to a file, completely or not at all.

    The file contains the training inputs, and gives away the targets: whoever has the file has the data.
    `random_state` is kept only if it is a whole number.

    Args:
        model: A fitted GPRegressor, GPClassifier, BayesianLinearRegression, BayesianProbitRegression,
            BayesianLogisticRegression or BayesianPoissonRegression.
        path: The file; `.rsens` is the usual ending. An existing file is replaced.
        metadata: A dict of anything that JSON can hold; `read_metadata` returns it.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> import rsens
        >>> model = rsens.BayesianLinearRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.1, 1.9, 3.0])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     rsens.save_model(model, Path(folder) / "model.rsens")
        ...     [path.name for path in Path(folder).iterdir()]
        ['model.rsens']
    """
    name = type(model).__name__
    if MODELS.get(name) is not type(model):
        raise InputError(f"save_model stores fitted models of rsens: {', '.join(MODELS)}; got {name}.")
    check_is_fitted(model)
    values, arrays = gp_state(model) if isinstance(model, GAUSSIAN_PROCESSES) else weights_state(model)
    rows, columns = model.training_inputs_.shape
    names = getattr(model, "feature_names_in_", None)
    header = {
        "format": FORMAT,
        "version": VERSION,
        "model": name,
        "parameters": {key: parameter_to_plain(key, value) for key, value in model.get_params(deep=False).items()},
        "rows": rows,
        "columns": columns,
        "names": None if names is None else [str(each) for each in names],
        "coding": coding_to_dict(model.coding_),
        "classes": classes_to_dict(model.classes_) if hasattr(model, "classes_") else None,
        "state": values,
        "metadata": _checked_metadata(metadata),
    }
    inputs = {"training_inputs": model.training_inputs_, "input_scale": model.input_scale_}
    write_archive(path, header, inputs | arrays)


def load_model(path: str | os.PathLike[str]) -> Any:
    """The fitted model in a file written by `save_model`; it makes the same predictions as the saved model.

    Nothing in the file is run. A file that is damaged, or of another version or kind, is an `InputError`.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> import rsens
        >>> model = rsens.BayesianLinearRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.1, 1.9, 3.0])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     rsens.save_model(model, Path(folder) / "model.rsens")
        ...     loaded = rsens.load_model(Path(folder) / "model.rsens")
        >>> bool((loaded.predict([[5.0]]) == model.predict([[5.0]])).all())
        True
    """
    with opened(path, FORMAT, VERSION) as (header, arrays):
        same_keys(header, ENTRIES, "the header")
        kind = MODELS.get(text(header["model"]))
        if kind is None:
            raise ValueError(f"{header['model']!r:.40} is not a model of rsens")
        names = kind._get_param_names()
        # Files from before a parameter existed have a model without it.
        given = {name: value for name, value in LATER.items() if name in names} | dict(mapping(header["parameters"]))
        parameters = same_keys(given, names, "parameters")
        model = kind(**{name: parameter_from_plain(name, value) for name, value in parameters.items()})
        classes = _restore_inputs(model, header, arrays)
        n_posteriors = classes if classes > 2 else 1
        restore = restore_gp if isinstance(model, GAUSSIAN_PROCESSES) else restore_weights
        restore(model, header["state"], arrays, n_posteriors)
        arrays.check_all_asked()
    return model


def read_metadata(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The `metadata` that the file was written with; empty if there was none."""
    with opened(path, FORMAT, VERSION) as (header, _):
        return dict(mapping(same_keys(header, ENTRIES, "the header")["metadata"]))


def _checked_metadata(metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    """A copy, if JSON returns it unchanged."""
    given = dict(metadata or {})
    try:
        copy = json.loads(json.dumps(given, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(Argument("metadata"), f" must be what JSON can hold: {error}.") from None
    if copy != given:
        raise InputError(
            Argument("metadata"), " must come back from JSON unchanged: use text as names, and lists, not tuples."
        )
    return copy


def _restore_inputs(model: Any, header: Mapping[str, Any], arrays: Arrays) -> int:
    """Set the attributes about the data (inputs, names, coding, classes), and return the number of classes, or 0."""
    N, D = whole(header["rows"]), whole(header["columns"])
    if not (N and D):
        raise ValueError("there are no rows or no columns")
    coding, names = coding_from_dict(header["coding"]), or_none(tuple_of(text))(header["names"])
    if names is not None and (len(names) != D or len(set(names)) != D):
        raise ValueError(f"there must be {D} names of columns, all different")
    if coding is not None and (len(coding.names) != D or (names is not None and coding.names != names)):
        raise ValueError("the coding belongs to other columns")
    model.n_features_in_ = D
    if names is not None:
        model.feature_names_in_ = np.array(names, dtype=object)
    model.coding_ = coding
    model.training_inputs_, model.input_scale_ = arrays("training_inputs", N, D), arrays("input_scale", D)
    if (model.input_scale_ < 0.0).any():
        raise ValueError("a scale of the inputs is negative")
    _check_codes(model.training_inputs_, coding)
    if (header["classes"] is not None) != hasattr(model, "predict_proba"):
        raise ValueError("there are classes without a classifier, or a classifier without classes")
    if header["classes"] is None:
        return 0
    model.classes_ = classes_from_dict(header["classes"])
    return len(model.classes_)


def _check_codes(inputs: Any, coding: Coding | None) -> None:
    for column in () if coding is None else coding.columns:
        codes = inputs[:, column.position]
        if not ((codes == np.floor(codes)) & (codes >= 0.0) & (codes < len(column))).all():
            raise ValueError(f"column {column.position} has codes that are not levels")
