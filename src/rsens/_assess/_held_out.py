"""What an assessment is made of: numbers per row, NaN in rows that no fold could predict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rsens._assess._baseline import Kind
from rsens._assess._one_fold import HeldOutFold
from rsens._errors import InputError
from rsens._typing import Array, Flags, Positions


@dataclass(frozen=True, eq=False)
class HeldOutRows:
    """Plain arrays over all rows of X."""

    model: str
    kind: Kind
    n_folds: int
    index: pd.Index
    y: NDArray[Any]  # (n,)
    classes: tuple[Any, ...]  # the labels, sorted; empty unless there are classes
    fold: Positions  # (n,) from 1 on; 0 for rows that were not predicted
    log_density: Array  # (n,)
    baseline: Array  # (n,)
    prediction: Array  # (n,)
    lower: Array  # (n,)
    upper: Array  # (n,)
    probabilities: Array  # (n, K)

    @property
    def known(self) -> Flags:
        """The rows that were predicted."""
        return self.fold > 0

    @property
    def codes(self) -> Positions:
        """The number of the class of each row that was predicted."""
        return np.searchsorted(np.array(self.classes), self.y[self.known])


def join_folds(folds: Sequence[HeldOutFold | None], model: str, index: pd.Index, y: NDArray[Any]) -> HeldOutRows:
    """The folds, in the order of the rows."""
    found = [(number, part) for number, part in enumerate(folds, start=1) if part is not None]
    kinds = sorted({part.kind for _, part in found})
    if len(kinds) != 1:
        raise InputError(
            "No row could be predicted: every fold lacks the classes or levels of the rows held out. Use fewer folds."
            if not kinds
            else f"The model predicts {' in some folds and '.join(kinds)} in others. Give a model of one kind of y."
        )
    classes = tuple(np.unique(y).tolist()) if kinds == ["classes"] else ()
    rows = np.concatenate([part.rows for _, part in found])
    if len(rows) < 2:
        raise InputError("Only one row could be held out and predicted; at least two are needed.")
    fold = np.zeros(len(y), dtype=np.intp)
    for number, part in found:
        fold[part.rows] = number

    def spread(name: str) -> Array:
        values = np.concatenate([getattr(part, name) for _, part in found])
        whole = np.full((len(y), *values.shape[1:]), np.nan)
        whole[rows] = values
        return whole

    per_row = ("log_density", "baseline", "prediction", "lower", "upper", "probabilities")
    return HeldOutRows(
        model=model,
        kind=found[0][1].kind,
        n_folds=len(folds),
        index=index,
        y=y,
        classes=classes,
        fold=fold,
        **{name: spread(name) for name in per_row},
    )
