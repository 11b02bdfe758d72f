"""Effects, changes of the prediction with a variable in the units of the target: `Explanation.effects`.

With f the prediction (or its spread, or its logarithm; `Quantities`), over rows i with weights w_i that add up to 1:

    slope of a number        Σ_i w_i ∂f(x_i)/∂x_d, per unit of the column
    level l of a category    Σ_i w_i [f(x_i with l) − Σ_{m≠l} p_m f(x_i with m) / Σ_{m≠l} p_m], p the frequencies
    number of two values     Σ_i w_i [f(x_i with the higher) − f(x_i with the lower)]
    step from a to b         Σ_k mean of f(x_i with z_{k+1}) − f(x_i with z_k) over the rows from z_k to z_{k+1}

The last is the accumulated local effect of Apley and Zhu (2020): each row moves only between two neighbouring values
a = z_0 < z_1 < … < z_K = b that hold rows, so the model is asked near the data, and an additive model has f(b) − f(a).
Each row is in one part k, and parts are independent, so that the squares of their standard errors add up.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rsens._coding import Levels
from rsens._explain._query import Query, Step
from rsens._explain._values import RowMoments, Spread, Sums
from rsens._results import Part, stored
from rsens._table import Table
from rsens._text import number, value_text
from rsens._typing import Array, Positions
from rsens.derivatives import Derivatives
from rsens.distributions import Distribution
from rsens.measures import Terms, first_of_prediction, first_of_spread, spread_of

if TYPE_CHECKING:
    from rsens._explain._explanation import Explanation
    from rsens._explain._refit_intervals import RefitValues

#: Kinds of lines: a slope times a standard deviation; a step between two values; a level against the rest.
SLOPE, STEP, LEVEL = "slope", "step", "level"
#: The key of an effect: the term, a level of it, and where a step starts and stops.
Key = tuple[str, str | None, float | None, float | None]


@dataclass(frozen=True, eq=False, kw_only=True)
class Effects(Part):
    """One line for each number, and for each level of a category, in the order of the terms. Groups have none."""

    effect_keys: tuple[Key, ...] = stored(
        "The term of each effect, its level if it has levels, and the ends of a step."
    )
    effect_step: Array = stored(
        "How long the step is: a standard deviation, or from start to stop; NaN for levels.", "effects"
    )
    effect_unit: Array = stored("A readable unit of the column, 1 or a power of ten; NaN for levels.", "effects")
    effect_quantities: Quantities = stored("The changing quantities: outputs, then the spread and the logarithm.")
    effect: Array = stored("Mean change of each quantity.", "effects", "quantities")
    effect_ends: Array | None = stored(
        "Lower and upper ends of the intervals of `effect`.", 2, "effects", "quantities", default=None
    )

    @classmethod
    def of(cls, sums: Sums, query: Query, level: float | None) -> Effects:
        """The effects over rows, with intervals over rows of this level, or without intervals."""
        found, names = line_values(sums), query.terms.names
        keys = tuple(sorted(found, key=lambda key: names.index(key[0])))
        step, unit = np.full((2, len(keys)), np.nan)
        for line, (term, at, start, stop) in enumerate(keys):
            if at is None:
                sd = query.deviations[query.terms.members[names.index(term)][0]]
                step[line] = sd if start is None or stop is None else stop - start
                unit[line] = readable_unit(step[line])
        values = np.array([found[key][0] for key in keys]).reshape(len(keys), len(sums.quantities))
        part = cls(
            effect_keys=keys,
            effect_step=step,
            effect_unit=unit,
            effect_quantities=sums.quantities,
            effect=values,
        )
        ends = None
        if keys and level is not None:
            ends = np.stack([found[key][1].around(found[key][0], level) for key in keys], axis=1)
            ends = _finite(part.per_step(ends))
        return replace(part, effect=_finite(part.per_step(values)), effect_ends=ends)

    @property
    def kinds(self) -> list[str]:
        """The kind of each line."""
        return [LEVEL if at is not None else SLOPE if start is None else STEP for _, at, start, _ in self.effect_keys]

    def per_step(self, values: Array) -> Array:
        """Slopes per unit, among the lines, become slopes per step."""
        slopes = np.array([kind == SLOPE for kind in self.kinds], dtype=np.bool_)
        return values * np.where(slopes, self.effect_step, 1.0)[:, np.newaxis]

    def with_refits(self, rounds: Sequence[Sequence[RefitValues]], level: float) -> Effects:
        """The same with intervals from refits; none for a line that a refit lacks (a rare level)."""
        if not self.effect_keys:
            return self
        lacking, keys = np.full(len(self.effect_quantities), np.nan), self.effect_keys
        seen = [np.array([[refit.effects.get(key, lacking) for key in keys] for refit in refits]) for refits in rounds]
        spread = Spread.of_refits(seen)
        error = self.per_step(spread.error)
        return replace(self, effect_ends=_finite(Spread(error, spread.degrees).around(self.effect, level)))


def _finite(values: Array) -> Array:
    """NaN for values that overflow float64 or do not exist: a Student-t with df ≤ 2 has no spread."""
    return np.where(np.isfinite(values), values, np.nan)


def line_keys(query: Query) -> dict[Key, tuple[float, ...]]:
    """The lines in the order of `line_changes`, then the steps with the widths of their parts."""
    terms, coding, steps = query.terms, query.table.coding, query.steps or {}
    keys: list[Key] = [(terms.names[terms.of_column(d)], None, None, None) for d in _sloped(query)]
    for column in () if coding is None else coding.columns:
        term = terms.names[terms.of_column(column.position)]
        if column.numeric:
            keys.append((term, None, *two_values(column)))
        else:
            keys += [(term, level, None, None) for level in level_names(column)]
    widths = {_step_key(query, d): tuple(np.diff(step).tolist()) for d, step in steps.items()}
    return dict.fromkeys(keys, ()) | widths


def _sloped(query: Query) -> list[int]:
    """The columns whose effect is a slope."""
    return [d for d in numeric_columns(query.terms, query.table) if d not in (query.steps or {})]


def _step_key(query: Query, column: int) -> Key:
    step = (query.steps or {})[column]
    return query.terms.names[query.terms.of_column(column)], None, step[0], step[-1]


def line_changes(query: Query, derivatives: Derivatives) -> Array:
    """Slopes, and levels against the rest, at some rows: (n, lines · Q)."""
    quantities, coding = Quantities.of(derivatives.distribution), query.table.coding
    with np.errstate(over="ignore", invalid="ignore"):  # an effect that is not finite is not known
        changes = [quantities.slopes(derivatives)[..., _sloped(query)].swapaxes(1, 2)]
        for contrast in derivatives.contrasts:
            assert coding is not None
            at = np.stack([quantities.values(level) for level in contrast.levels], axis=1)
            changes.append(level_changes(coding[contrast.column], at))
    return np.concatenate(changes, axis=1).reshape(len(derivatives), -1)


def step_moments(query: Query, quantities: Quantities) -> dict[Any, RowMoments]:
    """The changes in each part of each step; the model is asked at the rows there, moved to both ends of the part."""
    found = {}
    for d, step in (query.steps or {}).items():
        edges, x = np.array(step), query.table.values[:, d]
        rows: Positions = np.flatnonzero((x >= step[0]) & (x <= step[-1]) & (query.weights > 0.0))
        part = np.clip(np.searchsorted(edges, x[rows], side="right") - 1, 0, len(edges) - 2)
        up, down = (_moved(query, rows, d, edges[part + k], quantities) for k in (1, 0))
        for k in range(len(edges) - 1):
            inside = part == k
            with np.errstate(invalid="ignore"):
                found[_step_key(query, d), k] = RowMoments.of((up - down)[inside], query.weights[rows[inside]])
    return found


def _moved(query: Query, rows: Positions, column: int, to: Array, quantities: Quantities) -> Array:
    """The quantities (rows, Q) at rows whose column has other values, in chunks."""
    values = query.table.values[rows]
    values[:, column] = to
    model, like = query.source, query.table.like
    most = max(1, model.rows_per_chunk(values.shape[1], 1))
    parts = [values[start : start + most] for start in range(0, len(rows), most)]
    found = [quantities.values(model.predict_distribution(like(part)).checked(len(part))) for part in parts]
    return np.concatenate([np.empty((0, len(quantities))), *found])


def line_values(sums: Sums) -> dict[Any, tuple[Array, Spread]]:
    """The effect (Q,) of each line, per unit for slopes, and its standard error over rows."""
    plain = sums.moments["effects"]
    spread, q, found, start = plain.spread, len(sums.quantities), {}, 0
    for key, widths in sums.lines.items():
        if widths:
            found[key] = _accumulated([sums.moments[key, k] for k in range(len(widths))], np.array(widths))
        else:
            columns = slice(start, start + q)
            found[key] = (plain.average[columns], Spread(spread.error[columns], spread.degrees[columns]))
            start += q
    return found


def _accumulated(parts: list[RowMoments], widths: Array) -> tuple[Array, Spread]:
    """Σ_k of the mean change in part k; parts without rows count as the others do, per width."""
    there = [part for part in parts if part.weight > 0.0]
    if not there:
        nothing = np.full(len(parts[0].mean), np.nan)
        return nothing, Spread.of(nothing, 1.0)
    share = widths.sum() / widths[[part.weight > 0.0 for part in parts]].sum()
    value = share * np.sum([part.mean for part in there], axis=0)
    counted = sum(part.counted for part in there)
    errors = [part.spread.error for part in there if part.counted > 1]
    if not errors:
        return value, Spread.of(np.full(len(value), np.nan), 1.0)
    return value, Spread.of(share * np.linalg.norm(errors, axis=0), max(counted - len(there), 1))


def level_changes(column: Levels, at: Array) -> Array:
    """Each level against the rest, or the higher of two numbers against the lower, from (n, L, Q); NaN without one."""
    used = np.flatnonzero(column.frequencies)
    if column.numeric:
        return at[:, -1:] - at[:, :1] if at.shape[1] == 2 else np.full_like(at[:, :1], np.nan)
    p = column.frequencies[used]
    with np.errstate(divide="ignore", invalid="ignore"):
        rest = (1.0 - np.eye(len(p))) * p
        rest = rest / rest.sum(axis=1, keepdims=True)  # rest[l, m]: the weight of m among the levels other than l
    return at - np.einsum("lm,nmq->nlq", rest, at) if len(p) > 1 else np.full_like(at, np.nan)


def level_names(column: Levels) -> list[str]:
    """The levels that occur, as text; their type is shown where 1 and "1" are both levels."""
    texts = [str(label) for label in column.labels]
    names = [repr(label) if texts.count(text) > 1 else text for label, text in zip(column.labels, texts, strict=True)]
    return [names[int(code)] for code in np.flatnonzero(column.frequencies)]


def two_values(column: Levels) -> tuple[float | None, float | None]:
    """The lower and the higher of the numbers that occur; None where there is only one."""
    numbers = column.numbers[np.flatnonzero(column.frequencies)]
    return (float(numbers.min()), float(numbers.max())) if len(numbers) == 2 else (None, None)


@dataclass(frozen=True)
class Quantities:
    """Q numbers of each prediction: its P outputs, then the spread and the logarithm if it has them."""

    outputs: int
    spread: bool
    log: bool

    @classmethod
    def of(cls, distribution: Distribution) -> Quantities:
        """The quantities of a prediction that effects are changes of."""
        outputs = distribution.prediction().shape[1]
        return cls(outputs, distribution.has_spread, outputs == 1 and distribution.additive_on == "log")

    def __len__(self) -> int:
        return self.outputs + self.spread + self.log

    def values(self, distribution: Distribution) -> Array:
        """The Q numbers at each row, (n, Q)."""
        prediction = distribution.prediction()
        parts = [prediction]
        if self.spread:
            parts.append(spread_of(distribution)[:, np.newaxis])
        if self.log:
            with np.errstate(divide="ignore"):
                parts.append(np.log(prediction))
        return np.concatenate(parts, axis=1)

    def slopes(self, derivatives: Derivatives) -> Array:
        """Their derivatives in the numeric columns, (n, Q, D); ∂ log f = ∂f/f."""
        slope = first_of_prediction(derivatives)
        parts = [slope]
        if self.spread:
            parts.append(first_of_spread(derivatives)[:, np.newaxis])
        if self.log:
            with np.errstate(divide="ignore", invalid="ignore"):
                parts.append(slope / derivatives.distribution.prediction()[..., np.newaxis])
        return np.concatenate(parts, axis=1)

    def split(self, values: Array | None) -> tuple[Array | None, Array | None, Array | None]:
        """The outputs (…, P), the spread (…) and the logarithm (…) of values (…, Q); None for missing ones."""
        if values is None:
            return None, None, None
        p = self.outputs
        return values[..., :p], values[..., p] if self.spread else None, values[..., -1] if self.log else None


# A standard deviation is not a change that people make where a column is mostly 0, or has a long tail: from most rows
# it leads to values that rarely occur. There the step is from the 25 % to the 75 % quantile, of the other values where
# more than half of the rows share one.

#: A column has a long tail if its standard deviation is longer than this many times the middle half of its values:
#: 0.74 times for a Gaussian, 0.9 for an exponential and 1.5 for a lognormal column with σ = 1.
LONG_TAIL = 1.25
#: One unit of a column is a readable change if it is between these shares of a standard deviation.
READABLE = (1.0 / 30.0, 2.0)
#: A step between two values has at most MOST_PARTS parts, with at least ROWS_PER_PART rows in each.
MOST_PARTS, ROWS_PER_PART = 10, 20


def steps_of(values: Array, columns: Iterable[int], weights: Array | None = None) -> dict[int, Step]:
    """The steps, by position, of the columns of the inputs (n, D) whose standard deviation is not a sensible change."""
    shares = np.full(len(values), 1.0 / len(values)) if weights is None else weights
    counted = shares > 0.0
    found = {d: _step(values[counted, d], shares[counted]) for d in columns}
    return {d: step for d, step in found.items() if step is not None}


def numeric_columns(terms: Terms, table: Table) -> list[int]:
    """Positions of the columns that have slopes: numbers outside of groups."""
    levels = () if table.coding is None else table.coding.categorical
    return [members[0] for members in terms.members if len(members) == 1 and members[0] not in levels]


def readable_unit(deviation: float) -> float:
    """1, or the power of ten next below a standard deviation that one unit of the column is far from."""
    if not (np.isfinite(deviation) and deviation > 0.0) or READABLE[0] * deviation <= 1.0 <= READABLE[1] * deviation:
        return 1.0
    power = max(math.floor(math.log10(deviation)), -323)  # the smallest that float64 holds
    return float(f"1e{power}")  # 0.01 exactly, not 10⁻² with its rounding


def _step(values: Array, shares: Array) -> Step | None:
    levels, of = np.unique(values, return_inverse=True)
    if len(levels) < 2:
        return None
    masses = np.bincount(of, weights=shares)
    common = int(masses.argmax())
    if masses[common] > 0.5 * masses.sum():
        others = of != common
        start, stop = _quartiles(values[others], shares[others])
        if start == stop:  # the others share one value too: the step leads there
            start, stop = sorted((float(levels[common]), start))
    else:
        start, stop = _quartiles(values, shares)
        if _deviation(values, shares) <= LONG_TAIL * (stop - start):
            return None
    return _edges(values[(values >= start) & (values <= stop)], start, stop) if start < stop else None


def _quartiles(values: Array, shares: Array) -> tuple[float, float]:
    """Values that occur: the first below or at which a quarter, and three quarters, of all weight lies.

    So a row of weight 2 is the same as the row twice; rounding in the sums of weights must not tell them apart.
    """
    order = np.argsort(values, kind="stable")
    below = np.cumsum(shares[order]) / shares.sum()
    low, high = values[order][np.searchsorted(below, np.array([0.25, 0.75]) - 1e-9)]
    return float(low), float(high)


def _deviation(values: Array, shares: Array) -> float:
    scale = float(np.abs(values).max()) or 1.0  # so that squares do not overflow
    centred = values / scale
    centred = centred - shares @ centred / shares.sum()
    return scale * float(np.sqrt(shares @ centred**2 / shares.sum()))


def _edges(between: Array, start: float, stop: float) -> Step:
    """`start` and `stop`, and values between them that divide the rows evenly."""
    parts = int(np.clip(len(between) // ROWS_PER_PART, 1, MOST_PARTS))
    inner = np.quantile(between, np.arange(1, parts) / parts, method="inverted_cdf") if parts > 1 else np.empty(0)
    inner = np.unique(inner[(inner > start) & (inner < stop)])
    return (start, *(float(edge) for edge in inner), stop)


# ---- the table -------------------------------------------------------------------------------------------------------

COLUMNS = (
    "term", "level", "output", "kind", "step", "effect", "lower", "upper", "unit", "per_unit", "per_unit_lower",
    "per_unit_upper", "percent", "percent_lower", "percent_upper", "spread", "spread_lower", "spread_upper",
    "interval_kind",
)  # fmt: skip


def effect_table(explanation: Explanation) -> pd.DataFrame:
    """One line per effect and output; terms by rank, levels as the model knows them."""
    e, outputs = explanation._effects, explanation._values.outputs
    if e is None or not e.effect_keys:
        return pd.DataFrame({name: [] for name in _known(e, 1)})
    # Printing asks for this table again and again: columns are put in order as arrays, and pandas has them once.
    ranks = explanation.main.rank(ascending=False, method="first").to_dict()
    order = np.argsort([ranks.get(key[0], np.nan) for key in e.effect_keys], kind="stable")
    line, k = np.repeat(order, len(outputs)), np.tile(np.arange(len(outputs)), len(order))
    texts: dict[str, list[Any]] = {
        "term": [key[0] for key in e.effect_keys],
        "level": [key[1] for key in e.effect_keys],
        "kind": e.kinds,
        "step": [_step_text(*of) for of in zip(e.kinds, e.effect_step, e.effect_keys, strict=True)],
    }
    table: dict[str, Any] = {
        name: pd.Series([of[i] for i in line.tolist()], dtype=object) for name, of in texts.items()
    }
    table["output"] = pd.Series([outputs[i] for i in k.tolist()])
    table["interval_kind"] = pd.Series([explanation.interval_kind] * len(line), dtype=object)
    table["unit"] = e.effect_unit[line]
    with np.errstate(divide="ignore", invalid="ignore"):
        times = np.where(e.effect_step > 0.0, e.effect_unit / e.effect_step, np.nan)[line]
    effect, ends = e.effect[line, k], None if e.effect_ends is None else e.effect_ends[:, line, k]
    numbers = {"": (effect, ends), "per_unit_": (effect * times, None if ends is None else ends * times)}
    (_, spread, log), (_, spread_ends, log_ends) = map(e.effect_quantities.split, (e.effect, e.effect_ends))
    for start, of_lines, its_ends in (
        ("percent_", _percent(log), _percent(log_ends)),
        ("spread_", spread, spread_ends),
    ):
        if of_lines is not None:
            numbers[start] = of_lines[line], None if its_ends is None else its_ends[:, line]
    for start, (values, both) in numbers.items():
        lower, upper = np.full((2, len(line)), np.nan) if both is None else both
        table |= {start.removesuffix("_") or "effect": values, f"{start}lower": lower, f"{start}upper": upper}
    return pd.DataFrame({name: table[name] for name in _known(e, len(outputs))})


def _known(effects: Effects | None, n_outputs: int) -> list[str]:
    """The columns that are not empty here."""
    known = {
        "output": n_outputs > 1,
        "percent": effects is not None and effects.effect_quantities.log,
        "spread": effects is not None and effects.effect_quantities.spread,
    }
    return [name for name in COLUMNS if known.get(name.partition("_")[0], True)]


def _percent(change_of_log: Array | None) -> Array | None:
    """A change of the logarithm as a relative change, in percent."""
    with np.errstate(over="ignore"):
        return None if change_of_log is None else 100.0 * np.expm1(change_of_log)


def _step_text(kind: str, size: float, key: Key) -> str:
    """The change: "1 sd (4.42)", "from 12 to 85", "against the rest"."""
    if kind == SLOPE:
        return f"1 sd ({number(size)})"
    if key[2] is None or key[3] is None:
        return "against the rest"
    return f"from {value_text(key[2])} to {value_text(key[3])}"
