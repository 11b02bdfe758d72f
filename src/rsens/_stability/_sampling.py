"""Samples of the rows, drawn with or without replacement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._arguments import child
from rsens._errors import Argument, InputError
from rsens._refits import are_labels
from rsens._table import is_frame, listed
from rsens._typing import Positions

#: Every class needs this many rows in a sample, or all that it has.
LEAST_OF_A_CLASS = 2
#: How often a sample is drawn again before a class counts as too rare.
MOST_DRAWS = 1000
N_ROWS = Argument("n_rows")


@dataclass(frozen=True)
class Sampling:
    """How rows are drawn: `size` of `n`. `classes` are the codes of the classes by row, or None."""

    n: int
    size: int
    replace: bool
    classes: Positions | None = None
    labels: tuple[Any, ...] = ()

    def draw(self, seed: np.random.SeedSequence) -> Positions:
        """The rows of one sample. It is drawn again, each time from another seed, until every class has enough rows."""
        for attempt in range(MOST_DRAWS):
            rng = np.random.default_rng(child(seed, attempt))
            rows = rng.choice(self.n, self.size, replace=self.replace)
            if self.classes is None or (self._counts(rows) >= self.needed).all():
                return rows
        counts = self._counts(np.arange(self.n))
        rare = int(counts.argmin())
        raise InputError(
            f"samples of {self.size} rows hardly ever have enough rows of every class; {self.labels[rare]!r} has "
            f"{counts[rare]} of {self.n}. Raise ",
            N_ROWS,
            ", or merge rare classes.",
        )

    @property
    def needed(self) -> NDArray[np.int64]:
        """The rows that a sample needs of each class."""
        return np.minimum(self._counts(np.arange(self.n)), LEAST_OF_A_CLASS)

    def _counts(self, rows: Positions) -> NDArray[np.int64]:
        assert self.classes is not None
        return np.bincount(self.classes[rows], minlength=len(self.labels)).astype(np.int64)


def sampling(n: int, size: int | None, replace: bool, y: Any, classifies: bool) -> Sampling:
    """How to draw from n rows: by default n with replacement, or half of them without."""
    if n < 2:
        raise InputError("stability needs at least two rows to draw from; X has one.")
    if size is None:
        size = n if replace else -(-n // 2)
    if not replace and size > n:
        raise InputError(
            N_ROWS, f" must be at most {n}, the rows of X, when rows are drawn without replacement; got {size}."
        )
    y = np.asarray(y)
    if not (classifies or are_labels(y)):
        return Sampling(n, size, replace)
    import pandas as pd

    codes, labels = pd.factorize(y.ravel())
    plan = Sampling(n, size, replace, np.asarray(codes, dtype=np.intp), tuple(labels.tolist()))
    if (codes < 0).any():
        raise InputError(f"y has {int((codes < 0).sum())} missing labels. Drop these rows.")
    if size < plan.needed.sum():
        raise InputError(
            N_ROWS,
            f" must be at least {int(plan.needed.sum())}, for {LEAST_OF_A_CLASS} rows of each of the {len(labels)} "
            f"classes; got {size}.",
        )
    return plan


def column_names(X: Any) -> tuple[str, ...]:
    """The names of the columns; x0, x1, … if they have none."""
    names = tuple(map(str, X.columns)) if is_frame(X) else tuple(f"x{d}" for d in range(X.shape[1]))
    repeated = [repr(name) for name in dict.fromkeys(names) if names.count(name) > 1]
    if repeated:
        raise InputError(f"X has columns of the same name: {listed(repeated)}. Rename them so that each is unique.")
    return names
