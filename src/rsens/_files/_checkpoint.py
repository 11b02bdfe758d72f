"""Finished pieces of long work in a folder, and digests of the data and estimators that they depend on.

manifest.json has the question and the seed, <key>.json a piece each.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from pickle import PicklingError
from types import CellType, CodeType, EllipsisType, FunctionType, MethodType
from typing import Any

import numpy as np

from rsens._arguments import seed_sequence
from rsens._errors import Argument, InputError, Sentence
from rsens._files._io import read_file, write_whole, writing
from rsens._files._store import decode, document, encode, known_classes, read_document, reading
from rsens._table import as_pandas, is_frame, is_pandas
from rsens._text import shorten
from rsens._version import __version__

KIND, WRITER = "finished work", "the same call"
MANIFEST = "manifest.json"
#: Pieces, the manifest, and temporary files that a killed process left.
OURS = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*\.json|\.[0-9a-f]{32}\.tmp")


@dataclass(frozen=True)
class Checkpoint:
    """The finished pieces of one work, by key, and the seed of its random numbers. Without a folder nothing is kept."""

    seed: np.random.SeedSequence
    folder: Path | None = None
    question: str = ""

    @classmethod
    def open(
        cls, folder: str | os.PathLike[str] | Checkpoint | None, question: Mapping[str, Any], random_state: Any = None
    ) -> Checkpoint:
        """Start the work on a question in a folder, or resume it; an `InputError` if the folder holds anything else.

        The question is everything that pieces depend on, as plain values; data and estimators as their `fingerprint`.
        """
        if isinstance(folder, Checkpoint):  # opened by the caller, who knows the question
            return folder
        if folder is None:
            return cls(seed_sequence(random_state))
        if not isinstance(folder, str | os.PathLike) or not os.fspath(folder):
            raise InputError(Argument("folder"), f" must be the path of a folder, or None; got {folder!r}.")
        path, now, seed = Path(folder), cls.full_question(question), seed_sequence(random_state).entropy
        with writing(path, "folder"):
            path.mkdir(parents=True, exist_ok=True)
            files = sorted(file.name for file in path.iterdir() if not file.name.startswith("."))
        if MANIFEST in files:
            before, kept = _read_manifest(path / MANIFEST)
            seed = kept if random_state is None else seed
            other = difference(before | {"random_state": kept}, now | {"random_state": seed})
            if other is not None:
                raise InputError(
                    Argument("folder"), f": {path} holds work on another question: ", other, ". Give another ",
                    Argument("folder"), ", or repeat the earlier call to resume that work.",
                )  # fmt: skip
        elif files:
            raise InputError(Argument("folder"), f": {path} holds other files ({files[0]!r}, …). Give an empty folder.")
        else:
            write_whole(path / MANIFEST, document(KIND, {"question": now, "seed": seed}))
        asked = json.dumps([now, seed], sort_keys=True)
        return cls(np.random.SeedSequence(seed), path, hashlib.sha256(asked.encode()).hexdigest())

    @staticmethod
    def full_question(question: Mapping[str, Any]) -> dict[str, Any]:
        """The question in the form that is stored, with the release of rsens: another one may give other numbers."""
        found: dict[str, Any] = json.loads(json.dumps({**question, "rsens": __version__}, allow_nan=False))
        return found  # tuples are lists by now

    @staticmethod
    def question_in(folder: Path) -> dict[str, Any] | None:
        """The question of the work in a folder; {} if it cannot be read, None without work."""
        try:
            return _read_manifest(folder / MANIFEST)[0] if os.path.lexists(folder / MANIFEST) else None
        except InputError:
            return {}

    @staticmethod
    def remove(folder: Path) -> None:
        """Remove the work in a folder, and the folder if nothing else is in it."""
        if folder.is_symlink() or not os.path.lexists(folder / MANIFEST):
            return
        files = [path for path in folder.iterdir() if OURS.fullmatch(path.name)]
        with suppress(OSError):
            for path in sorted(files, key=lambda path: path.name == MANIFEST):  # last: until then it is known as ours
                path.unlink()
            folder.rmdir()

    def get(self, key: str, *records: type) -> Any:
        """The piece under this key, made of plain values and these dataclasses; None if it is missing or damaged."""
        if self.folder is None:
            return None
        with suppress(OSError, InputError):
            content = read_document(read_file(self.folder / f"{key}.json", WRITER), KIND, key, WRITER)
            with reading(key, WRITER):
                if (content["question"], content["key"]) == (self.question, key):
                    return decode(content["piece"], known_classes(*records))
        return None

    def put(self, key: str, piece: Any, *records: type) -> None:
        """Keep a finished piece, other than None."""
        if self.folder is not None:
            content = {"question": self.question, "key": key, "piece": encode(piece, known_classes(*records))}
            write_whole(self.folder / f"{key}.json", document(KIND, content))


def _read_manifest(manifest: Path) -> tuple[dict[str, Any], Any]:
    """The question, and the entropy of the seed."""
    try:
        content = read_document(read_file(manifest, WRITER), KIND, manifest, WRITER)
        with reading(manifest, WRITER):
            np.random.SeedSequence(content["seed"])
            return dict(content["question"]), content["seed"]
    except InputError as error:
        raise InputError(
            Argument("folder"), f": {error} Give another one, or remove this one to start again."
        ) from None


def difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> Sentence | None:
    """The first argument that was different before ("rows was 300"; missing counts as None), or None."""
    names = [name for name in dict.fromkeys((*before, *now)) if before.get(name) != now.get(name)]
    if not names:
        return None
    if names[0] == "fingerprint":
        return Sentence("the rows were different")
    value = before.get(names[0])
    if value is None or value == []:
        return Sentence(Argument(names[0]), " was not given")
    words = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return Sentence(Argument(names[0]), f" was {shorten(words, 80)}")


# ---- digests ---------------------------------------------------------------------------------------------------------

# The bytes of `pickle` depend on which parts of a value are one object, and it cannot write functions made on the spot.

PLAIN = (type(None), bool, int, float, complex, str, bytes, EllipsisType)
#: Functions and their parts, and the attributes that they are made of.
CODE: dict[type, tuple[str, ...]] = {
    FunctionType: ("__code__", "__defaults__", "__kwdefaults__", "__closure__"),
    CellType: ("cell_contents",),
    CodeType: ("co_code", "co_names", "co_varnames", "co_consts"),
    MethodType: ("__func__", "__self__"),
    partial: ("func", "args", "keywords"),
}


def fingerprint(*values: Any) -> str:
    """Hash values to a text of 16 characters; row labels of tables do not count."""
    digest = hashlib.sha256()
    for value in values:
        _add(digest, value, ())
    return digest.hexdigest()[:16]


def _add(digest: Any, value: Any, within: tuple[int, ...]) -> None:
    """Hash a value; `within` are the objects that it is a part of, by identity."""
    if id(value) in within:  # a cycle: the position of the object that occurs again is enough
        digest.update(f"cycle {within.index(id(value))};".encode())
        return
    kind, parts = _parts(value)
    digest.update(f"{kind} {len(parts)}:".encode("utf-8", "surrogatepass"))
    for part in parts:
        if isinstance(part, memoryview):
            digest.update(part)
        else:
            _add(digest, part, (*within, id(value)))
    digest.update(b";")


def _parts(value: Any) -> tuple[str, list[Any]]:
    """The kind of a value and its parts, which are values or, as a memoryview, bytes to hash."""
    value = as_pandas(value, "table")
    if isinstance(value, np.generic):
        value = value.item()  # a number is a number
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    if isinstance(value, PLAIN):
        return kind, [memoryview(repr(value).encode("utf-8", "surrogatepass"))]
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            return f"array {value.shape}", value.ravel().tolist()
        return f"array {value.shape} {value.dtype.str}", [memoryview(value.tobytes())]
    if isinstance(value, dict):
        return kind, [part for item in sorted(value.items(), key=lambda item: repr(item[0])) for part in item]
    if isinstance(value, list | tuple | set | frozenset):
        return kind, list(value) if isinstance(value, list | tuple) else sorted(value, key=repr)
    if is_frame(value):
        return kind, [part for label in value.columns for part in (str(label), *_parts(value[label])[1])]
    if is_pandas(value):  # a column, with categories written out; dates, intervals, types of columns
        categories = list(value.cat.categories) if hasattr(value, "cat") else None
        return kind, [str(value.dtype), categories, np.asarray(value)] if hasattr(value, "dtype") else [repr(value)]
    if isinstance(value, type) or type(value).__name__ in ("builtin_function_or_method", "ufunc"):
        return "named", [f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', repr(value))}"]
    for code, attributes in CODE.items():
        if isinstance(value, code):
            return kind, [getattr(value, name) for name in attributes]
    if callable(getattr(value, "get_params", None)):
        return kind, [value.get_params(deep=False)]
    if dataclasses.is_dataclass(value):
        return kind, [{field.name: getattr(value, field.name) for field in dataclasses.fields(value)}]
    if hasattr(value, "__array__"):  # tensors
        return kind, [np.asarray(value)]
    if hasattr(value, "__dict__"):
        return kind, [vars(value)]
    with suppress(TypeError, PicklingError):
        return kind, list(value.__reduce_ex__(2))  # how pickle takes it apart
    raise InputError(
        Argument("folder"), f": rsens cannot decide whether {kind} is the same as in an earlier run, since its parts "
        "are not accessible. Run without ", Argument("folder"), ", or use an object with get_params, or a dataclass.",
    )  # fmt: skip
