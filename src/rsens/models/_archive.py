"""A zip file of one JSON header and float64 arrays: written completely or not at all, and read without trusting it.

Members are never compressed, so nothing that we read can be larger than the file. Arrays are in NumPy's `.npy` format,
and only little-endian float64 is accepted: we never open a pickled object. The header has the SHA-256 of each array, so
arrays from another file, or in another order, do not pass.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import struct
import tokenize
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

from rsens._errors import InputError
from rsens._files import check_text, parse_json, text, whole_file
from rsens._text import shorten
from rsens._typing import Array
from rsens.models._file_values import mapping

HEADER = "model.json"
#: A file may say anything of any length; an error quotes so many characters of it.
LONGEST_REASON = 400
#: What zipfile and our readers raise for files that are damaged or malicious.
DAMAGE = (
    zipfile.BadZipFile,
    struct.error,
    EOFError,
    KeyError,
    OSError,  # an offset beyond the end of the file
    NotImplementedError,  # a compression or zip version that Python does not know
    OverflowError,
    RecursionError,
    RuntimeError,  # a member with a password
    TypeError,
    ValueError,
    tokenize.TokenError,  # what an array says of itself is read as Python's constants
    MemoryError,  # so deep that the parser gives up
)


def write_archive(path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    """Write the file, whole or not at all."""
    target = Path(path)
    if not target.absolute().parent.is_dir():
        raise InputError(f"{path} cannot be written: there is no folder {target.absolute().parent}. Make it first.")
    if target.is_dir():
        raise InputError(f"{path} is a folder. Give the name of a file, such as {target / 'model.rsens'}.")
    with whole_file(target) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        digests = {name: _write(archive, f"{name}.npy", _npy(array, name)) for name, array in arrays.items()}
        _write(archive, HEADER, _json(dict(header, arrays=digests)))


def _write(archive: zipfile.ZipFile, name: str, content: bytes) -> str:
    """Add a member and return its digest; the date is fixed, so that the same model gives the same bytes."""
    archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content)
    return hashlib.sha256(content).hexdigest()


def _npy(array: Array, name: str) -> bytes:
    if not np.isfinite(array).all():
        raise InputError(f"the model cannot be stored: {name} has values that are not finite. Fit the model again.")
    file = io.BytesIO()
    npy.write_array(file, np.asarray(array, dtype="<f8"), version=(1, 0), allow_pickle=False)
    return file.getvalue()


def _json(content: Any) -> bytes:
    try:
        return check_text(json.dumps(content, allow_nan=False, indent=1)).encode("utf-8")
    except ValueError as error:
        raise InputError(f"the model cannot be stored: {error}. Fit the model again.") from None


@dataclass
class Arrays:
    """The arrays of a file: ask for each once, by its name and the shape that it must have."""

    archive: zipfile.ZipFile
    digests: Mapping[str, str]
    asked: set[str] = field(default_factory=set)

    def __call__(self, name: str, *shape: int) -> Array:
        """A finite array of this shape."""
        if name not in self.digests:
            raise ValueError(f"the array {name} is missing")
        self.asked.add(name)
        content = self.archive.read(f"{name}.npy")
        if hashlib.sha256(content).hexdigest() != self.digests[name]:
            raise ValueError(f"the array {name} is not the one that was written")
        array = _read_npy(content, name, shape)
        if not np.isfinite(array).all():
            raise ValueError(f"the array {name} has values that are not finite")
        return array

    def positive(self, name: str, *shape: int) -> Array:
        """The same, with positive values."""
        array = self(name, *shape)
        if not (array > 0.0).all():
            raise ValueError(f"the array {name} has values that are not positive")
        return array

    def check_all_asked(self) -> None:
        """An error if there are arrays that nothing needs."""
        if unknown := self.digests.keys() - self.asked:
            raise ValueError(f"there are unknown arrays: {sorted(unknown)!r:.200}")


def _read_npy(content: bytes, name: str, shape: tuple[int, ...]) -> Array:
    """Use the bytes in place: the header of the array may claim a huge size, which we never allocate."""
    file = io.BytesIO(content)
    if npy.read_magic(file) != (1, 0):
        raise ValueError(f"the array {name} is written in an unknown version")
    found, fortran, dtype = npy.read_array_header_1_0(file)
    if found != shape or dtype != np.dtype("<f8"):
        raise ValueError(
            f"the array {name} has shape {found!r:.80} and type {dtype!s:.40}, expected {shape} of float64"
        )
    values = np.frombuffer(content, dtype="<f8", offset=file.tell())
    return values.reshape(shape, order="F" if fortran else "C").astype(np.float64, order="K")


@contextmanager
def opened(path: str | os.PathLike[str], format_name: str, version: int) -> Iterator[tuple[dict[str, Any], Arrays]]:
    """The header of a file, and its arrays. Inside the block, any damage becomes an `InputError`."""
    if Path(path).is_dir():
        raise InputError(f"{path} is a folder. Give a file written by save_model.")
    if Path(path).exists() and not Path(path).is_file():  # a device may have no end, and a pipe may never begin
        raise InputError(f"{path} is not a file. Give a file written by save_model.")
    try:
        file = open(path, "rb")  # noqa: SIM115 (closed below; if the system cannot open it, it is not damaged)
    except FileNotFoundError:
        raise InputError(f"there is no file {path}.") from None
    with file:
        try:
            with zipfile.ZipFile(file) as archive:
                header = _header(archive, os.fstat(file.fileno()).st_size)
                if header.pop("format", None) != format_name:
                    raise ValueError("it does not say that it holds a model")
                found = header.pop("version", None)
                if type(found) is not int or found != version:
                    raise _OtherVersion(found)
                digests = {name: text(digest) for name, digest in mapping(header.pop("arrays", None)).items()}
                if sorted(archive.namelist()) != sorted([HEADER, *(f"{name}.npy" for name in digests)]):
                    raise ValueError("its members are not the ones that were written")
                yield header, Arrays(archive, digests)
        except _OtherVersion as error:
            raise InputError(
                f"{path} is written in version {error.found!r:.40} of the format; this rsens reads version {version}. "
                "Read it with the rsens that wrote it, or save the model again."
            ) from None
        except DAMAGE as error:
            reason = shorten(str(error).rstrip(".") or type(error).__name__, LONGEST_REASON)
            raise InputError(
                f"{path} is not a model file, or is damaged: {reason}. Write it with save_model."
            ) from None


class _OtherVersion(Exception):
    def __init__(self, found: Any) -> None:
        self.found = found


def _header(archive: zipfile.ZipFile, size: int) -> dict[str, Any]:
    members = archive.infolist()
    if any(member.compress_type != zipfile.ZIP_STORED or member.file_size > size for member in members):
        raise ValueError("it has members that are compressed, or larger than the file")
    if sum(member.file_size for member in members) > size:
        raise ValueError("its members are larger than the file")
    return dict(mapping(parse_json(archive.read(HEADER).decode("utf-8"))))
