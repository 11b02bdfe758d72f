"""Effects averaged over rows: slopes, levels against the rest, and steps between two values of a column.

With f the prediction (or its spread, or its logarithm; `Stated`), over rows i with weights w_i that add up to 1:

    slope of a number               Σ_i w_i ∂f(x_i)/∂x_d, per unit of the column
    level l of a category           Σ_i w_i [f(x_i with l) − Σ_{m≠l} p_m f(x_i with m) / Σ_{m≠l} p_m], p the frequencies
    number of two values            Σ_i w_i [f(x_i with the higher) − f(x_i with the lower)]
    step from a to b                Σ_k mean of f(x_i with z_{k+1}) − f(x_i with z_k) over the rows from z_k to z_{k+1}

The last is the accumulated local effect of Apley and Zhu (2020): each row moves only between two neighbouring values
a = z_0 < z_1 < … < z_K = b that hold rows, so the model is asked near the data, and an additive model has f(b) − f(a).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rsens._coding import Levels
from rsens._explain._bootstrap import RowSummer, RowSums
from rsens._explain._stated import Stated
from rsens._explain._steps import Step, numeric_columns
from rsens._table import Table
from rsens._typing import Array, Positions
from rsens.derivatives import MAX_BYTES, Derivatives, Model
from rsens.measures import Terms

#: What an effect is about: the term, a level of it, and where a step starts and stops.
Key = tuple[str, str | None, float | None, float | None]


@dataclass(frozen=True, eq=False)
class RowEffects:
    """The effects of one fit: what rows add up to, one line after the other, and the same of bootstrap replicates.

    A step in K parts has the share of the rows in each part, then Σ w_i times the changes (K, Q); any other line has
    Σ w_i times the change (Q,).
    """

    stated: Stated
    edges: Mapping[Key, tuple[float, ...]]  # of the parts of a step; empty for other lines
    sums: Array  # (columns,)
    replicate_sums: Array | None  # (R, columns)
    replicate_weight: Array | None  # (R,)

    @property
    def values(self) -> dict[Key, Array]:
        """The effects (Q,) by line."""
        return {key: found[0] for key, found in self._lines(self.sums[np.newaxis], np.ones(1)).items()}

    @property
    def replicates(self) -> dict[Key, Array] | None:
        """Their replicates (R, Q) by line, but for those that drew no row at all; None without a bootstrap."""
        if self.replicate_sums is None or self.replicate_weight is None:
            return None
        drawn = self.replicate_weight > 0.0
        return self._lines(self.replicate_sums[drawn], self.replicate_weight[drawn])

    def _lines(self, sums: Array, weight: Array) -> dict[Key, Array]:
        q, start, found = len(self.stated), 0, {}
        for key, edges in self.edges.items():
            k = max(len(edges) - 1, 0)
            line = sums[:, start : start + (k + k * q if k else q)]
            start += line.shape[1]
            if k:
                found[key] = _accumulate(line[:, :k], line[:, k:].reshape(-1, k, q), np.diff(edges))
            else:
                found[key] = line / weight[:, np.newaxis]
        return found


class EffectSums:
    """Collects the effects of all terms that are one column, while `evaluate` goes over the rows."""

    def __init__(
        self,
        table: Table,
        terms: Terms,
        weights: Array,
        steps: Mapping[int, Step],
        *,
        max_bytes: int = MAX_BYTES,
        **bootstrap: Any,
    ) -> None:
        self._table, self._terms, self._weights, self._steps = table, terms, weights, steps
        self._max_bytes, self._bootstrap = max_bytes, bootstrap
        self._coded = {} if table.coding is None else {c.position: c for c in table.coding.columns}
        self._slopes = [d for d in numeric_columns(terms, table) if d not in steps]
        self._stated: Stated | None = None
        self._summer = RowSummer(weights, **self._bootstrap)

    def add(self, derivatives: Derivatives) -> None:
        """The next rows."""
        stated = self._stated = self._stated or Stated.of(derivatives.distribution)
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite has no effect that can be told
            changes = [stated.slopes(derivatives)[..., self._slopes].swapaxes(1, 2)]
            for contrast in derivatives.contrasts:
                at = np.stack([stated.values(level) for level in contrast.levels], axis=1)
                changes.append(level_changes(self._coded[contrast.column], at))
        self._summer.add(np.concatenate(changes, axis=1).reshape(len(derivatives), -1))

    def found(self, model: Model) -> RowEffects:
        """The effects, when all rows have come; for steps the model is asked at the rows between the two values."""
        assert self._stated is not None  # a table has at least one row
        sums, keys, q = self._summer.sums(), self._keys(), len(self._stated)
        lines: dict[Key, tuple[tuple[float, ...], Array, Array]] = {
            key: ((), sums.mean()[q * j : q * (j + 1)], sums.replicate_total[:, q * j : q * (j + 1)])
            for j, key in enumerate(keys)
        }
        for d, step in self._steps.items():
            key: Key = (self._terms.names[self._terms.of_column(d)], None, step.start, step.stop)
            inside = self._inside(model, d, step)
            lines[key] = (step.edges, inside.total, inside.replicate_total)
        ordered = [key for name in self._terms.names for key in lines if key[0] == name]
        none = np.empty((len(sums.replicate_mass), 0))
        return RowEffects(
            stated=self._stated,
            edges={key: lines[key][0] for key in ordered},
            sums=np.concatenate([np.empty(0), *(lines[key][1] for key in ordered)]),
            replicate_sums=np.concatenate([none, *(lines[key][2] for key in ordered)], axis=1) if len(none) else None,
            replicate_weight=sums.replicate_mass if len(none) else None,
        )

    def _keys(self) -> list[Key]:
        """What the columns of the sums are about, in their order."""
        name = {d: self._terms.names[self._terms.of_column(d)] for d in (*self._slopes, *self._coded)}
        keys: list[Key] = [(name[d], None, None, None) for d in self._slopes]
        for d, column in self._coded.items():
            if column.numeric:
                keys.append((name[d], None, *two_values(column)))
            else:
                keys += [(name[d], level, None, None) for level in level_names(column)]
        return keys

    def _inside(self, model: Model, column: int, step: Step) -> RowSums:
        """The shares of rows in the parts of a step, (K,), and the changes there, (K, Q), side by side."""
        assert self._stated is not None
        edges, x = np.array(step.edges), self._table.values[:, column]
        rows: Positions = np.flatnonzero((x >= step.start) & (x <= step.stop) & (self._weights > 0.0))
        part = np.clip(np.searchsorted(edges, x[rows], side="right") - 1, 0, len(edges) - 2)
        change = self._moved(model, rows, column, edges[part + 1]) - self._moved(model, rows, column, edges[part])
        k, q = len(edges) - 1, len(self._stated)
        inside, changes = np.zeros((len(x), k)), np.zeros((len(x), k, q))
        inside[rows, part], changes[rows, part] = 1.0, change
        summer = RowSummer(self._weights, **self._bootstrap)
        summer.add(np.concatenate([inside, changes.reshape(len(x), -1)], axis=1))
        return summer.sums()

    def _moved(self, model: Model, rows: Positions, column: int, to: Array) -> Array:
        """What is stated (rows, Q) of the predictions for rows whose column has other values, in chunks."""
        assert self._stated is not None
        values = self._table.values[rows]
        values[:, column] = to
        most = max(1, model.rows_per_chunk(values.shape[1], 1) * self._max_bytes // MAX_BYTES)
        found = [np.empty((0, len(self._stated)))]
        for start in range(0, len(rows), most):
            part = values[start : start + most]
            found.append(self._stated.values(model.predict_distribution(self._table.like(part)).checked(len(part))))
        return np.concatenate(found)


def level_changes(column: Levels, at: Array) -> Array:
    """Each level that occurs against the rest, or the higher of two numbers against the lower, from (n, L, Q) at each.

    NaN where nothing is left to compare with.
    """
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


def _accumulate(mass: Array, totals: Array, widths: Array) -> Array:
    """Σ_k of the mean change in part k, (R, Q); parts without rows count as the others do, per width."""
    there = mass > 0.0
    means = np.where(there[..., np.newaxis], totals, 0.0) / np.where(there, mass, 1.0)[..., np.newaxis]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = widths.sum() / (there @ widths)
        return np.where(there.any(axis=1), share, np.nan)[:, np.newaxis] * means.sum(axis=1)
