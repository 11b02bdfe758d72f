"""What the refits behind intervals saw: with it, two explanations can be compared refit by refit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rsens._files import fingerprint
from rsens._results import Part, stored
from rsens._typing import Array

if TYPE_CHECKING:
    from rsens._explain._refit_intervals import RefitValues


@dataclass(frozen=True, eq=False, kw_only=True)
class KeptRefits(Part):
    """The values of each refit, in its own units."""

    refit_main: Array = stored("R-sens of each term in each refit, in the units of the refit.", "refits", "terms")
    refit_pairs: Array | None = stored("R-sens₂ of each pair in each refit.", "refits", "pairs", default=None)
    refit_units: Array = stored("The units of each refit.", "refits", "columns")
    refit_rounds: NDArray[np.int64] = stored("Which round of folds a refit belongs to.", "refits")
    refit_folds: str = stored(
        "A fingerprint of the rows that each refit left out: refits with the same one can be compared in pairs.",
    )  # fmt: skip

    @classmethod
    def of(cls, rounds: Sequence[Sequence[RefitValues]]) -> KeptRefits:
        """From what was seen of the refits, by round and fold."""
        refits = [refit for folds in rounds for refit in folds]
        pairs = [refit.pairs for refit in refits if refit.pairs is not None]
        return cls(
            refit_main=np.array([refit.main for refit in refits]),
            refit_pairs=np.array(pairs) if pairs else None,
            refit_units=np.array([refit.units for refit in refits]),
            refit_rounds=np.repeat(np.arange(len(rounds)), [len(folds) for folds in rounds]),
            refit_folds=fingerprint([refit.left_out for refit in refits]),
        )

    @property
    def degrees(self) -> int:
        """Degrees of freedom of a standard error: the refits of each round but one."""
        return len(self.refit_rounds) - len(np.unique(self.refit_rounds))

    def by_round(self, values: Array) -> Iterator[Array]:
        """Values (refits, …) of the refits of each round."""
        return (values[self.refit_rounds == number] for number in np.unique(self.refit_rounds))
