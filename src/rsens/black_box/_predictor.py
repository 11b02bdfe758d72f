"""A model as the black-box methods see it: a function from rows of numbers to predictions that counts its calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from math import prod
from typing import Any

import numpy as np

from rsens._coding import Coding
from rsens._errors import InputError
from rsens._table import Table
from rsens._typing import Array, Positions
from rsens.derivatives import Model, prepare
from rsens.measures import Terms

#: Rows (…, D) with level codes in categorical columns, in; numbers per row, out.
OfRows = Callable[[Array], Array]
#: Columns, their values (m, columns) and rows (n, D), in; the predictions averaged over the rows (m, P), or None, out.
OfColumns = Callable[[tuple[int, ...], Array, Array], Array | None]
#: Why some methods cannot answer.
NO_TARGETS = "this method compares predictions with the targets, and y is None. Give y."
#: The model predicts at most about this many rows at once.
MOST_ROWS = 2**18


@dataclass(frozen=True, eq=False)
class Grouping:
    """The terms, the predictor of all columns, and the joint values (m, columns), in units, by number."""

    terms: Terms
    whole: Predictor
    coordinates: dict[int, Array]


@dataclass(eq=False)
class Predictor:
    """The rows to explain, and a model that predicts at these rows or at rows made from them.

    A method makes blocks of rows (…, m, D) and asks for all of them at once. Every leading index is one question: a
    model with random errors can draw new ones for each. `evaluations` counts the rows.
    """

    values: Array  # (n, D), with level codes in categorical columns
    predictions: OfRows  # (…, P), multiplied by the family's `output_weight`: a method sums over the P outputs
    log_densities: OfRows | None = None  # blocks (…, n, D) to log p(y_i | x_i) (…, n) of the n targets
    coding: Coding | None = None
    names: tuple[str, ...] = ()
    averages: OfColumns | None = None  # the model's own closed form of `partial_dependence`, if it has one
    grouping: Grouping | None = None  # where some columns are groups of columns
    evaluations: int = field(default=0, init=False)

    @classmethod
    def of(cls, model: Model, table: Table, log_densities: Callable[[Any], Array] | None = None) -> Predictor:
        """The model at the rows of a table. `log_densities` takes as many rows as the table has, of its type."""
        model = prepare(model, table)
        n, columns = table.values.shape
        weight = cache(lambda: model.predict_distribution(table.rows(0, 1)).output_weight)
        most = max(1, model.rows_per_chunk(columns, 1))

        def predictions(blocks: Array) -> Array:
            rows = blocks.reshape(-1, columns)
            parts = [model.predict_point(table.like(rows[k : k + most])) for k in range(0, len(rows), most)]
            points = weight() * np.concatenate(parts)
            if not np.isfinite(points).all():
                raise InputError("the model predicts a number that is not finite at rows made from the rows of X.")
            return points.reshape(*blocks.shape[:-1], points.shape[1])

        def densities(blocks: Array) -> Array:
            assert log_densities is not None
            each = blocks.reshape(-1, n, columns)
            return np.stack([log_densities(table.like(rows)) for rows in each]).reshape(blocks.shape[:-1])

        def averages(of: tuple[int, ...], at: Array, rows: Array) -> Array | None:
            closed = model.partial_dependence(of, at, table.like(rows))
            return None if closed is None else weight() * closed

        of_targets = None if log_densities is None else densities
        return cls(table.values, predictions, of_targets, table.coding, table.names, averages)

    def predict(self, blocks: Array) -> Array:
        """The point predictions (…, P) at the rows (…, D)."""
        self.evaluations += prod(blocks.shape[:-1])
        return self.predictions(blocks)

    def predict_columns(self, blocks: Array) -> Array:
        """The same at rows with all columns of the groups."""
        assert self.grouping is not None  # else every column is one of X
        self.evaluations += prod(blocks.shape[:-1])
        return self.grouping.whole.predictions(blocks)

    def with_column(self, column: int, values: Array, rows: Array) -> Array:
        """The predictions (m, n, P) with `column` set to each of m values (m, n) or (m, 1), each one question."""
        parts = [self.predict(_blocks(rows, column, some)) for some in _batches(values, len(rows))]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def partial_dependence(self, columns: tuple[int, ...], at: Array, rows: Array) -> Array:
        """The predictions with `columns` held at each of the values `at` (m, columns), averaged over the rows: (m, P).

        Every value is one question of n rows, so there are m·n evaluations; a closed form counts as m.
        """
        closed = None if self.averages is None else self.averages(columns, at, rows)
        if closed is not None:
            self.evaluations += len(at)
            return closed
        batches = _batches(at[:, None, :], len(rows))
        return np.concatenate([self.predict(_blocks(rows, list(columns), some)).mean(axis=1) for some in batches])

    def log_density(self, blocks: Array) -> Array:
        """log p(y_i | x_i) at blocks of n rows (…, n, D), shape (…, n)."""
        if self.log_densities is None:
            raise InputError(NO_TARGETS)
        self.evaluations += prod(blocks.shape[:-1])
        return self.log_densities(blocks)

    @property
    def categorical(self) -> tuple[int, ...]:
        """Positions of the categorical columns."""
        return () if self.coding is None else self.coding.categorical

    @property
    def continuous(self) -> tuple[int, ...]:
        """Positions of the other columns."""
        return tuple(range(self.values.shape[1])) if self.coding is None else self.coding.continuous

    @property
    def grouped(self) -> tuple[int, ...]:
        """Positions of the columns that are groups: they hold numbers of joint values, which have no order."""
        return () if self.grouping is None else self.grouping.terms.grouped

    def numbers(self) -> tuple[Array, dict[int, tuple[int, ...]]]:
        """The rows without categorical columns, with all columns of groups; and the places of each column in them."""
        if self.grouping is None:
            return self.values[:, list(self.continuous)], {d: (k,) for k, d in enumerate(self.continuous)}
        members = [self.grouping.terms.members[d] for d in self.continuous]
        ends = np.cumsum([0, *map(len, members)]).tolist()
        places = {d: tuple(range(ends[k], ends[k + 1])) for k, d in enumerate(self.continuous)}
        return self.grouping.whole.values[:, [column for columns in members for column in columns]], places

    def check_rows(self, method: str) -> None:
        """An `InputError` for one row: black-box methods exchange values between rows."""
        if len(self.values) < 2:
            raise InputError(f"{method} compares the rows of X with each other, and X has one row. Give at least two.")


def _batches(values: Array, n_rows: int) -> list[Array]:
    """The values, as many at a time as go with n rows each."""
    most = max(1, MOST_ROWS // n_rows)
    return [values[k : k + most] for k in range(0, len(values), most)]


def _blocks(rows: Array, columns: int | list[int], values: Array) -> Array:
    """The rows once for each of the m values, which take the place of the columns: (m, n, D)."""
    blocks = np.repeat(rows[None], len(values), axis=0)
    blocks[:, :, columns] = values
    return blocks


def sample_rows(rows: Array, most: int | None, rng: np.random.Generator) -> Array:
    """The rows, or a random `most` of them if there are more, in their order."""
    return rows[sample_positions(len(rows), most, rng)]


def sample_positions(n: int, most: int | None, rng: np.random.Generator) -> Positions:
    """The positions of these rows among n."""
    if most is None or n <= most:
        return np.arange(n)
    return np.sort(rng.choice(n, most, replace=False))


def over_pairs(n_columns: int, value: Callable[[int, int], float]) -> Array:
    """The value of every pair of columns d < e, as a symmetric (D, D) with a zero diagonal."""
    values = np.zeros((n_columns, n_columns))
    for d, e in combinations(range(n_columns), 2):
        values[d, e] = values[e, d] = value(d, e)
    return values
