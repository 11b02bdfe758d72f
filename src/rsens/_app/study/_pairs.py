"""How many pairs of columns are shown, and whether they are computed at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rsens._app.tables import Note
from rsens._arguments import whole_number

#: With pairs="auto": how many pairs are shown, and the most columns for which they are computed. `explain` stops at
#: fewer columns, as it cannot know what a pair costs; the models of a study have second derivatives in closed form.
AUTO_PAIRS, AUTO_PAIRS_COLUMNS = 10, 60


@dataclass(frozen=True)
class Pairs:
    """The number of pairs to show; `auto` if nobody has asked for it."""

    shown: int
    auto: bool

    @classmethod
    def of(cls, pairs: Any) -> Pairs:
        """From what the user gives: "auto", or a number."""
        if isinstance(pairs, str) and pairs == "auto":
            return cls(AUTO_PAIRS, True)
        return cls(whole_number(pairs, "pairs", 0), False)

    def computed(self, n_columns: int) -> bool:
        """Whether R-sens₂ is computed for a table of so many columns."""
        return n_columns > 1 and (n_columns <= AUTO_PAIRS_COLUMNS if self.auto else self.shown > 0)

    def notes(self, n_columns: int) -> list[Note]:
        """A note if there are too many columns for pairs."""
        if not self.auto or n_columns <= AUTO_PAIRS_COLUMNS:
            return []
        text = f"Pairs were not computed, as there are {n_columns} columns; pairs={AUTO_PAIRS} computes them."
        return [Note("skipped", (), text)]
