"""R-sens and R-sens₂ of all terms as an explanation shows them, from sums over rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rsens._explain._intervals import ROWS, Intervals
from rsens._explain._sums import Sums
from rsens._results import Part, stored
from rsens._typing import Array
from rsens.measures import consistency


@dataclass(frozen=True, eq=False, kw_only=True)
class Values(Part):
    """The answer. Pairs come in the order of `np.triu_indices(T, 1)`."""

    family: str = stored("Name of the predictive family.")
    outputs: tuple[str, ...] = stored("What the point prediction consists of: y, or the classes.")
    main: Array = stored("R-sens of each term, averaged over the rows.", "terms", column="value")
    pairs: Array | None = stored(
        "R-sens₂ of each pair of terms, averaged over the rows, by (variable, variable) in the order of columns.",
        "pairs", default=None, column="value",
    )  # fmt: skip
    direction: Array = stored(
        "Mean derivative of the point prediction, with its sign, in the units of `scale`.\n\n"
        "In a numeric column of two values, the mean of f(higher) − f(lower). NaN for groups and for categorical "
        "columns. A Series by term, or a frame terms × outputs for a prediction of "
        "several outputs (class probabilities).", "terms", "outputs", column="direction",
    )  # fmt: skip
    consistency: Array = stored(
        "Whether the prediction always goes the same way: |mean derivative| / mean |derivative|, between 0 and 1.\n\n"
        "1 where the derivative never changes its sign, 0 where ups and downs cancel. Below ½ more than a quarter of "
        "all movement goes against the rest, and tables and bars show ± in place of ▲ or ▼. NaN where `direction` is, "
        "and where the prediction does not move. Shaped like `direction`.", "terms", "outputs", column="consistency",
    )  # fmt: skip
    part_names: tuple[str, ...] = stored("What R-sens is made of.")
    parts: Array | None = stored(
        "What R-sens is made of, terms × parts: the rows add up to `main`.\n\n"
        'Normal: "mean", moves the prediction, and "variance", moves the uncertainty. A single column "joint" for '
        "families whose parameters cannot be told apart; None for families of one parameter.",
        "terms", "part_names", default=None, column="part",
    )  # fmt: skip
    pair_parts: Array | None = stored(
        "What R-sens₂ is made of, pairs × parts: the rows add up to `pairs`.\n\n"
        "The parts have the names of `parts`, but for posterior draws the two of the distribution that stands for "
        "their mixture. A pair with nearly all of its value in the second one changes how "
        "uncertain the prediction is, and not the prediction (`uncertainty_only`). None where `parts` is, without "
        "pairs, and for pairs on the link scale.", "pairs", "pair_part", default=None, column="part",
    )  # fmt: skip
    pair_part_names: tuple[str, ...] | None = stored(
        "What R-sens₂ is made of; None where that is called as in `part_names`.", default=None,
    )  # fmt: skip
    local_main: Array | None = stored(
        "R-sens of each row and term, in the same units, with the index of X.", "rows", "terms", default=None
    )
    local_pairs: Array | None = stored(
        "R-sens₂ of each row and pair, shape (n, T, T), symmetric and read-only; only if it was asked for.",
        "rows", "terms", "terms", default=None,
    )  # fmt: skip

    @classmethod
    def of(cls, sums: Sums, outputs: tuple[str, ...]) -> Values:
        """The averages over rows."""
        main, pairs = sums.main.mean, None if sums.pairs is None else sums.pairs.mean
        direction, size = (sums.moments[name].mean.reshape(-1, len(main)).T for name in ("direction", "size"))
        by_pair = None
        if pairs is not None and len(pairs) and sums.pair_part_names:
            by_pair = _split(sums.moments["pair_parts"].mean, pairs)
        same = by_pair is None or sums.pair_part_names == sums.part_names
        return cls(
            family=sums.family,
            outputs=outputs,
            main=main,
            pairs=pairs,
            direction=np.where(np.isfinite(direction), direction, np.nan),
            consistency=consistency(direction, size),
            part_names=sums.part_names,
            parts=_split(sums.moments["parts"].mean, main) if sums.part_names else None,
            pair_parts=by_pair,
            pair_part_names=None if same else sums.pair_part_names,
            local_main=sums.local_main,
            local_pairs=sums.local_pairs,
        )

    def names_of_parts(self, order: int) -> tuple[str, ...]:
        """What the parts of variables (order 1) or pairs (order 2) are called."""
        return self.part_names if order == 1 or self.pair_part_names is None else self.pair_part_names


def _split(parts: Array, whole: Array) -> Array:
    """Parts (values, names). Without any, the parameters cannot be told apart: one part, the whole."""
    return parts.reshape(-1, len(whole)).T.copy() if len(parts) else whole[:, np.newaxis].copy()


def row_intervals(sums: Sums, level: float) -> Intervals:
    """Intervals over rows: the average ± t standard errors, with a lower end of at least 0."""
    main, pairs = sums.main, sums.pairs
    return Intervals(
        intervals=np.maximum(main.spread.around(main.mean, level), 0.0),
        pair_intervals=None if pairs is None else np.maximum(pairs.spread.around(pairs.mean, level), 0.0),
        interval_kind=ROWS,
        interval_refits=0,
    )
