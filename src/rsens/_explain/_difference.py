"""The difference of two explanations, with intervals: two models, two samples, before and after.

Units. R-sens is linear in the unit of a column, and R-sens₂ in the product of two. So values per standard deviation of
one sample become values per any other unit by a factor, exactly; the same goes for a switch between levels, which
counts √(P(two rows differ)/2) of a standard deviation in each sample. The common unit is the root mean square of the
two, as in a pooled standard deviation; so a − b is −(b − a).

Standard errors. Where both models were refitted without the same rows, refit k has the difference d_k = a_k − b_k, and
the standard error is the jackknife of these. Else se² = se_a² + se_b², with the degrees of freedom of Welch and
Satterthwaite (`Spread.plus`): right for two independent samples, and too wide for two models of the same rows.
Without refits only the rows vary. The influence of row i on a mean is h_i = n w_i (r_i − r̄), and
se² = Σ h_i² / (n (n − 1)); on the same rows, with h_i = h_i(a) − h_i(b).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
from scipy.stats import norm

from rsens import _meaning as meaning
from rsens._document import Column, Document, Sentences, Shown, ShownTable
from rsens._errors import Argument, InputError
from rsens._explain._document import UNITS
from rsens._explain._tables import pair_index, read_order
from rsens._explain._values import PER_TERM, Spread
from rsens._results import Form, Part, stored
from rsens._text import Pair, aligned, counted, listed, number, p_text, quoted, short
from rsens._typing import Array, Positions

if TYPE_CHECKING:
    from rsens._explain._explanation import Explanation

#: Sources of the intervals of a difference.
PAIRED_REFITS, REFITS, PAIRED_ROWS, ROWS = "paired refits", "refits", "paired rows", "rows"
#: Units that differ by less than this share are the same.
SAME = 1e-9
#: How many terms or pairs are shown, and how many names a legend lists.
SHOWN, MOST_NAMES = 10, 10


@dataclass(frozen=True, eq=False, kw_only=True)
class Both(Part):
    """The two explanations, and the terms that are compared."""

    names: tuple[str, ...] = stored("Names of the two explanations; the difference is the first minus the second.")
    rows: tuple[int, ...] = stored("How many rows each explains.")
    same_rows: bool = stored("Whether both explain the same rows.")
    level: float = stored("Level of the intervals.")
    scale_kind: str = stored('Where the units come from: "sd", "raw" or "given".')
    terms: tuple[str, ...] = stored("The terms that are compared.")
    units: Array = stored("The unit of each term, the same for both; missing for groups.", "terms")
    notes: tuple[str, ...] = stored("Remarks for readers.")


@dataclass(frozen=True, eq=False, kw_only=True)
class Compared(Part):
    """All terms, or all pairs of terms in the order of `np.triu_indices(T, 1)`, in the common units."""

    value_a: Array = stored("Values in the first explanation.", "values")
    value_b: Array = stored("Values in the second.", "values")
    interval_kind: str | None = stored("The source of the intervals.", default=None)
    intervals_a: Array | None = stored("Intervals of `value_a`: lower, upper.", 2, "values", default=None)
    intervals_b: Array | None = stored("Intervals of `value_b`.", 2, "values", default=None)
    intervals: Array | None = stored("Intervals of the difference.", 2, "values", default=None)
    p_values: Array | None = stored(
        "How rarely chance alone gives a difference as large. None without refits, and where no value is more than "
        "noise.", "values", default=None,
    )  # fmt: skip

    def table(self, index: pd.Index) -> pd.DataFrame:
        """The columns of `Difference.to_frame`; unknown ones are missing."""
        unknown = np.full((2, len(index)), np.nan)
        p = unknown[0] if self.p_values is None else self.p_values
        columns: dict[str, Any] = {}
        for side, value, ends in (
            ("_a", self.value_a, self.intervals_a),
            ("_b", self.value_b, self.intervals_b),
            ("", self.value_a - self.value_b, self.intervals),
        ):
            columns[f"value{side}" if side else "a_minus_b"] = value
            columns[f"lower{side}"], columns[f"upper{side}"] = unknown if ends is None else ends
        columns |= {"p_value": p, "differs": pd.array(p <= PER_TERM, dtype="boolean")}
        frame = pd.DataFrame(columns, index=index)
        frame["differs"] = frame["differs"].mask(frame["p_value"].isna())
        return frame.assign(interval_kind=pd.Series([self.interval_kind] * len(index), index, dtype=object))


FORM = Form(
    "a difference of explanations", "Difference.save", {"both": Both, "of_terms": Compared, "of_pairs": Compared}
)


def _shown(name: str) -> Any:
    """An attribute that shows a field of `Both`; its meaning is the documentation."""
    return property(lambda self: getattr(self._both, name), doc=Both.fields()[name].meaning)


class Difference(Shown):
    """First explanation minus second, term by term, in common units. Made by `Explanation.difference`.

    Every attribute gives a new table; changing it does not change the difference.

    Example:
        >>> import numpy as np
        >>> import rsens
        >>> X = np.random.default_rng(0).normal(size=(200, 2))
        >>> strong = rsens.from_function(lambda X: rsens.Normal(3.0 * X[:, 0] + X[:, 1], 1.0))
        >>> weak = rsens.from_function(lambda X: rsens.Normal(X[:, 0] + 2.0 * X[:, 1], 1.0))
        >>> a, b = (rsens.explain(model, X, scale="raw", random_state=0) for model in (strong, weak))
        >>> a.difference(b).to_frame()[["term", "value_a", "value_b", "a_minus_b"]].round(3)
          term  value_a  value_b  a_minus_b
        0   x0      3.0      1.0        2.0
        1   x1      1.0      2.0       -1.0
    """

    def __init__(self, *, both: Both, of_terms: Compared, of_pairs: Compared | None = None) -> None:
        self._both, self._of_terms, self._of_pairs = both, of_terms, of_pairs

    names: tuple[str, str] = _shown("names")
    terms: tuple[str, ...] = _shown("terms")
    level: float = _shown("level")
    scale_kind: str = _shown("scale_kind")
    same_rows: bool = _shown("same_rows")
    notes: tuple[str, ...] = _shown("notes")

    @property
    def order(self) -> int:
        """2 with pairs, else 1."""
        return 1 if self._of_pairs is None else 2

    @property
    def units(self) -> pd.Series[float]:
        """The unit of each term, the same for both explanations; missing for groups."""
        return pd.Series(self._both.units, index=pd.Index(self.terms), name="unit", copy=True)

    @property
    def main(self) -> pd.Series[float]:
        """R-sens in the first explanation minus R-sens in the second."""
        return self._table(1)["a_minus_b"].rename(" − ".join(self.names))

    @property
    def pairs(self) -> pd.Series[float]:
        """The same of R-sens₂, by pair."""
        return self._table(2)["a_minus_b"].rename(" − ".join(self.names))

    @property
    def intervals(self) -> pd.DataFrame | None:
        """Intervals of `main`: columns lower, upper. `interval_kind` is their source."""
        return None if self.interval_kind is None else self._table(1)[["lower", "upper"]]

    @property
    def differs(self) -> pd.Series[bool] | None:
        """Whether `p_value` in `to_frame` is at most 0.05: of 20 terms that do not differ about one does by chance."""
        return None if self._of_terms.p_values is None else self._table(1)["differs"]

    @property
    def interval_kind(self) -> str | None:
        """The source of intervals: "paired refits", "refits", "paired rows" or "rows"; None without intervals.

        "paired refits": both models were refitted without the same rows, and each pair of refits is compared.
        "refits": as for two independent samples; for two models of the same rows these are too wide. "paired rows",
        "rows": only the rows vary, and the models stay the same.
        """
        return self._of_terms.interval_kind

    def to_frame(self, order: int = 1) -> pd.DataFrame:
        """One line per term (order 1) or pair (order 2), the largest difference in size first.

        Columns: term (and first, second for pairs), value_a, lower_a, upper_a, value_b, lower_b, upper_b, a_minus_b,
        lower, upper, p_value, differs, interval_kind; a is the first of `names` and b the second. Unknown
        values are missing.
        """
        frame = self._table(read_order(order)).reset_index()
        if order == 2:
            frame.insert(0, "term", frame["first"] + ":" + frame["second"])
        return frame.sort_values("a_minus_b", key=abs, ascending=False, kind="stable", ignore_index=True)

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Both values of each term and their difference, with intervals; see `rsens.plots.difference`."""
        from rsens.plots import difference

        return difference(self, ax=ax, **options)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to a JSON file, whole or not at all."""
        FORM.write({"both": self._both, "of_terms": self._of_terms, "of_pairs": self._of_pairs}, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a file written by `save`."""
        return cls(**FORM.read(path))

    def _table(self, order: int) -> pd.DataFrame:
        """The table by term or pair; an `InputError` without pairs."""
        if order == 1:
            return self._of_terms.table(pd.Index(self.terms, dtype=object, name="term"))
        if self._of_pairs is None:
            raise InputError(
                "This difference has no pairs: one of the explanations has none. Ask for them with explain(..., ",
                Argument("pairs", True),
                ").",
            )
        return self._of_pairs.table(pair_index(self.terms).view())

    def _document(self) -> Document:
        one, other = self._both.rows
        rows = f"the same {counted(one, 'row')}" if self.same_rows else f"{one:,} and {counted(other, 'row')}"
        heading = f"R-sens {UNITS[self.scale_kind]}, {short(' − '.join(self.names), 60)}, over {rows}"
        return Document([Sentences([heading], "heading"), *(_shown_table(self, k) for k in range(1, self.order + 1))])


def _shown_table(d: Difference, order: int) -> ShownTable:
    """The leading variables (order 1) or pairs (order 2)."""
    frame = d.to_frame(order)
    shown, rest = frame.head(SHOWN), frame.iloc[SHOWN:]
    write = aligned(float(frame[["value_a", "value_b"]].to_numpy().max())) if d.scale_kind == "sd" else number
    one, other = (short(name, 18) for name in d.names)
    a, b, difference, *ends = (
        [write(value) for value in shown[name]] for name in ("value_a", "value_b", "a_minus_b", "lower", "upper")
    )
    columns = [
        Column(
            "variable" if order == 1 else "pair",
            list(shown["term"] if order == 1 else map(Pair, shown["first"], shown["second"])),
            "name",
        ),
        Column(one, a),
        Column(other, b),
        Column(
            f"{one} − {other}",
            difference,
            marks=[meaning.DIFFERS_MARK if mark is True else "" for mark in shown["differs"].astype(object)],
        ),
        Column("interval", [f"{low} to {high}" if low else "" for low, high in zip(*ends, strict=True)]),
        Column("p", [p_text(p) for p in shown["p_value"]]),
    ]
    legend = []
    if len(rest):
        terms = [short(str(term)) for term in rest.loc[rest["differs"].fillna(value=False), "term"]]
        also = f"; with a mark: {listed(terms, MOST_NAMES)}" if terms else ""
        legend = [f"… and {len(rest)} more in to_frame({'' if order == 1 else order}){also}"]
    if order == 2:
        return ShownTable("Pairs", columns, legend)
    if d.differs is not None:
        legend.append(f"{meaning.DIFFERS_MARK} {meaning.DIFFERS}; {meaning.DIFFERS_BY_CHANCE}")
    if d.interval_kind is not None:
        legend.append(f"intervals: {meaning.difference_interval(d.interval_kind, d.level)}")
    return ShownTable("Variables", columns, [*legend, *d.notes])


def difference_of(a: Explanation, b: Any, names: Any) -> Difference:
    """The explanation a minus the explanation b."""
    if type(b) is not type(a):
        raise InputError(Argument("other"), f" must be an Explanation, made by rsens.explain; got {type(b).__name__}.")
    wrong = isinstance(names, str) or not isinstance(names, Sequence) or len(names) != 2
    if wrong or str(names[0]) == str(names[1]):
        raise InputError(
            Argument("names"), f" must be two different names, such as ('before', 'after'); got {names!r}."
        )
    one, other, with_pairs = a._setup, b._setup, a.order == b.order == 2
    for setting in ("scale", "level", *(["pair_scale"] if with_pairs else [])):
        if getattr(one, setting) != getattr(other, setting):
            raise InputError(
                f"The two explanations cannot be compared: the {setting} of one is {getattr(one, setting)!r}, and of "
                f"the other {getattr(other, setting)!r}. Explain both with the same."
            )
    units = {name: _common_unit(a, b, name) for name in a.names if name in b.names}
    left_out = {name: unit for name, unit in units.items() if isinstance(unit, str)}
    common = {name: unit for name, unit in units.items() if not isinstance(unit, str)}
    if not common:
        why = "".join(f" {name!r}: {reason}." for name, reason in list(left_out.items())[:3])
        raise InputError(
            f"The two explanations have no variable that can be compared: one has {quoted(a.names)}, the other "
            f"{quoted(b.names)}.{why} Use the same names for the same columns."
        )
    unit, *factors = np.array(list(common.values())).T
    first, second = (
        _Side(e, np.array([e.names.index(name) for name in common]), f) for e, f in zip((a, b), factors, strict=True)
    )
    called, same = (str(names[0]), str(names[1])), _same_rows(a, b)
    of_terms = _compared(first, second, 1, same)
    both = Both(
        names=called,
        rows=(a.n, b.n),
        same_rows=same,
        level=a.level,
        scale_kind=a.scale_kind,
        terms=tuple(common),
        units=unit,
        notes=_notes(first, second, called, same, of_terms.interval_kind, left_out),
    )
    of_pairs = _compared(first, second, 2, same) if with_pairs and len(common) > 1 else None
    return Difference(both=both, of_terms=of_terms, of_pairs=of_pairs)


def _common_unit(a: Explanation, b: Explanation, name: str) -> tuple[float, float, float] | str:
    """The unit of a term, NaN for a group, and the factors that convert each side; or why it cannot be compared."""
    columns = [{s.columns[d]: float(s.units[d]) for d in s.members[s.terms.index(name)]} for s in (a._setup, b._setup)]
    if columns[0].keys() != columns[1].keys():
        return "it has different columns in the two"
    if (name in a.categorical) != (name in b.categorical):
        return "its levels are compared in one of the two, and it has a slope in the other"
    one, other = (np.array([of[column] for column in columns[0]]) for of in columns)
    if not one.any() and not other.any():
        return 0.0, 1.0, 1.0
    if (one == 0.0).any() or (other == 0.0).any():
        return "it does not vary in one of the two, so it has no unit there"
    ratio = other / one
    if np.ptp(ratio) > SAME * ratio[0]:
        return "the units of its columns differ by different factors; give both explanations the same numbers as scale"
    unit = float(one[0]) if len(one) == 1 else np.nan
    if abs(ratio[0] - 1.0) <= SAME:
        return unit, 1.0, 1.0
    factor = float(np.sqrt((1.0 + ratio[0] ** 2) / 2.0))  # the common unit, in units of a
    return unit * factor, factor, factor / float(ratio[0])


def _same_rows(a: Explanation, b: Explanation) -> bool:
    """Whether both explain the same rows: as many, with the same labels, and the same values in all shared columns."""
    one, other = (dict(zip(e._setup.columns, e._rows.column_fingerprints or (), strict=False)) for e in (a, b))
    shared = one.keys() & other.keys()
    return bool(shared) and a._index.equals(b._index) and all(one[name] == other[name] for name in shared)


@dataclass(frozen=True, eq=False)
class _Side:
    """One explanation: the positions of the common terms in it, and the factors to the common units."""

    e: Explanation
    positions: Positions
    factors: Array

    def take(self, values: Array, order: int, factors: Array | None = None) -> Array:
        """Values (…, all terms or pairs) of the common terms or pairs, in the common units."""
        by = self.factors if factors is None else factors
        if order == 1:
            return np.asarray(values[..., self.positions] * by)
        n, (first, second) = len(self.e.names), np.triu_indices(len(self.positions), 1)
        low, high = np.sort([self.positions[first], self.positions[second]], axis=0)
        pairs = low * (2 * n - low - 1) // 2 + high - low - 1  # its place in np.triu_indices(n, 1)
        return np.asarray(values[..., pairs] * by[..., first] * by[..., second])

    def refits(self, order: int) -> Array | None:
        """Values of the refits (refits, …); None if they were not kept.

        The common unit is a fixed number, so that values do not vary with the standard deviation of a column in each
        sample. A group has no unit: its factor is the same in all refits.
        """
        kept, setup = self.e._refits, self.e._setup
        values = None if kept is None else kept.refit_main if order == 1 else kept.refit_pairs
        if kept is None or values is None:
            return None
        factors = np.tile(self.factors, (len(values), 1))
        for t, position in enumerate(self.positions):
            if (self.factors != 1.0).any() and len(columns := setup.members[position]) == 1:
                own, common = kept.refit_units[:, columns[0]], self.factors[t] * setup.units[columns[0]]
                factors[:, t] = np.divide(common, own, out=np.zeros(len(own)), where=own > 0.0)
        return self.take(values, order, factors)

    def influences(self, order: int) -> Array | None:
        """How far each row moves each value, (n, values); None where local values were not kept."""
        found = self.e._values
        local, mean = (found.local_main, found.main) if order == 1 else (found.local_pairs, found.pairs)
        if local is None or mean is None:
            return None
        if order == 2:
            local = local[:, *np.triu_indices(len(self.e.names), 1)]
        return self.take(len(local) * self.e._rows.shares[:, np.newaxis] * (local - mean), order)

    def from_ends(self, order: int) -> Spread:
        """The spread behind the interval of the explanation: half of it is z standard errors."""
        ends: Any = self.e._intervals
        lower, upper = ends.intervals if order == 1 else ends.pair_intervals
        z = norm.ppf(0.5 + self.e.level / 2.0)
        return Spread.of(self.take((upper - lower) / (2.0 * z), order), np.inf)


def _compared(a: _Side, b: _Side, order: int, same_rows: bool) -> Compared:
    """Values of both sides, with intervals where both explanations have some; p-values if they are more than noise."""
    field = ("main", "pairs")[order - 1]
    one, other = (side.take(getattr(side.e._values, field), order) for side in (a, b))
    if a.e._intervals is None or b.e._intervals is None:
        return Compared(value_a=one, value_b=other)
    kind, *spreads = _spreads(a, b, order, same_rows)
    ends = [spread.around(value, a.e.level) for spread, value in zip(spreads, (one, other, one - other), strict=True)]
    if not np.isfinite(ends).all():  # a single row has no spread
        return Compared(value_a=one, value_b=other)
    marks = kind in (PAIRED_REFITS, REFITS) and (a.e.intervals_hold or b.e.intervals_hold)
    return Compared(
        value_a=one,
        value_b=other,
        interval_kind=kind,
        intervals_a=np.maximum(ends[0], 0.0),
        intervals_b=np.maximum(ends[1], 0.0),
        intervals=ends[2],
        p_values=spreads[2].p_values(one - other) if marks else None,
    )


def _spreads(a: _Side, b: _Side, order: int, same_rows: bool) -> tuple[str, Spread, Spread, Spread]:
    """The source of the intervals, and the spreads of a, of b and of their difference."""
    one, other, kept, theirs = a.refits(order), b.refits(order), a.e._refits, b.e._refits
    if one is not None and other is not None and kept is not None and theirs is not None:
        first, second = Spread.of_refits(kept.by_round(one)), Spread.of_refits(theirs.by_round(other))
        if same_rows and kept.refit_folds == theirs.refit_folds:
            return PAIRED_REFITS, first, second, Spread.of_refits(kept.by_round(one - other))
        return REFITS, first, second, first.plus(second)
    one, other = a.influences(order), b.influences(order)
    if one is None or other is None:
        first, second = a.from_ends(order), b.from_ends(order)
    else:
        first, second = _of_rows(one), _of_rows(other)
        if same_rows:
            return PAIRED_ROWS, first, second, _of_rows(one - other)
    return ROWS, first, second, first.plus(second)


def _of_rows(influences: Array) -> Spread:
    n = len(influences)
    if n < 2:
        return Spread.of(np.full(influences.shape[1], np.nan), 1.0)
    return Spread.of(np.sqrt((influences**2).sum(axis=0) / (n * (n - 1))), n - 1.0)


def _notes(
    a: _Side, b: _Side, names: tuple[str, str], same_rows: bool, kind: str | None, left_out: dict[str, str]
) -> tuple[str, ...]:
    """Remarks for readers: terms of one explanation, other units, rows and families, and the limits of intervals."""
    terms = []
    for name, e, other in zip(names, (a.e, b.e), (b.e, a.e), strict=True):
        only = e.main.drop([term for term in e.names if term in other.names]).sort_values(ascending=False)
        if len(only):
            texts = [f"{short(str(term))} ({number(value)})" for term, value in only.items()]
            terms.append(f"only in {short(name)}: {listed(texts, MOST_NAMES)}")
    terms += [f"not compared: {short(term)}, as {reason}" for term, reason in left_out.items()]
    converted, kinds = any((side.factors != 1.0).any() for side in (a, b)), (a.e.interval_kind, b.e.interval_kind)
    without = " and ".join(name for side, name in zip((a, b), names, strict=True) if side.e._refits is None)
    remarks = {
        f"The {'standard deviations' if a.e.scale_kind == 'sd' else 'given units'} of the two differ, so both are per "
        "the same unit: the root mean square of the two (`units`).": converted,
        f"The predictions are of different families, {a.e.family} ({names[0]}) and {b.e.family} ({names[1]}): R-sens "
        "is in units of each one's own uncertainty.": a.e.family != b.e.family,
        "The two predict different outputs.": a.e._values.outputs != b.e._values.outputs,
        f"Pairs are not compared: {names[0] if a.e.order == 1 else names[1]} has none.": a.e.order != b.e.order,
        "Intervals are missing: one of the two explanations lacks them, or has a single row.": kind is None,
        f"The intervals hold only for which rows are explained: {without} has no values of refits. Explain again with "
        "y, for a model that can be refitted.": kind in (PAIRED_ROWS, ROWS) and "refits" in kinds,
        "Both explain the same rows, but were refitted without different ones, so the intervals are too wide. "
        "Explain both with the same random_state.": kind == REFITS and same_rows,
        "No variable is above the null level in either of the two, so the intervals do not hold: no p-values.": (
            kind in (PAIRED_REFITS, REFITS) and not (a.e.intervals_hold or b.e.intervals_hold)
        ),
    }
    return (*terms, *(text for text, holds in remarks.items() if holds))
