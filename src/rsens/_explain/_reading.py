"""The model and the rows as `explain` sees them, and what is decided on the inputs that the model was trained on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rsens._errors import Argument, InputError
from rsens._frames import as_pandas
from rsens._table import Table
from rsens._typing import Array
from rsens.adapters import as_contrasts, read_for, two_valued
from rsens.derivatives import Model, prepare, rows_of
from rsens.measures import Terms, check_weights, training_inputs


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
        """Read both; the arguments are those of `explain`.

        Where X is the first of several chunks, nothing may depend on it: all is decided on the training inputs.
        """
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
