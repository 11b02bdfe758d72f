"""Explanations of parts of the rows, joined to the one of all rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from rsens._explain._asked_model import AskedModel
from rsens._explain._carried import carried_over
from rsens._explain._explanation import Explanation
from rsens._explain._mergeable import Mergeable, read_parts
from rsens._explain._pieces import Piece, RowLook, join
from rsens._explain._reading import ReadRows
from rsens._explain._rows import Rows, index_together
from rsens._explain._stretches import Stretches
from rsens._explain._sums import Sums
from rsens._explain._values import Averages
from rsens._typing import Positions


def kept_for_merging(piece: Piece, look: RowLook, reading: ReadRows, first_row: int, n: int) -> dict[str, Any]:
    """The parts of an explanation that `merge` needs."""
    return {
        "sums": piece.averages.sums,
        "subgroup_sums": piece.subgroups,
        "stretches": Stretches.of(first_row, first_row + n, look.seed),
        "asked": AskedModel.of(look.source, reading.training_table, look.query.units),
    }


def merge(explanations: Iterable[Explanation]) -> Explanation:
    """See `Explanation.merge`."""
    parts = read_parts(explanations)
    first, level = parts[0], parts[0].setup.level
    stretches = [part.stretches for part in parts]
    together, order = Stretches.together(stretches), Stretches.order(stretches)
    whole = join(_pieces_of(parts))
    averages = _in_order(whole.averages, order)
    sums = averages.sums
    values, subgroups = averages.values, None
    if whole.subgroups is not None:
        has_intervals = first.explanation._intervals is not None
        subgroups = whole.subgroups.subgroups(averages.squared, level if has_intervals else None)
    effects = first.effects.over_rows(whole.effects, sums.sum_rows, level)
    given = [part.explanation for part in parts]
    indices = [e._index for e in given]
    rows = Rows.together(
        [e._rows for e in given], indices, order, [part.sums.share_in(sums.sum_weight) for part in parts]
    )  # fmt: skip
    return Explanation(
        setup=first.setup,
        values=values,
        posterior=whole.posterior,
        subgroups=subgroups,
        rows=rows,
        index=rows.index if rows.extrapolation is None else index_together(indices, order),
        sums=sums,
        subgroup_sums=whole.subgroups,
        stretches=together,
        asked=first.asked,
        model=next((e.model for e in given if e.model is not None), None),
        **carried_over(given, values, averages.intervals(level), effects),
    )


def _pieces_of(parts: Sequence[Mergeable]) -> list[Piece]:
    """What each explanation found over its rows. Beside intervals from refits, the bootstrap may be another or none."""
    alike = len({part.sums.n_bootstrap for part in parts}) == 1
    return [_piece_of(part, part.sums if alike else part.sums.without_replicates()) for part in parts]


def _piece_of(part: Mergeable, sums: Sums) -> Piece:
    values, posterior = part.values, part.explanation._posterior
    averages = Averages(
        family=values.family,
        outputs=values.outputs,
        part_names=values.part_names,
        pair_part_names=() if values.pair_parts is None else values.names_of_parts(2),
        squared=part.setup.aggregate == "rms",
        sums=sums,
        local_main=values.local_main,
        local_pairs=values.local_pairs,
    )
    return Piece(
        averages=averages,
        stated=part.effects.stated,
        lines=tuple(part.effects.keys),
        draw_weights=None if posterior is None else posterior.posterior_weights,
        subgroups=part.subgroups,
    )


def _in_order(averages: Averages, order: Positions | None) -> Averages:
    """With the values of single rows by the number of the row."""
    if averages.local_main is None or order is None:
        return averages
    pairs = averages.local_pairs
    return replace(
        averages, local_main=averages.local_main[order], local_pairs=None if pairs is None else pairs[order]
    )  # fmt: skip
