"""What a stability result is made of, and its file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rsens._results import Form, Part, stored
from rsens._typing import Array, Flags


@dataclass(frozen=True, eq=False, kw_only=True)
class Rankings(Part):
    """Values and ranks by method, sample and term. Where a method failed, its values are NaN and its ranks are 0."""

    order: int = stored("1 for variables, 2 for pairs.")
    terms: tuple[str, ...] = stored('The variables, "x0", or pairs, "x0:x1", in the order of the columns.')
    methods: tuple[str, ...] = stored("The methods, in the order asked for.")
    rows: int = stored("Rows in a sample; about as many where whole clusters were drawn.")
    replace: bool = stored("Whether rows were drawn with replacement.")
    at: str = stored('The rows at which models were scored: "sample" or "data".')
    scale: str = stored('What one step of a column was: "sd", "raw" or "given".')
    budget: str = stored("The name of the budget for predictions.")
    alpha: float = stored("Order of the Rényi divergence.")
    values: Array = stored("What a method says about a term.", "methods", "samples", "terms")
    ranks: NDArray[np.int64] = stored("The rank of a term, 1 for the largest value.", "methods", "samples", "terms")
    failed_samples: tuple[int, ...] = stored("The samples in which something failed.")
    failed_methods: tuple[str | None, ...] = stored("What failed; None is the refit itself.")
    reasons: tuple[str, ...] = stored("Why it failed.")
    clusters: int | None = stored("Clusters in a sample; None where rows were drawn one by one.", default=None)

    @property
    def ranked(self) -> Flags:
        """Whether a method has values in a sample, (methods, samples)."""
        return np.asarray(self.ranks[..., 0] > 0)


FORM = Form("a stability result", "Stability.save", {"rankings": Rankings})
