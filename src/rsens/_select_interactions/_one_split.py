"""One split: the full model, the rankings of the pairs, and the scores of the models with the leading ones."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from rsens._arguments import child
from rsens._compare import method_values
from rsens._errors import InputError, RsensWarning
from rsens._files import Checkpoint
from rsens._refits import Rows, seeded, taken
from rsens._select_interactions._fits import Fits, Pair, Terms, fitted
from rsens.black_box import Budget

#: What the random numbers of a split are for.
ESTIMATOR, METHODS = range(2)


@dataclass(frozen=True, eq=False)
class Task:
    """What is done in every split."""

    estimator: Any
    terms: Terms
    X: Any
    y: Any
    k: int
    methods: tuple[str, ...]
    budget: Budget
    warm: bool

    @property
    def pairs(self) -> list[Pair]:
        """All pairs of columns, in the order in which methods give their values."""
        return list(combinations(range(self.terms.n_columns), 2))

    def run(self, key: str, train: Rows, test: Rows | None, checkpoint: Checkpoint, number: int) -> dict[str, Any]:
        """The piece of work `key`, done now or found finished: plain values.

        {"ranked": {method: numbers of the k leading pairs}, "values": {method: their values}, "fits": how many GPs,
        "warned": what they warned of}, and for a split, which has rows to score: {"full": mean log predictive density
        of the full model, "scores": {method: those of the models with 0 … k pairs}}.
        """
        done = checkpoint.get(key)
        if done is None:
            done = self._run(train, test, child(checkpoint.seed, 1, number))
            checkpoint.put(key, done)
        return done

    def _run(self, train: Rows, test: Rows | None, seed: np.random.SeedSequence) -> dict[str, Any]:
        from threadpoolctl import threadpool_limits

        X, y = taken(self.X, train), taken(self.y, train)
        # One thread: sums are then rounded alike whatever runs beside them, and fits do not fight for the cores.
        with threadpool_limits(limits=1), warnings.catch_warnings(record=True) as raised:
            warnings.simplefilter("always")
            estimator = seeded(self.estimator, child(seed, ESTIMATOR))
            full = fitted(estimator, None, X, y)
            from_fits = len(raised)
            leading = self._ranked(full, X, y, child(seed, METHODS))
            del raised[from_fits:]  # a column may be constant in a split: it scores 0 there
            piece: dict[str, Any] = {
                "ranked": {method: [number for number, _ in ranked] for method, ranked in leading.items()},
                "values": {method: [value for _, value in ranked] for method, ranked in leading.items()},
            }
            fits = Fits(estimator, self.terms, X, y, self.warm)
            if test is not None:
                held_out = taken(self.X, test), taken(self.y, test)
                piece["full"] = _score(full, *held_out)
                piece["scores"] = {method: self._scores(fits, piece["ranked"][method], *held_out) for method in leading}
        ours = [str(warning.message) for warning in raised if issubclass(warning.category, RsensWarning)]
        return piece | {"fits": 1 + len(fits.kept), "warned": ours}

    def _ranked(self, model: Any, X: Any, y: Any, seed: np.random.SeedSequence) -> dict[str, list[tuple[int, float]]]:
        """The k leading pairs of each method, as (number, value); of equal values, in the order of the columns."""
        if not self.k:
            return {method: [] for method in self.methods}
        results = method_values(
            model,
            X,
            y,
            methods=self.methods,
            order=2,
            budget=self.budget,
            scale="sd",
            alpha=1.0,
            scoring=None,
            seed=seed,
        )
        leading = {}
        for result in results:
            if result.values is None:
                raise InputError(f"the method {result.method!r} cannot rank the pairs: {result.status}")
            order = np.argsort(-result.values, kind="stable")[: self.k]
            leading[result.method] = [(int(number), float(result.values[number])) for number in order]
        return leading

    def _scores(self, fits: Fits, ranked: list[int], X: Any, y: Any) -> list[float]:
        """Of the models with the first 0, 1, … k pairs."""
        pairs = self.pairs
        chosen = [frozenset(pairs[number] for number in ranked[:k]) for k in range(len(ranked) + 1)]
        return [_score(fits.model(now, before), X, y) for now, before in zip(chosen, [None, *chosen], strict=False)]


def _score(model: Any, X: Any, y: Any) -> float:
    """The mean log predictive density of the rows."""
    score = float(np.mean(model.log_predictive_density(X, y)))
    if not np.isfinite(score):
        raise InputError(
            f"the log predictive density of held-out rows is {score:g}. Look for extreme values in y, or use a "
            "likelihood with heavier tails."
        )
    return score
