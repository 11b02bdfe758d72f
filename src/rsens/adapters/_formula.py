"""Models that were fitted with a formula: rows are the data frame behind it, not the design it makes."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from rsens._conversions import is_a
from rsens._errors import Argument, InputError, RsensWarning
from rsens._table import Table, is_frame
from rsens._text import first_few
from rsens._typing import Array
from rsens.adapters._adapter import FIRST, SECOND, quotients
from rsens.adapters._linear_predictor import OnLinearPredictor
from rsens.derivatives import (
    Derivatives,
    Finding,
    chain_rule,
    extrapolated,
    rows_for,
    rows_of,
    spread_out,
    step_unit,
    without_derivatives,
)

#: Rows at which jumps of the formula are looked for, and how far apart, in units of a column.
LOOKED_AT, APART = 64, 0.5
#: A name that is not called, or a name in quotes.
NAMES = re.compile(r"""([^\W\d]\w*\b)(?!\s*[("'])|["']([^"']+)["']""")


@dataclass(frozen=True, eq=False, kw_only=True)
class FormulaModel(OnLinearPredictor):
    """A prediction at the design of a formula, with derivatives in the columns of the data frame by the chain rule."""

    #: A data frame → its design, a matrix.
    transform: Callable[[Any], Any]
    formula: str
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
            return super(FormulaModel, replace(self, categorical=named)).coded(X, weights)
        return super().coded(X, weights)

    def prepared(self, X: Any) -> Self:
        model = self.coded(X)
        table = rows_of(model, X)
        numbers = model.numbers(table)
        unit = step_unit(numbers)
        model = replace(model, unit=unit, bounds=model._bounds(numbers, unit))
        half = numbers[: len(numbers) - len(numbers) // 2]
        if len(half) < len(numbers) and not np.allclose(model.design(half), model.design(numbers)[: len(half)], 1e-9):
            raise InputError(
                f"the formula {self.formula!r} mixes rows: a row's design changed when other rows left. Use center(x) "
                "or standardize(x), which remember the training data, in place of x - np.mean(x)."
            )
        model._warn_of_jumps(numbers, table.names)
        return model

    def derivatives(self, X: Any, order: int) -> Derivatives:
        if self.unit is None or self.bounds is None:
            return self.prepared(X).derivatives(X, order)
        numbers = self.numbers(rows_of(self, X))
        columns = self.continuous(numbers.shape[1])
        record = self.predictor.derivatives(self.design(numbers), order)
        if not columns:
            return without_derivatives(record.distribution, numbers.shape[1], order)
        inside = np.clip(numbers, *self.bounds)
        at, unit = quotients(self.design, inside, columns), np.broadcast_to(self.unit, inside.shape)
        slopes = spread_out(extrapolated(at.first, FIRST * unit), self.coding, 1)
        bends = spread_out(extrapolated(at.second, SECOND * unit), self.coding, 2) if order == 2 else None
        return Derivatives(record.distribution, *chain_rule(slopes, bends, record.first, record.second))

    def rows_per_chunk(self, n_columns: int, order: int) -> int:
        design = 0 if self.like is None else self._design_of(self.like.source, 1).shape[1]
        own = 2 * 8 * design * (4 * n_columns + (4 * n_columns**2 if order == 2 else 0))  # copies, twice
        return rows_for(own + self.predictor.bytes_per_row(design or n_columns, order))

    def design_at(self, X: Any) -> Array:
        model = self.coded(X)
        table = rows_of(model, X)
        return model._design_of(model.rows(table), len(table))

    def design(self, numbers: Array, which: Any = None) -> Array:
        """The design (n, P) of rows given as numbers."""
        return self._design_of(self.rows_from(numbers), len(numbers))

    def _design_of(self, rows: Any, n: int) -> Array:
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a logarithm of 0 is looked for below
                design = np.asarray(self.transform(rows), dtype=np.float64)
        except Exception as error:  # the formula is the user's own code, and may raise anything
            reason = str(error).rpartition(" is:\n")[2].strip().splitlines()[0]  # after a sentence of statsmodels
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
            for side, row in enumerate((numbers[:, d].argmin(), numbers[:, d].argmax())):
                outward = SECOND * unit[d] * (1.0 if side else -1.0)
                try:
                    self.design(numbers[[row]] + outward * np.eye(numbers.shape[1])[d])
                except InputError:
                    bounds[side, d] = numbers[row, d] - outward
        return bounds

    def _warn_of_jumps(self, numbers: Array, names: tuple[str, ...]) -> None:
        """A column of the design that changes over half a unit but has no slope at any row jumps in between."""
        assert self.unit is not None
        assert self.bounds is not None
        columns = self.continuous(numbers.shape[1])
        if not columns:
            return
        some = numbers[np.unique(np.linspace(0, len(numbers) - 1, LOOKED_AT).astype(np.intp))]
        some = np.clip(some, *self.bounds)
        at = quotients(self.design, some, columns)
        slopes = extrapolated(at.first, FIRST * np.broadcast_to(self.unit, some.shape))
        jumps = []
        for d, flat in zip(columns, (slopes == 0.0).all(axis=0).T, strict=True):
            inwards = np.where(some[:, d] < np.median(some[:, d]), 1.0, -1.0)
            far = some + APART * self.unit[d] * inwards[:, None] * np.eye(len(names))[d]
            try:
                changed = flat.any() and (self.design(far) != at.z).any(axis=0)
            except InputError:  # few rows have a wide unit, and the formula ends before, at 0 of a logarithm
                continue
            jumps += [repr(names[d])] if (flat & changed).any() else []
        if jumps:
            warnings.warn(
                f"the formula {self.formula!r} jumps in {', '.join(jumps)}: derivatives do not see jumps, so R-sens "
                "is too small there. Put the part that jumps into another column of the data frame.",
                RsensWarning,
                stacklevel=2,
            )


def names_in(formula: str) -> set[str]:
    """Names that occur in a formula and may be columns, also as Q("name"); without the names of functions."""
    found = NAMES.findall(formula.rpartition("~")[2])
    return {quoted or name for name, quoted in found}


def categorical_names(spec: Any) -> list[str]:
    """Columns that the formula takes as categories, also where they hold numbers: C(k)."""
    if is_a(spec, "patsy.DesignInfo"):
        codes = [factor.name() for factor, info in spec.factor_infos.items() if info.type == "categorical"]
    else:
        codes = [str(factor) for factor in getattr(spec, "factor_contrasts", {})]
    return sorted({name for code in codes for name in names_in(code)})
