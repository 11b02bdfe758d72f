"""What a selection is made of, and its file."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rsens._errors import InputError
from rsens._files import number, text, tuple_of, whole
from rsens._results import Form, Part, stored
from rsens._select_interactions._reduced_models import KINDS
from rsens._typing import Array

Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False, kw_only=True)
class Scores(Part):
    """Scores of the models by method, number of pairs and split, and the pairs.

    Pairs are numbered in the order of `itertools.combinations` of the columns.
    """

    columns: tuple[str, ...] = stored("The columns.", tuple_of(text))
    categorical: tuple[int, ...] = stored("Positions of the categorical columns.", tuple_of(whole))
    kind: str = stored("The kernel of the terms of reduced models, one of rsens.kernels.", text)
    methods: tuple[str, ...] = stored("The methods that ranked the pairs, in the order asked for.", tuple_of(text))
    asked: int = stored("The k that was asked for; there may be fewer pairs.", whole)
    train: Numbers = stored("Training rows.", whole, "splits")
    test: Numbers = stored("Held-out rows.", whole, "splits")
    scores: Array = stored(
        "Mean log predictive density per row with 0 … k pairs.", number, "methods", "k + 1", "splits"
    )
    full: Array = stored("Mean log predictive density per row of the full model.", number, "splits")
    chosen: Numbers = stored("The leading pairs of each split.", whole, "methods", "splits", "k")
    pairs: Numbers = stored("The leading pairs on all rows.", whole, "methods", "k")
    values: Array = stored("What the method says about them.", number, "methods", "k")
    fits: int = stored("Number of GPs that were fitted.", whole)

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

    def check(self) -> None:
        n_pairs = len(self.named_pairs)
        if not self.scores.size or not n_pairs:
            raise InputError("there are no methods, splits or pairs")
        if self.scores.shape[1] != self.k + 1:
            raise InputError(f"scores are for up to {self.scores.shape[1] - 1} pairs, expected {self.k}")
        for name in ("methods", "columns", "categorical"):
            if len(set(getattr(self, name))) != len(getattr(self, name)):
                raise InputError(f"{name} are not all different")
        if any(d >= len(self.columns) for d in self.categorical):
            raise InputError("categorical does not name columns")
        for name in ("chosen", "pairs"):
            found = np.sort(getattr(self, name), axis=-1)
            if (found >= n_pairs).any() or (np.diff(found, axis=-1) == 0).any():
                raise InputError(f"{name} does not number pairs, each once")
        if self.asked < self.k or not (self.train > 0).all() or not (self.test > 0).all():
            raise InputError("k or the numbers of rows are too small")
        if self.kind not in KINDS:
            raise InputError(f"kind is {self.kind!r:.40}, none of {', '.join(KINDS)}")


FORM = Form("a selection", "Selection.save", {"scores": Scores})
