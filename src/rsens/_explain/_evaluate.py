"""R-sens and R-sens₂ of all terms, in one pass over the rows: local values, their averages, parts and directions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from rsens._explain._bootstrap import row_sums
from rsens._explain._query import Query
from rsens._explain._sums import Sums
from rsens._explain._values import Averages
from rsens._table import Table
from rsens._typing import Array
from rsens.derivatives import Contrast, Derivatives, Model, iterate
from rsens.measures import finite, first_of_prediction, pair_parts_of, parts_of, rsens2_of, rsens_of, switches_of


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
    keep_local: bool = True,
    keep_local_pairs: bool = False,
    split_pairs: bool = False,
    n_bootstrap: int = 0,
    seed: np.random.SeedSequence | None = None,
    first_row: int = 0,
    prepared: bool = False,
    watch: bool = True,
    advance: Callable[[int], Any] = lambda rows: None,
    watchers: Sequence[Watcher] = (),
) -> Averages:
    """Explain the rows. Of what has a size of n × T × T only a chunk exists at a time, unless it is asked for.

    `split_pairs` asks for `pair_parts`, which refits have no use for. `watchers` see the same derivatives. `first_row`
    is the number of the first row among more rows, for which the model is `prepared`.
    """
    n, t = len(query.weights), len(query.terms)
    local_main = np.empty((n, t)) if keep_local else None
    local_pairs = np.empty((n, t, t)) if keep_local_pairs else None
    upper = np.triu_indices(t, 1)
    squared = query.aggregate == "rms"
    family, n_parameters = "", 0
    part_names: tuple[str, ...] = ()
    pair_part_names: tuple[str, ...] = ()
    chunks = iterate(
        model, table, 2 if query.pairs else 1, max_bytes=query.max_bytes, watch=watch, prepared=prepared
    )  # fmt: skip

    def columns() -> Iterator[Array]:
        """What is summed over rows, a chunk at a time: main, pairs, parts, directions, their sizes, parts of pairs."""
        nonlocal family, n_parameters, part_names, pair_part_names
        for rows, derivatives in chunks:
            local = _local(derivatives, slice(first_row + rows.start, first_row + rows.stop), query, split_pairs)
            for watcher in watchers:
                watcher.add(derivatives)
            family, n_parameters = type(derivatives.distribution).__name__, derivatives.first.shape[1]
            part_names, pair_part_names = tuple(local.parts), tuple(local.pair_parts)
            if local_main is not None:
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
    found = row_sums(
        columns(), query.weights, bootstrapped=t + n_pairs, n_bootstrap=n_bootstrap, seed=seed, first_row=first_row
    )  # fmt: skip
    k, l, split = len(part_names), len(pair_part_names), n_pairs if split_pairs else 0
    mean = found.mean()
    n_directions = (len(mean) - t - n_pairs - k * t - l * split) // 2
    sizes = [t, n_pairs, k * t, n_directions, n_directions]
    main, by_pair, parts, direction, size, pair_parts = np.split(mean, np.cumsum(sizes))
    if not part_names and n_parameters > 1:  # λ that cannot be told apart: one part, the whole
        part_names = ("joint",)
    if split and part_names and not pair_part_names:
        pair_part_names = ("joint",)
    n_outputs = n_directions // t
    return Averages(
        family=family,
        outputs=tuple(map(str, range(n_outputs))) if output_names is None else output_names(n_outputs),
        part_names=part_names,
        pair_part_names=pair_part_names,
        squared=squared,
        sums=Sums(
            sum_weight=1.0,
            sum_rows=int(np.count_nonzero(query.weights)),
            sum_main=main,
            sum_pairs=by_pair if query.pairs else None,
            sum_parts=parts.reshape(k, t).T,
            sum_pair_parts=pair_parts.reshape(l, n_pairs).T if query.pairs else None,
            sum_direction=direction.reshape(-1, t),
            sum_size=size.reshape(-1, t),
            replicate_weight=found.replicate_mass if n_bootstrap else None,
            replicate_main=found.replicate_total[:, :t] if n_bootstrap else None,
            replicate_pairs=found.replicate_total[:, t:] if n_bootstrap and query.pairs else None,
        ),
        local_main=local_main,
        local_pairs=local_pairs,
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
        switches = switches_of(derivatives, alpha)
        main = rsens_of(derivatives, alpha, units, terms, switches)
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
    by_part = parts_of(derivatives, alpha, units, terms, switches)
    by_pair = {} if pairs is None or not split_pairs else pair_parts_of(derivatives, pairs, alpha, units, terms)
    return _Local(main, pairs, by_part, by_pair, direction)


def _rise(contrast: Contrast) -> Array | float:
    """f(x with the higher value) − f(x with the lower value), (n, P), for the point prediction f; 0 for one value."""
    if len(contrast.levels) < 2:
        return 0.0
    low, high = contrast.levels
    return high.prediction() - low.prediction()
