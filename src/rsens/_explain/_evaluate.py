"""R-sens and R-sens₂ of all terms, in one pass over rows: local values, and their sums.

Arrays of shape (n, T, T) are built chunk by chunk unless the caller keeps them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rsens._explain._effects import Quantities, Step, line_changes, line_keys, step_moments
from rsens._explain._posterior import draw_sums
from rsens._explain._query import Query
from rsens._explain._subgroups import Division
from rsens._explain._sums import LocalValues, RowMoments, Sums
from rsens._table import Table
from rsens._typing import Array
from rsens.adapters import classes_of
from rsens.derivatives import Derivatives, Model, iterate
from rsens.measures import finite, first_of_prediction, pair_parts_of, parts_of, rsens2_of, rsens_of, switches_of


@dataclass(frozen=True, eq=False)
class RowEvaluation:
    """What is computed at every row. Pairs on the link scale have no parts, since η is the prediction."""

    model: Model
    query: Query  # its weights are the usual ones of the rows
    link: Callable[[Model], Model] | None = None  # makes a model of η, where pairs are on the link scale
    steps: Mapping[int, Step] | None = None  # of effects; None for no effects
    details: bool = False  # parts of pairs, and R-sens of each posterior draw, which refits do not need
    keep_local: bool = False  # R-sens of every row
    keep_local_pairs: bool = False  # R-sens₂ of every row
    prepared: bool = False  # whether the model is prepared already, for more rows than it is asked about

    def sums(
        self,
        table: Table,
        weights: Array | None = None,
        division: Division | None = None,
        *,
        watch: bool = True,
        first_row: int = 0,
        advance: Callable[[int], Any] = lambda rows: None,
    ) -> Sums:
        """The sums over the rows of a table.

        `watch`: warn of a model without curvature. `first_row`: the number of the first row, for errors. `advance` is
        called with the number of rows that are done.
        """
        query, weights = self.query, self.query.weights if weights is None else weights
        if self.link is not None and query.pairs:
            return self._with_link_pairs(table, weights, division, watch=watch, first_row=first_row, advance=advance)
        total: Sums | None = None
        order = 2 if query.pairs else 1
        for rows, derivatives in iterate(self.model, table, order, watch=watch, prepared=self.prepared):
            own = None if division is None else division.taken(rows)
            sums = self._of_chunk(derivatives, table, weights[rows], own, first_row + rows.start)
            total = sums if total is None else total + sums
            advance(len(derivatives))
        assert total is not None  # a table has at least one row
        if self.steps:
            moved = step_moments(self.model, table, weights, query.terms, self.steps, total.quantities)
            total = replace(total, moments={**total.moments, **moved})
        return total

    def _with_link_pairs(self, table: Table, weights: Array, division: Division | None, **how: Any) -> Sums:
        without = replace(self, query=replace(self.query, pairs=False), link=None, keep_local_pairs=False)
        found = without.sums(table, weights, division, **how)
        assert self.link is not None
        linked = RowEvaluation(
            self.link(self.model), self.query, keep_local_pairs=self.keep_local_pairs, prepared=self.prepared
        ).sums(table, weights, watch=how["watch"], first_row=how["first_row"])  # fmt: skip
        found = replace(found, moments={**found.moments, "pairs": linked.moments["pairs"]})
        if not self.keep_local_pairs:
            return found
        assert found.local_main is not None  # local pairs are kept with the values of single rows
        return replace(found, local=(LocalValues(found.local_main, linked.local_pairs),))

    def _of_chunk(
        self, derivatives: Derivatives, table: Table, weights: Array, division: Division | None, first_row: int
    ) -> Sums:
        """The sums of the local values of one chunk."""
        query = self.query
        terms, units, alpha, split = query.terms, query.units, query.alpha, self.details and query.pairs
        rows = slice(first_row, first_row + len(derivatives))
        with np.errstate(over="ignore", invalid="ignore"):  # what does not fit in float64 is reported by `finite`
            switches = switches_of(derivatives, alpha)
            main = rsens_of(derivatives, alpha, units, terms, switches)
            pairs = rsens2_of(derivatives, alpha, units, terms) if query.pairs else None
        finite(main, rows, terms.names, 1, "R-sens")
        parts = parts_of(derivatives, alpha, units, terms, switches)
        direction = _direction(derivatives, query)
        columns = {"main": main, "parts": _beside(parts, main), "direction": direction, "size": np.abs(direction)}
        pair_parts: Mapping[str, Array] = {}
        if pairs is not None:
            finite(pairs, rows, terms.names, 2, "R-sens₂")
            pair_parts = pair_parts_of(derivatives, pairs, alpha, units, terms) if split else {}
            columns["pairs"] = pairs[:, *np.triu_indices(len(terms), 1)]
            columns["pair_parts"] = _beside(pair_parts, main)
        if self.steps is not None:
            columns["effects"] = line_changes(table, terms, self.steps, derivatives)
        moments: dict[Any, RowMoments] = {name: RowMoments.of(values, weights) for name, values in columns.items()}
        if division is not None:
            moments |= division.moments(main, weights)
        by_draw, draw_weights = draw_sums(derivatives, weights, query) if self.details else (None, None)
        # Parameters that cannot be told apart are one part, the whole.
        part_names = tuple(parts) or (("joint",) if derivatives.first.shape[1] > 1 else ())
        kept = LocalValues(main, pairs if self.keep_local_pairs else None)
        return Sums(
            family=type(derivatives.distribution).__name__,
            quantities=Quantities.of(derivatives.distribution),
            part_names=part_names,
            pair_part_names=tuple(pair_parts) or (("joint",) if split and part_names else ()),
            lines={} if self.steps is None else line_keys(table, terms, self.steps),
            moments=moments,
            draws=by_draw,
            draw_weights=draw_weights,
            label_order=None if division is None else division.categories,
            local=(kept,) if self.keep_local or self.keep_local_pairs else None,
        )


def output_names(model: Any, n_outputs: int) -> tuple[str, ...]:
    """The classes where the model names them, else y0, y1, …"""
    classes = classes_of(model)
    if n_outputs > 1 and classes is not None and len({str(c) for c in classes}) == len(classes) == n_outputs:
        return tuple(str(c) for c in classes)
    return ("y",) if n_outputs == 1 else tuple(f"y{p}" for p in range(n_outputs))


def _direction(derivatives: Derivatives, query: Query) -> Array:
    """The derivative of the point prediction in each term, (rows, outputs · terms); NaN for groups and levels."""
    with np.errstate(over="ignore", invalid="ignore"):
        direction = query.terms.of_columns(first_of_prediction(derivatives) * query.units, np.nan)
    for contrast in derivatives.contrasts:  # levels have no direction, unless they are two numbers
        d = contrast.column
        up: Array | float = np.nan
        if d in query.two_valued:
            up = 0.0  # with one value nothing rises
            if len(contrast.levels) == 2:
                low, high = (level.prediction() for level in contrast.levels)
                up = (high - low) * query.units[d]
        direction[..., query.terms.of_column(d)] = up
    return direction.reshape(len(direction), -1)


def _beside(parts: Mapping[str, Array], like: Array) -> Array:
    """Parts side by side, (rows, parts · values); no columns without parts."""
    return np.concatenate([np.empty((len(like), 0)), *parts.values()], axis=1)
