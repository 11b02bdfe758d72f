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
        findings = [*prediction_findings(prepared, table, family), *derivative_findings(prepared, table)]
        if y is not None and (found := coverage_finding(family, np.asarray(y))) is not None:
            findings.append(found)
        findings += prepared.checks(table.source)
    said = dict.fromkeys(str(each.message) for each in heard if issubclass(each.category, RsensWarning))
    reasons = [finding.text.rstrip(".").partition(": ")[2] or finding.text for finding in findings]
    new = [text for text in said if not any(reason in text for reason in reasons)]  # not a repetition of a finding
    warned = (Finding("warned of", "warning", text) for text in new)
    own = Description(source.name, type(family).__name__, "as the model gives it", source.made)
    return Check(prepared.description or own, (*findings, *warned))


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


def prediction_findings(source: Model, table: Table, family: Distribution) -> Iterator[Finding]:
    """Two calls with the same rows, and rows on their own."""
    here = family.parameters
    again = source.predict_distribution(table.source).checked(len(table)).parameters
    if _differ(again, here, family):
        yield Finding("repeatable", "wrong", "the same rows get other predictions each time: fix the random numbers.")
        return
    yield Finding("repeatable", "ok", "the same rows get the same predictions.")
    picked = np.unique(np.linspace(0, len(table) - 1, ALONE).astype(int))
    alone = [source.predict_distribution(table.rows(i, i + 1)).checked(1).parameters[0] for i in picked.tolist()]
    if _differ(np.array(alone), here[picked], family):
        text = (
            "the prediction of a row depends on the other rows: something is computed from X that belongs "
            "to the training data (a mean, a scale, batch normalisation)."
        )
        yield Finding("rows on their own", "wrong", text)
    else:
        yield Finding("rows on their own", "ok", "the prediction of a row does not depend on other rows.")


def coverage_finding(family: Distribution, y: NDArray[Any]) -> Finding | None:
    """Whether the 90 % interval holds about 90 % of the targets; None for classes, few rows and without noise."""
    if family.support not in ("continuous", "counts") or len(y) < LEAST_ROWS or y.dtype.kind not in "fiub":
        return None
    upper = np.asarray(family.cdf(y.astype(np.float64)))  # type: ignore[attr-defined]
    lower = upper if family.support == "continuous" else np.asarray(family.cdf(y - 1.0))  # type: ignore[attr-defined]
    if np.abs(family.prediction()[:, 0] - y).max() <= SAME * np.ptp(y):
        return None

    def held_by(level: float) -> float:
        tail = 0.5 * (1.0 - level)
        return float(np.mean((upper >= tail) & (lower <= 1.0 - tail)))

    share, half = held_by(0.9), held_by(0.5)
    held = f"the 90 % interval holds {percent(share)} of y"
    if share < TOO_FEW:
        text = f"{held}: far too narrow. Is the noise of an observation missing, or X in other units than the model's?"
        return Finding("width", "warning", text)
    if half > TOO_MANY and family.support == "continuous":  # a few large counts may be all there is to an interval
        text = f"the 50 % interval holds {percent(half)} of y: too wide. Is noise counted twice, or y in another unit?"
        return Finding("width", "warning", text)
    return Finding("width", "ok", f"{held}.")


def _differ(a: Array, b: Array, family: Distribution) -> bool:
    """Whether λ differs by more than rounding; a variance that is itself rounding, without noise, may differ freely."""
    if a.shape != b.shape:
        return True
    allowed = SAME * np.abs(b).max(axis=0, initial=0.0)
    if {"variance", "scale2"} & {*family.parameter_names} and len(family.parameter_names) == 2:
        allowed[1] += ROUNDING * np.ptp(family.prediction()) ** 2
    return bool((np.abs(a - b) > allowed).any())


def derivative_findings(source: Model, table: Table) -> Iterator[Finding]:
    """Derivatives against extrapolated differences, at a few rows and at training rows; errors are relative norms."""
    picked = np.unique(np.linspace(0, len(table) - 1, ROWS).astype(int))
    continuous = list(range(len(table.names)) if table.coding is None else table.coding.continuous)
    if not continuous:
        yield Finding("derivatives", "ok", "none: all columns are categorical, and levels are compared.")
        return
    scale = column_scale(table.values)
    units = np.where(scale > 0.0, scale, 1.0)
    yield from _at(source, table, table.values[picked], units, continuous, "")
    training = source.training_inputs_
    if training is not None and table.coding is None and not source.by_differences:
        yield from _at(
            source, table, np.asarray(training, dtype=np.float64)[:ROWS], units, continuous, " at training rows"
        )


def _at(source: Model, table: Table, rows: Array, units: Array, columns: list[int], where: str) -> Iterator[Finding]:
    record = source.derivatives(table.like(rows), 1)
    if not record.first.any():
        yield _flat(source, table, where)
        return
    if source.by_differences:
        text = "by differences; explain compares them with half the step and warns where that matters."
        yield Finding(f"first derivatives{where}", "ok", text)
        try:
            source.derivatives(table.like(rows), 2)
        except NoSecondDerivativesError as error:
            yield Finding(f"second derivatives{where}", "warning", f"none: {error.sentence}")
        except InputError as error:
            yield Finding(f"second derivatives{where}", "wrong", str(error.sentence))
        return

    def parameters_at(x: Array) -> Array:
        return source.predict_distribution(table.like(x)).checked(len(x)).parameters

    first = _differences(parameters_at, rows, units, columns)
    ours = record.first[:, :, columns] * units[columns]
    slope = float(record.distribution.fisher_norm(ours).max())
    if slope == 0.0:
        text = "so small in units of the columns that R-sens is 0 in float64: nothing to compare."
        yield Finding(f"first derivatives{where}", "ok", text)
        return
    yield _compared(record, ours, first * units[columns], slope, f"first derivatives{where}")
    try:
        second = source.derivatives(table.like(rows), 2).for_pairs
    except NoSecondDerivativesError as error:
        yield Finding(f"second derivatives{where}", "warning", str(error.sentence))
        return
    assert second.second is not None
    differences = _differences(
        lambda x: source.derivatives(table.like(x), 2).for_pairs.first[:, :, columns], rows, units, columns
    )
    products = np.outer(units[columns], units[columns])
    ours = second.second[:, :, columns][..., columns] * products
    yield _compared(second, ours, differences * products, slope, f"second derivatives{where}")


def _flat(source: Model, table: Table, where: str) -> Finding:
    spread = np.ptp(source.predict_distribution(table.source).checked(len(table)).parameters, axis=0)
    if not spread.any():
        return Finding(f"first derivatives{where}", "ok", "all 0, and so are the differences between rows.")
    text = (
        "all 0, although predictions differ between rows: the model is piecewise constant, or its derivatives are cut "
        "off. Use from_function(fn, step=0.3), which looks across its steps."
    )
    return Finding(f"first derivatives{where}", "wrong", text)


def _differences(function: Callable[[Array], Array], rows: Array, units: Array, columns: list[int]) -> Array:
    """Derivatives of the function (n, …) in the columns, on a new last axis, without their error in h²."""
    here, flat = function(rows), (len(rows), -1)
    steps = Quotients(
        lambda points: np.stack([function(x).reshape(flat) for x in points]), rows, here.reshape(flat), columns
    )
    widths = np.broadcast_to(STEP * units, rows.shape)
    return extrapolated(steps.first, widths).reshape(*here.shape, len(columns))


def _compared(record: Derivatives, ours: Array, theirs: Array, slope: float, name: str) -> Finding:
    """Derivatives against differences; second ones may all be 0, so errors are also relative to the largest slope."""
    largest = max(slope, float(record.distribution.fisher_norm(ours).max()))
    relative = float(record.distribution.fisher_norm(ours - theirs).max()) / largest
    text = f"differ from differences by {relative:.1g} of the largest."
    if relative <= FINE:
        return Finding(name, "ok", text)
    return Finding(name, "warning" if relative <= DOUBTFUL else "wrong", f"{text} Do not rely on them.")
