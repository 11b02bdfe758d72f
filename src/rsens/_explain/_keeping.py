"""Explanations in files and as text, and those of parts of the rows joined to one."""

from __future__ import annotations

import os
from collections.abc import Iterable
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import pandas as pd

from rsens._errors import Argument, InputError
from rsens._explain._form import FORM
from rsens._explain._rows import Rows
from rsens._explain._values import Values

if TYPE_CHECKING:
    from rsens._explain._explanation import Explanation


class Keeping:
    """The methods of an `Explanation` that write, read and join it."""

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

    @classmethod
    def merge(cls, explanations: Iterable[Explanation]) -> Explanation:
        """One explanation of all rows, from explanations of parts of them, cut anywhere and in any order.

        It is the explanation of all rows at once, to rounding: averages, parts, directions, effects, subgroups, the
        posterior of draws, and intervals over rows, for which every part has the same `random_state`, and the number of
        its first row as `first_row`. Without a common `random_state` every part draws for itself: the intervals are as
        good, but not those of all rows at once. Rows come in the order of their numbers.

        Null level, test of pairs and intervals from refits are about the fit. They carry over from the one part that
        has them, usually the training rows: level, p-values and marks as they are, intervals with the same width around
        the new averages. So they hold as far as the other rows are like those. Parts that were refitted each for
        itself cannot be joined.

        Data X, weights as they were given, and what tells whether two explanations are of the same rows do not carry
        over. Values of single rows do if all parts have them.

        Args:
            explanations: Made by `explain(..., first_row=…)` with the same model and the same other arguments, here, in
                another process, or read from a file. Merged ones can be merged again.
        """
        from rsens._explain._merge import merge

        return merge(explanations)
