"""Subgroups of rows, for `explain(by=…)`: R-sens within each, and whether it differs from the other rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rsens._errors import Argument, InputError
from rsens._explain._values import PER_TERM, REFITS, ROWS, RowMoments, Spread, Sums
from rsens._results import Part, stored
from rsens._table import Table
from rsens._text import first_few
from rsens._typing import Array, Positions

if TYPE_CHECKING:
    from rsens._explain._explanation import Explanation
    from rsens._explain._refit_intervals import RefitValues


Label = str | int | float | bool
MAX_SUBGROUPS = 100
#: The most subgroups side by side.
MOST_SUBGROUPS = 6


@dataclass(frozen=True, eq=False, kw_only=True)
class Subgroups(Part):
    """R-sens within subgroups of rows."""

    subgroups: tuple[Label, ...] = stored("The labels of the subgroups, in their natural order.")
    subgroup_counts: NDArray[np.int64] = stored("Number of rows in each subgroup.", "subgroups")
    subgroup_values: Array = stored(
        "R-sens averaged within each subgroup, subgroups × terms; None without `by`.", "subgroups", "terms"
    )
    subgroup_rest: Array = stored("R-sens averaged over all other rows.", "subgroups", "terms")
    subgroup_intervals: Array | None = stored("Lower and upper ends of `by`.", 2, "subgroups", "terms", default=None)
    subgroup_differences: Array | None = stored(
        "Lower and upper ends of the difference between a subgroup and all other rows.",
        2, "subgroups", "terms", default=None,
    )  # fmt: skip
    subgroup_p_values: Array | None = stored(
        "How rarely chance alone gives a difference as large; None without refits.", "subgroups", "terms", default=None,
    )  # fmt: skip
    subgroup_interval_kind: str | None = stored('Source of these intervals: "refits" or "rows".', default=None)

    @classmethod
    def of(cls, sums: Sums, level: float | None) -> Subgroups | None:
        """Averages within subgroups and over all other rows, which are independent; None without subgroups."""
        cells = _cells(sums)
        labels = _in_order([name for name, cell in cells.items() if name is not None and cell.rows], sums.label_order)
        if not labels:
            return None
        for name in labels:
            if cells[name].weight == 0.0:
                raise InputError(
                    Argument("by"), f": all rows of the subgroup {name!r} have the weight 0. Leave them out of X."
                )
        inside, outside = [cells[name] for name in labels], [_rest(cells, name) for name in labels]
        values, rest = (np.array([cell.average for cell in side]) for side in (inside, outside))
        part = cls(
            subgroups=tuple(labels),
            subgroup_counts=np.array([cell.rows for cell in inside]),
            subgroup_values=values,
            subgroup_rest=rest,
        )
        if level is None:
            return part
        spreads = [[cell.spread for cell in side] for side in (inside, outside)]
        own, other = (
            Spread(np.array([s.error for s in side]), np.array([s.degrees for s in side])) for side in spreads
        )
        return replace(
            part,
            subgroup_intervals=np.maximum(own.around(values, level), 0.0),
            subgroup_differences=own.plus(other).around(values - rest, level),
            subgroup_interval_kind=ROWS,
        )

    def with_refits(self, rounds: Sequence[Sequence[RefitValues]], level: float) -> Subgroups:
        """The same with jackknife intervals and p-values from refits; NaN where a refit has no row of a subgroup."""
        seen = [np.array([refit.subgroups for refit in refits]) for refits in rounds]  # (K, 2, subgroups, terms)
        value = Spread.of_refits([each[:, 0] for each in seen])
        difference = Spread.of_refits([each[:, 0] - each[:, 1] for each in seen])
        apart = self.subgroup_values - self.subgroup_rest
        return replace(
            self,
            subgroup_intervals=np.maximum(value.around(self.subgroup_values, level), 0.0),
            subgroup_differences=difference.around(apart, level),
            subgroup_p_values=difference.p_values(apart),
            subgroup_interval_kind=REFITS,
        )


@dataclass(frozen=True)
class Division:
    """Which subgroup every row belongs to: `codes` are positions in `labels`, or −1 for rows that are in none."""

    labels: tuple[Label, ...]
    codes: Positions
    categories: tuple[Label, ...] | None = None  # all in their order, if it is known, also those that do not occur

    def taken(self, rows: Any) -> Division:
        """The same for some of the rows."""
        return replace(self, codes=self.codes[rows])

    def moments(self, local: Array, weights: Array) -> dict[Any, RowMoments]:
        """Sums of local values within each subgroup, by ("by", label), and of rows in none, by ("by", None)."""
        rows = [(name, self.codes == g) for g, name in enumerate(self.labels)] + [(None, self.codes < 0)]
        return {("by", name): RowMoments.of(local[some], weights[some]) for name, some in rows}


def within_and_rest(sums: Sums, labels: Sequence[Label]) -> Array:
    """Averages within each subgroup and over all other rows, (2, subgroups, terms); NaN where no row counts."""
    cells = _cells(sums)
    return np.array([[cells[name].average for name in labels], [_rest(cells, name).average for name in labels]])


def _cells(sums: Sums) -> dict[Label | None, RowMoments]:
    return {key[1]: cell for key, cell in sums.moments.items() if isinstance(key, tuple) and key[0] == "by"}


def _rest(cells: Mapping[Label | None, RowMoments], but: Label) -> RowMoments:
    return RowMoments.pooled([cell for name, cell in cells.items() if name != but])


def _in_order(labels: list[Any], categories: tuple[Label, ...] | None) -> list[Any]:
    """Categories in their order; other labels sorted, or as they appear if they have no order (text and numbers)."""
    try:
        return sorted(labels, key=None if categories is None else categories.index)
    except (TypeError, ValueError):
        return labels


def division_of(by: Any, X: Any, table: Table) -> Division:
    """The subgroup of every row: `by` is the name of a column of X or one label per row."""
    if isinstance(by, Division):
        return by
    n, wrong = len(table.values), partial(InputError, Argument("by"))
    if isinstance(by, str):
        if by not in table.names:
            raise wrong(f": X has no column {by!r}. It has {first_few(list(table.names))}. Or give one label per row.")
        by = _column(by, X, table)
    try:
        labels = pd.Series(by)
    except (TypeError, ValueError):
        raise wrong(f" must be a column of X or one label per row; got {type(by).__name__}.") from None
    if isinstance(by, bytes | dict) or len(labels) != n:
        raise wrong(f" must be a column of X or one label for each of the {n} rows; got {len(labels)}.")
    if missing := int(labels.isna().sum()):
        raise wrong(f" has no label for {missing} of {n} rows. Fill them in, for example with 'unknown'.")
    try:
        # Categories keep their order; other labels are sorted, or come as they appear if they have no order.
        found = pd.Categorical(labels).remove_unused_categories()
    except TypeError:  # lists or dicts
        kind = type(labels.iloc[0]).__name__
        raise wrong(f": labels must be text, numbers or truth values; got {kind}.") from None
    if (count := len(found.categories)) > MAX_SUBGROUPS:
        raise wrong(
            f" has {count} different labels, more than {MAX_SUBGROUPS}. Cut numbers into classes first, for example "
            "with pandas.qcut."
        )
    categories = tuple(map(plain_label, labels.cat.categories)) if hasattr(labels, "cat") else None
    return Division(tuple(map(plain_label, found.categories)), found.codes.astype(np.intp), categories)


def _column(name: str, X: Any, table: Table) -> Any:
    """The column in its given type (whole numbers stay whole), with the labels of its levels, or as numbers."""
    if table.coding is not None and not hasattr(X, "columns"):
        labels = table.coding.labelled(table.values, table.source)
        X = pd.DataFrame(labels, columns=list(table.names)).infer_objects()
    if hasattr(X, "columns") and hasattr(X, "iloc"):
        position = [str(column) for column in X.columns].index(name)
        return X.iloc[:, position].reset_index(drop=True)
    return table.values[:, table.names.index(name)]


def plain_label(value: Any) -> Label:
    """A label as text, number or truth value: these can be stored; anything else becomes its text."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating) and np.isfinite(value):
        return float(value)
    return str(value)


def by_frame(explanation: Explanation, part: Subgroups) -> pd.DataFrame:
    """One line per subgroup and term; subgroups in their order, the term that matters most over all rows first."""
    ranked = np.argsort(-explanation._values.main, kind="stable")
    shape = part.subgroup_values.shape
    unknown = np.full((2, *shape), np.nan)
    lower, upper = unknown if part.subgroup_intervals is None else part.subgroup_intervals
    less, more = unknown if part.subgroup_differences is None else part.subgroup_differences
    # Among values that could all be noise, p-values mean nothing.
    p = part.subgroup_p_values if explanation.intervals_hold else None
    tables = {
        "value": part.subgroup_values,
        "lower": lower,
        "upper": upper,
        "rest": part.subgroup_rest,
        "difference": part.subgroup_values - part.subgroup_rest,
        "difference_lower": less,
        "difference_upper": more,
        "p_value": unknown[0] if p is None else p,
    }
    frame = pd.DataFrame(
        {
            "subgroup": np.repeat(np.array(part.subgroups, dtype=object), shape[1]),
            "rows": np.repeat(part.subgroup_counts, shape[1]),
            "term": np.tile(np.array(explanation.names, dtype=object)[ranked], shape[0]),
            **{name: table[:, ranked].ravel() for name, table in tables.items()},
        }
    )
    frame["differs"] = (frame["p_value"] <= PER_TERM).astype("boolean").mask(frame["p_value"].isna())
    frame["interval_kind"] = pd.Series([part.subgroup_interval_kind] * len(frame), dtype=object)
    return frame
