"""`check`: how rsens reads a user's model, and tests of its predictions and derivatives."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rsens._document import Column, Document, Sentences, Shown, ShownTable
from rsens._errors import Argument, InputError, RsensWarning
from rsens._table import Table, as_pandas, column_scale
from rsens._text import counted, percent
from rsens._typing import Array
from rsens.adapters import read_for
from rsens.derivatives import (
    Derivatives,
    Description,
    Finding,
    Model,
    NoSecondDerivativesError,
    Quotients,
    extrapolated,
    prepare,
)
from rsens.distributions import Distribution

#: From good to bad: a model is as good as its worst finding.
VERDICTS = ("ok", "warning", "wrong")
#: How far λ may differ between two calls, relative to its size: the rounding of bad conditioning.
SAME = 1e-6
#: The rounding error of a variance without noise, relative to the squared range of predictions.
ROUNDING = 1e-9
#: Rows that are predicted again on their own.
ALONE = 3
#: The fewest rows for a test of intervals, and the shares of y in them that chance does not explain: less than this
#: in the 90 % interval, more than this in the 50 % interval.
LEAST_ROWS, TOO_FEW, TOO_MANY = 20, 0.75, 0.9
#: Rows at which derivatives are compared, and the step in units of a column.
ROWS, STEP = 4, 1e-3
#: Relative errors up to these are "ok" and "warning". A Matérn-3/2 kernel has differences wrong by O(h) at its inputs.
FINE, DOUBTFUL = 1e-2, 0.1


def check(model: Any, X: Any, y: Any = None) -> Check:
    """Check how rsens reads a model, and whether its predictions and derivatives are right.

    One line has the family of the prediction, whether it includes the noise of an observation, the source of the
    derivatives, and their columns. Then the traps are tried at a few rows: Are predictions finite, the same each time,
    and independent of other rows? Do first and second derivatives agree with differences, at training rows too, where
    many libraries are wrong? Is the model flat between its steps? With y: do its intervals hold about as many targets
    as they promise, or is the noise missing? The traps of the library that made the model are added.

    Args:
        model: Anything that `explain` takes.
        X: Some rows to try it at: a data frame or an array. A hundred are plenty.
        y: The targets of these rows, if there are any.

    Returns:
        A `Check`: print it, or read `verdict`, `description`, `findings`, `to_frame()`.

    Example:
        >>> import numpy as np
        >>> from rsens import Normal, check, from_function
        >>> model = from_function(lambda X: Normal(np.sin(X[:, 0]), 0.04))
        >>> check(model, [[0.0, 1.0], [0.5, 2.0], [1.0, 0.0]]).verdict
        'ok'
    """
    X, y = as_pandas(X), as_pandas(y, "y")
    source, table = read_for(model, X)
    if y is not None and len(y) != len(table):
        raise InputError(Argument("y"), f" must have one entry for each of the {len(table)} rows of X; got {len(y)}.")
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        prepared = prepare(source, table)
        family = prepared.predict_distribution(table.source).checked(len(table))
        findings = [*_of_predictions(prepared, table, family), *_of_derivatives(prepared, table)]
        findings += [] if y is None else _of_intervals(family, np.asarray(y))
        findings += prepared.checks(table.source)
    said = dict.fromkeys(str(each.message) for each in heard if issubclass(each.category, RsensWarning))
    reasons = [finding.text.rstrip(".").partition(": ")[2] or finding.text for finding in findings]
    new = [text for text in said if not any(reason in text for reason in reasons)]  # not a repetition of a finding
    findings += [Finding("warned of", "warning", text) for text in new]
    own = Description(source.name, type(family).__name__, "as the model gives it", source.made)
    return Check(prepared.description or own, tuple(findings))


@dataclass(frozen=True, eq=False, repr=False)
class Check(Shown):
    """How rsens reads a model, and the checks of its predictions and derivatives. Made by `rsens.check`; print it.

    Example:
        >>> import rsens
        >>> model = rsens.from_function(lambda X: rsens.Normal(X[:, 0] + X[:, 1], 1.0))
        >>> check = rsens.check(model, [[0.0, 1.0], [1.0, 2.0], [0.5, 3.0]])
        >>> check.verdict
        'ok'
        >>> check.to_frame()[["name", "verdict"]]
                        name verdict
        0         repeatable      ok
        1  rows on their own      ok
        2  first derivatives      ok
    """

    #: How the model is read: family, noise, how derivatives are made, which columns.
    description: Description
    #: The checks, in order.
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> str:
        """The worst of all findings: "ok", "warning" (read it before the numbers) or "wrong" (do not use them)."""
        return max((finding.verdict for finding in self.findings), key=VERDICTS.index, default="ok")

    def to_frame(self) -> pd.DataFrame:
        """One row for each check: its name, the verdict, and an explanation."""
        rows: list[dict[str, Any]] = [vars(finding) for finding in self.findings]
        return pd.DataFrame(rows, columns=["name", "verdict", "text"])

    def _document(self) -> Document:
        verdicts = [finding.verdict for finding in self.findings]
        columns = [
            Column("", [finding.name for finding in self.findings], "name"),
            Column("", [verdict if verdict == "ok" else verdict.upper() for verdict in verdicts], "words"),
            Column("", [finding.text for finding in self.findings], "text"),
        ]
        bad, count = sum(verdict != "ok" for verdict in verdicts), counted(len(verdicts), "check")
        advice = "Do not use the numbers before this is mended" if self.verdict == "wrong" else "Read this first"
        conclusion = f"{advice}: {bad} of {count}." if bad else f"Nothing to warn about in {count}."
        return Document([Sentences([str(self.description)], "heading"), ShownTable("Checks", columns, [conclusion])])


def _of_predictions(source: Model, table: Table, family: Distribution) -> list[Finding]:
    """Two calls with the same rows, and rows on their own."""
    here = family.parameters
    again = source.predict_distribution(table.source).checked(len(table)).parameters
    if _differ(again, here, family):
        text = "the same rows get other predictions each time: fix the random numbers."
        return [Finding("repeatable", "wrong", text)]
    found = [Finding("repeatable", "ok", "the same rows get the same predictions.")]
    picked = np.unique(np.linspace(0, len(table) - 1, ALONE).astype(int))
    alone = [source.predict_distribution(table.rows(i, i + 1)).checked(1).parameters[0] for i in picked.tolist()]
    name = "rows on their own"
    if not _differ(np.array(alone), here[picked], family):
        return [*found, Finding(name, "ok", "the prediction of a row does not depend on other rows.")]
    text = (
        "the prediction of a row depends on the other rows: something is computed from X that belongs to the training "
        "data (a mean, a scale, batch normalisation)."
    )
    return [*found, Finding(name, "wrong", text)]


def _of_intervals(family: Distribution, y: NDArray[Any]) -> list[Finding]:
    """Whether the 90 % interval holds about 90 % of the targets; nothing for classes, few rows and without noise."""
    if family.support not in ("continuous", "counts") or len(y) < LEAST_ROWS or y.dtype.kind not in "fiub":
        return []
    if np.abs(family.prediction()[:, 0] - y).max() <= SAME * np.ptp(y):
        return []
    upper = np.asarray(family.cdf(y.astype(np.float64)))  # type: ignore[attr-defined]
    lower = upper if family.support == "continuous" else np.asarray(family.cdf(y - 1.0))  # type: ignore[attr-defined]
    share, half = (float(np.mean((upper >= tail) & (lower <= 1.0 - tail))) for tail in (0.05, 0.25))
    text = f"the 90 % interval holds {percent(share)} of y"
    if share < TOO_FEW:
        text += ": far too narrow. Is the noise of an observation missing, or X in other units than the model's?"
    elif half > TOO_MANY and family.support == "continuous":  # a few large counts may be all there is to an interval
        text += f", the 50 % interval {percent(half)}: too wide. Is noise counted twice, or y in another unit?"
    else:
        return [Finding("width", "ok", f"{text}.")]
    return [Finding("width", "warning", text)]


def _differ(a: Array, b: Array, family: Distribution) -> bool:
    """Whether λ differs by more than rounding; a variance that is itself rounding, without noise, may differ freely."""
    if a.shape != b.shape:
        return True
    allowed = SAME * np.abs(b).max(axis=0, initial=0.0)
    if {"variance", "scale2"} & {*family.parameter_names} and len(family.parameter_names) == 2:
        allowed[1] += ROUNDING * np.ptp(family.prediction()) ** 2
    return bool((np.abs(a - b) > allowed).any())


def _of_derivatives(source: Model, table: Table) -> Iterator[Finding]:
    """Derivatives against extrapolated differences, at a few rows and at training rows; errors are relative norms."""
    continuous = list(range(len(table.names)) if table.coding is None else table.coding.continuous)
    if not continuous:
        yield Finding("derivatives", "ok", "none: all columns are categorical, and levels are compared.")
        return
    picked = np.unique(np.linspace(0, len(table) - 1, ROWS).astype(int))
    scale = column_scale(table.values)
    at = _At(source, table, np.where(scale > 0.0, scale, 1.0), continuous)
    yield from at.findings(table.values[picked], "")
    training = source.training_inputs_
    if training is not None and table.coding is None and not source.by_differences:
        yield from at.findings(np.asarray(training, dtype=np.float64)[:ROWS], " at training rows")


@dataclass(frozen=True, eq=False)
class _At:
    """Compares the derivatives of a model in some columns, in units of these."""

    source: Model
    table: Table
    units: Array
    columns: list[int]

    def findings(self, rows: Array, where: str) -> Iterator[Finding]:
        """At these rows."""
        first, second = f"first derivatives{where}", f"second derivatives{where}"
        record = self._record(rows, 1)
        if not record.first.any():
            yield self._flat(first)
            return
        try:
            if self.source.by_differences:
                text = "by differences; explain compares them with half the step and warns where that matters."
                yield Finding(first, "ok", text)
                self._record(rows, 2)
                return
            steps = self.units[self.columns]
            ours = record.first[:, :, self.columns] * steps
            slope = float(record.distribution.fisher_norm(ours).max())
            if slope == 0.0:
                text = "so small in units of the columns that R-sens is 0 in float64: nothing to compare."
                yield Finding(first, "ok", text)
                return
            yield _compared(record, ours, self._differences(self._parameters, rows) * steps, slope, first)
            pairs = self._record(rows, 2).for_pairs
            assert pairs.second is not None
            products = np.outer(steps, steps)
            slopes = self._differences(lambda x: self._record(x, 2).for_pairs.first[:, :, self.columns], rows)
            yield _compared(
                pairs, pairs.second[:, :, self.columns][..., self.columns] * products, slopes * products, slope, second
            )
        except InputError as error:
            verdict: Any = "warning" if isinstance(error, NoSecondDerivativesError) else "wrong"
            yield Finding(second, verdict, str(error.sentence))

    def _record(self, rows: Array, order: int) -> Derivatives:
        return self.source.derivatives(self.table.like(rows), order)

    def _parameters(self, rows: Array) -> Array:
        return self.source.predict_distribution(self.table.like(rows)).checked(len(rows)).parameters

    def _flat(self, name: str) -> Finding:
        if not np.ptp(self._parameters(self.table.values), axis=0).any():
            return Finding(name, "ok", "all 0, and so are the differences between rows.")
        text = (
            "all 0, although predictions differ between rows: the model is piecewise constant, or its derivatives are "
            "cut off. Use from_function(fn, step=0.3), which looks across its steps."
        )
        return Finding(name, "wrong", text)

    def _differences(self, function: Callable[[Array], Array], rows: Array) -> Array:
        """Derivatives of the function (n, …) in the columns, on a new last axis, without their error in h²."""
        here, flat = function(rows), (len(rows), -1)
        steps = Quotients(
            lambda points: np.stack([function(x).reshape(flat) for x in points]), rows, here.reshape(flat), self.columns
        )
        widths = np.broadcast_to(STEP * self.units, rows.shape)
        return extrapolated(steps.first, widths).reshape(*here.shape, len(self.columns))


def _compared(record: Derivatives, ours: Array, theirs: Array, slope: float, name: str) -> Finding:
    """Derivatives against differences; second ones may all be 0, so errors are also relative to the largest slope."""
    largest = max(slope, float(record.distribution.fisher_norm(ours).max()))
    relative = float(record.distribution.fisher_norm(ours - theirs).max()) / largest
    text = f"differ from differences by {relative:.1g} of the largest."
    if relative <= FINE:
        return Finding(name, "ok", text)
    return Finding(name, "warning" if relative <= DOUBTFUL else "wrong", f"{text} Do not rely on them.")
