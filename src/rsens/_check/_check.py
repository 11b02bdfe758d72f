"""`check`, for people who bring a model of their own and want to know what becomes of it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from rsens._check._derivatives import derivative_findings
from rsens._check._predictions import coverage_finding, prediction_findings
from rsens._check._result import Check
from rsens._errors import Argument, InputError, RsensWarning
from rsens._frames import as_pandas
from rsens._table import Table
from rsens.adapters import read_for
from rsens.derivatives import Description, Finding, Model, prepare
from rsens.distributions import Distribution


def check(model: Any, X: Any, y: Any = None) -> Check:
    """What rsens understood of a model, and whether its predictions and derivatives are what they seem.

    One line says which family the prediction has, whether the noise of an observation is in it, how derivatives are
    made, and in which columns. Then the traps are tried at a few rows: Are predictions finite, the same each time, and
    each row's its own? Do first and second derivatives agree with differences, at training rows too, where many
    libraries are wrong? Is the model flat between its steps? With y: do its intervals hold about as many targets as
    they promise, or is the noise missing? To these come the traps of the library that made the model.

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
        findings = list(_findings(prepared, table, family, y))
    said = dict.fromkeys(str(each.message) for each in heard if issubclass(each.category, RsensWarning))
    new = [text for text in said if not any(_says(text, finding) for finding in findings)]
    warned = (Finding("warned of", "warning", text) for text in new)
    return Check(prepared.description or _description(source, family), (*findings, *warned))


def _findings(source: Model, table: Table, family: Distribution, y: Any) -> Iterator[Finding]:
    yield from prediction_findings(source, table, family)
    yield from derivative_findings(source, table)
    if y is not None and (found := coverage_finding(family, np.asarray(y))) is not None:
        yield found
    yield from source.checks(table.source)


def _says(text: str, finding: Finding) -> bool:
    """Whether a warning says what a finding says already, perhaps with other words in front of the colon."""
    reason = finding.text.rstrip(".").partition(": ")[2] or finding.text
    return reason in text


def _description(source: Model, family: Distribution) -> Description:
    """What can be said of a model of our own, or of a wrapped function."""
    return Description(
        model=source.name,
        family=type(family).__name__,
        noise="as the model gives it",
        derivatives=source.made,
    )
