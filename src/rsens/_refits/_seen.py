"""What was seen of finished refits, kept in a folder so that work that was stopped goes on from there."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from rsens._errors import InputError
from rsens._files import Checkpoint, from_json, to_json


@dataclass(frozen=True)
class SeenRefits:
    """Finished pieces by number, in a folder or nowhere. What was not a success is done again the next time."""

    checkpoint: Checkpoint | None = None
    name: str = ""
    records: tuple[type, ...] = ()
    failure: type | tuple[type, ...] = ()

    def get(self, number: int) -> Any:
        """The piece; None if it is not there, or cannot be read."""
        content = None if self.checkpoint is None else self.checkpoint.get(self._key(number))
        try:
            return None if content is None else from_json(content, *self.records)
        except (ValueError, TypeError, OverflowError, RecursionError):
            return None

    def put(self, number: int, piece: Any) -> None:
        """Keep a piece. It is a help and no more: what cannot be written (a full disk) does not end the work."""
        failed = isinstance(piece, list) and any(isinstance(part, self.failure) for part in piece)
        if self.checkpoint is not None and not failed:
            with suppress(InputError, OSError, TypeError):
                self.checkpoint.put(self._key(number), to_json(piece))

    def _key(self, number: int) -> str:
        return f"{self.name}-{number:05d}"
