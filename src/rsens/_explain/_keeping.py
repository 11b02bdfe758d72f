"""Explanations in files and as text."""

from __future__ import annotations

import os
from copy import copy
from dataclasses import replace
from typing import Any, Self

import pandas as pd

from rsens._errors import Argument, InputError
from rsens._explain._form import FORM
from rsens._explain._rows import Rows
from rsens._explain._values import Values


class Keeping:
    """The methods of an `Explanation` that write and read it."""

    _part: Any
    _values: Values
    _rows: Rows
    _index: pd.Index

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything but the model and X to a JSON file, whole or not at all.

        Row labels that are neither numbers nor text (dates, say) are stored, and come back, as text.
        """
        FORM.write({name: self._part(name) for name in FORM.parts}, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file written by `save`."""
        return cls(**FORM.read(path))

    def without_rows(self) -> Self:
        """The same without the values of single rows, which make a file large if there are many rows."""
        same = copy(self)
        same._values = replace(self._values, local_main=None, local_pairs=None)
        same._rows = Rows.only_counted(self._rows.n, self._rows.outside)
        same._index = same._rows.index
        return same

    def to_json(self) -> str:
        """What `save` writes, as text: for queues, data bases and tables of text, such as those of Spark."""
        return FORM.text({name: self._part(name) for name in FORM.parts})

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The explanation in a text that `to_json` made."""
        if not isinstance(text, str):
            raise InputError(Argument("text"), f" must be text made by to_json; got {type(text).__name__}.")
        return cls(**FORM.read_text(text))
