"""One sample: a model fitted to its rows, and what the methods say about that model."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from rsens._arguments import child
from rsens._compare import ComparisonSettings, method_values
from rsens._errors import RsensWarning
from rsens._refits import FAILURES, Fit, reason_of, take_rows
from rsens._stability._sampling import Sampling
from rsens._threads import one_thread

#: What the random numbers of a sample are for.
ROWS, ESTIMATOR, METHODS, TIES = range(4)


@dataclass(frozen=True, eq=False)
class SampleAnalysis:
    """The analysis that is repeated on every sample of the rows. `at` says which rows are scored."""

    fit: Fit
    X: Any
    y: Any
    sampling: Sampling
    at: str
    settings: ComparisonSettings

    def run(self, seed: np.random.SeedSequence) -> dict[str, Any]:
        """Plain values: {"values": {method: numbers or None}, "reasons": {method: why it has none}}.

        Or {"error": why there is no model}.
        """
        with one_thread(), warnings.catch_warnings():
            # A column may be constant in one sample and not in another: it scores 0 there.
            warnings.simplefilter("ignore", RsensWarning)
            rows = self.sampling.draw(child(seed, ROWS))
            X, y = take_rows(self.X, rows), take_rows(self.y, rows)
            scored = (X, y) if self.at == "sample" else (self.X, self.y)
            try:
                model = self.fit(X, y, child(seed, ESTIMATOR))
                results = method_values(model, *scored, self.settings, child(seed, METHODS))
            except FAILURES as error:
                return {"error": reason_of(error)}
        return {
            "values": {r.method: None if r.values is None else r.values.tolist() for r in results},
            "reasons": {r.method: r.status for r in results if r.values is None},
        }
