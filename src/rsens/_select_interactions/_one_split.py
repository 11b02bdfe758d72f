"""One split: the full model, the rankings of the pairs, and the scores of the models with the leading ones."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from rsens._arguments import child
from rsens._compare import ComparisonSettings, method_values
from rsens._errors import InputError, RsensWarning
from rsens._refits import take_rows, with_seed
from rsens._select_interactions._reduced_models import ColumnPair, KernelTerms, ReducedModels, fit_kernel
from rsens._threads import one_thread
from rsens._typing import Positions

#: What the random numbers of a split are for.
ESTIMATOR, METHODS = range(2)


@dataclass(frozen=True, eq=False)
class SplitAnalysis:
    """The analysis that is repeated in every split of the rows."""

    estimator: Any
    terms: KernelTerms
    X: Any
    y: Any
    k: int
    settings: ComparisonSettings
    warm: bool
    pair_ranks: Positions  # which of two pairs with equal values leads

    @property
    def pairs(self) -> list[ColumnPair]:
        """All pairs of columns, in the order in which methods give their values."""
        return list(combinations(range(self.terms.n_columns), 2))

    def run(self, train: Positions, test: Positions | None, seed: np.random.SeedSequence) -> dict[str, Any]:
        """One piece of work, as plain values.

        {"ranked": {method: numbers of the k leading pairs}, "values": {method: their values}, "fits": how many GPs,
        "warned": what they warned of}. A split, which has rows to score, adds {"full": mean log predictive density of
        the full model, "scores": {method: the same for the models with 0 … k pairs}}.
        """
        X, y = take_rows(self.X, train), take_rows(self.y, train)
        with one_thread(), warnings.catch_warnings(record=True) as raised:
            warnings.simplefilter("always")
            estimator = with_seed(self.estimator, child(seed, ESTIMATOR))
            full = fit_kernel(estimator, None, X, y)
            from_fits = len(raised)
            leading = self._leading_pairs(full, X, y, child(seed, METHODS))
            del raised[from_fits:]  # a column may be constant in a split: it scores 0 there
            piece: dict[str, Any] = {
                "ranked": {method: [number for number, _ in ranked] for method, ranked in leading.items()},
                "values": {method: [value for _, value in ranked] for method, ranked in leading.items()},
            }
            reduced = ReducedModels(estimator, self.terms, X, y, self.warm)
            if test is not None:
                held_out = take_rows(self.X, test), take_rows(self.y, test)
                piece["full"] = _score(full, *held_out)
                piece["scores"] = {name: self._scores(reduced, piece["ranked"][name], *held_out) for name in leading}
        ours = [str(warning.message) for warning in raised if issubclass(warning.category, RsensWarning)]
        return piece | {"fits": 1 + len(reduced.models), "warned": ours}

    def _leading_pairs(
        self, model: Any, X: Any, y: Any, seed: np.random.SeedSequence
    ) -> dict[str, list[tuple[int, float]]]:
        """The k leading pairs of each method, as (number, value)."""
        if not self.k:
            return {method: [] for method in self.settings.names}
        leading = {}
        for result in method_values(model, X, y, self.settings, seed):
            if result.values is None:
                raise InputError(f"the method {result.method!r} cannot rank the pairs: {result.status}")
            order = np.lexsort((self.pair_ranks, -result.values))[: self.k]
            leading[result.method] = [(int(number), float(result.values[number])) for number in order]
        return leading

    def _scores(self, reduced: ReducedModels, ranked: list[int], X: Any, y: Any) -> list[float]:
        """The scores of the models with the first 0, 1, … k pairs."""
        pairs = self.pairs
        chosen = [frozenset(pairs[number] for number in ranked[:k]) for k in range(len(ranked) + 1)]
        return [_score(reduced.model(now, before), X, y) for now, before in zip(chosen, [None, *chosen], strict=False)]


def _score(model: Any, X: Any, y: Any) -> float:
    """The mean log predictive density of the rows."""
    score = float(np.mean(model.log_predictive_density(X, y)))
    if not np.isfinite(score):
        raise InputError(
            f"the log predictive density of held-out rows is {score:g}. Look for extreme values in y, or use a "
            "likelihood with heavier tails."
        )
    return score
