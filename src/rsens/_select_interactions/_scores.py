"""What a selection is made of, and its file."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from rsens._errors import InputError
from rsens._files import Form, array_of, number, text, tuple_of, whole
from rsens._select_interactions._fits import KINDS
from rsens._typing import Array

Numbers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Record:
    """M methods, S splits, up to k pairs. Pairs are numbered in the order of `itertools.combinations` of columns."""

    columns: tuple[str, ...]
    categorical: tuple[int, ...]
    kind: str  # of the terms of reduced models, a kernel of rsens.kernels
    methods: tuple[str, ...]
    asked: int  # the k that was asked for; there may be fewer pairs
    train: Numbers  # (S,) training rows
    test: Numbers  # (S,) held-out rows
    scores: Array  # (M, k + 1, S) mean log predictive density per row with 0 … k pairs
    full: Array  # (S,) that of the full model
    chosen: Numbers  # (M, S, k) the leading pairs of each split
    pairs: Numbers  # (M, k) the leading pairs on all rows
    values: Array  # (M, k) what the method says about them
    fits: int  # GPs that were fitted

    def __post_init__(self) -> None:
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    @property
    def k(self) -> int:
        """The most pairs."""
        return self.scores.shape[1] - 1

    @property
    def named_pairs(self) -> list[tuple[str, str]]:
        """All pairs, by number."""
        return list(combinations(self.columns, 2))

    @property
    def ratio(self) -> float:
        """Held-out rows per training row."""
        return float(np.mean(self.test / self.train))

    def check(self) -> None:
        """An `InputError` unless everything fits together, as it does unless a file was changed."""
        M, S, k, D = len(self.methods), len(self.full), self.k, len(self.columns)
        shapes = {
            "train": (S,),
            "test": (S,),
            "scores": (M, k + 1, S),
            "chosen": (M, S, k),
            "pairs": (M, k),
            "values": (M, k),
        }
        for name, shape in shapes.items():
            if getattr(self, name).shape != shape:
                raise InputError(f"{name} has shape {getattr(self, name).shape}, expected {shape}")
        if not M or not S or k < 0 or D < 2:
            raise InputError("there are no methods, splits or pairs")
        for name in ("methods", "columns", "categorical"):
            if len(set(getattr(self, name))) != len(getattr(self, name)):
                raise InputError(f"{name} are not all different")
        if any(d >= D for d in self.categorical):
            raise InputError("categorical does not name columns")
        for name in ("chosen", "pairs"):
            found = np.sort(getattr(self, name), axis=-1)
            if (found >= D * (D - 1) // 2).any() or (np.diff(found, axis=-1) == 0).any():
                raise InputError(f"{name} does not number pairs, each once")
        if self.asked < k or not (self.train > 0).all() or not (self.test > 0).all():
            raise InputError("k or the numbers of rows are too small")
        if self.kind not in KINDS:
            raise InputError(f"kind is {self.kind!r:.40}, none of {', '.join(KINDS)}")


FORM = Form(
    "a selection",
    "Selection.save",
    {
        "columns": tuple_of(text),
        "categorical": tuple_of(whole),
        "kind": text,
        "methods": tuple_of(text),
        "asked": whole,
        "train": array_of(whole, 1, np.int64),
        "test": array_of(whole, 1, np.int64),
        "scores": array_of(number, 3),
        "full": array_of(number, 1),
        "chosen": array_of(whole, 3, np.int64),
        "pairs": array_of(whole, 2, np.int64),
        "values": array_of(number, 2),
        "fits": whole,
    },
)
