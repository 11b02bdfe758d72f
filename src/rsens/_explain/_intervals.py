"""Intervals of the averages: their ends, what they hold for, and the refits they come from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from rsens._files import fingerprint
from rsens._results import Part, stored
from rsens._typing import Array

if TYPE_CHECKING:
    from rsens._explain._refit_intervals import RefitValues


#: What intervals come from.
REFITS, ROWS = "refits", "rows"


@dataclass(frozen=True, eq=False, kw_only=True)
class Intervals(Part):
    """How far the averages depend on which data were drawn, or only on which rows are explained."""

    intervals: Array = stored(
        "Intervals of `main`: columns lower, upper. `interval_kind` says what they hold for.", 2, "terms", column="",
    )  # fmt: skip
    pair_intervals: Array | None = stored(
        "Intervals of `pairs`: columns lower, upper.", 2, "pairs", default=None, column=""
    )
    interval_kind: str = stored(
        'What intervals hold for. "refits": which data were drawn, from refits of the model to parts of the rows. '
        '"rows": only which rows are explained; the model is taken as it is, and they are several times too narrow for '
        "new data.",
    )  # fmt: skip
    interval_refits: int = stored("How many refits the intervals come from; 0 for those over rows.")


def jackknife(rounds: Sequence[Array]) -> Array:
    """The standard error of each value, from (K, values) without each of K folds in every round.

    se² = (K − 1)/K Σ_k (v_k − v̄)², averaged over rounds. Since Σ_k (v_k − v̄)² = K · var, this is (K − 1) var.
    """
    return np.sqrt(np.mean([(len(v) - 1) * np.var(v, axis=0) for v in rounds], axis=0))


#: A difference is marked if chance alone gives one as large in at most this share of cases.
PER_TERM = 0.05


@dataclass(frozen=True, eq=False)
class Spread:
    """Standard errors with their degrees of freedom."""

    error: Array
    degrees: Array

    @classmethod
    def of(cls, error: Array, degrees: float) -> Spread:
        """The same degrees of freedom for all."""
        return cls(error, np.full(error.shape, float(degrees)))

    def plus(self, other: Spread) -> Spread:
        """Of the difference of two independent values (Welch and Satterthwaite)."""
        one, two = self.error**2, other.error**2
        below = one**2 / self.degrees + two**2 / other.degrees
        least = np.minimum(self.degrees, other.degrees)
        return Spread(np.sqrt(one + two), np.divide((one + two) ** 2, below, out=least, where=below > 0.0))

    def around(self, values: Array, level: float) -> Array:
        """Lower and upper ends."""
        reach = student.ppf(0.5 + level / 2.0, self.degrees) * self.error
        return np.array([values - reach, values + reach])

    def p_values(self, values: Array) -> Array:
        """How often chance alone gives a difference from 0 as large; 1 for a difference of exactly 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.where(values == 0.0, 0.0, np.abs(values) / self.error)
        return np.asarray(2.0 * student.sf(t, self.degrees))


@dataclass(frozen=True, eq=False, kw_only=True)
class KeptRefits(Part):
    """The values of each refit, in its own units: with them, two explanations can be compared refit by refit."""

    refit_main: Array = stored("R-sens of each term in each refit, in the units of the refit.", "refits", "terms")
    refit_pairs: Array | None = stored("R-sens₂ of each pair in each refit.", "refits", "pairs", default=None)
    refit_units: Array = stored("The units of each refit.", "refits", "columns")
    refit_rounds: NDArray[np.int64] = stored("Which round of folds a refit belongs to.", "refits")
    refit_folds: str = stored(
        "A fingerprint of the rows that each refit left out: refits with the same one can be compared in pairs.",
    )  # fmt: skip

    @classmethod
    def of(cls, rounds: Sequence[Sequence[RefitValues]]) -> KeptRefits:
        """From what was seen of the refits, by round and fold."""
        refits = [refit for folds in rounds for refit in folds]
        pairs = [refit.pairs for refit in refits if refit.pairs is not None]
        return cls(
            refit_main=np.array([refit.main for refit in refits]),
            refit_pairs=np.array(pairs) if pairs else None,
            refit_units=np.array([refit.units for refit in refits]),
            refit_rounds=np.repeat(np.arange(len(rounds)), [len(folds) for folds in rounds]),
            refit_folds=fingerprint([refit.left_out for refit in refits]),
        )

    @property
    def degrees(self) -> int:
        """Degrees of freedom of a standard error: the refits of each round but one."""
        return len(self.refit_rounds) - len(np.unique(self.refit_rounds))

    def by_round(self, values: Array) -> Iterator[Array]:
        """Values (refits, …) of the refits of each round."""
        return (values[self.refit_rounds == number] for number in np.unique(self.refit_rounds))
