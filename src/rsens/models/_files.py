"""Fitted models as files, without pickle: `save_model`, `load_model` and `read_metadata`.

A file is a zip archive of `model.json`, which any editor can read, and arrays (`.npy`). The store writes and reads a
model field by field, so that a new kernel, likelihood or estimator needs nothing here; opening a file cannot run
anything, and members are never compressed, so that nothing is larger than the file.
An exact GP on N rows takes 8N² bytes (72 MB for 3000 rows).
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Mapping
from copy import copy
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy
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

KIND, WRITER, HEADER = "a model", "save_model", "model.json"
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
    with files.whole_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        content = {"model": files.encode(kept, _known(), _ArrayMembers(archive).put), "metadata": given}
        _write_member(archive, HEADER, files.document(KIND, content).encode("ascii"))


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
    with files.open_file(path, WRITER) as file:
        content = files.read_document(_header(file), KIND, path, WRITER)
        with files.reading(path, WRITER), zipfile.ZipFile(file) as archive:
            arrays = _ArrayMembers(archive)
            model = files.decode(content["model"], _known(), arrays.get)
            members = [HEADER, *(f"{number}.npy" for number in range(len(arrays.found)))]
            if sorted(archive.namelist()) != sorted(members):
                raise ValueError("there are other members")
            if type(model) not in MODELS.values() or not _is_sound(model):
                raise ValueError("it is not a model, or its predictions are not finite")
    return model


def read_metadata(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The `metadata` that the file was written with, or an empty dict."""
    with files.open_file(path, WRITER) as file:
        content = files.read_document(_header(file), KIND, path, WRITER)
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


def _header(file: BinaryIO) -> bytes:
    """The bytes of `model.json`; empty if the file is not an archive, or its members have other sizes than it has."""
    try:
        with zipfile.ZipFile(file) as archive:
            members = archive.infolist()
            stored = all(member.compress_type == zipfile.ZIP_STORED for member in members)
            fits = sum(member.file_size for member in members) <= os.fstat(file.fileno()).st_size
            return archive.read(HEADER) if stored and fits else b""
    except Exception:  # noqa: BLE001 (zipfile has a dozen kinds of errors for files that are not archives)
        return b""


def _write_member(archive: zipfile.ZipFile, name: str, content: bytes) -> None:
    """Add a member; the date is fixed, so that the same model gives the same bytes."""
    archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content)


class _ArrayMembers:
    """Arrays as members of an archive, each once, with their digests in the header."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self.archive = archive
        self.found: dict[Any, tuple[NDArray[Any], dict[str, Any]]] = {}

    def put(self, array: NDArray[Any]) -> dict[str, Any]:
        """Write an array once, and return its entries in the header."""
        if id(array) not in self.found:
            number, file = len(self.found), io.BytesIO()
            npy.write_array(file, array, version=(1, 0), allow_pickle=False)
            _write_member(self.archive, f"{number}.npy", file.getvalue())
            digest = hashlib.sha256(file.getbuffer()).hexdigest()
            self.found[id(array)] = array, {"member": number, "sha256": digest}
        return self.found[id(array)][1]

    def get(self, where: dict[str, Any]) -> NDArray[Any]:
        """Read an array. Its own header may claim a huge size, which is never allocated."""
        number = int(where["member"])
        if number not in self.found:
            content = self.archive.read(f"{number}.npy")
            file = io.BytesIO(content)
            if hashlib.sha256(content).hexdigest() != where["sha256"] or npy.read_magic(file) != (1, 0):
                raise ValueError("an array has changed")
            shape, fortran, dtype = npy.read_array_header_1_0(file)
            if dtype.kind not in files.NUMBERS:
                raise ValueError("an array does not hold numbers")
            values = np.frombuffer(content, dtype, offset=file.tell())
            self.found[number] = values.reshape(shape, order="F" if fortran else "C").copy(order="K"), where
        return self.found[number][0]
