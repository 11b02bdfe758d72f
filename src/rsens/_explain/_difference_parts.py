"""What the difference of two explanations is made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rsens._results import Form, Part, stored
from rsens._typing import Array


@dataclass(frozen=True, eq=False, kw_only=True)
class Both(Part):
    """What is compared."""

    names: tuple[str, ...] = stored("What the two explanations are called; differences are first − second.")
    families: tuple[str, ...] = stored("The predictive family of each.")
    rows: tuple[int, ...] = stored("How many rows each explains.")
    same_rows: bool = stored("Whether both explain the same rows.")
    level: float = stored("Level of the intervals.")
    scale: str = stored('Where the units come from: "sd", "raw" or "given".')
    aggregate: str = stored('How rows are summed up: "mean" or "rms".')
    pair_scale: str = stored('What pairs are measured on: "parameters" or "link".')
    terms: tuple[str, ...] = stored("The terms of both.")
    units: Array = stored(
        "The unit of each term, the same for both: where the units of the two explanations differ, the root mean "
        "square of these. Missing for groups.", "terms",
    )  # fmt: skip
    converted: bool = stored("Whether the units of the two explanations differ.")
    only_first: tuple[str, ...] = stored("Terms that only the first one has.")
    only_second: tuple[str, ...] = stored("Terms that only the second one has.")
    only_first_values: Array = stored("Their R-sens, in units of that explanation.", "only_first")
    only_second_values: Array = stored("Their R-sens, in units of that explanation.", "only_second")
    left_out: tuple[str, ...] = stored("Terms of both that cannot be compared.")
    reasons: tuple[str, ...] = stored("Why not.")
    notes: tuple[str, ...] = stored("What to know when reading it.")


@dataclass(frozen=True, eq=False, kw_only=True)
class ComparedTerms(Part):
    """The terms."""

    value_a: Array = stored("R-sens of each term in the first explanation, in the common units.", "terms")
    value_b: Array = stored("The same in the second.", "terms")
    interval_kind: str | None = stored(
        'What intervals come from. "paired refits": both models were refitted without the same rows, and each pair of '
        'refits is compared. "refits": each was refitted on its own, as for two independent samples. "paired rows", '
        '"rows": the models are taken as they are, and only the rows vary.', default=None,
    )  # fmt: skip
    intervals_a: Array | None = stored("Intervals of `value_a`.", 2, "terms", default=None)
    intervals_b: Array | None = stored("Intervals of `value_b`.", 2, "terms", default=None)
    intervals: Array | None = stored("Intervals of the difference: lower, upper.", 2, "terms", default=None)
    p_values: Array | None = stored(
        "How rarely chance alone gives a difference as large. None without refits, and where no value is more than "
        "noise.", "terms", default=None,
    )  # fmt: skip
    differs: NDArray[np.bool_] | None = stored("Whether it is at most 0.05.", "terms", default=None)


@dataclass(frozen=True, eq=False, kw_only=True)
class ComparedPairs(Part):
    """The pairs of terms, in the order of `np.triu_indices(T, 1)`."""

    pair_value_a: Array = stored("R-sens₂ of each pair in the first explanation.", "pairs")
    pair_value_b: Array = stored("The same in the second.", "pairs")
    pair_interval_kind: str | None = stored("What intervals of pairs come from.", default=None)
    pair_intervals_a: Array | None = stored("Intervals of `pair_value_a`.", 2, "pairs", default=None)
    pair_intervals_b: Array | None = stored("Intervals of `pair_value_b`.", 2, "pairs", default=None)
    pair_intervals: Array | None = stored("Intervals of the difference.", 2, "pairs", default=None)
    pair_p_values: Array | None = stored("How rarely chance alone gives it.", "pairs", default=None)
    pair_differs: NDArray[np.bool_] | None = stored("Whether that is at most 0.05.", "pairs", default=None)


#: A difference is made of these, and so are its files.
FORM = Form(
    "a difference of explanations",
    "Difference.save",
    {"both": Both, "of_terms": ComparedTerms, "of_pairs": ComparedPairs},
)
