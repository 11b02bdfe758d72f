"""Models that were fitted with a formula: rows are the data frame behind it, not the design it makes."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from rsens._errors import Argument, InputError, RsensWarning
from rsens._table import Table, is_frame
from rsens._text import first_few
from rsens._typing import Array
from rsens.adapters._adapter import Described, is_a
from rsens.adapters._linear_predictor import DesignPredictor, OnLinearPredictor
from rsens.derivatives import (
    AsGiven,
    Derivatives,
    Description,
    Finding,
    chain_rule,
    rows_for,
    rows_of,
    step_unit,
    without_derivatives,
)
from rsens.distributions import Distribution

#: Rows at which jumps of the formula are looked for, and how far apart, in units of a column.
LOOKED_AT, APART = 64, 0.5
#: A name that is not called, or a name in quotes.
NAMES = re.compile(r"""([^\W\d]\w*\b)(?!\s*[("'])|["']([^"']+)["']""")


@dataclass(frozen=True, eq=False)
class FormulaModel(Described, AsGiven, OnLinearPredictor):
    """A prediction at the design of a formula, with derivatives in the columns of the data frame by the chain rule."""

    predictor: DesignPredictor
    #: A data frame → its design, a matrix.
    transform: Callable[[Any], Any]
    formula: str
    label: str
    about: Description
    findings: tuple[Finding, ...] = ()
    #: Units of the columns, and the range in which differences may move them, (2, D); set by `prepared`.
    unit: Array | None = None
    bounds: Array | None = None

    def checks(self, X: Any) -> Iterator[Finding]:
        yield from super().checks(X)
        model = self.coded(X)
        unused = [repr(name) for name in rows_of(model, X).names if name not in names_in(self.formula)]
        if unused:
            yield Finding("columns", "warning", f"the formula does not use {first_few(unused)}: R-sens is 0 there.")

    def coded(self, X: Any, weights: Any = None) -> Self:
        source = X.source if isinstance(X, Table) else X
        if source is not None and not is_frame(source):
            raise InputError(
                Argument("X"),
                f" must be a data frame with the columns of the formula {self.formula!r}; got {type(source).__name__}.",
            )
        if self.like is None and self.categorical:
            named = [name for name in self.categorical if name in map(str, source.columns)]
            return replace(AsGiven.coded(replace(self, categorical=named), X, weights))
        return AsGiven.coded(self, X, weights)

    def prepared(self, X: Any) -> Self:
        model = self.coded(X)
        table = rows_of(model, X)
        numbers = model.numbers(table)
        unit = step_unit(numbers)
        model = replace(model, unit=unit, bounds=model._bounds(numbers, unit))
        model._check_rows_independent(numbers)
        model._warn_of_jumps(numbers, table.names)
        return model

    def derivatives(self, X: Any, order: int) -> Derivatives:
        if self.unit is None:
            return self.prepared(X).derivatives(X, order)
        table = rows_of(self, X)
        numbers = self.numbers(table)
        columns = self.continuous(numbers.shape[1])
        record = self.predictor.derivatives(self.design(numbers), order)
        if not columns:
            return without_derivatives(record.distribution, numbers.shape[1], order)
        inside = numbers if self.bounds is None else np.clip(numbers, *self.bounds)
        slopes = first_differences(self.design, inside, self.unit, columns)
        bends = second_differences(self.design, inside, self.unit, columns) if order == 2 else None
        return Derivatives(record.distribution, *chain_rule(slopes, bends, record.first, record.second))

    def predict_distribution(self, X: Any) -> Distribution:
        return self.predictor.predict(self.design_at(X)).checked()

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        design = 0 if self.like is None else self._design_of(self.like.source, 1).shape[1]
        own = 2 * 8 * design * (4 * n_columns + (4 * n_columns**2 if order == 2 else 0))  # copies, twice
        return rows_for(own + self.predictor.bytes_per_row(design or n_columns, order))

    # ---- the design --------------------------------------------------------------------------------------------------

    def design_at(self, X: Any) -> Array:
        model = self.coded(X)
        table = rows_of(model, X)
        return model._design_of(model.rows(table), len(table))

    def design(self, numbers: Array) -> Array:
        """The design (n, P) of rows given as numbers."""
        return self._design_of(self.rows_from(numbers), len(numbers))

    def _design_of(self, rows: Any, n: int) -> Array:
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a logarithm of 0 is looked for below
                design = np.asarray(self.transform(rows), dtype=np.float64)
        except Exception as error:  # the formula is the user's own code, and may raise anything
            reason = str(error).rpartition(" is:\n")[2].strip().splitlines()[0]  # behind what statsmodels says
            raise InputError(
                f"the formula {self.formula!r} cannot be evaluated at the rows ",
                Argument("X"),
                f": {reason}. Give all its columns, with the levels it was fitted to.",
            ) from error
        if design.shape[0] != n or not np.isfinite(design).all():
            raise InputError(
                f"the formula {self.formula!r} is not finite at all rows of ",
                Argument("X"),
                " or next to them. Leave out rows at the edge of a logarithm or root.",
            )
        return design

    def _bounds(self, numbers: Array, unit: Array) -> Array:
        """Splines and logarithms may end at the last row: differences there are taken a little inside."""
        bounds = np.array([[-np.inf], [np.inf]]) * np.ones(numbers.shape[1])
        for d in self.continuous(numbers.shape[1]):
            rows = numbers[[numbers[:, d].argmin(), numbers[:, d].argmax()]]
            outward = SECOND_STEP * unit[d] * np.array([-1.0, 1.0])
            beyond = rows.copy()
            beyond[:, d] += outward
            if self._is_defined(beyond):
                continue
            for side in (0, 1):
                if not self._is_defined(beyond[[side]]):
                    bounds[side, d] = rows[side, d] - outward[side]
        return bounds

    def _is_defined(self, numbers: Array) -> bool:
        try:
            self.design(numbers)
        except InputError:
            return False
        return True

    def _check_rows_independent(self, numbers: Array) -> None:
        half = numbers[: len(numbers) - len(numbers) // 2]
        if len(half) < len(numbers) and not np.allclose(self.design(half), self.design(numbers)[: len(half)], 1e-9):
            raise InputError(
                f"the formula {self.formula!r} mixes rows: a row's design changed when other rows left. Use center(x) "
                "or standardize(x), which remember the training data, in place of x - np.mean(x)."
            )

    def _warn_of_jumps(self, numbers: Array, names: tuple[str, ...]) -> None:
        """A column of the design that changes over half a unit but has no slope at any row jumps in between."""
        assert self.unit is not None
        columns = self.continuous(numbers.shape[1])
        some = numbers[np.unique(np.linspace(0, len(numbers) - 1, LOOKED_AT).astype(np.intp))]
        if not columns:
            return
        some = some if self.bounds is None else np.clip(some, *self.bounds)
        flat = (first_differences(self.design, some, self.unit, columns) == 0.0).all(axis=0)  # (P, D)
        if not flat[:, columns].any():
            return
        here, found = self.design(some), []
        middle = np.median(some, axis=0)
        for d in columns:
            far = some.copy()
            far[:, d] += np.where(far[:, d] < middle[d], 1.0, -1.0) * APART * self.unit[d]  # inwards
            try:
                there = self.design(far)
            except InputError:  # few rows have a wide unit, and the formula ends before: a logarithm, say
                continue
            if (flat[:, d] & (there != here).any(axis=0)).any():
                found.append(repr(names[d]))
        if found:
            warnings.warn(
                f"the formula {self.formula!r} jumps in {', '.join(found)}: derivatives see nothing of the jumps, so "
                "R-sens is too small there. Make what jumps a column of its own in the data frame.",
                RsensWarning,
                stacklevel=2,
            )


def names_in(formula: str) -> set[str]:
    """Names that occur in a formula and may be columns, also as Q("name"); not those of functions."""
    found = NAMES.findall(formula.rpartition("~")[2])
    return {quoted or name for name, quoted in found}


def categorical_names(spec: Any) -> list[str]:
    """Columns that the formula takes as categories, also where they hold numbers: C(k)."""
    if is_a(spec, "patsy.DesignInfo"):
        codes = [factor.name() for factor, info in spec.factor_infos.items() if info.type == "categorical"]
    else:
        codes = [str(factor) for factor in getattr(spec, "factor_contrasts", {})]
    return sorted({name for code in codes for name in names_in(code)})


# ---- The design that a formula makes of the columns of a data frame, with its derivatives ----------------------------
# The design is mostly linear in each column, so its derivatives are central differences with Richardson's
# extrapolation: exact up to rounding for products of columns, with an error of h⁴ otherwise. A formula takes as long
# for one row as for thousands, so all moved copies of the rows go in together.


#: Steps for first and second derivatives, in units of a column: powers of two, so that they add no rounding.
FIRST_STEP, SECOND_STEP = 2.0**-10, 2.0**-8
#: Rows in one call of the design.
ROWS_PER_CALL = 8192

Design = Callable[[Array], Array]  #: numbers (n, D) → design (n, P)


def first_differences(design: Design, X: Array, unit: Array, columns: list[int]) -> Array:
    """∂ design/∂x, (n, P, D); 0 in columns that are not named."""
    directions = (np.eye(X.shape[1]) * unit)[columns]

    def quotients(step: float) -> list[Array]:
        return [step * directions, -step * directions]

    z, x = _moved(design, X, quotients(FIRST_STEP) + quotients(0.5 * FIRST_STEP))
    slopes = [(z[k] - z[k + 1]) / _apart(x[k], x[k + 1], columns) for k in (0, 2)]
    found = np.zeros((*z[0].shape[1:], X.shape[1]))
    found[..., columns] = np.moveaxis(_extrapolated(*slopes), 0, -1)
    return found


def second_differences(design: Design, X: Array, unit: Array, columns: list[int]) -> Array:
    """∂² design/∂x∂x, (n, P, D, D): three points for d = e, the four corners for d ≠ e."""
    directions = (np.eye(X.shape[1]) * unit)[columns]
    d, e = np.triu_indices(len(columns), 1)

    def points(step: float) -> list[Array]:
        h = step * directions
        return [h, -h, h[d] + h[e], h[d] - h[e], h[e] - h[d], -h[d] - h[e]]

    here = design(X)
    z, x = _moved(design, X, points(SECOND_STEP) + points(0.5 * SECOND_STEP))
    own, mixed = [], []
    for k in (0, 6):
        above, below = _apart(x[k], X, columns), _apart(X, x[k + 1], columns)
        own.append(2.0 * ((z[k] - here) / above - (here - z[k + 1]) / below) / (above + below))
        wide = _apart(x[k], x[k + 1], columns)
        mixed.append(((z[k + 2] - z[k + 3]) - (z[k + 4] - z[k + 5])) / (wide[d] * wide[e]))
    found = np.zeros((*here.shape, X.shape[1], X.shape[1]))
    place = np.array(columns)
    found[..., place, place] = np.moveaxis(_extrapolated(*own), 0, -1)
    found[..., place[d], place[e]] = found[..., place[e], place[d]] = np.moveaxis(_extrapolated(*mixed), 0, -1)
    return found


def _moved(design: Design, X: Array, moves: list[Array]) -> tuple[list[Array], list[Array]]:
    """For each of the moves (K, D) the design at moved copies of the rows, (K, n, P), and the copies, (K, n, D)."""
    copies = [X + move[:, None, :] for move in moves]
    rows = np.concatenate(copies).reshape(-1, X.shape[1])
    parts = [design(rows[k : k + ROWS_PER_CALL]) for k in range(0, len(rows), ROWS_PER_CALL)]
    values = np.concatenate(parts).reshape(-1, len(X), parts[0].shape[1])
    return np.split(values, np.cumsum([len(move) for move in moves])[:-1]), copies


def _apart(above: Array, below: Array, columns: list[int]) -> Array:
    """How far the copies moved along their own column, as rounded, (C, n, 1)."""
    difference = above - below
    return np.stack([difference[k, :, d] for k, d in enumerate(columns)])[..., None]


def _extrapolated(whole: Array, half: Array) -> Array:
    """(4 q(h/2) − q(h))/3, in which the errors of order h² cancel."""
    return (4.0 * half - whole) / 3.0
