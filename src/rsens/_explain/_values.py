"""R-sens and R-sens₂ of all terms as an explanation shows them, with intervals, and the sums over rows behind them."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import t as student

from rsens._files import fingerprint
from rsens._results import Part, stored
from rsens._typing import Array, Flags
from rsens.measures import consistency

if TYPE_CHECKING:
    from rsens._explain._effects import Quantities
    from rsens._explain._refit_intervals import RefitValues


#: Sources of intervals.
REFITS, ROWS = "refits", "rows"
#: A difference is marked if chance alone gives one as large in at most this share of cases.
PER_TERM = 0.05


@dataclass(frozen=True, eq=False, kw_only=True)
class Setup(Part):
    """D columns, and T terms: columns, or groups in their place."""

    level: float = stored("Level of the intervals.")
    scale: str = stored('Where the units come from: "sd", "raw" or "given".')
    columns: tuple[str, ...] = stored("The columns of X.")
    units: Array = stored("The unit in which each column is counted.", "columns")
    categorical: tuple[int, ...] = stored("Positions of the columns whose levels are compared.")
    two_valued: tuple[int, ...] = stored("Positions of the numeric ones among them, which have two values.")
    terms: tuple[str, ...] = stored("The terms: columns of X in their order, a group in the place of its first column.")
    members: tuple[tuple[int, ...], ...] = stored("Positions of the columns of each term.")
    pair_scale: str = stored('The scale of pairs: "parameters", or "link", the scale on which the model adds up.')
    understood: str = stored(
        "Summary of a model of another library: family, noise, how derivatives are made. Else empty.", default="",
    )  # fmt: skip

    def terms_of(self, columns: Collection[int]) -> tuple[str, ...]:
        """The terms that begin with one of these columns."""
        return tuple(name for name, m in zip(self.terms, self.members, strict=True) if m[0] in columns)


@dataclass(frozen=True, eq=False, kw_only=True)
class Values(Part):
    """The answer. Pairs come in the order of `np.triu_indices(T, 1)`."""

    family: str = stored("Name of the predictive family.")
    outputs: tuple[str, ...] = stored("Names of the outputs of the point prediction: y, or the classes.")
    main: Array = stored("R-sens of each term, averaged over the rows.", "terms")
    pairs: Array | None = stored(
        "R-sens₂ of each pair of terms, averaged over the rows, by (variable, variable) in the order of columns.",
        "pairs", default=None,
    )  # fmt: skip
    direction: Array = stored(
        "Mean derivative of the point prediction, with its sign, in the units of `scale`.\n\n"
        "In a numeric column of two values, the mean of f(higher) − f(lower). NaN for groups and for categorical "
        "columns. A Series by term, or a frame terms × outputs for a prediction of "
        "several outputs (class probabilities).", "terms", "outputs",
    )  # fmt: skip
    consistency: Array = stored(
        "Whether the prediction always goes the same way: |mean derivative| / mean |derivative|, between 0 and 1.\n\n"
        "1 where the derivative never changes its sign, 0 where ups and downs cancel. Below ½ more than a quarter of "
        "all movement goes against the rest, and tables and bars show ± in place of ▲ or ▼. NaN where `direction` is, "
        "and where the prediction does not move. Shaped like `direction`.", "terms", "outputs",
    )  # fmt: skip
    part_names: tuple[str, ...] = stored("Names of the parts of R-sens.")
    parts: Array | None = stored(
        "Parts of R-sens, terms × parts: the rows add up to `main`.\n\n"
        'Normal: "mean", moves the prediction, and "variance", moves the uncertainty. A single column "joint" for '
        "families whose parameters cannot be separated; None for families of one parameter.",
        "terms", "part_names", default=None,
    )  # fmt: skip
    pair_parts: Array | None = stored(
        "Parts of R-sens₂, pairs × parts: the rows add up to `pairs`.\n\n"
        "The parts have the names of `parts`, but for posterior draws the two of the distribution that "
        "replaces their mixture. A pair with nearly all of its value in the second one changes how "
        "uncertain the prediction is, and not the prediction (`uncertainty_only`). None where `parts` is, without "
        "pairs, and for pairs on the link scale.", "pairs", "pair_part", default=None,
    )  # fmt: skip
    pair_part_names: tuple[str, ...] | None = stored(
        "Names of the parts of R-sens₂; None if they are `part_names`.", default=None,
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
        """Names of the parts of variables (order 1) or pairs (order 2)."""
        return self.part_names if order == 1 or self.pair_part_names is None else self.pair_part_names


def _split(parts: Array, whole: Array) -> Array:
    """Parts (values, names). Without any, the parameters are not separable: one part, the whole."""
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


@dataclass(frozen=True, eq=False, kw_only=True)
class Intervals(Part):
    """How far the averages depend on which data were drawn, or only on which rows are explained."""

    intervals: Array = stored("Intervals of `main`: columns lower, upper. `interval_kind` is their source.", 2, "terms")
    pair_intervals: Array | None = stored("Intervals of `pairs`: columns lower, upper.", 2, "pairs", default=None)
    interval_kind: str = stored(
        'Variation that intervals cover. "refits": which data were drawn, from refits to parts of the rows. '
        '"rows": only which rows are explained; the model is taken as given, and they are several times too narrow for '
        "new data.",
    )  # fmt: skip
    interval_refits: int = stored("How many refits the intervals come from; 0 for those over rows.")


def jackknife(rounds: Sequence[Array]) -> Array:
    """The standard error from (K, values) in each round: se² = (K − 1)/K Σ_k (v_k − v̄)² = (K − 1) var, averaged."""
    return np.sqrt(np.mean([(len(v) - 1) * np.var(v, axis=0) for v in rounds], axis=0))


@dataclass(frozen=True, eq=False)
class Spread:
    """Standard errors with their degrees of freedom."""

    error: Array
    degrees: Array

    @classmethod
    def of(cls, error: Array, degrees: float) -> Spread:
        """The same degrees of freedom for all."""
        return cls(error, np.full(error.shape, float(degrees)))

    @classmethod
    def of_refits(cls, rounds: Sequence[Array]) -> Spread:
        """By the jackknife, from values (K, …) without each of K folds in every round."""
        return cls.of(jackknife(rounds), sum(len(values) - 1 for values in rounds))

    def plus(self, other: Spread) -> Spread:
        """The spread of the difference of two independent values (Welch and Satterthwaite)."""
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

    def by_round(self, values: Array) -> list[Array]:
        """Values (refits, …) of the refits of each round."""
        return [values[self.refit_rounds == number] for number in np.unique(self.refit_rounds)]


@dataclass(frozen=True, eq=False)
class RowMoments:
    """Weighted sums of some columns over some rows.

    With weights w_i and local values r_i, a column keeps

        n, W = Σ w_i, c = Σ w_i r_i / W, Σ w_i², Σ w_i² (r_i − c), √(Σ w_i² (r_i − c)²).

    Its average is c, and the influence of row i on c is w_i (r_i − c)/W. So the standard error of c over rows is

        se² = n/(n − 1) Σ w_i² (r_i − c)² / W².

    Sums around the mean lose no digits where rows are almost equal; `pooled` moves them to a common mean, exactly.
    """

    rows: int
    counted: int  # rows with a weight above 0
    weight: float
    mean: Array  # 0 where no row counts
    squares: float
    first: Array
    error: Array

    @classmethod
    def of(cls, values: Array, weights: Array) -> RowMoments:
        """From values (n, columns) under weights (n,)."""
        total = float(weights.sum())
        with np.errstate(over="ignore", invalid="ignore"):  # columns that are not finite have no mean
            # Equal columns have equal sums next to any others: rows are added one by one, not by BLAS.
            values = np.ascontiguousarray(values)
            mean = np.zeros(values.shape[1])
            if total > 0.0:
                mean = ((weights / total)[:, np.newaxis] * values).sum(axis=0)
            away = weights[:, np.newaxis] * (values - mean)
            scale = _scale(np.abs(away).max(axis=0, initial=0.0))
            error = scale * np.sqrt(((away / scale) ** 2).sum(axis=0))
        return cls(
            len(values), int(np.count_nonzero(weights)), total, mean, float((weights**2).sum()), weights @ away, error
        )  # fmt: skip

    @classmethod
    def pooled(cls, cells: Sequence[RowMoments]) -> RowMoments:
        """The sums over all rows of several."""
        weight = sum(cell.weight for cell in cells)
        with np.errstate(over="ignore", invalid="ignore"):
            shares = np.array([cell.weight / weight if weight > 0.0 else 0.0 for cell in cells])
            means = np.array([cell.mean for cell in cells])
            mean = shares @ means
            first, error = (np.array([getattr(cell, name) for cell in cells]) for name in ("first", "error"))
            squares = np.array([cell.squares for cell in cells])[:, np.newaxis]
            moved = np.where(shares[:, np.newaxis] > 0.0, means - mean, 0.0)
            scale = _scale((error + np.abs(moved) * np.sqrt(squares)).max(axis=0))
            second = (error / scale) ** 2 + 2.0 * (moved / scale) * (first / scale) + (moved / scale) ** 2 * squares
            return cls(
                sum(cell.rows for cell in cells),
                sum(cell.counted for cell in cells),
                weight,
                mean,
                float(squares.sum()),
                (first + moved * squares).sum(axis=0),
                scale * np.sqrt(np.maximum(second.sum(axis=0), 0.0)),
            )

    @property
    def average(self) -> Array:
        """The mean; NaN where no row counts."""
        return self.mean if self.weight > 0.0 else np.full(len(self.mean), np.nan)

    @property
    def spread(self) -> Spread:
        """The standard error of the mean over rows; NaN where fewer than two rows count."""
        if self.counted < 2:
            return Spread.of(np.full(len(self.mean), np.nan), 1.0)
        return Spread.of(np.sqrt(self.counted / (self.counted - 1.0)) * self.error / self.weight, self.counted - 1.0)


def _scale(largest: Array) -> Array:
    """The divisor of values before they are squared, so that squares neither overflow nor vanish."""
    return np.where(np.isfinite(largest) & (largest > 0.0), largest, 1.0)


@dataclass(frozen=True, eq=False)
class LocalValues:
    """Values of single rows, and for rows that come in chunks their labels, weights and whether they extrapolate."""

    main: Array
    pairs: Array | None = None
    index: pd.Index | None = None
    outside: Flags | None = None
    weights: Array | None = None


@dataclass(frozen=True, eq=False)
class Sums:
    """Everything that an explanation takes from some rows; `+` adds other rows.

    `moments` has the columns "main", "pairs", "parts", "pair_parts", "direction", "size" (of the direction) and
    "effects"; ("by", label) for each subgroup; and (line, k) for the parts k of an effect that is a step.
    """

    family: str
    quantities: Quantities
    part_names: tuple[str, ...]
    pair_part_names: tuple[str, ...]
    lines: Mapping[Any, tuple[float, ...]]  # the lines of effects; of a step, the widths of its parts
    moments: Mapping[Hashable, RowMoments]
    label_order: tuple[Any, ...] | None = None  # of subgroups, if they are categories
    outside: int = 0  # how many rows extrapolate, of rows in chunks
    local: tuple[LocalValues, ...] | None = None

    def __add__(self, other: Sums) -> Sums:
        keys = dict.fromkeys([*self.moments, *other.moments])
        having = {key: [each.moments[key] for each in (self, other) if key in each.moments] for key in keys}
        return replace(
            self,
            moments={key: RowMoments.pooled(cells) for key, cells in having.items()},
            outside=self.outside + other.outside,
            local=None if self.local is None or other.local is None else self.local + other.local,
        )

    @property
    def main(self) -> RowMoments:
        """R-sens of each term."""
        return self.moments["main"]

    @property
    def pairs(self) -> RowMoments | None:
        """R-sens₂ of each pair."""
        return self.moments.get("pairs")

    @property
    def local_main(self) -> Array | None:
        """R-sens of each row and term, if it was kept."""
        return None if self.local is None else np.concatenate([each.main for each in self.local])

    @property
    def local_pairs(self) -> Array | None:
        """R-sens₂ of each row and pair, if it was kept."""
        pairs = [] if self.local is None else [each.pairs for each in self.local if each.pairs is not None]
        return np.concatenate(pairs) if pairs else None
