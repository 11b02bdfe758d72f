"""The posterior of importances: R-sens of each draw's own predictive, for models of posterior draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rsens._arguments import fraction
from rsens._errors import Argument, InputError
from rsens._explain._query import Query
from rsens._explain._values import Sums
from rsens._results import Part, stored
from rsens._typing import Array
from rsens.derivatives import Derivatives, draw_records
from rsens.measures import rsens_of

#: The most draws that are looked at, evenly spaced, and kept in files.
MOST_DRAWS = 1000


@dataclass(frozen=True, eq=False, kw_only=True)
class DrawValues(Part):
    """R-sens of each draw's own predictive."""

    posterior_values: Array = stored(
        "R-sens of each term under each posterior draw, averaged over the rows.", "draws", "terms", default=None
    )
    posterior_weights: Array = stored("How much each of these draws counts; they add up to 1.", "draws", default=None)

    @classmethod
    def of(cls, sums: Sums) -> DrawValues:
        """Averages over rows."""
        assert sums.draws is not None
        assert sums.draw_weights is not None
        return cls(posterior_values=sums.draws / sums.main.weight, posterior_weights=sums.draw_weights)


def draw_sums(derivatives: Derivatives, query: Query) -> tuple[Array, Array]:
    """Sums (draws, terms) of R-sens of each draw over some rows, and the weights of the draws."""
    mixture: Any = derivatives.distribution
    chosen = np.unique(np.linspace(0, mixture.weights.shape[-1] - 1, MOST_DRAWS).astype(np.intp))
    sums, weights = np.zeros((len(chosen), len(query.terms))), query.weights
    for draws, record in draw_records(derivatives, chosen):
        with np.errstate(over="ignore", invalid="ignore"):
            local = rsens_of(record, 1.0, query.units, query.terms).reshape(len(draws), len(weights), -1)
        sums[np.searchsorted(chosen, draws)] += np.einsum("n,snt->st", weights, local)
    of_draws = mixture.weights[0, chosen]
    return sums, of_draws / of_draws.sum()


@dataclass(frozen=True, eq=False)
class Posterior:
    """Posterior of the importances: R-sens of each draw's own predictive.

    A draw's own predictive knows nothing of the other draws: what they do not agree on is in `Explanation.main` and
    not in here. So the mean of these values is not `main`, and their intervals are not intervals of `main`.
    """

    #: R-sens, draws × terms.
    draws: pd.DataFrame
    #: How much each draw counts; they add up to 1.
    weights: pd.Series[float]

    @property
    def p_first(self) -> pd.Series[float]:
        """The probability that each term has the largest R-sens; equal ones share it."""
        values = self.draws.to_numpy()
        first = values == values.max(axis=1, keepdims=True)
        shares = self.weights.to_numpy() @ (first / first.sum(axis=1, keepdims=True))
        return pd.Series(shares, index=self.draws.columns, name="p_first")

    def p_larger(self, term: str, other: str) -> float:
        """The probability that one term has a larger R-sens than another; a tie counts half."""
        for name in (term, other):
            if name not in self.draws.columns:
                raise InputError(Argument("term"), f" must be one of {list(self.draws.columns)}; got {name!r}.")
        a, b = (self.draws[name].to_numpy() for name in (term, other))
        return float(self.weights.to_numpy() @ ((a > b) + 0.5 * (a == b)))

    def frame(self, level: float = 0.95) -> pd.DataFrame:
        """One line per term: posterior mean, ends of the interval of this level, and the probability to be first."""
        tail = 0.5 * (1.0 - fraction(level, "level"))
        lower, median, upper = (self.quantile(q) for q in (tail, 0.5, 1.0 - tail))
        mean = pd.Series(self.weights.to_numpy() @ self.draws.to_numpy(), index=self.draws.columns)
        frame = pd.DataFrame({"mean": mean, "median": median, "lower": lower, "upper": upper, "p_first": self.p_first})
        return frame.sort_values("mean", ascending=False, kind="stable")

    def quantile(self, q: float) -> pd.Series[float]:
        """The q-quantile of R-sens of each term over the draws."""
        values, weights = self.draws.to_numpy(), self.weights.to_numpy()
        found = []
        for column in values.T:
            order = np.argsort(column, kind="stable")
            middle = np.cumsum(weights[order]) - 0.5 * weights[order]
            found.append(float(np.interp(q, middle, column[order])))
        return pd.Series(found, index=self.draws.columns, name=f"{q:g}")

    def __repr__(self) -> str:
        lines = self.frame().to_string(float_format=lambda value: f"{value:.3g}")
        return f"R-sens of each of {len(self.draws)} draws' own predictive\n{lines}"
