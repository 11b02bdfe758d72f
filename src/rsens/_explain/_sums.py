"""What the rows of an explanation add up to, so that those of other rows can be added.

Everything is an average over rows: Σ w_i r_i with weights that add up to 1, and `sum_weight` says how much these rows
count beside others. So two of them average as well, each with its share of the weight.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from rsens._results import Part, stored
from rsens._typing import Array

#: The fields that are averages.
AVERAGES = (
    "sum_main", "sum_pairs", "sum_parts", "sum_pair_parts", "sum_direction", "sum_size", "sum_draws", "sum_effects",
    "replicate_weight", "replicate_main", "replicate_pairs", "replicate_effects",
)  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class Sums(Part):
    """Kept in an explanation if it is part of a whole (`first_row` in `explain`). Squares under "rms"."""

    sum_weight: float = stored("The weight of all rows: their number, or the sum of `weights`.")
    sum_rows: int = stored("How many rows have a weight above 0.")
    sum_main: Array = stored("Averages of R-sens.", "terms")
    sum_pairs: Array | None = stored("Averages of R-sens₂.", "pairs", default=None)
    sum_parts: Array = stored("Averages of the parts of R-sens.", "terms", "sum_part")
    sum_pair_parts: Array | None = stored("Averages of the parts of R-sens₂.", "pairs", "sum_pair_part", default=None)
    sum_direction: Array = stored("Averages of the derivatives of the prediction.", "outputs", "terms")
    sum_size: Array = stored("Averages of their absolute values.", "outputs", "terms")
    sum_draws: Array | None = stored("Averages of R-sens of each posterior draw.", "draws", "terms", default=None)
    sum_effects: Array = stored(
        "Averages behind the effects, line by line; of a step in parts, the shares of the rows in each part, then the "
        "changes there.",
        "effect_columns", default=None,
    )  # fmt: skip
    effect_edges: tuple[tuple[float, ...], ...] = stored(
        "Where the parts of the step of each effect start and stop; empty for other effects.",
        default=None,
    )  # fmt: skip
    replicate_weight: Array | None = stored(
        "The weight that each bootstrap replicate drew; None without a bootstrap.", "replicates", default=None,
    )  # fmt: skip
    replicate_main: Array | None = stored("`sum_main` of each replicate.", "replicates", "terms", default=None)
    replicate_pairs: Array | None = stored("`sum_pairs` of each replicate.", "replicates", "pairs", default=None)
    replicate_effects: Array | None = stored(
        "`sum_effects` of each replicate.", "replicates", "effect_columns", default=None
    )

    def __add__(self, other: Sums) -> Sums:
        """The sums of both."""
        whole = self.sum_weight + other.sum_weight
        mine, theirs = self.share_in(whole), other.share_in(whole)
        added: dict[str, Any] = {
            name: _average(mine, getattr(self, name), theirs, getattr(other, name)) for name in AVERAGES
        }
        return replace(self, sum_weight=whole, sum_rows=self.sum_rows + other.sum_rows, **added)

    @property
    def n_bootstrap(self) -> int:
        """How many replicates."""
        return 0 if self.replicate_weight is None else len(self.replicate_weight)

    def without_replicates(self) -> Sums:
        """The same without the bootstrap."""
        none: dict[str, Any] = {name: None for name in AVERAGES if name.startswith("replicate_")}
        return replace(self, **none)

    def share_in(self, whole: float) -> float:
        """The share of these rows in a larger weight; rows that do not count have none."""
        return self.sum_weight / whole if whole > 0.0 else 0.0


def _average(share: float, mine: Array | None, other_share: float, theirs: Array | None) -> Array | None:
    return None if mine is None or theirs is None else share * mine + other_share * theirs
