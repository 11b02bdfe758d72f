"""What is asked of a model: terms, units, weights, pairs; and what refits and tests work with (`Context`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rsens._arguments import one_of
from rsens._contents import OwnOrder
from rsens._errors import Argument, InputError
from rsens._files import Checkpoint
from rsens._frames import as_pandas
from rsens._progress import Progress
from rsens._refits import take_rows
from rsens._results import Part, stored
from rsens._table import Table
from rsens._typing import Array, Positions
from rsens.adapters import as_contrasts, read_for, two_valued
from rsens.derivatives import Model, prepare, rows_of
from rsens.measures import Terms, check_groups, check_weights, column_units, deviations_of, training_inputs

#: What pairs are measured on: the parameters of the family, as the paper has it, or the scale where a model adds up.
PAIR_SCALES = ("parameters", "link")
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
    pairs: bool
    categorical: tuple[int, ...] = ()  # positions of contrast columns: categorical, or numeric with two values
    two_valued: tuple[int, ...] = ()  # positions of the numeric ones among them


def query_of(
    model: Any,
    table: Table,
    training: Array | None,
    *,
    groups: Any,
    scale: Any,
    weights: Array,
    alpha: float,
    pairs: bool,
) -> Query:
    """The arguments of `explain`, checked against the rows, whose two-valued columns are contrasts by now."""
    deviations = deviations_of(model, table, training, weights)
    terms = Terms.of(groups, table.names)
    check_groups(terms, table)
    levels = () if table.coding is None else table.coding.columns
    return Query(
        terms=terms,
        units=column_units(scale, deviations, table.names).copy(),
        deviations=deviations,
        weights=weights,
        alpha=alpha,
        pairs=pairs,
        categorical=tuple(column.position for column in levels),
        two_valued=tuple(column.position for column in levels if column.numeric),
    )


def read_keep_local(keep_local: Any, keep_local_pairs: Any, pairs: Any) -> bool | None:
    """Whether to keep values of single rows, the arguments of `explain` checked; None for "auto"."""
    one_of(keep_local, "keep_local", (True, False, "auto"))
    one_of(keep_local_pairs, "keep_local_pairs", (True, False))
    one_of(pairs, "pairs", (True, False, "auto"))
    needed = {"pairs": (pairs, "needs pairs"), "keep_local": (keep_local, "keeps values of single rows")}
    for name, (given, why) in needed.items():
        if keep_local_pairs and given is False:
            got = Argument(name, False)
            raise InputError(Argument("keep_local_pairs", True), f" {why}; got ", got, ". Leave out one of the two.")
    return None if keep_local == "auto" and not keep_local_pairs else keep_local is not False


def wants_pairs(pairs: Any, keep_local_pairs: bool, n_columns: int) -> bool:
    """Whether pairs are computed; an error if they are asked for, and too many."""
    if keep_local_pairs or pairs is True:
        check_pair_columns(n_columns, Argument("keep_local_pairs" if keep_local_pairs else "pairs", True))
        return True
    return pairs == "auto" and n_columns <= AUTO_PAIRS_COLUMNS


#: Pairs of this many columns are 45,000; they and their parts take gigabytes above.
MOST_COLUMNS_OF_PAIRS = 300
#: The null level and intervals take about twenty refits, with so many columns and 100 rows a minute or two.
MOST_REFIT_COLUMNS = 3_000
#: Differences ask the model about twice as many rows as there are numbers in X, of all columns each.
MOST_COLUMNS_OF_DIFFERENCES = 5_000

#: What to do in `explain`.
WITHOUT_REFITS = (
    "Use fewer columns, or ",
    Argument("null", False),
    " and ",
    Argument("intervals", "rows"),
    ", which take the model as it is.",
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
    """An error for refits to too many columns; `way_out` says what to do instead."""
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

    alpha: float = stored("Order of the Rényi divergence.")
    level: float = stored("Level of the intervals.")
    scale: str = stored('Where the units come from: "sd", "raw" or "given".')
    columns: tuple[str, ...] = stored("The columns of X.")
    units: Array = stored("The unit in which each column is counted.", "columns")
    categorical: tuple[int, ...] = stored("Positions of the columns whose levels are compared.")
    two_valued: tuple[int, ...] = stored("Positions of the numeric ones among them, which have two values.")
    terms: tuple[str, ...] = stored("The terms: columns of X in their order, a group in the place of its first column.")
    members: tuple[tuple[int, ...], ...] = stored("Positions of the columns of each term.")
    pair_scale: str = stored(
        'What pairs are measured on: "parameters", or "link", the scale on which the model adds up.',
    )  # fmt: skip
    understood: str = stored(
        "What was understood of a model of another library: family, noise, how derivatives are made. Else empty.",
        default="",
    )  # fmt: skip


#: What random numbers of `explain` are for.
PROBES, FOLDS, INTERACTIONS = range(1, 4)


@dataclass(frozen=True, eq=False, kw_only=True)
class Context:
    """The model, the rows with their targets, what is asked of both, and how to work."""

    model: Any  # as it was given to `explain`
    source: Model
    table: Table  # its two-valued columns are contrasts
    y: Any
    query: Query
    order: OwnOrder  # does not depend on how rows and columns come: seeds draw in it
    n_jobs: int | None
    seed: np.random.SeedSequence
    progress: Progress
    keep: Checkpoint | None = None  # where finished refits are kept, and read from

    def taken(self, rows: Positions) -> Context:
        """The same for some of the rows."""
        weights, table = self.query.weights[rows], self.table
        return replace(
            self,
            table=Table(table.names, table.values[rows], take_rows(table.source, rows), table.coding),
            y=take_rows(self.y, rows),
            query=replace(self.query, weights=weights / weights.sum()),
            order=self.order.taken(rows),
        )


@dataclass(frozen=True, eq=False)
class ReadRows:
    """The model, and its rows: as it reads them, and with level codes in the columns that are compared as well."""

    source: Model
    plain: Table
    table: Table
    shares: Array  # (n,) the weights, adding up to 1
    training: Array | None  # (N, D) as in `plain`
    compared: tuple[int, ...]  # numeric columns of two values
    uncontrasted: Model  # the source before columns of two values were compared

    @classmethod
    def of(
        cls,
        model: Any,
        X: Any,
        *,
        training: Any = None,
        numeric: Iterable[str | int] = (),
        groups: Any = None,
        weights: Any = None,
        in_chunks: bool = False,
    ) -> ReadRows:
        """Read both; where X is the first of several chunks, all is decided on the training inputs instead."""
        source, plain, inputs, shares = _read(model, X, training, weights)
        if in_chunks and inputs is None:
            raise InputError(
                "Units, levels, columns of two values and extrapolation must be the same for all chunks. "
                f"They come from the inputs that the model was trained on, which {type(model).__name__} does not know. "
                "Pass them as ",
                Argument("training"),
                ", or any table that stands for all rows; or explain all rows at once, as one table in memory.",
            )
        rows = plain if not in_chunks or inputs is None else _table_of(inputs, plain)
        compared = two_valued(rows, inputs, numeric=numeric, grouped=Terms.of(groups, plain.names).grouped_columns)
        if in_chunks and inputs is not None:
            _check_two_values(plain, inputs, compared)
        counted, table = as_contrasts(source, plain, compared, training=inputs, weights=shares)
        return cls(counted, plain, table, shares, inputs, compared, source)

    def of_rows(self, X: Any) -> ReadRows:
        """The same for other rows of the same table, which count the same."""
        assert self.training is not None
        plain = rows_of(self.uncontrasted, X)
        _check_names(plain.names, self.plain.names, "X")
        _check_two_values(plain, self.training, self.compared)
        _, table = as_contrasts(self.uncontrasted, plain, self.compared, training=self.training)
        return replace(self, plain=plain, table=table, shares=check_weights(None, len(plain)))

    def prepared(self) -> Model:
        """The model prepared for the training inputs, whatever rows it is asked about."""
        assert self.training is not None
        plain = _table_of(self.training, self.plain)
        _, table = as_contrasts(self.uncontrasted, plain, self.compared, training=self.training)
        return prepare(self.source, table)


def read_compared(
    model: Any, X: Any, compared: tuple[int, ...], weights: Array | None = None
) -> tuple[Model, Table, Array | None]:
    """A model, rows in which these columns of two values are compared, and the training inputs if they are known."""
    source, table, training, _ = _read(model, X, None, weights)
    return *as_contrasts(source, table, compared, training=training, weights=weights), training


def _read(model: Any, X: Any, training: Any, weights: Any) -> tuple[Model, Table, Array | None, Array]:
    """The model that knows its levels, the rows, the training inputs if they are known, and the weights."""
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


def _table_of(values: Array, like: Table) -> Table:
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
