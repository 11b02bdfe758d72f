"""R-sens and R-sens₂ of all terms, in one pass over the rows: local values, their averages, parts and directions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from rsens._errors import InputError
from rsens._explain._bootstrap import percentiles, row_sums
from rsens._explain._intervals import ROWS, Intervals
from rsens._explain._query import Query
from rsens._explain._setup import check_different
from rsens._files import number, number_or_nan, text, tuple_of
from rsens._results import Part, stored
from rsens._table import Table
from rsens._typing import Array
from rsens.derivatives import Contrast, Derivatives, Model, iterate
from rsens.measures import consistency, finite, first_of_prediction, pair_parts_of, parts_of, rsens2_of, rsens_of


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
    local_main: Array = stored(
        "R-sens of each row and term, in the same units, with the index of X.", number, "rows", "terms"
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
        if not len(self.local_main) or not self.outputs:
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


class Watcher(Protocol):
    """Who wants to see the derivatives of all rows too, in their order."""

    def add(self, derivatives: Derivatives) -> None:
        """Some more rows."""


def evaluate(
    model: Model,
    table: Table,
    query: Query,
    *,
    output_names: Callable[[int], tuple[str, ...]] | None = None,
    keep_local_pairs: bool = False,
    split_pairs: bool = False,
    n_bootstrap: int = 0,
    level: float = 0.95,
    seed: np.random.SeedSequence | None = None,
    advance: Callable[[int], Any] = lambda rows: None,
    watchers: Sequence[Watcher] = (),
) -> tuple[Values, Intervals | None]:
    """Explain the rows. Of what has a size of n × T × T only a chunk exists at a time, unless it is asked for.

    `split_pairs` asks for `pair_parts`, which refits have no use for. `watchers` see the same derivatives.
    """
    n, t = len(query.weights), len(query.terms)
    local_main = np.empty((n, t))
    local_pairs = np.empty((n, t, t)) if keep_local_pairs else None
    upper = np.triu_indices(t, 1)
    squared = query.aggregate == "rms"
    family, n_parameters = "", 0
    part_names: tuple[str, ...] = ()
    pair_part_names: tuple[str, ...] = ()

    def columns() -> Iterator[Array]:
        """What is summed over rows, a chunk at a time: main, pairs, parts, directions, their sizes, parts of pairs."""
        nonlocal family, n_parameters, part_names, pair_part_names
        for rows, derivatives in iterate(model, table, 2 if query.pairs else 1, max_bytes=query.max_bytes):
            local = _local(derivatives, rows, query, split_pairs)
            for watcher in watchers:
                watcher.add(derivatives)
            family, n_parameters = type(derivatives.distribution).__name__, derivatives.first.shape[1]
            part_names, pair_part_names = tuple(local.parts), tuple(local.pair_parts)
            local_main[rows] = local.main
            summed = [local.main**2 if squared else local.main]
            if local.pairs is not None:
                if local_pairs is not None:
                    local_pairs[rows] = local.pairs
                pairs = local.pairs[:, *upper]
                summed.append(pairs**2 if squared else pairs)
            # rms = mean(R²)/rms, and R² = Σ_b R · part_b: the parts add up to the rms just as they do to the mean.
            summed += [local.main * part if squared else part for part in local.parts.values()]
            direction = local.direction.reshape(len(local.main), -1)
            summed += [direction, np.abs(direction)]
            summed += [pairs * part if squared else part for part in local.pair_parts.values()]
            yield np.concatenate(summed, axis=1)
            advance(len(local.main))

    n_pairs = len(upper[0]) if query.pairs else 0
    n_values = t + n_pairs
    sums = row_sums(columns(), query.weights, bootstrapped=n_values, n_bootstrap=n_bootstrap, seed=seed)
    mean = sums.mean()
    value = np.sqrt(mean[:n_values]) if squared else mean[:n_values]
    k, l, split = len(part_names), len(pair_part_names), n_pairs if split_pairs else 0
    part_sums, directions, pair_sums = np.split(mean[n_values:], [k * t, len(mean) - n_values - l * split])
    by_part, by_pair = part_sums.reshape(k, t).T, pair_sums.reshape(l, split).T
    direction, size = (half.reshape(-1, t).T for half in np.split(directions, 2))
    if squared:
        by_part, by_pair = (
            part / np.where(whole > 0.0, whole, 1.0)[:, np.newaxis]
            for part, whole in ((by_part, value[:t]), (by_pair, value[t : t + split]))
        )
    if not part_names and n_parameters > 1:  # λ that cannot be told apart: one part, the whole
        part_names, by_part = ("joint",), value[:t, np.newaxis].copy()
    if split and not pair_part_names and part_names:
        pair_part_names, by_pair = ("joint",), value[t:, np.newaxis].copy()
    n_outputs = direction.shape[1]
    values = Values(
        family=family,
        outputs=tuple(map(str, range(n_outputs))) if output_names is None else output_names(n_outputs),
        main=value[:t],
        pairs=value[t:] if query.pairs else None,
        direction=direction,
        consistency=consistency(direction, size),
        part_names=part_names,
        parts=by_part if part_names else None,
        pair_parts=by_pair if pair_part_names and split else None,
        pair_part_names=None if not split or pair_part_names == part_names else pair_part_names,
        local_main=local_main,
        local_pairs=local_pairs,
    )
    if not n_bootstrap:
        return values, None
    bounds = _bounds(sums.replicate_means(), squared, level, query.weights)
    return values, Intervals(
        intervals=bounds[:, :t],
        pair_intervals=bounds[:, t:] if query.pairs else None,
        interval_kind=ROWS,
        interval_refits=0,
    )


@dataclass(frozen=True)
class _Local:
    """The values of one chunk, in the units asked for."""

    main: Array  # (rows, T)
    pairs: Array | None  # (rows, T, T)
    parts: dict[str, Array]  # (rows, T) each
    pair_parts: dict[str, Array]  # (rows, pairs) each
    direction: Array  # (rows, P, T)


def _local(derivatives: Derivatives, rows: slice, query: Query, split_pairs: bool) -> _Local:
    terms, units, alpha = query.terms, query.units, query.alpha
    with np.errstate(over="ignore", invalid="ignore"):  # what does not fit in float64 is reported by `finite`
        main = rsens_of(derivatives, alpha, units, terms)
        pairs = rsens2_of(derivatives, alpha, units, terms) if query.pairs else None
        direction = terms.of_columns(first_of_prediction(derivatives) * units, np.nan)
    for contrast in derivatives.contrasts:  # levels have no direction, unless they are two numbers
        up = _rise(contrast) * units[contrast.column] if contrast.column in query.two_valued else np.nan
        direction[..., terms.of_column(contrast.column)] = up
    finite(main, rows, terms.names, 1, "R-sens")
    if pairs is not None:
        finite(pairs, rows, terms.names, 2, "R-sens₂")
    query.check_squares(main)
    query.check_squares(pairs)
    by_part = parts_of(derivatives, alpha, units, terms)
    by_pair = {} if pairs is None or not split_pairs else pair_parts_of(derivatives, pairs, alpha, units, terms)
    return _Local(main, pairs, by_part, by_pair, direction)


def _rise(contrast: Contrast) -> Array | float:
    """f(x with the higher value) − f(x with the lower value), (n, P), for the point prediction f; 0 for one value."""
    if len(contrast.levels) < 2:
        return 0.0
    low, high = contrast.levels
    return high.prediction() - low.prediction()


def _bounds(replicates: Array, squared: bool, level: float, weights: Array) -> Array:
    """Lower and upper bounds; a single row that counts says nothing about its spread."""
    if np.count_nonzero(weights) < 2:
        return np.full((2, replicates.shape[1]), np.nan)
    bounds = percentiles(replicates, level)
    return np.sqrt(bounds) if squared else bounds
