"""The records of one call of `explain`: a model with its rows (`Query`), and all else (`Context`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from rsens._contents import OwnOrder
from rsens._errors import Argument, InputError
from rsens._explain._subgroups import Division
from rsens._files import Checkpoint
from rsens._progress import Progress
from rsens._refits import Fit, take_rows
from rsens._results import Part, stored
from rsens._table import Table, as_pandas
from rsens._typing import Array, Positions
from rsens.adapters import as_contrasts, read_for, two_valued
from rsens.derivatives import Model, prepare, rows_of
from rsens.measures import Terms, check_groups, check_weights, column_units, deviations_of, training_inputs

#: With `pairs="auto"`, the most columns for which pairs are computed.
AUTO_PAIRS_COLUMNS = 30
#: Pairs of this many columns are 45,000; they and their parts take gigabytes above.
MOST_COLUMNS_OF_PAIRS = 300
#: The null level and intervals take about twenty refits: with 3,000 columns and 100 rows, a minute or two.
MOST_REFIT_COLUMNS = 3_000
#: Differences ask the model about twice as many rows as there are numbers in X, of all columns each.
MOST_COLUMNS_OF_DIFFERENCES = 5_000
#: Purposes of the random numbers of `explain`.
PROBES, FOLDS, INTERACTIONS = range(1, 4)

#: The edges of a step, from its first to its last; the parts between neighbouring edges hold rows.
Step = tuple[float, ...]
#: Which values of single rows are kept.
Keep = Literal["main", "pairs"] | None


@dataclass(frozen=True, eq=False)
class Arguments:
    """The arguments of `explain`."""

    model: Any
    X: Any
    y: Any = None
    pairs: bool | Literal["auto", "link"] = "auto"
    groups: Any = None
    numeric: Iterable[str | int] = ()
    clusters: Any = None
    by: Any = None
    weights: Any = None
    scale: Any = "sd"
    null: bool | Literal["auto"] = "auto"
    intervals: Any = "auto"
    keep_local: bool | Literal["auto", "pairs"] = "auto"
    random_state: Any = None
    n_jobs: int | None = None
    progress: Any = None
    refit: Any = None
    training: Any = None


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
    details: bool = False  # parts of pairs, and R-sens of each posterior draw: refits do not need them
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

    def rows(
        self, model: Any, X: Any, weights: Array | None = None
    ) -> tuple[Model, Table, Array | None, Array]:  # fmt: skip
        """The model, its rows, the training inputs if the model knows them, and weights that add up to 1."""
        source, plain, training, shares = read_rows(model, X, None, weights)
        counted = None if weights is None else shares
        return *as_contrasts(source, plain, self.compared, training=training, weights=counted), training, shares

    def query(self, model: Any, X: Any, weights: Array | None = None) -> Query:
        """The query for a model and its rows."""
        return self.asked(model, *self.rows(model, X, weights))

    def asked(self, model: Any, source: Model, table: Table, training: Array | None, shares: Array) -> Query:
        """The query for a model and rows that have been read."""
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


@dataclass(frozen=True, eq=False)
class ReadRows:
    """The rows of `explain`, before and after columns of two values are compared."""

    source: Model
    plain: Table
    reader: Reader
    query: Query

    @classmethod
    def of(cls, asked: Arguments, X: Any, *, in_chunks: bool) -> ReadRows:
        """Read the model and rows X; if they are the first of several chunks, the training inputs decide instead."""
        model, training, groups, scale = asked.model, asked.training, asked.groups, asked.scale
        source, plain, inputs, shares = read_rows(model, X, training, None if in_chunks else asked.weights)
        if in_chunks and inputs is None:
            raise InputError(
                "Units, levels, columns of two values and extrapolation must be the same for all chunks. "
                f"They come from the inputs that the model was trained on, which {type(model).__name__} does not know. "
                "Pass them as ",
                Argument("training"),
                ", or any table that represents all rows; or explain all rows at once, as one table in memory.",
            )
        rows = plain if not in_chunks or inputs is None else _table_of(inputs, plain)
        grouped = Terms.of(groups, plain.names).grouped_columns
        compared = two_valued(rows, inputs, numeric=asked.numeric, grouped=grouped)
        if in_chunks and inputs is not None:
            _check_two_values(plain, inputs, compared)
        contrasted, table = as_contrasts(source, plain, compared, training=inputs, weights=shares)
        reader = Reader(groups, scale, compared)
        query = reader.asked(model, contrasted, table, inputs, shares)
        if not isinstance(scale, str):  # refits have the same units
            reader = replace(reader, scale=query.units)
        if in_chunks or training is not None:  # for all rows that it may be asked about
            _, known = as_contrasts(source, _table_of(query.training, plain), compared, training=query.training)
            query = replace(query, source=prepare(contrasted, known), prepared=True)
        return cls(source, plain, reader, query)

    def further(self, X: Any, weights: Array) -> tuple[Table, Query]:
        """Further rows of the same table as the model reads them, and the query for them."""
        training, compared = self.query.training, self.reader.compared
        assert training is not None
        plain = rows_of(self.source, X)
        _check_names(plain.names, self.plain.names, "X")
        _check_two_values(plain, training, compared)
        _, table = as_contrasts(self.source, plain, compared, training=training)
        return plain, replace(self.query, table=table, weights=weights)


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


def check_pair_columns(n_columns: int, got: Argument) -> None:
    """An error for pairs of too many columns; `got` is the argument that asked for them."""
    if n_columns > MOST_COLUMNS_OF_PAIRS:
        raise InputError(
            got,
            f" asks for pairs, which are computed for at most {MOST_COLUMNS_OF_PAIRS} columns; got {n_columns:,} "
            f"columns, {n_columns * (n_columns - 1) // 2:,} pairs. Rank the columns without pairs first, and keep the "
            "leading ones.",
        )


def check_refit_columns(model: Any, n_columns: int, *way_out: str | Argument) -> None:
    """An error for refits to too many columns; `way_out` is the advice at its end."""
    if n_columns > MOST_REFIT_COLUMNS:
        raise InputError(
            f"{type(model).__name__} is refitted about twenty times, which takes too long with more than "
            f"{MOST_REFIT_COLUMNS:,} columns; got {n_columns:,}. ",
            *way_out,
        )


def check_difference_columns(by_differences: bool, n_columns: int) -> None:
    """An error for difference quotients in too many columns."""
    if by_differences and n_columns > MOST_COLUMNS_OF_DIFFERENCES:
        raise InputError(
            f"the derivatives of this model are differences of its predictions, which take too long with more than "
            f"{MOST_COLUMNS_OF_DIFFERENCES:,} columns; got {n_columns:,}. Use fewer columns, or a model with "
            "derivatives: from_jax, from_torch, or a model of rsens."
        )


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
    pair_scale: str = stored(
        'The scale of pairs: "parameters", or "link", the scale on which the model adds up.',
    )  # fmt: skip
    understood: str = stored(
        "Summary of a model of another library: family, noise, how derivatives are made. Else empty.", default="",
    )  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class Context:
    """One call of `explain`: the model, the rows with their targets, what is to be found, and how to work."""

    asked: Arguments
    chunks: Any  # the other rows, where X comes in chunks
    X: Any  # the table, or the first chunk
    y: Any
    rows: ReadRows
    query: Query
    level: float  # of intervals
    intervals: Literal["auto", "refits", "rows"] | bool  # "refits" are required, and "auto" tries them
    null: Literal["auto"] | bool  # True is required
    fit: Fit | None  # how to refit, if it is possible
    own_order: OwnOrder | None  # None where nothing is refitted or tested
    seed: np.random.SeedSequence
    n_jobs: int | None
    progress: Progress
    checkpoint: Checkpoint | None = None  # keeps finished refits

    @property
    def model(self) -> Any:
        """The model that was given."""
        return self.asked.model

    @property
    def order(self) -> OwnOrder:
        """The order of rows, columns and clusters that random numbers are drawn in, however they are sorted."""
        assert self.own_order is not None
        return self.own_order
