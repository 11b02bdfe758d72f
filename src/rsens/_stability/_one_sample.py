"""One sample: a model fitted to its rows, and what the methods say about that model."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rsens._arguments import child
from rsens._coding import Coding
from rsens._compare import method_values
from rsens._errors import InputError, RsensWarning
from rsens._refits import FAILURES, Fit, taken
from rsens._stability._sampling import Sampling
from rsens.black_box import Budget
from rsens.models import PredictiveClassifier, PredictiveRegressor

#: What the random numbers of a sample are for.
ROWS, ESTIMATOR, METHODS, TIES = range(4)


@dataclass(frozen=True, eq=False)
class Task:
    """What is done with every sample."""

    estimator: Any
    refit: Callable[[Any, Any], Any] | None
    X: Any
    y: Any
    sampling: Sampling
    at: str
    methods: tuple[str, ...]
    order: int
    budget: Budget
    scale: Any
    alpha: float

    def run(self, seed: np.random.SeedSequence) -> dict[str, Any]:
        """Plain values: {"values": {method: numbers or None}, "reasons": {method: why it has none}}.

        Or {"error": why there is no model}.
        """
        from threadpoolctl import threadpool_limits

        # One thread: sums are then rounded alike whatever runs beside them, and refits do not fight for the cores.
        with threadpool_limits(limits=1), warnings.catch_warnings():
            # A column may be constant in a sample and not in another: it scores 0 there.
            warnings.simplefilter("ignore", RsensWarning)
            rows = self.sampling.draw(child(seed, ROWS))
            X, y = taken(self.X, rows), taken(self.y, rows)
            try:
                model = Fit(self.estimator, self.refit)(X, y, child(seed, ESTIMATOR))
                results = method_values(
                    model,
                    *((X, y) if self.at == "sample" else (self.X, self.y)),
                    methods=self.methods,
                    order=self.order,
                    budget=self.budget,
                    scale=self.scale,
                    alpha=self.alpha,
                    scoring=None,
                    seed=child(seed, METHODS),
                )
            except FAILURES as error:
                return {"error": _reason(error)}
        return {
            "values": {r.method: None if r.values is None else r.values.tolist() for r in results},
            "reasons": {r.method: r.status for r in results if r.values is None},
        }


def with_levels(estimator: Any, X: Any, at: str) -> Any:
    """An estimator of ours that knows which columns of X are categorical, even if a sample alone does not tell.

    X is checked on the way: an error names its row in X, not in a sample. Scored at all rows, it is also told all
    levels: a sample may lack some. Scored at the rows it was fitted to, it needs those that occur there, and no others.
    """
    if not isinstance(estimator, PredictiveRegressor | PredictiveClassifier):
        return estimator
    coding = Coding.of(X, estimator.categorical, keep_unused=True)
    coding.read(X)
    if not coding:
        return estimator
    from sklearn.base import clone

    given = estimator.categorical if isinstance(estimator.categorical, Mapping) else {}
    levels: dict[int, list[Any] | None] = {}
    for column in coding.columns:
        keys = (column.name, column.position, column.position - len(coding.names))
        all_levels = at == "data" or any(given.get(key) is not None for key in keys)
        levels[column.position] = list(column.labels) if all_levels else None
    return clone(estimator).set_params(categorical=levels)


def _reason(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return text if isinstance(error, InputError) else f"{type(error).__name__}: {text}"
