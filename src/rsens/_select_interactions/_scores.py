"""What a selection is made of, and its file."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rsens._results import Form, Part, stored
from rsens._typing import Array

Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Scores(Part):
    """Scores of the models by method, number of pairs and split, and the pairs.

    Pairs are numbered in the order of `itertools.combinations` of the columns.
    """

    columns: tuple[str, ...] = stored("The columns.")
    categorical: tuple[int, ...] = stored("Positions of the categorical columns.")
    kind: str = stored("The kernel of the terms of reduced models, one of rsens.kernels.")
    methods: tuple[str, ...] = stored("The methods that ranked the pairs, in the order asked for.")
    asked: int = stored("The k that was asked for; there may be fewer pairs.")
    train: Numbers = stored("Training rows.", "splits")
    test: Numbers = stored("Held-out rows.", "splits")
    scores: Array = stored("Mean log predictive density per row with 0 … k pairs.", "methods", "k + 1", "splits")
    full: Array = stored("Mean log predictive density per row of the full model.", "splits")
    chosen: Numbers = stored("The leading pairs of each split.", "methods", "splits", "k")
    pairs: Numbers = stored("The leading pairs on all rows.", "methods", "k")
    values: Array = stored("What the method says about them.", "methods", "k")
    fits: int = stored("Number of GPs that were fitted.")

    @property
    def k(self) -> int:
        """The most pairs."""
        return self.pairs.shape[1]

    @property
    def named_pairs(self) -> list[tuple[str, str]]:
        """All pairs, by number."""
        return list(combinations(self.columns, 2))

    @property
    def ratio(self) -> float:
        """Held-out rows per training row."""
        return float(np.mean(self.test / self.train))


FORM = Form("a selection", "Selection.save", {"scores": Scores})
