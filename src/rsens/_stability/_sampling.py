"""Samples of the rows, or of whole clusters of rows, drawn with or without replacement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._arguments import child
from rsens._errors import Argument, InputError
from rsens._refits import are_labels
from rsens._table import is_frame
from rsens._text import first_few
from rsens._typing import Positions

#: Every class needs this many rows in a sample, or all that it has.
LEAST_OF_A_CLASS = 2
#: With fewer clusters, half of them are one.
LEAST_CLUSTERS = 3
#: How often a sample is drawn again before a class counts as too rare.
MOST_DRAWS = 1000
N_ROWS = Argument("n_rows")


@dataclass(frozen=True, eq=False)
class Sampling:
    """How rows are drawn: `size` of `n`, or with `clusters` as many clusters with all their rows.

    `classes` and `clusters` are the codes of the classes and clusters by row, or None. `rows` are the rows in an order
    of their own, so that a seed draws the same rows however they are sorted; None: as they come.
    """

    n: int
    size: int
    replace: bool
    classes: Positions | None = None
    labels: tuple[Any, ...] = ()
    clusters: Positions | None = None
    rows: Positions | None = None

    def draw(self, seed: np.random.SeedSequence) -> Positions:
        """The rows of one sample. It is drawn again, each time from another seed, until every class has enough rows."""
        for attempt in range(MOST_DRAWS):
            rows = self._draw(np.random.default_rng(child(seed, attempt)))
            if self.classes is None or (self._counts(rows) >= self.needed).all():
                return rows
        counts = self._counts(np.arange(self.n))
        rare = int(counts.argmin())
        raise InputError(
            f"samples of {self.size} {self.unit}s hardly ever have enough rows of every class; {self.labels[rare]!r} "
            f"has {counts[rare]} of {self.n}. Raise ",
            N_ROWS,
            ", or merge rare classes.",
        )

    def _draw(self, rng: np.random.Generator) -> Positions:
        rows = np.arange(self.n) if self.rows is None else self.rows
        if self.clusters is None:
            return rows[rng.choice(self.n, self.size, replace=self.replace)]
        drawn = rng.choice(int(self.clusters.max()) + 1, self.size, replace=self.replace)
        return np.concatenate([rows[self.clusters[rows] == cluster] for cluster in drawn])

    @property
    def unit(self) -> str:
        """What is drawn."""
        return "row" if self.clusters is None else "cluster"

    @property
    def n_rows(self) -> int:
        """The rows of a sample; their mean where clusters are drawn, as these may differ in size."""
        return self.size if self.clusters is None else round(self.size * self.n / (int(self.clusters.max()) + 1))

    @property
    def needed(self) -> NDArray[np.int64]:
        """The rows that a sample needs of each class."""
        return np.minimum(self._counts(np.arange(self.n)), LEAST_OF_A_CLASS)

    def _counts(self, rows: Positions) -> NDArray[np.int64]:
        assert self.classes is not None
        return np.bincount(self.classes[rows], minlength=len(self.labels)).astype(np.int64)


def sampling(
    n: int,
    n_rows: int | None,
    replace: bool,
    y: Any,
    classifies: bool,
    clusters: Positions | None = None,
    rows: Positions | None = None,
) -> Sampling:
    """How to draw from n rows: by default n with replacement, or half of them without; the same share of clusters."""
    if n < 2:
        raise InputError("stability needs at least two rows to draw from; X has one.")
    if n_rows is None:
        n_rows = n if replace else -(-n // 2)
    if not replace and n_rows > n:
        raise InputError(
            N_ROWS, f" must be at most {n}, the rows of X, when rows are drawn without replacement; got {n_rows}."
        )
    size = n_rows if clusters is None else _n_clusters(n, n_rows, clusters)
    y = np.asarray(y)
    if not (classifies or are_labels(y)):
        return Sampling(n, size, replace, clusters=clusters, rows=rows)
    import pandas as pd

    codes, labels = pd.factorize(y.ravel())
    plan = Sampling(n, size, replace, np.asarray(codes, dtype=np.intp), tuple(labels.tolist()), clusters, rows)
    if (codes < 0).any():
        raise InputError(Argument("y"), f" has {int((codes < 0).sum())} missing labels. Drop these rows.")
    if plan.n_rows < plan.needed.sum():
        raise InputError(
            N_ROWS,
            f" must be at least {int(plan.needed.sum())}, for {LEAST_OF_A_CLASS} rows of each of the {len(labels)} "
            f"classes; got {n_rows}.",
        )
    return plan


def _n_clusters(n: int, n_rows: int, clusters: Positions) -> int:
    """As many clusters as have about `n_rows` rows, two at least: half of the rows are half of the clusters."""
    total = int(clusters.max()) + 1
    if total < LEAST_CLUSTERS:
        raise InputError(
            Argument("clusters"),
            f" must have at least {LEAST_CLUSTERS} different labels, to draw some of them; got {total}.",
        )
    return max(2, -(-n_rows * total // n))


def column_names(X: Any) -> tuple[str, ...]:
    """The names of the columns; x0, x1, … if they have none."""
    names = tuple(map(str, X.columns)) if is_frame(X) else tuple(f"x{d}" for d in range(X.shape[1]))
    repeated = [repr(name) for name in dict.fromkeys(names) if names.count(name) > 1]
    if repeated:
        raise InputError(f"X has columns of the same name: {first_few(repeated)}. Rename them so that each is unique.")
    return names
