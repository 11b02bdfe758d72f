"""A model with rows that were read (`Query`), and how models and rows are read (`Reader`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rsens._errors import Argument, InputError
from rsens._explain._subgroups import Division
from rsens._refits import take_rows
from rsens._table import Table, as_pandas
from rsens._typing import Array, Positions
from rsens.adapters import as_contrasts, read_for, two_valued
from rsens.derivatives import Model, prepare, rows_of
from rsens.measures import Terms, check_groups, check_weights, column_units, deviations_of, training_inputs

if TYPE_CHECKING:
    from rsens._explain._context import Arguments

#: The edges of a step, from its first to its last; the parts between neighbouring edges hold rows.
Step = tuple[float, ...]
#: Which values of single rows are kept.
Keep = Literal["main", "pairs"] | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Query:
    """A model and rows (n, D) that were read, and the values to compute there."""

    source: Model
    table: Table  # has level codes also in numeric columns of two values, which are compared
    training: Array | None  # (N, D) the training inputs, where the model knows them
    weights: Array  # (n,), adding up to 1 over all rows
    terms: Terms
    units: Array  # (D,)
    deviations: Array  # (D,) standard deviations; of contrast columns √(P(two rows differ)/2)
    pairs: bool = False
    link: Callable[[Model], Model] | None = None  # makes a model of η, for pairs on the link scale
    steps: Mapping[int, Step] | None = None  # of effects; None for no effects
    details: bool = False  # parts of pairs, which refits do not need
    keep: Keep = None
    division: Division | None = None
    first_row: int = 0  # the number of the first row, for errors
    prepared: bool = False  # whether the model is prepared for more rows than these

    def __len__(self) -> int:
        return len(self.table)

    @property
    def categorical(self) -> tuple[int, ...]:
        """Positions of contrast columns: categorical, or numeric with two values."""
        return () if self.table.coding is None else self.table.coding.categorical

    @property
    def two_valued(self) -> tuple[int, ...]:
        """Positions of the numeric ones among them."""
        columns = () if self.table.coding is None else self.table.coding.columns
        return tuple(column.position for column in columns if column.numeric)

    def part(self, start: int, stop: int) -> Query:
        """The same for the rows from `start` to `stop`."""
        rows = slice(start, stop)
        return replace(
            self,
            table=self.table.part(start, stop),
            weights=self.weights[rows],
            division=None if self.division is None else self.division.taken(rows),
            first_row=self.first_row + start,
        )

    def taken(self, rows: Positions) -> Query:
        """The same for some of the rows."""
        table = self.table
        return replace(
            self,
            table=Table(table.names, table.values[rows], take_rows(table.source, rows), table.coding),
            weights=self.weights[rows],
            division=None if self.division is None else self.division.taken(rows),
        )

    def ready(self) -> Query:
        """The same with the model prepared for these rows, so that parts of them give the same numbers."""
        return self if self.prepared else replace(self, source=prepare(self.source, self.table), prepared=True)


@dataclass(frozen=True, eq=False)
class Reader:
    """Reads a model with its rows: refits, probes and single rows are read as the explained model was."""

    groups: Any = None
    scale: Any = "sd"
    compared: tuple[int, ...] = ()  # numeric columns of two values

    def rows(self, model: Any, X: Any, weights: Array | None = None) -> tuple[Model, Table, Array | None, Array]:
        """The model, its rows, the training inputs if the model knows them, and weights that add up to 1."""
        source, plain, training, shares = read_rows(model, X, None, weights)
        counted = None if weights is None else shares
        return *as_contrasts(source, plain, self.compared, training=training, weights=counted), training, shares

    def query(self, model: Any, source: Model, table: Table, training: Array | None, shares: Array) -> Query:
        """The query for a model with its `rows`."""
        terms, deviations = Terms.of(self.groups, table.names), deviations_of(model, table, training, shares)
        check_groups(terms, table)
        return Query(
            source=source,
            table=table,
            training=training,
            weights=shares,
            terms=terms,
            units=column_units(self.scale, deviations, table.names).copy(),
            deviations=deviations,
        )


def read_rows(model: Any, X: Any, training: Any, weights: Any) -> tuple[Model, Table, Array | None, Array]:
    """The model that knows its levels, the rows, the training inputs if they are known, and weights adding up to 1."""
    if training is None:
        source, plain = read_for(model, X)
        shares = check_weights(weights, len(plain))
        if weights is not None and plain.coding is not None:  # a function's levels are counted under the weights
            source, plain = read_for(model, X, shares)
        return source, plain, training_inputs(model, len(plain.names)), shares
    source, given = read_for(model, as_pandas(training, "training"))
    plain = rows_of(source, X)
    _check_names(given.names, plain.names, "training")
    known = training_inputs(model, len(plain.names))
    return source, plain, given.values if known is None else known, check_weights(weights, len(plain))


def read_first(asked: Arguments, X: Any, *, in_chunks: bool) -> tuple[Model, Table, Reader, Query]:
    """The model and rows X before numeric columns of two values are compared; how to read others; and the query.

    If X is the first of several chunks, the training inputs decide what depends on the rows.
    """
    source, plain, inputs, shares = read_rows(asked.model, X, asked.training, None if in_chunks else asked.weights)
    if in_chunks and inputs is None:
        raise InputError(
            "Units, levels, columns of two values and extrapolation must be the same for all chunks. They come from "
            f"the inputs that the model was trained on, which {type(asked.model).__name__} does not know. Pass them "
            "as ",
            Argument("training"),
            ", or any table that represents all rows; or explain all rows at once, as one table in memory.",
        )
    rows = plain if not in_chunks or inputs is None else _table_of(inputs, plain)
    grouped = Terms.of(asked.groups, plain.names).grouped_columns
    compared = two_valued(rows, inputs, numeric=asked.numeric, grouped=grouped)
    if in_chunks and inputs is not None:
        _check_two_values(plain, inputs, compared)
    contrasted, table = as_contrasts(source, plain, compared, training=inputs, weights=shares)
    reader = Reader(asked.groups, asked.scale, compared)
    query = reader.query(asked.model, contrasted, table, inputs, shares)
    if not isinstance(asked.scale, str):  # refits have the same units
        reader = replace(reader, scale=query.units)
    if in_chunks or asked.training is not None:  # for all rows that it may be asked about
        _, known = as_contrasts(source, _table_of(query.training, plain), compared, training=query.training)
        query = replace(query, source=prepare(contrasted, known), prepared=True)
    return source, plain, reader, query


def read_further(source: Model, compared: tuple[int, ...], query: Query, X: Any, weights: Array) -> tuple[Table, Query]:
    """Further rows of the same table as the model reads them, and the query for them."""
    assert query.training is not None
    plain = rows_of(source, X)
    _check_names(plain.names, query.table.names, "X")
    _check_two_values(plain, query.training, compared)
    _, table = as_contrasts(source, plain, compared, training=query.training)
    return plain, replace(query, table=table, weights=weights)


def _table_of(values: Any, like: Table) -> Table:
    return Table(like.names, values, like.like(values), like.coding)


def _check_names(found: tuple[str, ...], expected: tuple[str, ...], what: str) -> None:
    if found != expected:
        raise InputError(
            Argument(what),
            f" must have the columns {', '.join(map(repr, expected[:10]))} in this order; got "
            f"{', '.join(map(repr, found[:10]))}.",
        )


def _check_two_values(rows: Table, training: Array, compared: tuple[int, ...]) -> None:
    for d in compared:
        other = ~np.isin(rows.values[:, d], training[:, d])
        if other.any():
            raise InputError(
                f"The column {rows.names[d]!r} has two values in the training inputs, and "
                f"{rows.values[other, d][0]:g} in row {int(other.argmax())} of these rows. Pass ",
                Argument("numeric", [rows.names[d]]),
                ", for derivatives in place of a comparison of two values.",
            )
