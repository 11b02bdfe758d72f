"""What the difference of two explanations is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rsens._errors import InputError
from rsens._files import number, number_or_nan, text, truth, tuple_of, whole
from rsens._results import Form, Part, check_size, stored
from rsens._typing import Array


@dataclass(frozen=True, eq=False, kw_only=True)
class Both(Part):
    """What is compared."""

    names: tuple[str, ...] = stored(
        "What the two explanations are called; differences are first − second.", tuple_of(text)
    )
    families: tuple[str, ...] = stored("The predictive family of each.", tuple_of(text))
    rows: tuple[int, ...] = stored("How many rows each explains.", tuple_of(whole))
    same_rows: bool = stored("Whether both explain the same rows.", truth)
    level: float = stored("Level of the intervals.", number)
    scale: str = stored('Where the units come from: "sd", "raw" or "given".', text)
    pair_scale: str = stored('What pairs are measured on: "parameters" or "link".', text)
    terms: tuple[str, ...] = stored("The terms of both.", tuple_of(text))
    units: Array = stored(
        "The unit of each term, the same for both: where the units of the two explanations differ, the root mean "
        "square of these. Missing for groups.", number_or_nan, "terms",
    )  # fmt: skip
    converted: bool = stored("Whether the units of the two explanations differ.", truth)
    only_first: tuple[str, ...] = stored("Terms that only the first one has.", tuple_of(text))
    only_second: tuple[str, ...] = stored("Terms that only the second one has.", tuple_of(text))
    only_first_values: Array = stored("Their R-sens, in units of that explanation.", number, "only_first")
    only_second_values: Array = stored("Their R-sens, in units of that explanation.", number, "only_second")
    left_out: tuple[str, ...] = stored("Terms of both that cannot be compared.", tuple_of(text))
    reasons: tuple[str, ...] = stored("Why not.", tuple_of(text))
    notes: tuple[str, ...] = stored("What to know when reading it.", tuple_of(text))

    def check(self) -> None:
        for name in ("names", "families", "rows"):
            check_size(name, getattr(self, name), 2)
        check_size("reasons", self.reasons, len(self.left_out))


@dataclass(frozen=True, eq=False, kw_only=True)
class ComparedTerms(Part):
    """The terms."""

    value_a: Array = stored("R-sens of each term in the first explanation, in the common units.", number, "terms")
    value_b: Array = stored("The same in the second.", number, "terms")
    interval_kind: str | None = stored(
        'What intervals come from. "paired refits": both models were refitted without the same rows, and each pair of '
        'refits is compared. "refits": each was refitted on its own, as for two independent samples. "paired rows", '
        '"rows": the models are taken as they are, and only the rows vary.', text, optional=True,
    )  # fmt: skip
    intervals_a: Array | None = stored("Intervals of `value_a`.", number, 2, "terms", optional=True)
    intervals_b: Array | None = stored("Intervals of `value_b`.", number, 2, "terms", optional=True)
    intervals: Array | None = stored("Intervals of the difference: lower, upper.", number, 2, "terms", optional=True)
    p_values: Array | None = stored(
        "How rarely chance alone gives a difference as large. None without refits, and where no value is more than "
        "noise.", number, "terms", optional=True,
    )  # fmt: skip
    differs: NDArray[np.bool_] | None = stored("Whether it is at most 0.05.", truth, "terms", optional=True)


@dataclass(frozen=True, eq=False, kw_only=True)
class ComparedPairs(Part):
    """The pairs of terms, in the order of `np.triu_indices(T, 1)`."""

    pair_value_a: Array = stored("R-sens₂ of each pair in the first explanation.", number, "pairs")
    pair_value_b: Array = stored("The same in the second.", number, "pairs")
    pair_interval_kind: str | None = stored("What intervals of pairs come from.", text, optional=True)
    pair_intervals_a: Array | None = stored("Intervals of `pair_value_a`.", number, 2, "pairs", optional=True)
    pair_intervals_b: Array | None = stored("Intervals of `pair_value_b`.", number, 2, "pairs", optional=True)
    pair_intervals: Array | None = stored("Intervals of the difference.", number, 2, "pairs", optional=True)
    pair_p_values: Array | None = stored("How rarely chance alone gives it.", number, "pairs", optional=True)
    pair_differs: NDArray[np.bool_] | None = stored("Whether that is at most 0.05.", truth, "pairs", optional=True)


#: A difference is made of these, and so are its files.
FORM = Form(
    "a difference of explanations",
    "Difference.save",
    {"both": Both, "of_terms": ComparedTerms, "of_pairs": ComparedPairs},
)


def check_together(parts: dict[str, Any]) -> None:
    """What must agree between the parts of a file, besides the shapes."""
    for name in ("both", "of_terms"):
        if parts[name] is None:
            raise InputError(f"{name} is missing")
    n_terms = len(parts["both"].terms)
    pairs = parts["of_pairs"]
    if pairs is not None:
        check_size("pair_value_a", pairs.pair_value_a, n_terms * (n_terms - 1) // 2)
