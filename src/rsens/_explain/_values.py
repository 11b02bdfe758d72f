"""R-sens and R-sens₂ of all terms as an explanation shows them, from the sums of a pass over the rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rsens._errors import InputError
from rsens._explain._bootstrap import percentiles
from rsens._explain._intervals import ROWS, Intervals
from rsens._explain._query import check_different
from rsens._explain._sums import Sums
from rsens._files import number, number_or_nan, text, tuple_of
from rsens._results import Part, stored
from rsens._typing import Array
from rsens.measures import consistency


@dataclass(frozen=True, eq=False, kw_only=True)
class Values(Part):
    """The answer. Pairs come in the order of `np.triu_indices(T, 1)`."""

    family: str = stored("Name of the predictive family.", text)
    outputs: tuple[str, ...] = stored("What the point prediction consists of: y, or the classes.", tuple_of(text))
    main: Array = stored("R-sens of each term, averaged over the rows.", number, "terms", column="value")
    pairs: Array | None = stored(
        "R-sens₂ of each pair of terms, averaged over the rows, by (variable, variable) in the order of columns.",
        number, "pairs", optional=True, column="value",
    )  # fmt: skip
    direction: Array = stored(
        "Mean derivative of the point prediction, with its sign, in the units of `scale`.\n\n"
        "In a numeric column of two values, the mean of f(higher) − f(lower). NaN for groups and for categorical "
        "columns. A Series by term, or a frame terms × outputs for a prediction of "
        "several outputs (class probabilities).",
        number_or_nan, "terms", "outputs", column="direction",
    )  # fmt: skip
    consistency: Array = stored(
        "Whether the prediction always goes the same way: |mean derivative| / mean |derivative|, between 0 and 1.\n\n"
        "1 where the derivative never changes its sign, 0 where ups and downs cancel. Below ½ more than a quarter of "
        "all movement goes against the rest, and tables and bars show ± in place of ▲ or ▼. NaN where `direction` is, "
        "and where the prediction does not move. Shaped like `direction`.",
        number_or_nan, "terms", "outputs", column="consistency",
    )  # fmt: skip
    part_names: tuple[str, ...] = stored("What R-sens is made of.", tuple_of(text))
    parts: Array | None = stored(
        "What R-sens is made of, terms × parts: the rows add up to `main`.\n\n"
        'Normal: "mean", moves the prediction, and "variance", moves the uncertainty. A single column "joint" for '
        "families whose parameters cannot be told apart; None for families of one parameter.",
        number, "terms", "part_names", optional=True, column="part",
    )  # fmt: skip
    pair_parts: Array | None = stored(
        "What R-sens₂ is made of, pairs × parts: the rows add up to `pairs`.\n\n"
        "The parts have the names of `parts`, but for posterior draws the two of the distribution that stands for "
        "their mixture. A pair with nearly all of its value in the second one changes how "
        "uncertain the prediction is, and not the prediction (`uncertainty_only`). None where `parts` is, without "
        "pairs, and for pairs on the link scale.",
        number, "pairs", "pair_part", optional=True, column="part",
    )  # fmt: skip
    pair_part_names: tuple[str, ...] | None = stored(
        "What R-sens₂ is made of; None where that is called as in `part_names`.", tuple_of(text), optional=True,
        default=None,
    )  # fmt: skip
    local_main: Array | None = stored(
        "R-sens of each row and term, in the same units, with the index of X.", number, "rows", "terms", optional=True
    )
    local_pairs: Array | None = stored(
        "R-sens₂ of each row and pair, shape (n, T, T), symmetric and read-only; only if it was asked for.",
        number, "rows", "terms", "terms", optional=True,
    )  # fmt: skip

    def names_of_parts(self, order: int) -> tuple[str, ...]:
        """What the parts of variables (order 1) or pairs (order 2) are called."""
        return self.part_names if order == 1 or self.pair_part_names is None else self.pair_part_names

    def check(self) -> None:
        if self.pair_parts is not None and self.pair_parts.shape[1] != len(self.names_of_parts(2)):
            raise InputError("pair_parts and their names differ in number")
        if self.local_pairs is not None and self.pairs is None:
            raise InputError("local_pairs without pairs")
        if self.pair_parts is not None and self.pairs is None:
            raise InputError("pair_parts without pairs")
        if (self.local_main is not None and not len(self.local_main)) or not self.outputs:
            raise InputError("there are no rows or no outputs")
        for name in ("main", "pairs", "pair_parts", "local_main", "local_pairs"):
            array = getattr(self, name)
            if array is not None and (array < 0.0).any():
                raise InputError(f"{name} has negative values")
        if ((self.consistency < 0.0) | (self.consistency > 1.0)).any():
            raise InputError("consistency is not between 0 and 1")
        if not self.family.isidentifier() or not all(
            name.isidentifier() for name in (*self.part_names, *self.names_of_parts(2))
        ):
            raise InputError("no family has this name or these parts")
        for name in ("outputs", "part_names"):
            check_different(name, getattr(self, name))
        check_different("pair_part_names", self.names_of_parts(2))


@dataclass(frozen=True, eq=False)
class Averages:
    """What a pass over rows found: their sums, what these are called, and the values of each row if they are kept."""

    family: str
    outputs: tuple[str, ...]
    part_names: tuple[str, ...]
    pair_part_names: tuple[str, ...]
    squared: bool  # whether sums are of squares, for the root mean square
    sums: Sums
    local_main: Array | None
    local_pairs: Array | None

    @property
    def values(self) -> Values:
        """The averages as an explanation shows them."""
        s = self.sums
        main, pairs = self._averages(s.sum_main), None if s.sum_pairs is None else self._averages(s.sum_pairs)
        by_pair = None
        if pairs is not None and len(pairs) and self.pair_part_names and s.sum_pair_parts is not None:
            by_pair = self._parts(s.sum_pair_parts, pairs)
        return Values(
            family=self.family,
            outputs=self.outputs,
            main=main,
            pairs=pairs,
            direction=np.where(np.isfinite(s.sum_direction.T), s.sum_direction.T, np.nan),
            consistency=consistency(s.sum_direction.T, s.sum_size.T),
            part_names=self.part_names,
            parts=self._parts(s.sum_parts, main) if self.part_names else None,
            pair_parts=by_pair,
            pair_part_names=None
            if by_pair is None or self.pair_part_names == self.part_names
            else self.pair_part_names,
            local_main=self.local_main,
            local_pairs=self.local_pairs,
        )

    def intervals(self, level: float) -> Intervals | None:
        """Intervals over rows; None without replicates."""
        s = self.sums
        if s.replicate_main is None:
            return None
        return Intervals(
            intervals=self._bounds(s.replicate_main, level),
            pair_intervals=None if s.replicate_pairs is None else self._bounds(s.replicate_pairs, level),
            interval_kind=ROWS,
            interval_refits=0,
        )

    def _averages(self, sums: Array) -> Array:
        return np.sqrt(sums) if self.squared else sums.copy()

    def _parts(self, sums: Array, whole: Array) -> Array:
        """Parts (values, names). Without sums, λ cannot be told apart: one part, the whole."""
        if not sums.shape[1]:
            return whole[:, np.newaxis].copy()
        return sums / np.where(whole > 0.0, whole, 1.0)[:, np.newaxis] if self.squared else sums.copy()

    def _bounds(self, replicates: Array, level: float) -> Array:
        """Lower and upper bounds; a single row that counts says nothing about its spread."""
        if self.sums.sum_rows < 2:
            return np.full((2, replicates.shape[1]), np.nan)
        weight = self.sums.replicate_weight
        assert weight is not None
        drawn = weight > 0.0  # replicates that drew no row at all are left out
        bounds = percentiles(replicates[drawn] / weight[drawn, np.newaxis], level)
        return np.sqrt(bounds) if self.squared else bounds
