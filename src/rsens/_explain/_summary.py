"""One pass over the rows: local values, their averages, parts, directions, and the bootstrap of the averages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rsens._explain._bootstrap import percentiles, row_sums
from rsens._table import Table
from rsens._typing import Array
from rsens.derivatives import Derivatives, Model, iterate
from rsens.measures import Terms, consistency, finite, first_of_prediction, parts_of, rsens2_of, rsens_of


@dataclass(frozen=True)
class Question:
    """What is asked of a model, apart from the rows."""

    terms: Terms
    units: Array  # (D,)
    weights: Array  # (n,), adding up to 1
    alpha: float
    aggregate: str  # "mean" or "rms"
    pairs: bool
    max_bytes: int
    categorical: tuple[int, ...] = ()  # positions of columns


@dataclass(frozen=True)
class Summary:
    """The answer. T terms, P outputs, B parts; pairs are those of `np.triu_indices(T, 1)`, in that order."""

    family: str
    main: Array  # (T,)
    pairs: Array | None  # (T (T − 1)/2,)
    direction: Array  # (T, P)
    consistency: Array  # (T, P)
    part_names: tuple[str, ...]
    parts: Array | None  # (T, B)
    intervals: Array | None  # (2, T)
    pair_intervals: Array | None
    local_main: Array  # (n, T)
    local_pairs: Array | None  # (n, T, T)


def summarize(
    model: Model,
    table: Table,
    question: Question,
    *,
    keep_local_pairs: bool = False,
    n_bootstrap: int = 0,
    level: float = 0.95,
    seed: np.random.SeedSequence | None = None,
    advance: Callable[[int], Any] = lambda rows: None,
) -> Summary:
    """Explain the rows of X. Of what has a size of n × T × T only a chunk exists at a time, unless it is asked for."""
    n, t = len(question.weights), len(question.terms)
    local_main = np.empty((n, t))
    local_pairs = np.empty((n, t, t)) if keep_local_pairs else None
    upper = np.triu_indices(t, 1)
    squared = question.aggregate == "rms"
    family, n_parameters = "", 0
    part_names: tuple[str, ...] = ()

    def columns() -> Iterator[Array]:
        """What is summed over rows, a chunk at a time: main, pairs, parts, directions and their sizes."""
        nonlocal family, n_parameters, part_names
        for rows, derivatives in iterate(model, table, 2 if question.pairs else 1, max_bytes=question.max_bytes):
            local = _evaluate(derivatives, rows, question)
            family, n_parameters, part_names = local.family, local.n_parameters, tuple(local.parts)
            local_main[rows] = local.main
            summed = [local.main**2 if squared else local.main]
            if local.pairs is not None:
                if local_pairs is not None:
                    local_pairs[rows] = local.pairs
                pairs = local.pairs[:, upper[0], upper[1]]
                summed.append(pairs**2 if squared else pairs)
            # rms = mean(R²)/rms, and R² = Σ_b R · part_b: the parts of the rms add up as those of the mean do.
            summed += [local.main * part if squared else part for part in local.parts.values()]
            direction = local.direction.reshape(len(local.main), -1)
            summed += [direction, np.abs(direction)]
            yield np.concatenate(summed, axis=1)
            advance(len(local.main))

    n_values = t + (len(upper[0]) if question.pairs else 0)
    sums = row_sums(columns(), question.weights, bootstrapped=n_values, n_bootstrap=n_bootstrap, seed=seed)
    mean = sums.mean()
    value = np.sqrt(mean[:n_values]) if squared else mean[:n_values]
    bounds = _bounds(sums.replicate_means(), squared, level, question.weights) if n_bootstrap else None
    part_sums, directions = np.split(mean[n_values:], [len(part_names) * t])
    by_part = part_sums.reshape(-1, t).T
    direction, size = (half.reshape(-1, t).T for half in np.split(directions, 2))
    if squared:
        by_part = by_part / np.where(value[:t] > 0.0, value[:t], 1.0)[:, np.newaxis]
    if not part_names and n_parameters > 1:  # λ that cannot be told apart: one part, the whole
        part_names, by_part = ("joint",), value[:t, np.newaxis].copy()
    return Summary(
        family=family,
        main=value[:t],
        pairs=value[t:] if question.pairs else None,
        direction=direction,
        consistency=consistency(direction, size),
        part_names=part_names,
        parts=by_part if part_names else None,
        intervals=None if bounds is None else bounds[:, :t],
        pair_intervals=bounds[:, t:] if bounds is not None and question.pairs else None,
        local_main=local_main,
        local_pairs=local_pairs,
    )


@dataclass(frozen=True)
class _Local:
    """The values of one chunk, in the units asked for."""

    family: str
    n_parameters: int
    main: Array  # (rows, T)
    pairs: Array | None  # (rows, T, T)
    parts: dict[str, Array]  # (rows, T) each
    direction: Array  # (rows, P, T)


def _evaluate(derivatives: Derivatives, rows: slice, question: Question) -> _Local:
    family, terms, units, alpha = derivatives.distribution, question.terms, question.units, question.alpha
    with np.errstate(over="ignore", invalid="ignore"):  # what does not fit in float64 is reported by `finite`
        main = rsens_of(derivatives, alpha, units, terms)
        pairs = rsens2_of(derivatives, alpha, units, terms) if question.pairs else None
        direction = terms.of_columns(first_of_prediction(derivatives) * units, np.nan)
    for contrast in derivatives.contrasts:  # levels have no direction
        direction[..., terms.of_column(contrast.column)] = np.nan
    finite(main, rows, terms.names, 1, "R-sens")
    if pairs is not None:
        finite(pairs, rows, terms.names, 2, "R-sens₂")
    by_part = parts_of(derivatives, alpha, units, terms)
    return _Local(type(family).__name__, derivatives.first.shape[1], main, pairs, by_part, direction)


def _bounds(replicates: Array, squared: bool, level: float, weights: Array) -> Array:
    """Lower and upper bounds; a single row that counts says nothing about its spread."""
    if np.count_nonzero(weights) < 2:
        return np.full((2, replicates.shape[1]), np.nan)
    bounds = percentiles(replicates, level)
    return np.sqrt(bounds) if squared else bounds
