"""What a stability result is made of, and its file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._errors import InputError
from rsens._files import number, number_or_nan, or_none, text, truth, tuple_of, whole
from rsens._results import Form, Part, stored
from rsens._typing import Array, Flags


@dataclass(frozen=True, eq=False, kw_only=True)
class Rankings(Part):
    """Values and ranks by method, sample and term. Where a method failed, its values are NaN and its ranks are 0."""

    order: int = stored("1 for variables, 2 for pairs.", whole)
    terms: tuple[str, ...] = stored(
        'The variables, "x0", or pairs, "x0:x1", in the order of the columns.', tuple_of(text)
    )
    methods: tuple[str, ...] = stored("The methods, in the order asked for.", tuple_of(text))
    rows: int = stored("Rows in a sample; about as many where whole clusters were drawn.", whole)
    replace: bool = stored("Whether rows were drawn with replacement.", truth)
    at: str = stored('The rows at which models were scored: "sample" or "data".', text)
    scale: str = stored('What one step of a column was: "sd", "raw" or "given".', text)
    budget: str = stored("The name of the budget for predictions.", text)
    alpha: float = stored("Order of the Rényi divergence.", number)
    values: Array = stored("What a method says about a term.", number_or_nan, "methods", "samples", "terms")
    ranks: NDArray[np.int64] = stored(
        "The rank of a term, 1 for the largest value.", whole, "methods", "samples", "terms"
    )
    failed_samples: tuple[int, ...] = stored("The samples in which something failed.", tuple_of(whole))
    failed_methods: tuple[str | None, ...] = stored("What failed; None is the refit itself.", tuple_of(or_none(text)))
    reasons: tuple[str, ...] = stored("Why it failed.", tuple_of(text))
    clusters: int | None = stored("Clusters in a sample; None where rows were drawn one by one.", whole, optional=True)

    @property
    def ranked(self) -> Flags:
        """Whether a method has values in a sample, (methods, samples)."""
        return np.asarray(self.ranks[..., 0] > 0)

    def check(self) -> None:
        if self.order not in (1, 2) or not self.values.size:
            raise InputError("there are no methods, samples or terms, or order is neither 1 nor 2")
        if len({*self.methods}) != len(self.methods) or len({*self.terms}) != len(self.terms):
            raise InputError("methods and terms must each be there once")
        ranked, n_terms = self.ranked, len(self.terms)
        if np.isfinite(self.values).all(axis=-1).tolist() != ranked.tolist():
            raise InputError("values and ranks are not known in the same samples")
        if (np.sort(self.ranks[ranked], axis=-1) != np.arange(1, n_terms + 1)).any() or self.ranks[~ranked].any():
            raise InputError(f"ranks must be 1 … {n_terms}, each once")
        by_rank = np.take_along_axis(self.values[ranked], np.argsort(self.ranks[ranked], axis=-1), axis=-1)
        if (np.diff(by_rank, axis=-1) > 0.0).any():
            raise InputError("ranks must follow the values")
        if not len(self.failed_samples) == len(self.failed_methods) == len(self.reasons):
            raise InputError("failures must have a sample, a method and a reason each")


def _from_version_1(content: dict[str, Any]) -> dict[str, Any]:
    """Version 1 knew of no clusters."""
    return {"clusters": None} | content


FORM = Form("a stability result", "Stability.save", {"rankings": Rankings}, upgrades=(_from_version_1,))
