"""Subgroups of rows, for `explain(by=…)`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rsens import _meaning as meaning
from rsens._errors import Argument, InputError
from rsens._explain._intervals import PER_TERM, REFITS, ROWS, Spread, jackknife
from rsens._files import label, number, number_or_nan, or_none, text, tuple_of, whole
from rsens._results import Part, stored
from rsens._table import Table
from rsens._text import aligned, counted, first_few, short
from rsens._text import number as number_text
from rsens._typing import Array, Flags, Positions

if TYPE_CHECKING:
    from rsens._explain._explanation import Explanation
    from rsens._explain._refit_intervals import RefitValues


Label = str | int | float | bool
MAX_SUBGROUPS = 100


@dataclass(frozen=True, eq=False, kw_only=True)
class Subgroups(Part):
    """R-sens within subgroups of rows."""

    subgroups: tuple[Label, ...] = stored("The labels of the subgroups, in their natural order.", tuple_of(label))
    subgroup_counts: NDArray[np.int64] = stored("Number of rows in each subgroup.", whole, "subgroups")
    subgroup_values: Array = stored(
        "R-sens averaged within each subgroup, subgroups × terms; None without `by`.", number, "subgroups", "terms"
    )
    subgroup_rest: Array | None = stored(
        "R-sens averaged over all other rows.", number_or_nan, "subgroups", "terms", optional=True, default=None
    )
    subgroup_intervals: Array | None = stored(
        "Lower and upper ends of `by`.", number_or_nan, 2, "subgroups", "terms", optional=True, default=None
    )
    subgroup_differences: Array | None = stored(
        "Lower and upper ends of the difference between a subgroup and all other rows.",
        number_or_nan, 2, "subgroups", "terms", optional=True, default=None,
    )  # fmt: skip
    subgroup_p_values: Array | None = stored(
        "How rarely chance alone gives a difference as large; None without refits.",
        number_or_nan, "subgroups", "terms", optional=True, default=None,
    )  # fmt: skip
    subgroup_interval_kind: str | None = stored(
        'What these intervals come from: "refits" or "rows".', or_none(text), default=None
    )


@dataclass(frozen=True)
class Division:
    """Which subgroup every row belongs to: `codes` are positions in `labels`, or −1 for rows that are in none."""

    labels: tuple[Label, ...]
    codes: Positions
    categories: tuple[Label, ...] | None = None  # those that do not occur included, in their order, if it is known


def average(local: Array, rows: Flags, weights: Array, aggregate: str) -> Array:
    """Weighted mean or root mean square of the local values of some rows; NaN where none of them counts."""
    share = np.where(rows, weights, 0.0)
    if not share.any():
        return np.full(local.shape[1], np.nan)
    share = share / share.sum()
    return np.asarray(np.sqrt(share @ local**2) if aggregate == "rms" else share @ local)


def division_of(by: Any, X: Any, table: Table) -> Division:
    """The subgroup of every row: `by` is the name of a column of X or one label per row."""
    import pandas as pd

    n = len(table.values)
    if isinstance(by, Division):
        return by
    if isinstance(by, str):
        if by not in table.names:
            raise InputError(
                Argument("by"),
                f": X has no column {by!r}. It has {first_few(list(table.names))}. Or give one label per row.",
            )
        by = _column(_with_labels(by, X, table), by, table.values[:, table.names.index(by)])
    try:
        labels = pd.Series(by)
    except (TypeError, ValueError):
        raise InputError(
            Argument("by"), f" must be a column of X or one label per row; got {type(by).__name__}."
        ) from None
    if isinstance(by, str | bytes | dict) or len(labels) != n:
        raise InputError(
            Argument("by"), f" must be a column of X or one label for each of the {n} rows; got {len(labels)}."
        )
    missing = int(labels.isna().sum())
    if missing:
        raise InputError(
            Argument("by"), f" has no label for {missing} of {n} rows. Fill them in, for example with 'unknown'."
        )
    try:
        codes, found = _factorize(labels)
    except TypeError:  # lists or dicts
        raise InputError(
            Argument("by"),
            f": labels must be text, numbers or truth values; got {type(labels.iloc[0]).__name__}.",
        ) from None
    if len(found) > MAX_SUBGROUPS:
        raise InputError(
            Argument("by"),
            f" has {len(found)} different labels, more than {MAX_SUBGROUPS}. Cut numbers into classes first, for "
            "example with pandas.qcut.",
        )
    categories = tuple(map(plain_label, labels.cat.categories)) if hasattr(labels, "cat") else None
    return Division(tuple(plain_label(each) for each in found), codes, categories)


def _with_labels(by: Any, X: Any, table: Table) -> Any:
    """X; as a data frame where it is an array whose column `by` is categorical, so that subgroups have its labels."""
    if table.coding is None or hasattr(X, "columns") or by not in table.names:
        return X
    import pandas as pd

    labels = table.coding.labelled(table.values, table.source)
    return pd.DataFrame(labels, columns=list(table.names)).infer_objects()


def plain_label(value: Any) -> Label:
    """A label as text, number or truth value: these can be stored; anything else becomes its text."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating) and np.isfinite(value):
        return float(value)
    return str(value)


def _column(X: Any, name: str, values: Array) -> Any:
    """The column as it was given (whole numbers stay whole), or as it was read."""
    if hasattr(X, "columns") and hasattr(X, "iloc"):
        position = [str(column) for column in X.columns].index(name)
        return X.iloc[:, position].reset_index(drop=True)
    return values


def _factorize(labels: Any) -> tuple[Positions, list[Any]]:
    """Codes and labels that occur; categories keep their order, others are sorted where they can be."""
    import pandas as pd

    if isinstance(labels.dtype, pd.CategoricalDtype):
        labels = labels.cat.remove_unused_categories()
        return labels.cat.codes.to_numpy(dtype=np.intp), list(labels.cat.categories)
    try:
        codes, found = pd.factorize(labels, sort=True)
    except TypeError:  # labels without an order: as they appear
        codes, found = pd.factorize(labels)
    return np.asarray(codes, dtype=np.intp), list(found)


# ---- Subgroups of rows as sums, so that those of other rows can be added: how many, their weight, mean and spread ----
# A subgroup keeps, with weights w_i that add up to 1 over all rows and r_i the local values (their squares under
# "rms"),
#
#     n, Σ w_i, c = Σ w_i r_i / Σ w_i, Σ w_i², Σ w_i² (r_i − c), Σ w_i² (r_i − c)².
#
# Sums around the mean lose no digits where rows hardly differ; `_pooled` moves them to a common mean, exactly.


@dataclass(frozen=True, eq=False, kw_only=True)
class SubgroupSums(Part):
    """One cell for each subgroup, those without rows included; the last, without a label, is for rows in none."""

    cell_labels: tuple[Label | None, ...] = stored(
        "The subgroups; null for rows in none of them.", tuple_of(or_none(label)), default=None
    )
    cell_rows: NDArray[np.int64] = stored("Number of rows.", whole, "cell_labels", default=None)
    cell_counted: NDArray[np.int64] = stored(
        "Number of rows with a weight above 0.", whole, "cell_labels", default=None
    )
    cell_weight: Array = stored("Their share of all weight.", number, "cell_labels", default=None)
    cell_mean: Array = stored("Weighted mean of the values.", number, "cell_labels", "terms", default=None)
    cell_squares: Array = stored("Sum of squared weights.", number, "cell_labels", default=None)
    cell_first: Array = stored(
        "Sum of squared weights times the distance from the mean.", number, "cell_labels", "terms",
        default=None,
    )  # fmt: skip
    cell_second: Array = stored(
        "Sum of squared weights times the squared distance.", number, "cell_labels", "terms", default=None
    )

    @classmethod
    def of(cls, local: Array, division: Division, weights: Array, squared: bool) -> SubgroupSums:
        """From local values (n, T) under weights that add up to 1."""
        values = local**2 if squared else local
        code = {name: g for g, name in enumerate(division.labels)} | {None: -1}
        labels = (*(division.labels if division.categories is None else division.categories), None)
        rows = [division.codes == code.get(name, len(code)) for name in labels]
        return cls._of(labels, [_Cell.of(values[some], weights[some]) for some in rows])

    def plus(self, other: SubgroupSums, share: float, other_share: float) -> SubgroupSums:
        """The subgroups of both, which have these shares of the weight of all rows."""
        mine, theirs = self._cells(share), other._cells(other_share)
        labels = _in_both_orders(self.cell_labels[:-1], other.cell_labels[:-1])
        cells = [_pooled([side[name] for side in (mine, theirs) if name in side]) for name in (*labels, None)]
        return self._of((*labels, None), cells)

    def subgroups(self, squared: bool, level: float | None) -> Subgroups:
        """Averages within each subgroup and over all other rows, with intervals over rows of this level."""
        cells = {name: cell for name, cell in self._cells(1.0).items() if cell.rows or name is None}
        labels = [name for name in cells if name is not None]
        for name in labels:
            if cells[name].weight == 0.0:
                raise InputError(
                    Argument("by"), f": all rows of the subgroup {name!r} have the weight 0. Leave them out of X."
                )
        inside = [cells[name] for name in labels]
        outside = [_pooled([cell for other, cell in cells.items() if other != name]) for name in labels]
        values, rest = (np.array([cell.average(squared) for cell in side]) for side in (inside, outside))
        part = Subgroups(
            subgroups=tuple(labels),
            subgroup_counts=np.array([cell.rows for cell in inside]),
            subgroup_values=values,
            subgroup_rest=rest,
        )
        if level is None:
            return part
        of_values = [cell.spread(squared) for cell in inside]
        apart = [a.plus(b.spread(squared)) for a, b in zip(of_values, outside, strict=True)]
        return replace(
            part,
            subgroup_intervals=np.maximum(_stacked(of_values).around(values, level), 0.0),
            subgroup_differences=_stacked(apart).around(values - rest, level),
            subgroup_interval_kind=ROWS,
        )

    @classmethod
    def _of(cls, labels: tuple[Label | None, ...], cells: Sequence[_Cell]) -> SubgroupSums:
        return cls(
            cell_labels=labels,
            cell_rows=np.array([cell.rows for cell in cells]),
            cell_counted=np.array([cell.counted for cell in cells]),
            cell_weight=np.array([cell.weight for cell in cells]),
            cell_mean=np.array([cell.mean for cell in cells]),
            cell_squares=np.array([cell.squares for cell in cells]),
            cell_first=np.array([cell.first for cell in cells]),
            cell_second=np.array([cell.second for cell in cells]),
        )

    def _cells(self, share: float) -> dict[Label | None, _Cell]:
        """The cells by label, with weights that add up to `share`."""
        return {
            name: _Cell(
                int(self.cell_rows[k]),
                int(self.cell_counted[k]),
                share * float(self.cell_weight[k]),
                self.cell_mean[k],
                share**2 * float(self.cell_squares[k]),
                share**2 * self.cell_first[k],
                share**2 * self.cell_second[k],
            )
            for k, name in enumerate(self.cell_labels)
        }


@dataclass(frozen=True, eq=False)
class _Cell:
    """The sums of some rows: see the top of this file."""

    rows: int
    counted: int
    weight: float
    mean: Array
    squares: float
    first: Array
    second: Array

    @classmethod
    def of(cls, values: Array, weights: Array) -> _Cell:
        total = float(weights.sum())
        mean = weights @ values / total if total > 0.0 else np.zeros(values.shape[1])
        away, w2 = values - mean, weights**2
        return cls(
            len(values), int(np.count_nonzero(weights)), total, mean, float(w2.sum()), w2 @ away, w2 @ away**2
        )  # fmt: skip

    def average(self, squared: bool) -> Array:
        """The mean, or root mean square; NaN where no row counts."""
        if self.weight == 0.0:
            return np.full(len(self.mean), np.nan)
        return np.sqrt(self.mean) if squared else self.mean

    def spread(self, squared: bool) -> Spread:
        """se² = n/(n − 1) Σ w_i² h_i² / (Σ w_i)², with h_i the influence of a row on the average of some rows."""
        n = self.counted
        if n < 2:
            return Spread.of(np.full(len(self.mean), np.nan), 1.0)
        error = np.sqrt(n / (n - 1) * self.second) / self.weight
        if squared:
            error = error / (2.0 * np.where(self.mean > 0.0, np.sqrt(self.mean), 1.0))
        return Spread.of(error, n - 1.0)


def _pooled(cells: Sequence[_Cell]) -> _Cell:
    """All rows of some cells as one: sums move from the mean of each to the mean of all."""
    weight = sum(cell.weight for cell in cells)
    mean = np.sum([cell.weight * cell.mean for cell in cells], axis=0) / (weight if weight > 0.0 else 1.0)
    moves = [cell.mean - mean for cell in cells]
    return _Cell(
        sum(cell.rows for cell in cells),
        sum(cell.counted for cell in cells),
        weight,
        mean,
        sum(cell.squares for cell in cells),
        np.sum([cell.first + by * cell.squares for cell, by in zip(cells, moves, strict=True)], axis=0),
        np.sum(
            [cell.second + 2.0 * by * cell.first + by**2 * cell.squares for cell, by in zip(cells, moves, strict=True)],
            axis=0,
        ),
    )


def _stacked(spreads: Sequence[Spread]) -> Spread:
    return Spread(np.array([each.error for each in spreads]), np.array([each.degrees for each in spreads]))


def _in_both_orders(first: Sequence[Label | None], second: Sequence[Label | None]) -> list[Label | None]:
    """All labels: sorted if both are, else in the order of the first, with others behind the one they follow."""
    if list(first) == list(second):
        return list(first)
    try:
        if sorted(first) == list(first) and sorted(second) == list(second):  # type: ignore[type-var]
            return sorted({*first, *second})  # type: ignore[type-var]
    except TypeError:  # text and numbers
        pass
    labels, place = list(first), 0
    for name in second:
        if name in labels:
            place = labels.index(name) + 1
        else:
            labels.insert(place, name)
            place += 1
    return labels


# ---- How far R-sens within a subgroup, and its difference from the other rows, vary between refits -------------------
# Every refit is evaluated within each subgroup of its own rows and outside of it, and both the values and the
# differences have the standard error of the jackknife. Intervals over rows are in `SubgroupSums`: there the model is
# taken as it is, and a subgroup and the other rows are independent.


def within_and_rest(local: Array, division: Division, weights: Array, aggregate: str) -> Array:
    """Averages within each subgroup and over all other rows, (2, subgroups, terms); NaN where no row counts."""
    numbers = range(len(division.labels))
    within = [average(local, division.codes == g, weights, aggregate) for g in numbers]
    return np.array([within, [average(local, division.codes != g, weights, aggregate) for g in numbers]])


def with_refit_intervals(part: Subgroups, rounds: Sequence[Sequence[RefitValues]], level: float) -> Subgroups:
    """The subgroups with intervals and p-values from refits; missing where a refit has no row of a subgroup."""
    seen = [np.array([refit.subgroups for refit in refits]) for refits in rounds]  # (K, 2, subgroups, terms)
    degrees = sum(len(refits) - 1 for refits in rounds)
    value = Spread.of(jackknife([each[:, 0] for each in seen]), degrees)
    difference = Spread.of(jackknife([each[:, 0] - each[:, 1] for each in seen]), degrees)
    assert part.subgroup_rest is not None
    apart = part.subgroup_values - part.subgroup_rest
    return replace(
        part,
        subgroup_intervals=np.maximum(value.around(part.subgroup_values, level), 0.0),
        subgroup_differences=difference.around(apart, level),
        subgroup_p_values=difference.p_values(apart),
        subgroup_interval_kind=REFITS,
    )


# ---- R-sens within subgroups as a table: each subgroup and term, beside all other rows -------------------------------


#: The most subgroups side by side.
MOST_SUBGROUPS = 6


def by_frame(explanation: Explanation) -> pd.DataFrame | None:
    """One line per subgroup and term; subgroups in their order, the term that matters most over all rows first."""
    part = explanation._subgroups
    if part is None:
        return None
    ranked = np.argsort(-explanation._values.main, kind="stable")
    shape = part.subgroup_values.shape
    unknown = np.full(shape, np.nan)
    rest = unknown if part.subgroup_rest is None else part.subgroup_rest
    ends = [(unknown, unknown) if x is None else x for x in (part.subgroup_intervals, part.subgroup_differences)]
    # Among values that could all be noise, p-values mean nothing.
    p = part.subgroup_p_values if explanation.intervals_hold else None
    tables = {
        "value": part.subgroup_values,
        "lower": ends[0][0],
        "upper": ends[0][1],
        "rest": rest,
        "difference": part.subgroup_values - rest,
        "difference_lower": ends[1][0],
        "difference_upper": ends[1][1],
        "p_value": unknown if p is None else p,
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


def by_columns(explanation: Explanation, terms: int) -> tuple[list[str], dict[str, list[str]]]:
    """The leading terms, and a column of values with their marks for all rows and for each subgroup, as texts."""
    frame = by_frame(explanation)
    assert frame is not None
    groups = list(dict.fromkeys(frame["subgroup"]))[:MOST_SUBGROUPS]
    write = aligned(float(frame["value"].max())) if explanation.scale_kind == "sd" else number_text
    shown = [str(term) for term in frame["term"].iloc[: min(terms, len(explanation.names))]]
    columns = {"all rows ": [f"{write(explanation.main[term])} " for term in shown]}
    for group in groups:
        lines = frame[frame["subgroup"] == group].head(len(shown)).to_dict("records")
        columns[f"{short(str(group), 16)} "] = [
            write(line["value"]) + (meaning.DIFFERS_MARK if line["differs"] is True else " ") for line in lines
        ]
    return shown, columns


def by_legend(explanation: Explanation) -> list[str]:
    """What stands below: how many rows each subgroup has, what the mark means, and what is not shown."""
    part = explanation._subgroups
    assert part is not None
    counts = zip(part.subgroups, part.subgroup_counts, strict=True)
    sizes = [f"{short(str(group), 24)} {int(count):,}" for group, count in counts]
    lines = [f"rows: {', '.join(sizes[:MOST_SUBGROUPS])}"]
    if len(sizes) > MOST_SUBGROUPS:
        lines.append(f"… and {counted(len(sizes) - MOST_SUBGROUPS, 'more subgroup')}")
    if part.subgroup_p_values is None:
        return [*lines, "no marks: without refits nobody knows how far these would differ in other data"]
    if not explanation.intervals_hold:
        return [*lines, f"no marks: {meaning.NOTHING_FOUND}"]
    return [*lines, f"{meaning.DIFFERS_MARK} {meaning.SUBGROUP_DIFFERS}; {meaning.DIFFERS_BY_CHANCE}"]
