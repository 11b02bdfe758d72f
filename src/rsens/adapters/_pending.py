"""Models that are read in full when the first rows come: how many columns there are, and what they are called."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

from rsens._coding import Coding
from rsens.derivatives import Derivatives, Finding, Model
from rsens.distributions import Distribution


class Pending(Model):
    """A model that needs to see rows before it can be built. Every call goes to the one built for its rows."""

    @abstractmethod
    def built_for(self, X: Any) -> Model:
        """The model for rows like X, with everything checked."""

    def coded(self, X: Any, weights: Any = None) -> Model:
        return self.built_for(X).coded(X, weights)

    def prepared(self, X: Any) -> Model:
        return self.built_for(X).prepared(X)

    def derivatives(self, X: Any, order: int) -> Derivatives:
        return self.built_for(X).derivatives(X, order)

    def predict_distribution(self, X: Any) -> Distribution:
        return self.built_for(X).predict_distribution(X)

    def checks(self, X: Any) -> Iterator[Finding]:
        yield from self.built_for(X).checks(X)

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        return 1  # chunks are made of prepared models, which know better

    def contrasted(self, coding: Coding) -> Model:
        raise NotImplementedError("contrasts are set on the model that `coded` returns")
