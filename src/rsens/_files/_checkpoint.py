"""A folder of finished pieces of one work: what was asked, the seed, and one file per piece.

    manifest.json          the question, as names and plain values, and the seed
    <key>.json             a finished piece, with the digests of the question and of itself

Files are written whole or not at all, so a process that is killed leaves no half of a piece. A piece that cannot be
read, or whose digests are wrong, does not count: it is done again.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from rsens._arguments import seed_sequence
from rsens._errors import Argument, InputError
from rsens._files._json import read_json, tuple_of, whole, write_json
from rsens._files._question import differences
from rsens._files._system_errors import reason_of, writing
from rsens._text import shorten

FORMAT = "rsens finished work"
VERSION = 1
MANIFEST = "manifest.json"
#: Pieces, the manifest, and what a process that was killed left of them.
OURS = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*\.json|\.[0-9a-f]{32}\.tmp")
KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")


@dataclass(frozen=True)
class Checkpoint:
    """The finished pieces of one work, by key. Without a folder nothing is kept.

    `seed` is what all random numbers of the work come from; it is kept in the folder.
    """

    seed: np.random.SeedSequence
    folder: Path | None = None
    question: str = ""

    @classmethod
    def open(
        cls, folder: str | os.PathLike[str] | None, question: Mapping[str, Any], random_state: Any = None
    ) -> Checkpoint:
        """Start the work on a question in a folder, or go on with it.

        Args:
            folder: Where finished pieces are kept; made if it is not there. None: nowhere.
            question: Everything that the pieces depend on, under the names that users know: text, numbers, truth
                values, None, or lists of these. Data and estimators as their `fingerprint`.
            random_state: A seed. None: the one kept in the folder, if there is one, else a new one.

        A folder that holds work on another question, or something else, is an `InputError`.
        """
        if folder is None:
            return cls(seed_sequence(random_state))
        path = _made(folder)
        now = cls.full_question(question)
        manifest = path / MANIFEST
        with writing(path, "folder"):
            files = sorted(file.name for file in path.iterdir() if not file.name.startswith("."))
        if MANIFEST in files:
            before, seed = _read_manifest(manifest)
            seed_given = seed if random_state is None else _plain_seed(seed_sequence(random_state))
            _check_same(before | {"random_state": seed}, now | {"random_state": seed_given}, path)
        elif files:
            raise InputError(
                Argument("folder"), f": {path} holds other files ({files[0]!r}, …) and no {MANIFEST} of ours. "
                "Give an empty folder, or one that is not there yet.",
            )  # fmt: skip
        else:
            seed = _plain_seed(seed_sequence(random_state))
            write_json({"format": FORMAT, "version": VERSION, "question": now, "seed": seed}, manifest)
        return cls(np.random.SeedSequence(seed), path, _digest({"question": now, "seed": seed}))

    @staticmethod
    def full_question(question: Mapping[str, Any]) -> dict[str, Any]:
        """The question as it is stored, with the release of rsens."""
        found: dict[str, Any] = json.loads(json.dumps({**question, "rsens": _release()}, allow_nan=False))
        return found  # tuples are lists by now

    @staticmethod
    def question_in(folder: Path) -> dict[str, Any] | None:
        """The question of the work in a folder; {} if that cannot be read, None if there is none."""
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
            for path in sorted(files, key=lambda path: path.name == MANIFEST):  # what it is, last
                path.unlink()
            folder.rmdir()

    def get(self, key: str) -> Any:
        """What was put under this key; None if nothing was, or if the file cannot be read or trusted."""
        if self.folder is None:
            return None
        try:
            piece = read_json(self._file(key))
            if not isinstance(piece, dict) or piece.keys() != {"question", "key", "digest", "content"}:
                return None
            content = piece["content"]
            return content if piece == self._piece(key, content) else None
        except (OSError, ValueError, RecursionError):  # a number may be too large for JSON to write again
            return None

    def put(self, key: str, content: Any) -> None:
        """Keep a finished piece: anything that JSON can hold and gives back as it was, other than None."""
        if self.folder is not None:
            write_json(self._piece(key, content), self._file(key))

    def _piece(self, key: str, content: Any) -> dict[str, Any]:
        return {"question": self.question, "key": key, "digest": _digest(content), "content": content}

    def _file(self, key: str) -> Path:
        assert self.folder is not None
        assert KEY.fullmatch(key), key
        return self.folder / f"{key}.json"


def _release() -> str:
    """The release of rsens: another one may give other numbers."""
    try:
        return version("rsens")
    except PackageNotFoundError:  # used from a folder of sources
        return "not installed"


def _made(folder: str | os.PathLike[str]) -> Path:
    if not isinstance(folder, str | os.PathLike) or not os.fspath(folder):
        raise InputError(Argument("folder"), f" must be the path of a folder, or None; got {folder!r}.")
    path = Path(folder)
    with writing(path, "folder"):
        try:
            path.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            raise InputError(Argument("folder"), f": {path} is a file. Give a folder.") from None
    return path


def _read_manifest(manifest: Path) -> tuple[dict[str, Any], list[int]]:
    """The question and the seed."""
    try:
        content = read_json(manifest)
        if content["format"] != FORMAT or content["version"] != VERSION or not isinstance(content["question"], dict):
            raise ValueError("not written by this version of rsens")
        seed = list(tuple_of(whole)(content["seed"]))
        np.random.SeedSequence(seed)
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        reason = reason_of(error) or str(error)
        raise InputError(
            Argument("folder"), f": {manifest} cannot be read ({reason}). Give another ", Argument("folder"),
            ", or remove this one to start again.",
        ) from None  # fmt: skip
    return content["question"], seed


def _check_same(before: dict[str, Any], now: dict[str, Any], path: Path) -> None:
    names = differences(before, now)
    if names:
        there, here = (shorten(repr(entries.get(names[0])), 40) for entries in (before, now))
        more = f" ({', '.join(names[1:])} differ too)" if names[1:] else ""
        raise InputError(
            Argument("folder"), f": {path} holds work on another question: {names[0]} was {there}, and now is "
            f"{here}{more}. Give another ", Argument("folder"), ", or ask as before to go on with that work.",
        )  # fmt: skip


def _plain_seed(seed: np.random.SeedSequence) -> list[int]:
    """The entropy, as whole numbers below 2³²: what `SeedSequence` takes apart a large number into."""
    entropy = seed.entropy
    words = [entropy] if isinstance(entropy, int | np.integer) else list(entropy or ())
    plain: list[int] = []
    for word in map(int, words):
        plain.append(word & 0xFFFFFFFF)
        while word := word >> 32:
            plain.append(word & 0xFFFFFFFF)
    return plain


def _digest(content: Any) -> str:
    text = json.dumps(content, allow_nan=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
