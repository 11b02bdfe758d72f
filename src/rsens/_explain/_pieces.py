"""Looking at rows stretch by stretch, one after the other or several at once, and joining what was found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from rsens._explain._effects import EffectSums, Key, RowEffects, Stated, Step
from rsens._explain._evaluate import evaluate
from rsens._explain._link_pairs import evaluate_on_link
from rsens._explain._posterior import DrawValues, PosteriorSums
from rsens._explain._query import Query
from rsens._explain._subgroups import Division, SubgroupSums
from rsens._explain._values import Averages
from rsens._table import Table
from rsens._typing import Array
from rsens.adapters import classes_of
from rsens.derivatives import Model


@dataclass(frozen=True, eq=False)
class Piece:
    """What a stretch of rows adds to an explanation."""

    averages: Averages
    stated: Stated  # what effects are stated of
    lines: tuple[Key, ...]  # what effects are about
    draw_weights: Array | None
    subgroups: SubgroupSums | None

    @property
    def effects(self) -> RowEffects:
        """The effects of these rows."""
        s = self.averages.sums
        edges = dict(zip(self.lines, s.effect_edges, strict=True))
        return RowEffects(self.stated, edges, s.sum_effects, s.replicate_effects, s.replicate_weight)

    @property
    def posterior(self) -> DrawValues | None:
        """The values of posterior draws, if the model has them."""
        draws = self.averages.sums.sum_draws
        if draws is None or self.draw_weights is None:
            return None
        return DrawValues.of(draws, self.draw_weights, self.averages.squared)

    def __add__(self, other: Piece) -> Piece:
        """Both, without the values of single rows."""
        mine, theirs = self.averages.sums, other.averages.sums
        sums, subgroups = mine + theirs, None
        if self.subgroups is not None and other.subgroups is not None:
            whole = sums.sum_weight
            subgroups = self.subgroups.plus(other.subgroups, mine.share_in(whole), theirs.share_in(whole))
        averages = replace(self.averages, sums=sums, local_main=None, local_pairs=None)
        return replace(self, averages=averages, subgroups=subgroups)


def join(pieces: Iterable[Piece]) -> Piece:
    """All pieces as one. Values of single rows come one after the other, if all pieces have them."""
    whole: Piece | None = None
    local: dict[str, list[Any]] = {"local_main": [], "local_pairs": []}
    for piece in pieces:
        for name, found in local.items():
            found.append(getattr(piece.averages, name))
        whole = piece if whole is None else whole + piece
    assert whole is not None
    rows: dict[str, Any] = {
        name: None if any(each is None for each in found) else np.concatenate(found) for name, found in local.items()
    }
    return replace(whole, averages=replace(whole.averages, **rows))


@dataclass(frozen=True, eq=False)
class RowLook:
    """What is asked about every row."""

    model: Any
    source: Model
    query: Query
    steps: Mapping[int, Step]
    on_link: bool
    keep_local: bool
    keep_local_pairs: bool
    n_bootstrap: int
    seed: np.random.SeedSequence
    prepared: bool = False  # whether the source is prepared for more rows than it is asked about

    def keeping(self, local: bool) -> RowLook:
        """The same with or without values of single rows."""
        return replace(self, keep_local=local, keep_local_pairs=self.keep_local_pairs and local)

    def __call__(
        self,
        table: Table,
        weights: Array,
        first_row: int = 0,
        division: Division | None = None,
        advance: Callable[[int], Any] = lambda rows: None,
        watch: bool = True,
    ) -> Piece:
        """What these rows add, under their weights in the whole; see `iterate` for `watch`."""
        total = float(weights.sum())
        query = replace(self.query, weights=weights / total if total > 0.0 else weights)
        rows = {"n_bootstrap": self.n_bootstrap, "seed": self.seed, "first_row": first_row}
        effects = EffectSums(table, query.terms, query.weights, self.steps, max_bytes=query.max_bytes, **rows)
        posterior = PosteriorSums(query)
        evaluated = partial(evaluate_on_link, self.model) if self.on_link else partial(evaluate, split_pairs=True)
        found = evaluated(
            self.source,
            table,
            query,
            output_names=partial(output_names, self.model),
            keep_local=self.keep_local or division is not None,
            keep_local_pairs=self.keep_local_pairs,
            prepared=self.prepared,
            watch=watch,
            advance=advance,
            watchers=(effects, posterior),
            **rows,
        )
        lines, draws = effects.found(self.source), posterior.found()
        sums = replace(
            found.sums,
            sum_weight=total,
            sum_draws=None if draws is None else draws[0],
            sum_effects=_finite(lines.sums),
            effect_edges=tuple(lines.edges.values()),
            replicate_effects=None if lines.replicate_sums is None else _finite(lines.replicate_sums),
        )
        subgroups = None
        if division is not None and found.local_main is not None:
            subgroups = SubgroupSums.of(found.local_main, division, query.weights, found.squared)
        return Piece(
            averages=replace(found, sums=sums, local_main=found.local_main if self.keep_local else None),
            stated=lines.stated,
            lines=tuple(lines.edges),
            draw_weights=None if draws is None else draws[1],
            subgroups=subgroups,
        )


def output_names(model: Any, n_outputs: int) -> tuple[str, ...]:
    """The classes where the model names them, else y0, y1, …"""
    classes = classes_of(model)
    if n_outputs > 1 and classes is not None and len({str(c) for c in classes}) == len(classes) == n_outputs:
        return tuple(str(c) for c in classes)
    return ("y",) if n_outputs == 1 else tuple(f"y{p}" for p in range(n_outputs))


def _finite(values: Array) -> Array:
    """NaN for what does not fit in float64."""
    return np.where(np.isfinite(values), values, np.nan)
