"""What a stability result is made of, and its file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rsens._errors import InputError
from rsens._files import Form, array_of, number, number_or_nan, or_none, text, truth, tuple_of, whole


@dataclass(frozen=True, eq=False)
class Record:
    """M methods on S samples, T terms. Where a method has no values, they are NaN and its ranks are 0."""

    order: int
    terms: tuple[str, ...]
    methods: tuple[str, ...]
    rows: int
    replace: bool
    at: str
    scale: str
    budget: str
    alpha: float
    values: NDArray[np.float64]  # (M, S, T)
    ranks: NDArray[np.int64]  # (M, S, T)
    failed_samples: tuple[int, ...]
    failed_methods: tuple[str | None, ...]  # None: the refit itself
    reasons: tuple[str, ...]

    def __post_init__(self) -> None:
        for array in (self.values, self.ranks):
            array.flags.writeable = False

    @property
    def ranked(self) -> NDArray[np.bool_]:
        """Whether a method has values in a sample, (M, S)."""
        return np.asarray(self.ranks[..., 0] > 0)

    def check(self) -> None:
        """An `InputError` unless everything fits together, as it does unless a file was changed."""
        shape = (len(self.methods), self.values.shape[1], len(self.terms))
        if self.order not in (1, 2) or 0 in shape or self.values.shape != shape or self.ranks.shape != shape:
            raise InputError(f"values {self.values.shape} and ranks {self.ranks.shape} do not belong to {shape}")
        if len({*self.methods}) != len(self.methods) or len({*self.terms}) != len(self.terms):
            raise InputError("methods and terms must each be there once")
        ranked = self.ranked
        if np.isfinite(self.values).all(axis=-1).tolist() != ranked.tolist():
            raise InputError("values and ranks are not known in the same samples")
        if (np.sort(self.ranks[ranked], axis=-1) != np.arange(1, shape[2] + 1)).any() or self.ranks[~ranked].any():
            raise InputError(f"ranks must be 1 … {shape[2]}, each once")
        by_rank = np.take_along_axis(self.values[ranked], np.argsort(self.ranks[ranked], axis=-1), axis=-1)
        if (np.diff(by_rank, axis=-1) > 0.0).any():
            raise InputError("ranks must follow the values")
        if not len(self.failed_samples) == len(self.failed_methods) == len(self.reasons):
            raise InputError("failures must have a sample, a method and a reason each")


FORM = Form(
    "a stability result",
    "Stability.save",
    {
        "order": whole,
        "terms": tuple_of(text),
        "methods": tuple_of(text),
        "rows": whole,
        "replace": truth,
        "at": text,
        "scale": text,
        "budget": text,
        "alpha": number,
        "values": array_of(number_or_nan, 3),
        "ranks": array_of(whole, 3, np.int64),
        "failed_samples": tuple_of(whole),
        "failed_methods": tuple_of(or_none(text)),
        "reasons": tuple_of(text),
    },
)
