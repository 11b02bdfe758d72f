"""Whether, and how, the model is refitted: what `explain` is asked for held against what the model can do."""

from __future__ import annotations

from typing import Any

from rsens._arguments import one_of
from rsens._errors import Argument, InputError
from rsens._explain._null_level import refitter
from rsens._refits import Fit


def fit_for_null_level(null: Any, model: Any, y: Any, refit: Any, n: int) -> Fit | None:
    """How to refit for the null level, or None for no null level."""
    one_of(null, "null", (True, False, "auto"))
    how = refitter(model, refit)
    if y is not None and (not hasattr(y, "__len__") or len(y) != n):
        got = f"{len(y)}" if hasattr(y, "__len__") else type(y).__name__
        raise InputError(Argument("y"), f" must have one entry for each of the {n} rows of X; got {got}.")
    if null is False or (null == "auto" and y is None and refit is None):
        return None
    if y is None:
        raise InputError(
            "The null level is found by refitting, which needs the targets. Use explain(model, X, y), or ",
            Argument("null", False),
            ".",
        )
    if how is None and null is True:
        raise InputError(
            f"The null level needs a model that can be refitted, with fit and get_params; got {type(model).__name__}. ",
            "Pass ",
            Argument("refit"),
            ", a function (X, y) -> fitted model, or ",
            Argument("null", False),
            ".",
        )
    return how


def fit_for_intervals(intervals: Any, model: Any, y: Any, refit: Any, *, same_rows: bool) -> Fit | None:
    """How to refit for intervals, or None for none from refits.

    A model that was fitted to more or fewer rows than X varies less or more than its refits to these would.
    """
    if intervals in (False, "rows"):
        return None
    how = refitter(model, refit)
    if intervals == "auto":
        return how if y is not None and same_rows else None
    if y is None:
        raise InputError(
            Argument("intervals", "refits"),
            " needs the targets. Use explain(model, X, y), or ",
            Argument("intervals", "rows"),
            ".",
        )
    if how is None:
        raise InputError(
            Argument("intervals", "refits"),
            f" needs a model that can be refitted, with fit and get_params; got {type(model).__name__}. Pass ",
            Argument("refit"),
            ", a function (X, y) -> fitted model, or ",
            Argument("intervals", "rows"),
            ".",
        )
    return how
