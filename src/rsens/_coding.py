"""Categorical columns: their levels, how often each occurs, and level codes 0, 1, … in place of labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from numbers import Real
from typing import Any

import numpy as np

from rsens._errors import Argument, InputError
from rsens._table import (
    Table,
    as_array,
    as_pandas,
    check_whole_text,
    column_of,
    column_positions,
    columns_of_labels,
    factorized,
    holds_labels,
    is_frame,
    is_pandas,
    plain,
    read_columns,
    series_of,
)
from rsens._text import first_few
from rsens._typing import Array, Positions

#: A text column with more levels than this, and a new one in more than half of the rows, is taken for a mistake.
MOST_UNNAMED_LEVELS = 20

#: Names or positions of categorical columns; a mapping also gives the levels, or None for the levels that occur.
Categorical = Iterable[str | int] | Mapping[str | int, Any] | None


@dataclass(frozen=True, eq=False)
class Levels:
    """One categorical column: its labels by code (numbers, if `numeric`), and the share of the rows that has each."""

    position: int
    name: str
    labels: tuple[Any, ...]
    frequencies: Array
    numeric: bool = False

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def numbers(self) -> Array:
        """The levels as numbers: the labels themselves if they are numbers, else the codes."""
        if all(isinstance(label, Real | np.bool_) for label in self.labels):
            return np.array([float(label) for label in self.labels])
        return np.arange(float(len(self.labels)))

    def codes(self, column: Any, what: str) -> Array:
        """The level code of every row, as floats; missing and unknown labels are errors."""
        found, labels = factorized(column)
        _check_complete(found, self.name, what)
        known = {label: code for code, label in enumerate(self.labels)}
        unknown = [label for label in labels if label not in known]
        if unknown:
            row = int(np.flatnonzero(found == labels.index(unknown[0]))[0])
            names = {str(label): label for label in self.labels}
            near = get_close_matches(str(unknown[0]), names, 1)  # "1" for 1, or a slip of the pen
            raise InputError(
                Argument(what),
                f": column {self.name!r} has the level {unknown[0]!r} at row {row}, which is not known. Known levels: "
                f"{first_few(list(map(repr, self.labels)))}.{f' Did you mean {names[near[0]]!r}?' if near else ''}",
            )
        return np.array([known[label] for label in labels], dtype=np.float64)[found]


@dataclass(frozen=True, eq=False)
class Coding:
    """The categorical columns of a table with columns `names`; empty, and false, if all are numbers."""

    names: tuple[str, ...]
    columns: tuple[Levels, ...]

    @classmethod
    def of(
        cls,
        X: Any,
        categorical: Categorical | Coding = None,
        *,
        weights: Any = None,
        keep_unused: bool = False,
        what: str = "X",
    ) -> Coding:
        """The categorical columns of X: found by their type in a data frame, or named by `categorical`.

        `keep_unused` keeps categories that do not occur, so that codes do not depend on which rows are given.
        """
        if isinstance(categorical, Coding):
            return categorical
        X = X.source if isinstance(X, Table) else as_pandas(X, what)
        if not is_frame(X):
            if categorical is None:  # numbers, or an error when they are read
                width = np.shape(X)[1] if hasattr(X, "shape") and len(np.shape(X)) == 2 else 0
                return cls(tuple(f"x{d}" for d in range(width)), ())
            X = as_array(X, what, labels=True)
        names = tuple(map(str, X.columns)) if is_frame(X) else tuple(f"x{d}" for d in range(X.shape[1]))
        positions = [] if categorical is None else column_positions(categorical, names, "categorical")
        given = categorical.values() if isinstance(categorical, Mapping) else [None] * len(positions)
        named = dict(zip(positions, given, strict=True))
        columns = []
        for d in sorted({*named, *columns_of_labels(X)}):
            levels = _levels(column_of(X, d), d, names[d], named.get(d), weights, keep_unused, what)
            if d not in named:
                _check_no_identifier(levels, column_of(X, d), what)
            columns.append(levels)
        return cls(names, tuple(columns))

    def __len__(self) -> int:
        return len(self.columns)

    def __getitem__(self, position: int) -> Levels:
        return next(column for column in self.columns if column.position == position)

    @property
    def categorical(self) -> tuple[int, ...]:
        return tuple(column.position for column in self.columns)

    @property
    def continuous(self) -> tuple[int, ...]:
        return tuple(d for d in range(len(self.names)) if d not in self.categorical)

    def read(self, X: Any, *, what: str = "X") -> Table:
        """The rows X as numbers, with level codes in the categorical columns, or an `InputError`."""
        if isinstance(X, Table):
            if X.coding is self:
                return X
            X = X.source
        table = read_columns(X, what, {c.position: partial(c.codes, what=what) for c in self.columns}, self)
        if self.columns and len(table.names) != len(self.names):
            raise InputError(
                Argument(what),
                f" must have the {len(self.names)} columns {first_few([repr(name) for name in self.names])}; "
                f"got {len(table.names)}.",
            )
        return table

    def numbers(self, codes: Array) -> Array:
        """Rows with level codes (n, D) as rows for a function of numbers; see `Levels.numbers`."""
        numbers = codes.copy()
        for column in self.columns:
            numbers[:, column.position] = column.numbers[codes[:, column.position].astype(np.intp)]
        return numbers

    def labelled(self, codes: Array, source: Any) -> Any:
        """Rows with level codes (m, D) as rows with labels, in the type of `source`: a data frame or an array."""
        if is_pandas(source):
            import pandas as pd

            columns = {name: self.column(codes[:, d], d, source) for d, name in enumerate(source.columns)}
            return pd.DataFrame(columns, columns=source.columns)
        if all(isinstance(label, Real) for c in self.columns for label in c.labels):
            return self.numbers(codes)
        rows = codes.astype(object)
        for column in self.columns:
            rows[:, column.position] = [column.labels[int(code)] for code in codes[:, column.position]]
        return rows

    def column(self, codes: Array, position: int, source: Any) -> Any:
        """Values of one column as a pandas Series of a categorical or a numeric type."""
        import pandas as pd

        if position not in self.categorical:
            return pd.Series(codes)
        if self[position].numeric:
            return pd.Series(self[position].numbers[codes.astype(np.intp)])
        labels = [self[position].labels[int(code)] for code in codes]
        own = is_pandas(source) and holds_labels(source, position)
        dtype = source.iloc[:, position].dtype if own else pd.CategoricalDtype(list(self[position].labels))
        return series_of(labels, dtype, None)

    def switched(self, rows: Any, levels: Mapping[int, int]) -> Any:
        """Rows of a data frame or array with columns set to levels: {position: level code}."""
        labels = {position: self[position].labels[code] for position, code in levels.items()}
        if is_pandas(rows):
            columns = {
                name: series_of([labels[d]] * len(rows), rows.iloc[:, d].dtype, rows.index)
                if d in labels
                else rows[name]
                for d, name in enumerate(rows.columns)
            }
            return type(rows)(columns, index=rows.index)
        # A type that holds the labels: text arrays would cut them, arrays of whole numbers would round them.
        wide = object if rows.dtype.kind in "OUS" else np.result_type(rows.dtype, *map(np.asarray, labels.values()))
        rows = rows.astype(wide)
        for position, label in labels.items():
            rows[:, position] = label
        return rows


def _levels(column: Any, position: int, name: str, given: Any, weights: Any, keep_unused: bool, what: str) -> Levels:
    codes, found = factorized(column)
    _check_complete(codes, name, what)
    infinite = [label for label in found if isinstance(label, float) and not np.isfinite(label)]
    if infinite:
        raise InputError(
            Argument(what), f": the categorical column {name!r} has the level {infinite[0]}. Drop these rows."
        )
    counts = np.bincount(codes, weights=None if weights is None else np.asarray(weights, dtype=np.float64))
    used = {label: float(count) for label, count in zip(found, counts, strict=True)}
    if given is not None:
        labels = _given_levels(given, name, list(used), what)
    elif hasattr(column, "cat"):
        labels = [label for label in map(plain, column.cat.categories) if keep_unused or label in used]
    else:
        try:
            labels = sorted(used)
        except TypeError:  # the labels cannot be sorted: in order of appearance
            labels = list(used)
    for label in labels:
        check_whole_text(label, what, "level")
    total = sum(used.values()) or 1.0  # no rows: an error when they are read
    return Levels(position, name, tuple(labels), np.array([used.get(label, 0.0) / total for label in labels]))


def _given_levels(given: Any, name: str, used: list[Any], what: str) -> list[Any]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputError(Argument("categorical"), f": the levels of {name!r} must be a list; got {given!r}.")
    labels = [plain(label) for label in given]
    unknown = [repr(label) for label in used if label not in labels]
    if len(set(labels)) != len(labels) or unknown:
        wrong = f"{what} also has {first_few(unknown)}" if unknown else "some are listed twice"
        raise InputError(Argument("categorical"), f": list every level of {name!r} once; {wrong}.")
    return labels


def _check_complete(codes: Positions, name: str, what: str) -> None:
    missing = codes < 0
    if missing.any():
        raise InputError(
            Argument(what),
            f": the categorical column {name!r} has {int(missing.sum())} missing values, the first at row "
            f"{int(missing.argmax())}. Drop these rows, or give them a level such as 'unknown'.",
        )


def _check_no_identifier(levels: Levels, column: Any, what: str) -> None:
    """An error for names and keys, which rarely repeat: their levels cannot be compared."""
    used = int(np.count_nonzero(levels.frequencies))
    if not hasattr(column, "cat") and used > MOST_UNNAMED_LEVELS and 2 * used > len(column):
        raise InputError(
            Argument(what),
            f": the text column {levels.name!r} has {used} different values in {len(column)} rows, like an "
            "identifier. Drop it, or give ",
            Argument("categorical", [levels.name]),
            " if you mean its levels.",
        )
