"""What is asked of a model, apart from the rows: the terms, their units, the weights, and whether pairs are wanted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rsens._arguments import megabytes, one_of
from rsens._errors import Argument, InputError
from rsens._explain._limits import check_pair_columns
from rsens._table import Table
from rsens._typing import Array
from rsens.measures import Terms, check_groups, column_units, deviations_of

#: The square of this, added up over rows, fits in float64.
LARGEST_ROOT = 1e145
#: With `pairs="auto"`, the most columns for which pairs are computed.
AUTO_PAIRS_COLUMNS = 30


@dataclass(frozen=True)
class Query:
    """D columns, n rows."""

    terms: Terms
    units: Array  # (D,)
    deviations: Array  # (D,) standard deviations; of contrast columns √(P(two rows differ)/2)
    weights: Array  # (n,), adding up to 1
    alpha: float
    aggregate: str  # "mean" or "rms"
    pairs: bool
    max_bytes: int
    categorical: tuple[int, ...] = ()  # positions of contrast columns: categorical, or numeric with two values
    two_valued: tuple[int, ...] = ()  # positions of the numeric ones among them

    def check_squares(self, values: Array | None) -> None:
        """An error if the root mean square of local values is asked for, and their squares do not fit in float64."""
        largest = 0.0 if values is None or self.aggregate != "rms" else float(values.max(initial=0.0))
        if largest > LARGEST_ROOT:
            raise InputError(
                Argument("aggregate", "rms"),
                f" squares the values, and the square of {largest:.2g} does not fit in float64. Use ",
                Argument("aggregate", "mean"),
                ", or give y or the columns in other units.",
            )


def query_of(
    model: Any,
    table: Table,
    training: Array | None,
    *,
    groups: Any,
    scale: Any,
    weights: Array,
    alpha: float,
    aggregate: str,
    pairs: Any,
    keep_local_pairs: Any,
    max_memory_mb: Any,
) -> Query:
    """The arguments of `explain`, checked against the rows, whose two-valued columns are contrasts by now."""
    one_of(aggregate, "aggregate", ("mean", "rms"))
    deviations = deviations_of(model, table, training, weights)
    terms = Terms.of(groups, table.names)
    check_groups(terms, table)
    levels = () if table.coding is None else table.coding.columns
    return Query(
        terms=terms,
        units=column_units(scale, deviations, table.names, stacklevel=4).copy(),
        deviations=deviations,
        weights=weights,
        alpha=alpha,
        aggregate=aggregate,
        pairs=_wants_pairs(pairs, keep_local_pairs, len(table.names)),
        max_bytes=megabytes(max_memory_mb, "max_memory_mb"),
        categorical=tuple(column.position for column in levels),
        two_valued=tuple(column.position for column in levels if column.numeric),
    )


def _wants_pairs(pairs: Any, keep_local_pairs: Any, n_columns: int) -> bool:
    one_of(pairs, "pairs", (True, False, "auto"))
    one_of(keep_local_pairs, "keep_local_pairs", (True, False))
    if pairs is False and keep_local_pairs:
        raise InputError(
            Argument("keep_local_pairs", True),
            " needs pairs; got ",
            Argument("pairs", False),
            ". Leave out one of the two.",
        )
    if keep_local_pairs or pairs is True:
        check_pair_columns(n_columns, Argument("keep_local_pairs" if keep_local_pairs else "pairs", True))
    return bool(keep_local_pairs or pairs is True or (pairs == "auto" and n_columns <= AUTO_PAIRS_COLUMNS))
