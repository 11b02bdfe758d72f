"""Fitted models as files, without pickle: `save_model`, `load_model` and `read_metadata`.

A file is JSON. The store writes and reads a model field by field, so that a new kernel, likelihood or estimator needs
nothing here; opening a file cannot run anything. Arrays of numbers are in base64: an exact GP on N rows takes about
11N² bytes (96 MB for 3000 rows).
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from copy import copy
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from rsens import _files as files
from rsens._coding import Coding
from rsens._errors import Argument, InputError
from rsens.kernels import ALL_KERNELS, Product, Sum
from rsens.likelihoods import ALL_LIKELIHOODS, Likelihood
from rsens.models._glm import BayesianLogisticRegression, BayesianPoissonRegression, BayesianProbitRegression
from rsens.models._gp import GPClassifier, GPRegressor, Standard
from rsens.models._inference import FittedGP
from rsens.models._linear import BayesianLinearRegression, WeightPosterior
from rsens.posteriors import DenseRoot, TriangularRoot

KIND, WRITER = "a model", "save_model"
MODELS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        GPRegressor,
        GPClassifier,
        BayesianLinearRegression,
        BayesianProbitRegression,
        BayesianLogisticRegression,
        BayesianPoissonRegression,
    )
}
#: Fitted models are made of these, of kernels and of likelihoods.
PARTS = (Coding, FittedGP, Standard, WeightPosterior, TriangularRoot, DenseRoot)


def save_model(model: Any, path: str | os.PathLike[str], *, metadata: Mapping[str, Any] | None = None) -> None:
    """Write a fitted model of rsens to a file, completely or not at all.

    The file contains the training inputs, and the targets can be computed from it: protect it as you protect the data.
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
    if not _is_sound(model):
        raise InputError("the model cannot be stored: its predictions are not finite. Fit the model again.")
    kept, given = copy(model), _checked_metadata(metadata)
    if not isinstance(getattr(kept, "random_state", None), int | np.integer | None):
        kept.random_state = None
    content = {"model": files.encode(kept, _known(), _put), "metadata": given}
    files.write_whole(path, files.document(KIND, content))


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
    content = files.read_document(files.read_file(path, WRITER), KIND, path, WRITER)
    with files.reading(path, WRITER):
        model = files.decode(content["model"], _known(), _get)
        if type(model) not in MODELS.values() or not _is_sound(model):
            raise ValueError("it is not a model, or its predictions are not finite")
    return model


def read_metadata(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The `metadata` that the file was written with, or an empty dict."""
    content = files.read_document(files.read_file(path, WRITER), KIND, path, WRITER)
    with files.reading(path, WRITER):
        return dict(content["metadata"])


def _known() -> files.Known:
    """All classes that a model can be made of. The lists are read now: others may have added to them."""
    listed: list[type] = [Sum, Product, *ALL_KERNELS, *ALL_LIKELIHOODS]
    return {**files.known_classes(*PARTS), **{kind.__name__: kind for kind in listed}, **MODELS}


def _is_sound(model: Any) -> bool:
    """Whether the latent mean and variance are finite at the first training row, and the likelihood is one."""
    moments = [latent.moments(model.training_inputs_[:1]) for latent in model._latents]
    finite = bool(np.isfinite([(f.mean, f.variance) for f in moments]).all())
    return finite and isinstance(getattr(model, "likelihood_", None), Likelihood | None)


def _checked_metadata(metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    """A copy, if JSON returns it unchanged."""
    given = dict(metadata or {})
    try:
        copied = json.loads(json.dumps(given, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(Argument("metadata"), f" must be what JSON can hold: {error}.") from None
    if copied != given:
        raise InputError(
            Argument("metadata"), " must come back from JSON unchanged: use text as names, and lists, not tuples."
        )
    return copied


def _put(array: NDArray[Any]) -> dict[str, Any]:
    """The entries of an array of numbers: its bytes, in the order of its memory."""
    order: Literal["C", "F"] = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
    content = base64.b64encode(array.tobytes(order)).decode("ascii")
    return {"dtype": array.dtype.str, "shape": list(array.shape), "order": order, "base64": content}


def _get(entry: dict[str, Any]) -> NDArray[Any]:
    """The array of these entries. A shape that does not fit its bytes is an error, and never allocated."""
    dtype = np.dtype(entry["dtype"])
    if dtype.kind not in files.NUMBERS:
        raise ValueError("an array does not hold numbers")
    values = np.frombuffer(base64.b64decode(entry["base64"], validate=True), dtype)
    return values.reshape(entry["shape"], order=entry["order"]).copy(order="K")
